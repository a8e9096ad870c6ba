/* Tokens to architectures and back; what runs where is in arch_fit.c. */
#include "jit/arch.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define SEPARATORS " \t\n,;"
#define FORMS "Write 9.0, 90 or sm_90; with 'a' (9.0a) or 'f' (12.0f) behind it; compute_90 for PTX; 9.0+PTX for both."
enum { OLDEST_MAJOR = 5, NEWEST_MAJOR = 99, LONGEST_TOKEN = 32 };

/* A token being read. */
struct token {
  const char *text; /* all of it, for messages */
  int len;
  const char *at, *end;
};

static enum kiln_status
refuse(const struct token *token, const char *why, const char *advice, struct kiln_error *error)
{
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "architecture '%.*s' %s", token->len, token->text, why);
  kiln_error_advise(error, "%s", advice);
  return KILN_ERROR_ARGUMENT;
}

static bool
is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool
take(struct token *token, const char *word)
{
  const size_t len = strlen(word);
  if ((size_t)(token->end - token->at) < len || memcmp(token->at, word, len) != 0)
    return false;
  token->at += len;
  return true;
}

static size_t
digits(const struct token *token)
{
  size_t count = 0;
  while (token->at + count < token->end && is_digit(token->at[count]))
    count++;
  return count;
}

static unsigned
number(const char *text, size_t len)
{
  unsigned value = 0;
  for (size_t i = 0; i < len; i++)
    value = value * 10 + (unsigned)(text[i] - '0');
  return value;
}

/* "9.0" or, also behind a prefix, "90". */
static enum kiln_status
take_number(struct token *token, bool prefixed, struct kiln_arch *arch, struct kiln_error *error)
{
  const char *first = token->at;
  size_t count = digits(token);
  if (count == 0)
    return refuse(token, "has no number where one is expected", FORMS, error);
  if (*first == '0')
    return refuse(token, "has a number that begins with 0", FORMS, error);
  if (count > 3)
    return refuse(token, "has too many digits", FORMS, error);
  token->at += count;
  if (token->at < token->end && *token->at == '.') {
    token->at++;
    const size_t minor = digits(token);
    if (prefixed)
      return refuse(token, "has a dot behind its prefix", "Write sm_90 or 9.0.", error);
    if (minor != 1 || count > 2)
      return refuse(token, "has a minor version that is not one digit", FORMS, error);
    arch->major = number(first, count);
    arch->minor = number(token->at++, 1);
    return KILN_OK;
  }
  if (count == 1)
    return refuse(token, "has no minor version", "Write both numbers, as in 9.0 or 90.", error);
  arch->major = number(first, count - 1);
  arch->minor = number(first + count - 1, 1);
  return KILN_OK;
}

static enum kiln_status
take_suffix(struct token *token, struct kiln_arch *arch, struct kiln_error *error)
{
  if (token->at == token->end || *token->at == '+')
    return KILN_OK;
  const char suffix = *token->at++;
  if (suffix == 'A' || suffix == 'F')
    return refuse(token, "has a capital suffix", "Write it small, as in 9.0a.", error);
  if (suffix != 'a' && suffix != 'f')
    return refuse(token, "has an unknown ending", FORMS, error);
  if (suffix == 'a' && arch->major < 9)
    return refuse(token, "does not exist: 'a' begins with 9.0", "Leave the 'a' out.", error);
  if (suffix == 'f' && arch->major < 10)
    return refuse(token, "does not exist: 'f' begins with 10.0", "Leave the 'f' out, or use 'a'.", error);
  arch->suffix = suffix;
  return KILN_OK;
}

static enum kiln_status
take_ptx(struct token *token, const struct kiln_arch *arch, bool *both, struct kiln_error *error)
{
  *both = take(token, "+PTX");
  if (token->at != token->end)
    return refuse(token, "has an unknown ending", FORMS, error);
  if (*both && arch->ptx)
    return refuse(token, "is PTX already", "Leave '+PTX' out, or write sm_ instead of compute_.", error);
  return KILN_OK;
}

static enum kiln_status
check_whole(const struct token *token, struct kiln_error *error)
{
  static const struct {
    const char *word, *why, *advice;
  } known[] = {
      {"+PTX", "stands alone", "Write it behind an architecture without a space, as in 9.0+PTX."},
      {"native", "is no architecture here", "Name one, or leave the list empty for those of this machine."},
      {"all", "is no architecture", "Name each one."},
      {"all-major", "is no architecture", "Name each one."},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if ((size_t)token->len == strlen(known[i].word) && memcmp(token->text, known[i].word, (size_t)token->len) == 0)
      return refuse(token, known[i].why, known[i].advice, error);
  return KILN_OK;
}

static enum kiln_status
read_token(struct token *token, struct kiln_arch *arch, bool *both, struct kiln_error *error)
{
  *arch = (struct kiln_arch){0};
  enum kiln_status status = check_whole(token, error);
  if (status != KILN_OK)
    return status;
  arch->ptx = take(token, "compute_");
  const bool prefixed = arch->ptx || take(token, "sm_");
  status = take_number(token, prefixed, arch, error);
  if (status == KILN_OK && arch->major < OLDEST_MAJOR)
    return refuse(token, "is too old", "kiln compiles for 5.0 and newer.", error);
  if (status == KILN_OK)
    status = take_suffix(token, arch, error);
  return status == KILN_OK ? take_ptx(token, arch, both, error) : status;
}

static struct token
token_of(const char *text, size_t len)
{
  const int shown = len < LONGEST_TOKEN ? (int)len : LONGEST_TOKEN;
  return (struct token){text, shown, text, text + len};
}

enum kiln_status
kiln_arch_list_add_token(struct kiln_arch_list *list, const char *text, size_t len, struct kiln_error *error)
{
  struct token token = token_of(text, len);
  struct kiln_arch arch;
  bool both = false;
  enum kiln_status status = read_token(&token, &arch, &both, error);
  if (status != KILN_OK)
    return status;
  bool added = kiln_arch_list_add(list, arch);
  arch.ptx = true;
  added = added && (!both || kiln_arch_list_add(list, arch));
  if (added)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "more than %d architectures, the last is '%.*s'", KILN_ARCH_MOST,
      token.len, token.text);
  return KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_arch_list_parse(struct kiln_arch_list *list, const char *text, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  const char *at = text + strspn(text, SEPARATORS);
  if (*at == '\0') {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "the list of architectures '%s' is empty", text);
    kiln_error_advise(error, FORMS);
    return KILN_ERROR_ARGUMENT;
  }
  while (*at && status == KILN_OK) {
    const size_t len = strcspn(at, SEPARATORS);
    status = kiln_arch_list_add_token(list, at, len, error);
    at += len;
    at += strspn(at, SEPARATORS);
  }
  return status;
}

enum kiln_status
kiln_arch_limit_parse(const char *text, struct kiln_arch_limit *limit, struct kiln_error *error)
{
  const size_t len = strlen(text);
  struct token token = token_of(text, len);
  bool both = false;
  *limit = (struct kiln_arch_limit){0};
  const size_t count = digits(&token);
  if (count > 0 && count < 3 && *text != '0' && strcmp(text + count, ".x") == 0) {
    limit->any_minor = true;
    limit->arch.major = number(text, count);
    return KILN_OK;
  }
  if (len > 1 && text[len - 1] == '+') {
    limit->or_newer = true;
    token.end--;
  }
  enum kiln_status status = read_token(&token, &limit->arch, &both, error);
  if (status == KILN_OK && (both || limit->arch.ptx || (limit->or_newer && limit->arch.suffix)))
    return refuse(
        &token, "is no limit", "Write 9.0, 9.0a, 10.0f, 9.x for all of a major, or 8.0+ for all from there.", error);
  return status;
}

/* ---- lists and names ---- */

int
kiln_arch_compare(struct kiln_arch a, struct kiln_arch b)
{
  const unsigned left[] = {a.ptx, a.major, a.minor, (unsigned char)a.suffix};
  const unsigned right[] = {b.ptx, b.major, b.minor, (unsigned char)b.suffix};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  return 0;
}

bool
kiln_arch_list_add(struct kiln_arch_list *list, struct kiln_arch arch)
{
  size_t at = 0;
  while (at < list->count && kiln_arch_compare(list->items[at], arch) < 0)
    at++;
  if (at < list->count && kiln_arch_compare(list->items[at], arch) == 0)
    return true;
  if (list->count == KILN_ARCH_MOST)
    return false;
  memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof arch);
  list->items[at] = arch;
  list->count++;
  return true;
}

bool
kiln_arch_list_has(const struct kiln_arch_list *list, struct kiln_arch arch)
{
  for (size_t i = 0; i < list->count; i++)
    if (kiln_arch_compare(list->items[i], arch) == 0)
      return true;
  return false;
}

const char *
kiln_arch_number(struct kiln_arch arch, char text[KILN_ARCH_TEXT])
{
  const char suffix[2] = {arch.suffix, '\0'};
  snprintf(text, KILN_ARCH_TEXT, "%u%u%s", arch.major % 100, arch.minor % 10, suffix);
  return text;
}

const char *
kiln_arch_name(struct kiln_arch arch, char text[KILN_ARCH_TEXT])
{
  char shown[KILN_ARCH_TEXT];
  snprintf(text, KILN_ARCH_TEXT, "%s%.8s", arch.ptx ? "compute_" : "sm_", kiln_arch_number(arch, shown));
  return text;
}

const char *
kiln_arch_list_text(const struct kiln_arch_list *list, char *text, size_t size)
{
  static const char more[] = " …";
  char name[KILN_ARCH_TEXT];
  size_t len = 0;
  if (size == 0)
    return text;
  text[0] = '\0';
  for (size_t i = 0; i < list->count; i++) {
    const size_t need = strlen(kiln_arch_name(list->items[i], name)) + (i > 0);
    const size_t room = i + 1 < list->count ? sizeof more : 1;
    if (len + need + room > size) {
      if (len + sizeof more <= size)
        memcpy(text + len, more, sizeof more);
      break;
    }
    len += (size_t)snprintf(text + len, size - len, "%s%s", i > 0 ? " " : "", name);
  }
  return text;
}
