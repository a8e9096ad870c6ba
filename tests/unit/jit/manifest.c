#include "entries.h"

#include "jit/manifest.h"

/* A spec of one text, a plan that hashed it, an output with a log of `log_len` bytes. */
struct built {
  struct kiln_spec *spec;
  struct kiln_plan plan;
  struct kiln_buf text;
  struct kiln_build_output output;
  struct kiln_buf manifest;
};

static void
build(struct built *built, size_t text_len, size_t log_len, size_t field_count)
{
  size_t i;
  memset(built, 0, sizeof *built);
  for (i = 0; i < text_len; i++)
    kiln_buf_append(&built->text, "\001", 1); /* six bytes as JSON */
  for (i = 0; i < log_len; i++)
    kiln_buf_append(&built->output.log, "\001", 1);
  assert_int_equal(kiln_spec_new("scale", "hostcc", &built->spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(built->spec, "scale.c", kiln_buf_text(&built->text), text_len, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(built->spec, "scale", NULL), KILN_OK);
  kiln_key_init(&built->plan.key);
  for (i = 0; i < field_count; i++)
    kiln_key_add(&built->plan.key, "root 0 some/long/path/of/a/header.h", "\001\001\001\001\001\001\001\001\001\001");
  built->plan.entry = made_key("a");
  built->plan.texts = &built->text;
  built->plan.text_count = 1;
  kiln_buf_text_append(&built->output.command, "cc scale.c");
  struct kiln_manifest_facts facts = {built->spec, &built->plan, &built->output, 12.5};
  assert_int_equal(kiln_manifest_write(&facts, &built->manifest, NULL), KILN_OK);
}

static void
release(struct built *built)
{
  kiln_spec_free(built->spec);
  kiln_key_release(&built->plan.key);
  kiln_buf_release(&built->text);
  kiln_buf_release(&built->output.log);
  kiln_buf_release(&built->output.command);
  kiln_buf_release(&built->manifest);
}

/* The manifest must be one that an entry accepts. */
static struct cJSON *
sealed(const struct built *built)
{
  struct cJSON *tree = NULL;
  struct kiln_buf entry;
  kiln_buf_init(&entry);
  kiln_buf_text_append(&entry, "payload");
  assert_int_equal(
      kiln_entry_seal(&entry, &built->plan.entry, built->manifest.data, built->manifest.len, NULL), KILN_OK);
  kiln_buf_release(&entry);
  assert_int_equal(kiln_json_parse(built->manifest.data, built->manifest.len, "manifest", &tree, NULL), KILN_OK);
  return tree;
}

static void
test_a_small_build_keeps_everything(void **state)
{
  struct built built;
  char key[KILN_DIGEST_HEX];
  (void)state;
  build(&built, 10, 10, 3);
  struct cJSON *tree = sealed(&built);
  assert_string_equal(kiln_json_get_string(tree, "key", ""), entries_key("a", key));
  assert_string_equal(kiln_json_get_string(tree, "command", ""), "cc scale.c");
  assert_int_equal(kiln_json_count(kiln_json_get(tree, "fields")), 4); /* with "abi" */
  const struct cJSON *source = kiln_json_first(kiln_json_get(tree, "sources"));
  assert_string_equal(kiln_json_get_string(source, "text", ""), kiln_buf_text(&built.text));
  assert_int_equal(kiln_json_get_int(source, "size", 0), 10);
  assert_string_equal(kiln_json_get_string(tree, "log", ""), kiln_buf_text(&built.output.log));
  kiln_json_free(tree);
  release(&built);
}

static void
test_a_large_source_is_left_out_with_its_digest_kept(void **state)
{
  struct built built;
  (void)state;
  build(&built, 2 << 20, 1 << 20, 3);
  struct cJSON *tree = sealed(&built);
  const struct cJSON *source = kiln_json_first(kiln_json_get(tree, "sources"));
  assert_null(kiln_json_get_string(source, "text", NULL));
  assert_int_equal(kiln_json_get_int(source, "size", 0), 2 << 20);
  assert_int_equal(strlen(kiln_json_get_string(source, "content", "")), 64);
  assert_true(strlen(kiln_json_get_string(tree, "log", "")) > 1000);
  kiln_json_free(tree);
  release(&built);
}

static void
test_many_fields_are_cut_and_counted(void **state)
{
  struct built built;
  (void)state;
  build(&built, 200 << 10, 10, 20000);
  struct cJSON *tree = sealed(&built);
  assert_int_equal(kiln_json_get_int(tree, "field_count", 0), 20001);
  assert_true(kiln_json_count(kiln_json_get(tree, "fields")) < 20001);
  kiln_json_free(tree);
  release(&built);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_small_build_keeps_everything),
      cmocka_unit_test(test_a_large_source_is_left_out_with_its_digest_kept),
      cmocka_unit_test(test_many_fields_are_cut_and_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
