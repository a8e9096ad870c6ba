/* Compile a kernel on this machine and call it. The first run builds, the next ones find what it built. */
#include <stdio.h>
#include <string.h>

#include <kiln/module.h>

static const char source[] = "void scale(float *x, int n, float by)\n"
                             "{\n"
                             "  for (int i = 0; i < n; i++)\n"
                             "    x[i] *= by;\n"
                             "}\n";

int
main(void)
{
  struct kiln *kiln = NULL;
  struct kiln_spec *spec = NULL;
  struct kiln_module *module = NULL;
  struct kiln_module_info info;
  struct kiln_error error = {0};
  float x[4] = {1, 2, 3, 4};
  void (*scale)(float *, int, float) = NULL;

  if (kiln_new(NULL, &kiln, &error) == KILN_OK && kiln_spec_new("scale", "hostcc", &spec, &error) == KILN_OK &&
      kiln_spec_add_source(spec, "scale.c", source, strlen(source), &error) == KILN_OK &&
      kiln_spec_add_entry_point(spec, "scale", &error) == KILN_OK &&
      kiln_module_load(kiln, spec, &module, &error) == KILN_OK)
    *(void **)&scale = kiln_module_function(module, "scale", &error);
  if (scale) {
    scale(x, 4, 2);
    kiln_module_info(module, &info);
    printf("%s: %g %g %g %g\n", info.result == KILN_RESULT_HIT ? "hit" : "built", x[0], x[1], x[2], x[3]);
  } else
    fprintf(stderr, "%s %s\n", error.what, error.remedy);
  kiln_module_release(module);
  kiln_spec_free(spec);
  kiln_free(kiln);
  return scale ? 0 : 1;
}
