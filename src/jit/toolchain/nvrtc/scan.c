/*
 * Just enough of C++ to know where an #include stands: comments, strings, raw strings, spliced lines. No conditions are
 * evaluated, so what is found is more than what is read, never less; names that a macro makes up are found through its
 * #define.
 */
#include <string.h>

#include "jit/toolchain/nvrtc/nvrtc.h"

struct scan {
  const char *text;
  size_t len, at;
  kiln_scan_visit *visit;
  void *context;
  bool stopped;
};

static bool
is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static char
peek(const struct scan *scan, size_t ahead)
{
  return scan->at + ahead < scan->len ? scan->text[scan->at + ahead] : '\0';
}

/* The length of a spliced line end ("\" and newline) here; 0: none. */
static size_t
splice(const struct scan *scan)
{
  if (peek(scan, 0) != '\\')
    return 0;
  return peek(scan, 1) == '\n' ? 2 : peek(scan, 1) == '\r' && peek(scan, 2) == '\n' ? 3 : 0;
}

/* ---- what is passed over ---- */

static void
skip_line(struct scan *scan)
{
  while (scan->at < scan->len && scan->text[scan->at] != '\n') {
    const size_t spliced = splice(scan);
    scan->at += spliced ? spliced : 1;
  }
}

static void
skip_comment(struct scan *scan)
{
  scan->at += 2;
  while (scan->at < scan->len && !(peek(scan, 0) == '*' && peek(scan, 1) == '/'))
    scan->at++;
  scan->at += scan->at < scan->len ? 2 : 0;
}

/* "…" or '…' to its end, or to the end of the line, where one that is not closed ends (an apostrophe in #error). */
static void
skip_quoted(struct scan *scan, char mark)
{
  scan->at++;
  while (scan->at < scan->len && scan->text[scan->at] != mark && scan->text[scan->at] != '\n') {
    const size_t spliced = splice(scan);
    scan->at += spliced ? spliced : scan->text[scan->at] == '\\' ? 2 : 1;
  }
  if (peek(scan, 0) == mark)
    scan->at++;
}

/* R"delimiter( … )delimiter", at its quote. */
static void
skip_raw(struct scan *scan)
{
  const size_t start = ++scan->at;
  while (scan->at < scan->len && scan->text[scan->at] != '(' && scan->at - start <= 16)
    scan->at++;
  const size_t width = scan->at - start;
  for (; scan->at < scan->len; scan->at++)
    if (scan->text[scan->at] == ')' && scan->len - scan->at > width + 1 &&
        memcmp(scan->text + scan->at + 1, scan->text + start, width) == 0 && scan->text[scan->at + 1 + width] == '"') {
      scan->at += width + 2;
      return;
    }
}

/* Blanks, comments and spliced lines, but no line end. */
static void
skip_blanks(struct scan *scan)
{
  while (scan->at < scan->len) {
    const char c = peek(scan, 0);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v')
      scan->at++;
    else if (splice(scan))
      scan->at += splice(scan);
    else if (c == '/' && peek(scan, 1) == '*')
      skip_comment(scan);
    else
      return;
  }
}

/* ---- names ---- */

static size_t
word_length(const struct scan *scan)
{
  size_t len = 0;
  while (scan->at + len < scan->len && is_word(scan->text[scan->at + len]))
    len++;
  return len;
}

static bool
take_word(struct scan *scan, const char *word)
{
  const size_t len = word_length(scan);
  if (len != strlen(word) || memcmp(scan->text + scan->at, word, len) != 0)
    return false;
  scan->at += len;
  return true;
}

/* "name" or <name> here, whole on one line; else nothing is told. */
static void
tell_name(struct scan *scan, struct kiln_scan_hit hit)
{
  hit.open = peek(scan, 0);
  if (hit.open != '"' && hit.open != '<')
    return;
  const char close = hit.open == '"' ? '"' : '>';
  hit.begin = scan->at + 1;
  hit.end = hit.begin;
  while (hit.end < scan->len && scan->text[hit.end] != close && scan->text[hit.end] != '\n')
    hit.end++;
  if (hit.end == scan->len || scan->text[hit.end] == '\n' || hit.end == hit.begin)
    return;
  scan->at = hit.end + 1;
  if (!scan->visit(scan->context, &hit))
    scan->stopped = true;
}

/* Behind #include. */
static void
tell_include(struct scan *scan, enum kiln_scan_kind kind)
{
  skip_blanks(scan);
  const size_t len = word_length(scan);
  if (len == 0) {
    tell_name(scan, (struct kiln_scan_hit){.kind = kind});
    return;
  }
  const struct kiln_scan_hit hit = {.kind = KILN_SCAN_BY_MACRO, .begin = scan->at, .end = scan->at + len};
  if (!scan->visit(scan->context, &hit))
    scan->stopped = true;
}

static bool
is_path(char c)
{
  return is_word(c) || c == '.' || c == '/' || c == '-';
}

/* A value that is one run of what paths are made of, and is no number: it may be a part of a header's name. */
static void
tell_plain(struct scan *scan, struct kiln_scan_hit hit)
{
  hit.begin = hit.end = scan->at;
  while (hit.end < scan->len && is_path(scan->text[hit.end]))
    hit.end++;
  if (hit.end == hit.begin || !is_word(scan->text[hit.begin]) ||
      (scan->text[hit.begin] >= '0' && scan->text[hit.begin] <= '9'))
    return;
  scan->at = hit.end;
  skip_blanks(scan);
  const char next = peek(scan, 0);
  if ((next == '\n' || next == '\0' || (next == '/' && peek(scan, 1) == '/')) && !scan->visit(scan->context, &hit))
    scan->stopped = true;
}

/* Behind #define: only "NAME "…"", "NAME <…>" and "NAME path/like" are told. */
static void
tell_define(struct scan *scan)
{
  skip_blanks(scan);
  const size_t len = word_length(scan);
  const struct kiln_scan_hit hit = {.kind = KILN_SCAN_DEFINES, .macro = scan->text + scan->at, .macro_len = len};
  scan->at += len;
  if (len == 0 || peek(scan, 0) == '(')
    return;
  skip_blanks(scan);
  if (peek(scan, 0) == '"' || peek(scan, 0) == '<')
    tell_name(scan, hit);
  else
    tell_plain(scan, hit);
}

/* Behind __has_include or __has_include_next. */
static void
tell_question(struct scan *scan)
{
  skip_blanks(scan);
  if (peek(scan, 0) != '(')
    return;
  scan->at++;
  skip_blanks(scan);
  tell_name(scan, (struct kiln_scan_hit){.kind = KILN_SCAN_ASKS});
}

/* ---- lines ---- */

/* The rest of a line, a directive's or any other. Returns in front of the line end. */
static void
scan_rest(struct scan *scan)
{
  while (scan->at < scan->len && scan->text[scan->at] != '\n' && !scan->stopped) {
    const char c = scan->text[scan->at];
    const size_t len = word_length(scan);
    if (c == '/' && peek(scan, 1) == '/')
      skip_line(scan);
    else if (c == '/' && peek(scan, 1) == '*')
      skip_comment(scan);
    else if (c == '"')
      skip_quoted(scan, c);
    else if (c == '\'')
      skip_quoted(scan, c);
    else if (len == 0)
      scan->at += splice(scan) ? splice(scan) : 1;
    else if (scan->text[scan->at + len - 1] == 'R' && len <= 3 && peek(scan, len) == '"') {
      scan->at += len;
      skip_raw(scan);
    } else if (take_word(scan, "__has_include") || take_word(scan, "__has_include_next"))
      tell_question(scan);
    else {
      scan->at += len;
      /* 1'000'000: the mark belongs to the number. */
      if (c >= '0' && c <= '9' && peek(scan, 0) == '\'' && is_word(peek(scan, 1)))
        scan->at++;
    }
  }
}

static void
scan_line(struct scan *scan)
{
  skip_blanks(scan);
  if (peek(scan, 0) == '#') {
    scan->at++;
    skip_blanks(scan);
    if (take_word(scan, "include") || take_word(scan, "import"))
      tell_include(scan, KILN_SCAN_INCLUDE);
    else if (take_word(scan, "include_next"))
      tell_include(scan, KILN_SCAN_INCLUDE_NEXT);
    else if (take_word(scan, "define"))
      tell_define(scan);
    else if (take_word(scan, "error") || take_word(scan, "warning"))
      skip_line(scan); /* words for people: an apostrophe opens nothing */
  }
  scan_rest(scan);
  if (scan->at < scan->len && !scan->stopped)
    scan->at++;
}

bool
kiln_scan_includes(const char *text, size_t len, kiln_scan_visit *visit, void *context)
{
  struct scan scan = {.text = text, .len = len, .visit = visit, .context = context};
  while (scan.at < len && !scan.stopped)
    scan_line(&scan);
  return !scan.stopped;
}
