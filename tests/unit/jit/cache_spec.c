#include "entries.h"

#include "jit/cache_spec.h"

/* The spec of a manifest as text. */
static void
written(const char *manifest, struct kiln_buf *out)
{
  struct cJSON *tree = NULL;
  struct kiln_json json;
  kiln_buf_init(out);
  assert_int_equal(kiln_json_parse(manifest, strlen(manifest), "manifest", &tree, NULL), KILN_OK);
  kiln_json_init(&json, out, false);
  kiln_cache_spec_write(tree, &json);
  kiln_json_free(tree);
}

static void
expect(const char *manifest, const char *spec)
{
  struct kiln_buf out;
  written(manifest, &out);
  assert_string_equal(kiln_buf_text(&out), spec);
  kiln_buf_release(&out);
}

static void
test_texts_come_from_the_sources(void **state)
{
  (void)state;
  expect("{\"spec\":{\"name\":\"n\",\"toolchain\":\"hostcc\",\"sources\":[{\"name\":\"a.c\"},{\"name\":\"b.c\"}],"
         "\"flags\":[\"-O2\",\"-g\"],\"entry_points\":[\"f\"]},"
         "\"sources\":[{\"name\":\"a.c\",\"text\":\"A\"},{\"name\":\"b.c\",\"text\":null}]}",
      "{\"name\":\"n\",\"toolchain\":\"hostcc\",\"sources\":[{\"name\":\"a.c\",\"text\":\"A\"},{\"name\":\"b.c\","
      "\"text\":"
      "null}],\"flags\":[\"-O2\",\"-g\"],\"defines\":[],\"includes\":[],\"archs\":[],\"supports\":[],\"links\":[],"
      "\"entry_points\":["
      "\"f\"]}");
  expect("{\"key\":\"x\"}", "null");
  expect("{\"spec\":[]}", "null");
}

/* A manifest of one source file, kept with the digest of `kept`, and with its text or without. */
static void
file_manifest(char *manifest, size_t size, const char *path, const char *kept, bool text)
{
  struct kiln_digest digest = kiln_digest_of(kept, strlen(kept));
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(&digest, hex);
  snprintf(manifest, size,
      "{\"spec\":{\"sources\":[{\"path\":\"%s\"}]},\"sources\":[{\"name\":\"a.c\",\"content\":\"%s\"%s%s%s}]}", path,
      hex, text ? ",\"text\":\"" : "", text ? kept : "", text ? "\"" : "");
}

static bool
gives(const char *manifest, const char *part)
{
  struct kiln_buf out;
  bool found;
  written(manifest, &out);
  found = strstr(kiln_buf_text(&out), part) != NULL;
  kiln_buf_release(&out);
  return found;
}

static void
test_a_file_is_named_while_it_is_the_same(void **state)
{
  struct made *made = *state;
  char manifest[2048], path[1024];
  snprintf(path, sizeof path, "%s", made_path(made, "a.c"));
  assert_int_equal(kiln_file_write(path, "same", 4, NULL), KILN_OK);
  file_manifest(manifest, sizeof manifest, path, "same", true);
  assert_true(gives(manifest, "{\"path\":"));
  file_manifest(manifest, sizeof manifest, path, "other", true);
  assert_true(gives(manifest, "{\"name\":\"a.c\",\"text\":\"other\"}"));
  file_manifest(manifest, sizeof manifest, path, "other", false);
  assert_true(gives(manifest, "{\"path\":"));
  assert_int_equal(unlink(path), 0);
  file_manifest(manifest, sizeof manifest, path, "same", true);
  assert_true(gives(manifest, "{\"name\":\"a.c\",\"text\":\"same\"}"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts_come_from_the_sources),
      cmocka_unit_test_setup_teardown(test_a_file_is_named_while_it_is_the_same, made_setup, made_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
