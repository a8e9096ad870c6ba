/* Help texts, made from the tables. */
#include <stdarg.h>

#include "base/text.h"
#include "cli.h"
#include "os/terminal.h"
#include "probe/report/page.h"

#define HELP_COLUMN 28
#define STDOUT 1

static void
help_init(struct kiln_page *page, struct kiln_buf *out)
{
  kiln_page_init(page, out, kiln_terminal_columns(STDOUT), false);
}

/* A paragraph, wrapped. */
static void say(struct kiln_page *page, const char *format, ...) KILN_PRINTF(2, 3);

static void
say(struct kiln_page *page, const char *format, ...)
{
  struct kiln_buf text;
  va_list args;
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  kiln_page_text(page, KILN_STYLE_PLAIN, 0, 2, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
two_columns(struct kiln_page *page, const char *left, const char *right)
{
  if (kiln_text_columns(left) < HELP_COLUMN) {
    kiln_page_labelled(page, KILN_STYLE_PLAIN, 2, left, HELP_COLUMN, right);
  } else {
    kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2, left);
    kiln_page_text(page, KILN_STYLE_PLAIN, HELP_COLUMN + 2, HELP_COLUMN + 2, right);
  }
}

static void
option_line(struct kiln_page *page, const struct kiln_cli_option *option)
{
  struct kiln_buf left;
  kiln_buf_init(&left);
  if (option->letter) {
    kiln_buf_printf(&left, "-%c, ", option->letter);
  }
  kiln_buf_printf(
      &left, "--%s%s%s", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
  two_columns(page, kiln_buf_text(&left), option->help);
  kiln_buf_release(&left);
}

/* What it is, how it is called, and the head of the list that follows. */
static void
head(struct kiln_page *page, const char *name, const char *summary, const char *synopsis, const char *list)
{
  const char *space = *name ? " " : "";
  say(page, "kiln%s%s: %s", space, name, summary);
  kiln_page_blank(page);
  say(page, "Usage: kiln%s%s %s", space, name, synopsis);
  kiln_page_blank(page);
  say(page, "%s", list);
}

/* Examples are not wrapped: they are there to be copied. */
void
kiln_cli_command_help(const struct kiln_cli_command *command, struct kiln_buf *out)
{
  struct kiln_page page;
  size_t i;
  help_init(&page, out);
  head(&page, command->name, command->summary, command->synopsis, "Options:");
  for (i = 0; i < command->option_count; i++) {
    option_line(&page, &command->options[i]);
  }
  two_columns(&page, "-h, --help", "this text");
  if (command->examples) {
    kiln_buf_printf(out, "\nExamples:\n%s", command->examples);
  }
}

void
kiln_cli_overview(struct kiln_buf *out)
{
  struct kiln_page page;
  size_t i;
  help_init(&page, out);
  head(&page, "", "what the first run of a program that compiles GPU kernels costs, and why",
      "COMMAND [options] [arguments]", "Commands:");
  for (i = 0; i < kiln_cli_command_count; i++) {
    two_columns(&page, kiln_cli_commands[i]->name, kiln_cli_commands[i]->summary);
  }
  for (i = 0; i < kiln_cli_group_count; i++) {
    two_columns(&page, kiln_cli_groups[i]->name, kiln_cli_groups[i]->summary);
  }
  kiln_page_blank(&page);
  say(&page, "'kiln COMMAND --help' says more, with examples.");
  say(&page, "Exit codes: 0 yes, 1 no, 2 usage, 3 invalid, 4 the command failed, 5 the environment does not allow it, "
             "130 interrupted.");
}

void
kiln_cli_group_help(const struct kiln_cli_group *group, struct kiln_buf *out)
{
  struct kiln_page page;
  size_t i;
  help_init(&page, out);
  head(&page, group->name, group->summary, "COMMAND [options] [arguments]", "Commands:");
  for (i = 0; i < group->count; i++) {
    two_columns(&page, kiln_cli_short_name(group->commands[i]), group->commands[i]->summary);
  }
  kiln_page_blank(&page);
  say(&page, "'kiln %s COMMAND --help' says more, with examples.", group->name);
}
