#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "store/key.h"

#define ABC "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"

/* Key of tag, value, tag, value, …; NULL ends. */
static struct kiln_digest
key_of(const char *const *texts)
{
  struct kiln_key key;
  kiln_key_init(&key);
  for (; *texts; texts += 2)
    kiln_key_add(&key, texts[0], texts[1]);
  struct kiln_digest digest = kiln_key_digest(&key);
  assert_false(key.failed);
  kiln_key_release(&key);
  return digest;
}
#define KEY(...) key_of((const char *const[]){__VA_ARGS__, NULL})

static void
assert_differ(struct kiln_digest a, struct kiln_digest b)
{
  assert_false(kiln_digest_equal(&a, &b));
}

/* The encoding is on disk: a change needs another KILN_STORE_ABI. */
static void
test_encoding_is_as_documented(void **state)
{
  (void)state;
  struct kiln_key key;
  char hex[KILN_DIGEST_HEX];
  struct kiln_digest content = kiln_digest_of("abc", 3);
  kiln_key_init(&key);
  kiln_key_add(&key, "flag", "-O3");
  kiln_key_add_digest(&key, "source a.c", &content);
  struct kiln_digest digest = kiln_key_digest(&key);
  kiln_digest_hex(&digest, hex);
  assert_string_equal(hex, "829fbb688c7b3a4ef1ecd6ea4ce195db87c92f04efc3f1d3743203f1e272388c");
  kiln_key_release(&key);
}

static void
test_boundaries_count(void **state)
{
  (void)state;
  assert_differ(KEY("a", "bc"), KEY("ab", "c"));
  assert_differ(KEY("a", "b", "c", "d"), KEY("a", "bcd", "", ""));
  assert_differ(KEY("a", "b"), KEY("a", "b", "", ""));
  assert_differ(KEY("a", "1", "b", "2"), KEY("b", "2", "a", "1"));
  assert_differ(KEY("a", ""), KEY("", "a"));
  struct kiln_digest once = KEY("a", "b"), again = KEY("a", "b");
  assert_true(kiln_digest_equal(&once, &again));
}

static void
test_kinds_count(void **state)
{
  (void)state;
  struct kiln_key text, content;
  struct kiln_digest digest = kiln_digest_of("abc", 3);
  kiln_key_init(&text);
  kiln_key_init(&content);
  kiln_key_add(&text, "x", "blake2b:" ABC);
  kiln_key_add_digest(&content, "x", &digest);
  assert_string_equal(text.fields[1].value, content.fields[1].value);
  assert_differ(kiln_key_digest(&text), kiln_key_digest(&content));
  kiln_key_release(&text);
  kiln_key_release(&content);
}

static void
test_fields_are_kept(void **state)
{
  (void)state;
  struct kiln_key key;
  char tag[] = "flag 0", value[] = "-O0";
  kiln_key_init(&key);
  assert_int_equal(key.count, 1);
  assert_string_equal(key.fields[0].tag, "abi");
  kiln_key_add(&key, tag, value);
  tag[0] = value[0] = '?'; /* copied */
  kiln_key_add(&key, NULL, NULL);
  for (int i = 0; i < 500; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d", i);
    kiln_key_add(&key, "n", text);
  }
  assert_int_equal(key.count, 503);
  assert_string_equal(key.fields[1].tag, "flag 0");
  assert_string_equal(key.fields[1].value, "-O0");
  assert_string_equal(key.fields[2].tag, "");
  assert_string_equal(key.fields[2].value, "");
  assert_string_equal(key.fields[502].value, "499");
  kiln_key_release(&key);
  assert_null(key.fields);
}

static void
test_digest_in_between(void **state)
{
  (void)state;
  struct kiln_key key;
  kiln_key_init(&key);
  kiln_key_add(&key, "a", "1");
  struct kiln_digest request = kiln_key_digest(&key), again = kiln_key_digest(&key), expected = KEY("a", "1");
  assert_true(kiln_digest_equal(&request, &expected));
  assert_true(kiln_digest_equal(&request, &again));
  kiln_key_add(&key, "b", "2");
  struct kiln_digest entry = kiln_key_digest(&key);
  expected = KEY("a", "1", "b", "2");
  assert_true(kiln_digest_equal(&entry, &expected));
  assert_differ(request, entry);
  kiln_key_release(&key);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_encoding_is_as_documented),
      cmocka_unit_test(test_boundaries_count), cmocka_unit_test(test_kinds_count),
      cmocka_unit_test(test_fields_are_kept), cmocka_unit_test(test_digest_in_between)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
