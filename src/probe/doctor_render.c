/* The doctor's facts as a page and as JSON. */
#include "base/json_write.h"
#include "base/text.h"
#include "kiln/version.h"
#include "probe/doctor.h"
#include "probe/report/page.h"

#define NAME_COLUMNS 26

static const char *
verdict_text(int code)
{
  return code == 5   ? "Nothing can be measured here: see what is marked 'X'."
         : code == 1 ? "Something here does not work: see what is marked '!'."
                     : "Everything that was found can be observed.";
}

/* "  ! name    value (source)"; the marks are those of warnings. */
static void
write_fact(struct kiln_page *page, const struct kiln_fact *fact)
{
  static const char marks[] = {' ', ' ', '-', '!', 'X'};
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_printf(&line, "%c ", marks[fact->state]);
  kiln_page_pad(&line, fact->name, NAME_COLUMNS, false);
  kiln_buf_printf(&line, " %s", fact->value[0] ? fact->value : "not set");
  if (fact->source)
    kiln_buf_printf(&line, " (%s)", fact->source);
  kiln_page_text(
      page, fact->state >= KILN_FACT_LIMITED ? KILN_STYLE_ALERT : KILN_STYLE_PLAIN, 2, 6, kiln_buf_text(&line));
  if (fact->note)
    kiln_page_text(page, KILN_STYLE_FAINT, 6, 6, fact->note);
  kiln_buf_release(&line);
}

/* Is it the first fact of its group? Facts of one group are shown together. */
static bool
is_first(const struct kiln_doctor *doctor, size_t at)
{
  for (size_t i = 0; i < at; i++)
    if (kiln_text_equal(doctor->facts[i].group, doctor->facts[at].group))
      return false;
  return true;
}

void
kiln_doctor_text(const struct kiln_doctor *doctor, int columns, bool color, struct kiln_buf *out)
{
  struct kiln_page page;
  kiln_page_init(&page, out, columns, color);
  for (size_t i = 0; i < doctor->count; i++) {
    if (!is_first(doctor, i))
      continue;
    kiln_page_text(&page, KILN_STYLE_BOLD, 0, 2, doctor->facts[i].group);
    for (size_t j = i; j < doctor->count; j++)
      if (kiln_text_equal(doctor->facts[j].group, doctor->facts[i].group))
        write_fact(&page, &doctor->facts[j]);
    kiln_page_blank(&page);
  }
  const int code = kiln_doctor_exit(doctor);
  kiln_page_text(&page, code ? KILN_STYLE_ALERT : KILN_STYLE_BOLD, 0, 2, verdict_text(code));
  out->failed = out->failed || doctor->failed;
}

void
kiln_doctor_json(const struct kiln_doctor *doctor, struct kiln_buf *out)
{
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_member_text(&json, "schema", KILN_DOCTOR_SCHEMA);
  kiln_json_member_text(&json, "kiln_version", kiln_version());
  kiln_json_member_int(&json, "exit_code", kiln_doctor_exit(doctor));
  kiln_json_member_text(&json, "verdict", verdict_text(kiln_doctor_exit(doctor)));
  kiln_json_member_array(&json, "facts");
  for (size_t i = 0; i < doctor->count; i++) {
    const struct kiln_fact *fact = &doctor->facts[i];
    kiln_json_object(&json);
    kiln_json_member_text(&json, "group", fact->group);
    kiln_json_member_text(&json, "name", fact->name);
    kiln_json_member_text(&json, "value", fact->value);
    kiln_json_member_text(&json, "source", fact->source);
    kiln_json_member_text(&json, "state", kiln_fact_state_name(fact->state));
    kiln_json_member_text(&json, "note", fact->note);
    kiln_json_object_end(&json);
  }
  kiln_json_array_end(&json);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
  out->failed = out->failed || doctor->failed;
}
