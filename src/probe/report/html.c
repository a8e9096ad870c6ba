#include "probe/report/html.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

void
kiln_html_init(struct kiln_html *html, struct kiln_buf *out)
{
  *html = (struct kiln_html){.out = out};
}

static void
end_tag_start(struct kiln_html *html)
{
  if (html->in_tag)
    kiln_buf_text_append(html->out, ">");
  html->in_tag = false;
}

/* Length of a well-formed UTF-8 sequence and its code point; 0 when it is none. A NUL ends every sequence early. */
static size_t
decode(const unsigned char *at, uint32_t *code)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t len = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc0 ? 2 : 0;
  if (len < 2) {
    *code = at[0];
    return len;
  }
  *code = at[0] & (0x7fu >> len);
  for (size_t i = 1; i < len; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 0;
    *code = *code << 6 | (at[i] & 0x3f);
  }
  const bool bad = *code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff) || at[0] > 0xf7;
  return bad ? 0 : len;
}

/* Not shown as they are: controls, and marks that would turn the text around them. */
static bool
is_harmful(uint32_t code)
{
  const bool control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
  const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
                     code == 0x200f || code == 0x061c;
  return control || turns || code == 0xfffe || code == 0xffff;
}

static const char *
entity_of(uint32_t code)
{
  switch (code) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

static void
escape(struct kiln_buf *out, const char *text)
{
  const unsigned char *at = (const unsigned char *)text;
  while (*at) {
    uint32_t code;
    const size_t len = decode(at, &code);
    const char *entity = len == 1 ? entity_of(code) : NULL;
    if (len == 0 || is_harmful(code))
      kiln_buf_text_append(out, REPLACEMENT);
    else if (entity)
      kiln_buf_text_append(out, entity);
    else
      kiln_buf_append(out, at, len);
    at += len ? len : 1;
  }
}

void
kiln_html_open(struct kiln_html *html, const char *tag, const char *class_name)
{
  end_tag_start(html);
  kiln_buf_printf(html->out, "<%s", tag);
  html->in_tag = true;
  if (html->depth < KILN_HTML_DEPTH)
    html->open[html->depth] = tag;
  else
    html->out->failed = true;
  html->depth++;
  kiln_html_attr(html, "class", class_name);
}

void
kiln_html_attr(struct kiln_html *html, const char *name, const char *value)
{
  if (!value)
    return;
  kiln_buf_printf(html->out, " %s=\"", name);
  escape(html->out, value);
  kiln_buf_text_append(html->out, "\"");
}

void
kiln_html_attr_number(struct kiln_html *html, const char *name, double value, const char *unit)
{
  kiln_buf_printf(html->out, " %s=\"%.5g%s\"", name, value, unit);
}

void
kiln_html_text(struct kiln_html *html, const char *text)
{
  end_tag_start(html);
  escape(html->out, text ? text : "–");
}

static void text_va(struct kiln_html *html, const char *format, va_list args) KILN_PRINTF(2, 0);

static void
text_va(struct kiln_html *html, const char *format, va_list args)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_vprintf(&text, format, args);
  html->out->failed = html->out->failed || text.failed;
  kiln_html_text(html, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

void
kiln_html_textf(struct kiln_html *html, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  text_va(html, format, args);
  va_end(args);
}

void
kiln_html_close(struct kiln_html *html)
{
  end_tag_start(html);
  if (html->depth == 0)
    return;
  html->depth--;
  if (html->depth >= KILN_HTML_DEPTH)
    return;
  const char *tag = html->open[html->depth];
  kiln_buf_printf(html->out, "</%s>", tag);
  /* Lines for whoever reads the source; inside a line of text a break would be seen as a space. */
  static const char *const blocks[] = {"div", "section", "p", "tr", "table", "li", "svg", "figure", "head", "h1", "h2"};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    if (strcmp(tag, blocks[i]) == 0)
      kiln_buf_text_append(html->out, "\n");
}

void
kiln_html_leaf(struct kiln_html *html, const char *tag, const char *class_name, const char *text)
{
  kiln_html_open(html, tag, class_name);
  kiln_html_text(html, text);
  kiln_html_close(html);
}

void
kiln_html_leaff(struct kiln_html *html, const char *tag, const char *class_name, const char *format, ...)
{
  va_list args;
  kiln_html_open(html, tag, class_name);
  va_start(args, format);
  text_va(html, format, args);
  va_end(args);
  kiln_html_close(html);
}

void
kiln_html_void(struct kiln_html *html, const char *tag)
{
  end_tag_start(html);
  kiln_buf_printf(html->out, "<%s", tag);
}

void
kiln_html_void_end(struct kiln_html *html)
{
  kiln_buf_text_append(html->out, ">\n");
}

void
kiln_html_raw(struct kiln_html *html, const char *text)
{
  end_tag_start(html);
  kiln_buf_text_append(html->out, text);
}

void
kiln_html_finish(struct kiln_html *html)
{
  while (html->depth > 0)
    kiln_html_close(html);
}
