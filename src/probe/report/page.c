#include "probe/report/page.h"

#include <string.h>

#include "base/text.h"

void
kiln_page_init(struct kiln_page *page, struct kiln_buf *out, int columns, bool color)
{
  *page = (struct kiln_page){.out = out, .columns = columns < KILN_PAGE_MIN ? KILN_PAGE_MIN : columns, .color = color};
}

void
kiln_page_blank(struct kiln_page *page)
{
  kiln_buf_text_append(page->out, "\n");
}

/* Length of the UTF-8 sequence at text, 0 when it is none. */
static size_t
sequence_length(const char *text)
{
  const unsigned char *byte = (const unsigned char *)text;
  const size_t len = byte[0] < 0x80                      ? 1
                     : byte[0] >= 0xc2 && byte[0] < 0xe0 ? 2
                     : byte[0] >= 0xe0 && byte[0] < 0xf0 ? 3
                     : byte[0] >= 0xf0 && byte[0] < 0xf5 ? 4
                                                         : 0;
  for (size_t i = 1; i < len; i++)
    if ((byte[i] & 0xc0) != 0x80)
      return 0;
  return len;
}

void
kiln_page_clean(struct kiln_buf *out, const char *text)
{
  if (!text)
    text = "-";
  while (*text) {
    const size_t len = sequence_length(text);
    const unsigned char first = (unsigned char)text[0];
    /* U+0080 … U+009F are control characters too. */
    const bool control = first < 0x20 || first == 0x7f || (first == 0xc2 && (unsigned char)text[1] < 0xa0);
    if (first == '\t' || first == '\n' || first == '\r')
      kiln_buf_text_append(out, " ");
    else if (len == 0 || control)
      kiln_buf_text_append(out, "?");
    else
      kiln_buf_append(out, text, len);
    text += len ? len : 1;
  }
}

/* Bytes of the first `columns` characters of clean text. */
static size_t
bytes_of(const char *text, size_t columns)
{
  size_t bytes = 0;
  while (text[bytes] && columns-- > 0) {
    const size_t len = sequence_length(text + bytes);
    bytes += len ? len : 1;
  }
  return bytes;
}

void
kiln_page_shorten(struct kiln_buf *out, const char *text, int columns)
{
  struct kiln_buf clean;
  kiln_buf_init(&clean);
  kiln_page_clean(&clean, text);
  const char *whole = kiln_buf_text(&clean);
  const size_t width = kiln_text_columns(whole), most = columns > 1 ? (size_t)columns : 1;
  if (width <= most) {
    kiln_buf_text_append(out, whole);
  } else {
    const size_t right = (most - 1) / 2, left = most - 1 - right;
    kiln_buf_append(out, whole, bytes_of(whole, left));
    kiln_buf_text_append(out, "…");
    kiln_buf_text_append(out, whole + bytes_of(whole, width - right));
  }
  kiln_buf_release(&clean);
}

void
kiln_page_line(struct kiln_page *page, const char *line)
{
  kiln_page_shorten(page->out, line, page->columns);
  kiln_buf_text_append(page->out, "\n");
}

void
kiln_page_pad(struct kiln_buf *out, const char *text, int columns, bool right)
{
  const int spaces = columns - (int)kiln_text_columns(text);
  if (!right)
    kiln_buf_text_append(out, text);
  if (spaces > 0)
    kiln_buf_printf(out, "%*s", spaces, "");
  if (right)
    kiln_buf_text_append(out, text);
}

void
kiln_page_place(const struct kiln_page *page, const char *file, int line, struct kiln_buf *out)
{
  const size_t len = page->folder ? strlen(page->folder) : 0;
  const bool below = len > 0 && kiln_text_path_within(file, page->folder) && file[len] == '/' && file[len + 1];
  kiln_buf_printf(out, "%s:%d", below ? file + len + 1 : file, line);
}

/* Bytes of the next line: whole words that fit in `columns`; a longer word is cut, a path behind a slash. */
static size_t
next_line(const char *text, size_t columns)
{
  if (kiln_text_columns(text) <= columns)
    return strlen(text);
  const size_t limit = bytes_of(text, columns);
  size_t cut = limit;
  while (cut > 0 && text[cut] != ' ')
    cut--;
  if (cut > 0)
    return cut;
  for (cut = limit; cut > 1; cut--)
    if (text[cut - 1] == '/')
      return cut;
  return limit;
}

static void
style_on(const struct kiln_page *page, enum kiln_style style)
{
  static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[1;33m"};
  if (page->color)
    kiln_buf_text_append(page->out, codes[style]);
}

static void
style_off(const struct kiln_page *page, enum kiln_style style)
{
  if (page->color && style != KILN_STYLE_PLAIN)
    kiln_buf_text_append(page->out, "\033[0m");
}

/* Wrap text whose first line begins at column `used`; further lines are `hang` deep. */
static void
wrap(struct kiln_page *page, enum kiln_style style, int used, int hang, const char *text)
{
  struct kiln_buf clean;
  kiln_buf_init(&clean);
  kiln_page_clean(&clean, text);
  const char *rest = kiln_buf_text(&clean);
  for (bool first = true; first || *rest; first = false) {
    if (!first)
      kiln_buf_printf(page->out, "%*s", hang, "");
    const size_t bytes = next_line(rest, (size_t)(page->columns - (first ? used : hang)));
    style_on(page, style);
    kiln_buf_append(page->out, rest, bytes);
    style_off(page, style);
    kiln_buf_text_append(page->out, "\n");
    rest += bytes;
    rest += strspn(rest, " ");
  }
  kiln_buf_release(&clean);
}

void
kiln_page_text(struct kiln_page *page, enum kiln_style style, int indent, int hang, const char *text)
{
  kiln_buf_printf(page->out, "%*s", indent, "");
  wrap(page, style, indent, hang, text);
}

void
kiln_page_labelled(
    struct kiln_page *page, enum kiln_style style, int indent, const char *label, int label_columns, const char *text)
{
  kiln_buf_printf(page->out, "%*s", indent, "");
  style_on(page, style);
  kiln_buf_text_append(page->out, label);
  style_off(page, style);
  const int width = (int)kiln_text_columns(label);
  const int spaces = label_columns > width ? label_columns - width : 1;
  kiln_buf_printf(page->out, "%*s", spaces, "");
  wrap(page, KILN_STYLE_PLAIN, indent + width + spaces, indent + label_columns, text);
}
