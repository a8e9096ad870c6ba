/* Kernels before they are needed: a list built on threads, another kernel in the meantime, and no compile afterwards.
 */
#include <stdio.h>
#include <string.h>

#include <kiln/prefetch.h>

/* A spec whose function returns `number`. */
static struct kiln_spec *
kernel(const char *name, int number, struct kiln_error *error)
{
  char source[80];
  struct kiln_spec *spec = NULL;
  snprintf(source, sizeof source, "int kernel(void) { return %d; }\n", number);
  if (kiln_spec_new(name, "hostcc", &spec, error) != KILN_OK ||
      kiln_spec_add_source(spec, "kernel.c", source, strlen(source), error) != KILN_OK ||
      kiln_spec_add_entry_point(spec, "kernel", error) != KILN_OK)
    return NULL;
  return spec;
}

static void
tell(void *context, enum kiln_status status, const struct kiln_error *error)
{
  (void)context;
  if (status != KILN_OK)
    fprintf(stderr, "%s\n", error->what);
}

/* Build a list on threads, and wait at most a minute for it. */
static void
ahead(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_error *error)
{
  struct kiln_prefetch *prefetch = NULL;
  struct kiln_prefetch_summary summary;
  if (kiln_module_prefetch(kiln, &spec, 1, NULL, &prefetch, error) != KILN_OK)
    return;
  if (kiln_prefetch_wait(prefetch, 60, &summary))
    printf("ahead: %zu built, %zu hit, %zu failed\n", summary.built, summary.hit, summary.failed);
  kiln_prefetch_free(prefetch);
}

/* Whichever of the two is there. */
static void
use(struct kiln *kiln, const struct kiln_spec *tuned, const struct kiln_spec *generic, struct kiln_error *error)
{
  struct kiln_load_options options;
  struct kiln_module *module;
  bool fell_back;
  kiln_load_options_init(&options);
  options.ready = tell;
  if (kiln_module_load_or(kiln, tuned, generic, &options, &module, &fell_back, error) != KILN_OK)
    return;
  printf("used: %s\n", fell_back ? "generic" : "tuned");
  kiln_module_release(module);
}

int
main(void)
{
  struct kiln *kiln = NULL;
  struct kiln_error error = {0};
  struct kiln_late_options late;
  struct kiln_module *module;
  struct kiln_spec *generic = kernel("generic", 1, &error), *tuned = kernel("tuned", 2, &error),
                   *other = kernel("other", 3, &error);
  if (generic && tuned && other && kiln_new(NULL, &kiln, &error) == KILN_OK) {
    ahead(kiln, generic, &error);
    use(kiln, tuned, generic, &error);
    ahead(kiln, tuned, &error); /* or: go on, and ask again later */
    use(kiln, tuned, generic, &error);
    kiln_late_options_init(&late);
    late.refuse = true;
    kiln_late_watch(kiln, &late, &error);
    printf("late: %s\n", kiln_status_name(kiln_module_load(kiln, other, &module, &error)));
    printf("counted: %llu\n", kiln_late_count(kiln));
  }
  if (error.status != KILN_OK && error.status != KILN_ERROR_LATE)
    fprintf(stderr, "%s %s\n", error.what, error.remedy);
  kiln_free(kiln);
  kiln_spec_free(generic);
  kiln_spec_free(tuned);
  kiln_spec_free(other);
  return 0;
}
