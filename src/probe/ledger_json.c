/* The ledger as JSON: what ledger_read.c reads. */
#include "base/json_copy.h"
#include "probe/ledger.h"

static void
write_effect(struct kiln_json *json, const struct kiln_ledger_effect *effect)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "metric", effect->metric);
  kiln_json_member_text(json, "verdict", kiln_verdict_name(effect->verdict));
  kiln_json_member_double(json, "before_s", effect->before_s);
  kiln_json_member_double(json, "after_s", effect->after_s);
  kiln_json_member_uint(json, "pairs", effect->pairs);
  if (effect->look) {
    kiln_json_member_double(json, "percent", effect->percent);
    kiln_json_member_double(json, "low_percent", effect->low);
    kiln_json_member_double(json, "high_percent", effect->high);
  }
  kiln_json_member_doubles(json, "without_s", effect->seconds[0], effect->pairs_raw);
  kiln_json_member_doubles(json, "with_s", effect->seconds[1], effect->pairs_raw);
  kiln_json_object_end(json);
}

static void
write_module(struct kiln_json *json, const struct kiln_ledger_module *module)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "module", module->module);
  kiln_json_member_text(json, "device", module->device);
  kiln_json_member_int(json, "block_dim", module->block_dim);
  kiln_json_member_text(json, "before", module->before);
  kiln_json_member_text(json, "after", module->after);
  kiln_json_member_bool(json, "arrived", module->arrived);
  if (module->because) {
    kiln_json_member_text(json, "because", module->because);
  }
  kiln_json_object_end(json);
}

/* What came as a text of JSON goes out as JSON; a text that is none (nobody writes one) as null. */
static void
write_change(struct kiln_json *json, const char *change)
{
  kiln_json_key(json, "change");
  if (!change || kiln_json_copy_text(change, json, NULL) != KILN_OK) {
    kiln_json_null(json);
  }
}

static void
write_lists(struct kiln_json *json, const struct kiln_ledger_entry *entry)
{
  kiln_json_member_array(json, "effects");
  for (size_t i = 0; i < entry->effect_count; i++) {
    write_effect(json, &entry->effects[i]);
  }
  kiln_json_array_end(json);
  kiln_json_member_array(json, "modules");
  for (size_t i = 0; i < entry->module_count; i++) {
    write_module(json, &entry->modules[i]);
  }
  kiln_json_array_end(json);
  kiln_json_member_array(json, "lines");
  for (size_t i = 0; i < entry->line_count; i++) {
    kiln_json_object(json);
    kiln_json_member_text(json, "where", entry->lines[i].where);
    kiln_json_member_text(json, "text", entry->lines[i].text);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
  kiln_json_member_texts(json, "evidence", entry->evidence, entry->evidence_count);
}

static void
write_entry(struct kiln_json *json, const struct kiln_ledger_entry *entry)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "lever", entry->lever);
  kiln_json_member_text(json, "title", entry->title);
  kiln_json_member_text(json, "mechanisms", entry->mechanisms);
  kiln_json_member_text(json, "state", kiln_ledger_state_name(entry->state));
  kiln_json_member_bool(json, "combination", entry->combination);
  kiln_json_member_bool(json, "changes_kernels", entry->changes_kernels);
  kiln_json_member_bool(json, "forced", entry->forced);
  kiln_json_member_text(json, "why", entry->why);
  kiln_json_member_text(json, "supports", entry->supports);
  kiln_json_member_text(json, "work", entry->work);
  kiln_json_member_text(json, "decided_by", entry->decided_by);
  kiln_json_member_uint(json, "missed", entry->missed);
  kiln_json_member_text(json, "output", entry->output);
  kiln_json_member_text(json, "launches", entry->launches);
  kiln_json_member_text(json, "removed", entry->removed);
  kiln_json_member_text(json, "undo", entry->undo);
  kiln_json_member_text(json, "would_buy", entry->would_buy);
  write_change(json, entry->change);
  write_lists(json, entry);
  kiln_json_object_end(json);
}

static void
write_environment(struct kiln_json *json, const struct kiln_ledger *ledger)
{
  kiln_json_member_object(json, "environment");
  kiln_json_member_text(json, "cpu", ledger->cpu);
  kiln_json_member_int(json, "cores", ledger->cores);
  kiln_json_member_text(json, "kernel", ledger->kernel);
  kiln_json_member_text(json, "python", ledger->python);
  kiln_json_member_text(json, "framework", ledger->framework);
  kiln_json_object_end(json);
}

static void
write_baseline(struct kiln_json *json, const struct kiln_ledger *ledger)
{
  kiln_json_member_object(json, "baseline");
  kiln_json_member_double(json, "cold_elapsed_s", ledger->cold_elapsed_s);
  kiln_json_member_double(json, "cold_cpu_s", ledger->cold_cpu_s);
  kiln_json_member_double(json, "warm_elapsed_s", ledger->warm_elapsed_s);
  kiln_json_member_double(json, "warm_cpu_s", ledger->warm_cpu_s);
  kiln_json_member_uint(json, "builds", ledger->builds);
  kiln_json_member_uint(json, "identities", ledger->identities);
  kiln_json_member_uint(json, "source_bytes", ledger->source_bytes);
  kiln_json_member_uint(json, "lto", ledger->lto);
  kiln_json_object_end(json);
}

static void
write_ceiling(struct kiln_json *json, const struct kiln_ledger_ceiling *ceiling)
{
  kiln_json_key(json, "ceiling");
  if (ceiling->builds == 0) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  kiln_json_member_uint(json, "builds", ceiling->builds);
  kiln_json_member_double(json, "sum_s", ceiling->sum_s);
  kiln_json_member_double(json, "largest_s", ceiling->largest_s);
  kiln_json_member_double(json, "header_s", ceiling->header_s);
  kiln_json_member_text(json, "largest", ceiling->largest);
  kiln_json_member_double(json, "speedup", ceiling->speedup);
  kiln_json_member_double(json, "elapsed_s", ceiling->elapsed_s);
  kiln_json_member_int(json, "cores", ceiling->cores);
  kiln_json_object_end(json);
}

static void
write_remaining(struct kiln_json *json, const struct kiln_ledger *ledger)
{
  kiln_json_member_object(json, "remaining");
  kiln_json_member_known(json, "cold_elapsed_s", ledger->remain_elapsed_s);
  kiln_json_member_known(json, "cold_cpu_s", ledger->remain_cpu_s);
  kiln_json_member_text(json, "sentence", ledger->remain);
  kiln_json_object_end(json);
}

void
kiln_ledger_json(const struct kiln_ledger *ledger, struct kiln_buf *out)
{
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_member_text(&json, "schema", KILN_LEDGER_SCHEMA);
  kiln_json_member_text(&json, "date", ledger->date);
  kiln_json_member_text(&json, "kiln", ledger->version);
  kiln_json_member_texts(&json, "command", ledger->command, ledger->command_count);
  kiln_json_member_text(&json, "goal", ledger->goal);
  kiln_json_member_bool(&json, "consent", ledger->consent);
  kiln_json_member_text(&json, "compared", ledger->compared);
  write_environment(&json, ledger);
  write_baseline(&json, ledger);
  write_ceiling(&json, &ledger->ceiling);
  kiln_json_member_array(&json, "entries");
  for (size_t i = 0; i < ledger->entry_count; i++) {
    write_entry(&json, &ledger->entries[i]);
  }
  kiln_json_array_end(&json);
  write_remaining(&json, ledger);
  kiln_json_member_texts(&json, "notes", ledger->notes, ledger->note_count);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}
