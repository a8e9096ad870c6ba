#include <stdlib.h>

#include "probe/report/identities.h"
#include "probe/report/json_parts.h"

static void
write_pairs(struct kiln_json *json, const char *key, const struct kiln_model_pair *pairs, size_t count)
{
  kiln_json_member_object(json, key);
  for (size_t i = 0; i < count; i++)
    if (pairs[i].name)
      kiln_json_member_text(json, pairs[i].name, pairs[i].value);
  kiln_json_object_end(json);
}

void
kiln_report_json_identities(struct kiln_json *json, const struct kiln_report *report)
{
  size_t count;
  struct kiln_model_hash *identities = kiln_report_identities(report, &count);
  kiln_json_member_array(json, "identities");
  for (size_t i = 0; i < count; i++) {
    const struct kiln_model_hash *hash = &identities[i];
    kiln_json_object(json);
    kiln_json_member_text(json, "framework", hash->framework);
    kiln_json_member_text(json, "module", hash->module);
    kiln_json_member_int(json, "block_dim", hash->block_dim);
    kiln_json_member_text(json, "identity", hash->identity);
    write_pairs(json, "kernels", hash->kernels, hash->kernel_count);
    write_pairs(json, "options", hash->options, hash->option_count);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
  free(identities);
}
