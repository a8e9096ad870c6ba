/* Which programs and libraries a build really runs: asked once per compiler, then remembered (jit/identity.h). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "jit/elf.h"
#include "jit/identity.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "os/file.h"
#include "os/path.h"

#define ASK_TIMEOUT_S 30.0
#define HEAD_BYTES ((size_t)4096)

struct discovery {
  const char *driver, *folder;
  struct kiln_environment environment, tracing; /* tracing: the dynamic loader lists instead of running */
  char **paths;
  size_t count, capacity;
};

/* Each file once, without links in its name. */
static bool
add_path(struct discovery *discovery, const char *path)
{
  struct kiln_buf resolved;
  bool good = true;
  kiln_buf_init(&resolved);
  if (kiln_path_resolve(path, &resolved)) {
    bool there = false;
    for (size_t i = 0; i < discovery->count; i++)
      there = there || strcmp(discovery->paths[i], resolved.data) == 0;
    char *copy = there ? NULL : malloc(resolved.len + 1);
    good = there || (copy && KILN_GROW(discovery->paths, discovery->count, discovery->capacity));
    if (copy && good)
      discovery->paths[discovery->count++] = memcpy(copy, resolved.data, resolved.len + 1);
    else
      free(copy);
  }
  kiln_buf_release(&resolved);
  return good;
}

/* What a program answers to one argument; "" when it fails. */
static void
ask(struct discovery *discovery, const char *program, const char *argument, const struct kiln_environment *environment,
    struct kiln_buf *answer)
{
  struct kiln_command_result result;
  char *argv[] = {(char *)program, (char *)argument, NULL};
  const struct kiln_command command = {
      .argv = argv, .environment = environment->entries, .folder = discovery->folder, .timeout_s = ASK_TIMEOUT_S};
  kiln_command_result_init(&result);
  kiln_buf_clear(answer);
  if (kiln_command_ask(&command, &result, NULL) == KILN_OK && result.exit_code == 0 && result.signal == 0)
    kiln_buf_append(answer, kiln_buf_text(&result.output), result.output.len);
  kiln_command_result_release(&result);
}

/* Only what a dynamic loader starts may be asked for its libraries: anything else would really run. */
static bool
has_loader(const char *path)
{
  char head[HEAD_BYTES];
  struct kiln_elf elf;
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  const long got = fd >= 0 ? kiln_fd_read(fd, head, sizeof head) : -1;
  kiln_fd_close(fd);
  return got > 0 && kiln_elf_open(&elf, head, (size_t)got) && kiln_elf_has_interpreter(&elf);
}

/* Lines "name => /path (0x…)" and "/path (0x…)". */
static bool
add_listed(struct discovery *discovery, char *text)
{
  bool good = true;
  for (char *line = text; line && *line && good;) {
    char *end = strchr(line, '\n');
    if (end)
      *end = '\0';
    char *arrow = strstr(line, " => ");
    char *path = arrow ? arrow + 4 : line + strspn(line, " \t");
    char *tail = strstr(path, " (");
    if (tail)
      *tail = '\0';
    if (*path == '/' && tail)
      good = add_path(discovery, path);
    line = end ? end + 1 : NULL;
  }
  return good;
}

static bool
add_libraries(struct discovery *discovery, struct kiln_buf *answer)
{
  const size_t programs = discovery->count;
  bool good = true;
  for (size_t i = 0; i < programs && good; i++) {
    if (!has_loader(discovery->paths[i]))
      continue;
    ask(discovery, discovery->paths[i], NULL, &discovery->tracing, answer);
    good = answer->len == 0 || add_listed(discovery, answer->data);
  }
  return good;
}

/* An absolute path, or a bare name that is searched; a part that this compiler has not is none. */
static bool
add_found(struct discovery *discovery, const char *name)
{
  struct kiln_buf path;
  if (name[0] == '/')
    return add_path(discovery, name);
  if (strchr(name, '/') || name[0] == '\0')
    return true;
  kiln_buf_init(&path);
  const bool good = !kiln_hostcc_program(discovery->driver, name, &path) || add_path(discovery, kiln_buf_text(&path));
  kiln_buf_release(&path);
  return good;
}

/* Where the compiler looks for its parts ("a:b:c"): one question instead of one for each part. */
struct search {
  const char *programs, *libraries; /* NULL: it does not say so in a way that is known here */
};

static const char *
search_list(char *answer, const char *title)
{
  char *at = strstr(answer, title);
  if (!at)
    return NULL;
  at += strlen(title);
  at[strcspn(at, "\n")] = '\0';
  return at;
}

/* Only gcc's answer holds all the places where it looks; it begins with its own. */
static struct search
ask_search(struct discovery *discovery, struct kiln_buf *answer)
{
  struct search search = {NULL, NULL};
  ask(discovery, discovery->driver, "-print-search-dirs", &discovery->environment, answer);
  if (answer->len > 0 && kiln_text_starts(answer->data, "install: ")) {
    search.libraries = search_list(answer->data, "\nlibraries: =");
    search.programs = search_list(answer->data, "\nprograms: =");
  }
  return search;
}

/* The first file of this name in the folders of the list into `path`; false when there is none. */
static bool
find_listed(const char *list, const char *name, bool program, struct kiln_buf *path)
{
  for (const char *at = list; *at != '\0';) {
    const size_t len = strcspn(at, ":");
    kiln_buf_clear(path);
    kiln_buf_printf(path, "%.*s/%s", (int)len, at, name);
    if (!path->failed && (program ? kiln_file_executable(path->data) : kiln_file_exists(path->data)))
      return true;
    at += len + (at[len] == ':');
  }
  return false;
}

static bool
add_part(struct discovery *discovery, const struct search *search, const char *name, bool program)
{
  const char *list = program ? search->programs : search->libraries;
  struct kiln_buf text, question;
  kiln_buf_init(&text);
  kiln_buf_init(&question);
  bool good;
  if (list) {
    good = add_found(discovery, find_listed(list, name, program, &text) ? kiln_buf_text(&text) : name);
  } else {
    kiln_buf_printf(&question, "-print-%s-name=%s", program ? "prog" : "file", name);
    ask(discovery, discovery->driver, kiln_buf_text(&question), &discovery->environment, &text);
    if (text.len > 0)
      text.data[strcspn(text.data, "\n")] = '\0';
    good = add_found(discovery, kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
  kiln_buf_release(&question);
  return good;
}

static bool
discover_all(struct discovery *discovery)
{
  static const char *const programs[] = {"cc1", "cc1plus", "as", "collect2", "ld", "lto1", "lto-wrapper"};
  struct kiln_buf listed, answer;
  kiln_buf_init(&listed);
  kiln_buf_init(&answer);
  bool good = add_path(discovery, discovery->driver);
  const struct search search = ask_search(discovery, &listed);
  for (size_t i = 0; i < sizeof programs / sizeof *programs && good; i++)
    good = add_part(discovery, &search, programs[i], true);
  good = good && add_part(discovery, &search, "liblto_plugin.so", false);
  good = good && add_libraries(discovery, &answer);
  kiln_buf_release(&listed);
  kiln_buf_release(&answer);
  return good && !discovery->environment.failed && !discovery->tracing.failed;
}

enum kiln_status
kiln_hostcc_discover(void *context, const char *driver, char ***paths, size_t *count, struct kiln_error *error)
{
  struct discovery discovery = {.driver = driver};
  struct kiln_buf folder;
  (void)context;
  kiln_buf_init(&folder);
  enum kiln_status status = kiln_folder_make_private(kiln_folder_temporary(), "kiln-ask-", &folder, error);
  if (status != KILN_OK) {
    kiln_buf_release(&folder);
    return status;
  }
  discovery.folder = kiln_buf_text(&folder);
  kiln_environment_init(&discovery.environment);
  kiln_environment_init(&discovery.tracing);
  kiln_hostcc_environment(&discovery.environment, driver, discovery.folder);
  kiln_hostcc_environment(&discovery.tracing, driver, discovery.folder);
  kiln_environment_set(&discovery.tracing, "LD_TRACE_LOADED_OBJECTS", "1");
  if (!discover_all(&discovery))
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the programs of '%s'", driver);
  *paths = discovery.paths;
  *count = discovery.count;
  kiln_environment_release(&discovery.environment);
  kiln_environment_release(&discovery.tracing);
  kiln_folder_remove(kiln_buf_text(&folder), NULL);
  kiln_buf_release(&folder);
  return status;
}

/* What the search for a compiler depends on: while it is the same, the answer is. */
static void
search_tag(struct kiln *kiln, struct kiln_buf *tag)
{
  const char *folders = kiln_environment_current("PATH");
  const char *wanted = kiln->options.compiler ? kiln->options.compiler : "";
  kiln_buf_printf(tag, "hostcc %s\n%s", wanted, folders ? folders : "");
}

enum kiln_status
kiln_hostcc_identity(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *identity,
    struct kiln_buf *description, struct kiln_error *error)
{
  struct kiln_buf compiler, tag;
  enum kiln_status status = KILN_OK;
  (void)spec;
  kiln_buf_init(&compiler);
  kiln_buf_init(&tag);
  search_tag(kiln, &tag);
  if (!kiln_identity_recall(kiln, kiln_buf_text(&tag), identity, description)) {
    kiln_buf_clear(description);
    status = kiln_hostcc_find(kiln, &compiler, error);
    if (status == KILN_OK)
      status = kiln_identity_of(kiln, kiln_buf_text(&compiler), kiln_buf_text(&tag), kiln_hostcc_discover, kiln,
          identity, description, error);
  }
  kiln_buf_release(&compiler);
  kiln_buf_release(&tag);
  return status;
}
