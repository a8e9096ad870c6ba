#include "op/tool/export.h"

#include "base/json_write.h"
#include "op/ffi.h"
#include "op/text.h"
#include "registry/op.h"

/* ---- the prototype ---- */

/* Each parameter of C as " type name", with `emit` called for each; an argument that is either has two. */
static void
parameter(struct kiln_buf *out, const struct kiln_arg *arg)
{
  const char *name = arg->name;
  switch ((enum kiln_arg_kind)arg->kind) {
  case KILN_ARG_TENSOR:
    kiln_buf_printf(out, "const struct kiln_tensor *%s", name);
    break;
  case KILN_ARG_REAL:
    kiln_buf_printf(out, "double %s", name);
    break;
  case KILN_ARG_INT:
  case KILN_ARG_BOOL:
  case KILN_ARG_ENUM:
    kiln_buf_printf(out, "int64_t %s", name);
    break;
  case KILN_ARG_TENSOR_OR_INT:
    kiln_buf_printf(out, "const struct kiln_tensor *%s_tensor, int64_t %s", name, name);
    break;
  case KILN_ARG_TENSOR_OR_REAL:
    kiln_buf_printf(out, "const struct kiln_tensor *%s_tensor, double %s", name, name);
    break;
  }
}

static void
prototype(struct kiln_buf *out, const struct kiln_op *op)
{
  kiln_buf_printf(out, "enum kiln_status kiln_%s(struct kiln *kiln, void *stream", op->name);
  for (unsigned i = 0; i < op->nargs; i++) {
    kiln_buf_text_append(out, ",\n    ");
    parameter(out, &op->args[i]);
  }
  kiln_buf_text_append(out, ",\n    struct kiln_error *error)");
}

/* ---- the header ---- */

static void
describe_number(struct kiln_buf *out, const struct kiln_arg *arg)
{
  if (!(arg->flags & KILN_OPTIONAL) || arg->kind == KILN_ARG_TENSOR)
    return;
  const bool real = arg->kind == KILN_ARG_REAL || arg->kind == KILN_ARG_TENSOR_OR_REAL;
  kiln_buf_printf(out, "; %s: ", real ? "NAN" : "KILN_ABSENT");
  if (arg->flags & KILN_BINDS)
    kiln_buf_text_append(out, "as the tensors say");
  else
    kiln_text_number(out, real ? arg->real.def : (double)arg->integer.def);
}

static void
describe(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_arg *arg)
{
  static const char *const roles[] = {[KILN_IN] = "", [KILN_OUT] = ", written", [KILN_INOUT] = ", read and written"};
  kiln_buf_printf(out, " *   %s: ", arg->name);
  if (arg->ndim)
    kiln_text_shape(out, op, arg);
  kiln_buf_printf(out, "%s%s%s", arg->ndim ? "" : kiln_text_kind(arg), roles[arg->role],
      arg->flags & KILN_OPTIONAL ? ", optional" : "");
  describe_number(out, arg);
  kiln_buf_printf(out, "; %s\n", arg->doc);
}

/* KILN_<OP>_<ARGUMENT>_<NAME> = number. */
static void
enums(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_arg *arg)
{
  if (arg->kind != KILN_ARG_ENUM)
    return;
  kiln_buf_printf(out, "/* %s */\nenum {", arg->name);
  for (unsigned k = 0; arg->names[k]; k++) {
    kiln_buf_text_append(out, k ? ", KILN_" : " KILN_");
    kiln_text_upper(out, op->name);
    kiln_buf_text_append(out, "_");
    kiln_text_upper(out, arg->name);
    kiln_buf_text_append(out, "_");
    kiln_text_upper(out, arg->names[k]);
    kiln_buf_printf(out, " = %u", k);
  }
  kiln_buf_text_append(out, " };\n\n");
}

void
kiln_export_header(const struct kiln_op *op, struct kiln_buf *out)
{
  struct kiln_buf guard;
  kiln_buf_init(&guard);
  kiln_text_upper(&guard, op->name);
  kiln_buf_printf(out,
      "/*\n * kiln/ops/%s.h: %s\n *\n * Made from kernels/%s/%s/op.c; do not edit. Errors, streams and thread safety: "
      "kiln/op.h.\n */\n/* clang-format off */\n#ifndef KILN_OPS_%s_H\n#define KILN_OPS_%s_H\n\n#include "
      "\"kiln/op.h\"\n\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      op->name, op->doc, op->family, op->name, kiln_buf_text(&guard), kiln_buf_text(&guard));
  for (unsigned i = 0; i < op->nargs; i++)
    enums(out, op, &op->args[i]);
  kiln_buf_printf(out, "/* %s\n", op->doc);
  for (unsigned i = 0; i < op->nargs; i++)
    describe(out, op, &op->args[i]);
  kiln_buf_text_append(out, " */\nKILN_API ");
  prototype(out, op);
  kiln_buf_text_append(out, ";\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  kiln_buf_release(&guard);
}

/* ---- the entries ---- */

static void
value(struct kiln_buf *out, const struct kiln_arg *arg)
{
  const char *name = arg->name;
  switch ((enum kiln_arg_kind)arg->kind) {
  case KILN_ARG_TENSOR:
    kiln_buf_printf(out, "kiln_entry_tensor(%s)", name);
    break;
  case KILN_ARG_REAL:
    kiln_buf_printf(out, "kiln_entry_real(%s)", name);
    break;
  case KILN_ARG_INT:
  case KILN_ARG_BOOL:
  case KILN_ARG_ENUM:
    kiln_buf_printf(out, "kiln_entry_int(%s)", name);
    break;
  case KILN_ARG_TENSOR_OR_INT:
    kiln_buf_printf(out, "kiln_entry_tensor_or_int(%s_tensor, %s)", name, name);
    break;
  case KILN_ARG_TENSOR_OR_REAL:
    kiln_buf_printf(out, "kiln_entry_tensor_or_real(%s_tensor, %s)", name, name);
    break;
  }
}

/* A C string literal. JSON's escapes are C's for all that occurs in tables. */
static void
literal(struct kiln_buf *out, const char *text)
{
  struct kiln_json json;
  kiln_json_init(&json, out, false);
  kiln_json_string(&json, text);
}

static void
entry(struct kiln_buf *out, const struct kiln_op *op)
{
  prototype(out, op);
  kiln_buf_text_append(out, "\n{\n  const struct kiln_value values[] = {");
  for (unsigned i = 0; i < op->nargs; i++) {
    kiln_buf_text_append(out, i ? ",\n      " : "\n      ");
    value(out, &op->args[i]);
  }
  kiln_buf_printf(
      out, "};\n  return kiln_op_call(kiln, &kiln_op_%s, stream, values, %u, error);\n}\n\n", op->name, op->nargs);
}

static void
text_function(struct kiln_buf *out, const char *what, const char *name, const char *text)
{
  kiln_buf_printf(out, "FFI(__tvm_ffi__%s_%s)\n{\n  UNUSED(handle, args, count);\n  return kiln_ffi_text(", what, name);
  literal(out, text);
  kiln_buf_text_append(out, ", result);\n}\n\n");
}

static void
metadata(struct kiln_buf *out, const struct kiln_op *op)
{
  struct kiln_buf schema, text;
  struct kiln_json json;
  kiln_buf_init(&schema);
  kiln_buf_init(&text);
  kiln_ffi_schema(op, &schema);
  kiln_json_init(&json, &text, false);
  kiln_json_object(&json);
  kiln_json_key(&json, "type_schema");
  kiln_json_string(&json, kiln_buf_text(&schema));
  kiln_json_object_end(&json);
  text_function(out, "metadata", op->name, kiln_buf_text(&text));
  text_function(out, "doc", op->name, op->doc);
  kiln_buf_release(&schema);
  kiln_buf_release(&text);
}

void
kiln_export_entries(struct kiln_buf *out)
{
  const struct kiln_op *op;
  kiln_buf_text_append(out, "/* Generated from the tables of all ops; do not edit. */\n#include \"op/entry.h\"\n\n"
                            "#define FFI(name) \\\n  KILN_API int name(void *handle, const struct kiln_ffi_any *args, "
                            "int32_t count, struct kiln_ffi_any *result); \\\n  int name(void *handle, const struct "
                            "kiln_ffi_any *args, int32_t count, struct kiln_ffi_any *result)\n"
                            "#define UNUSED(a, b, c) (void)(a), (void)(b), (void)(c)\n\n");
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    kiln_buf_printf(out, "extern const struct kiln_op kiln_op_%s;\nKILN_API ", op->name);
    prototype(out, op);
    kiln_buf_text_append(out, ";\n");
  }
  kiln_buf_text_append(out, "\n");
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    entry(out, op);
    kiln_buf_printf(out,
        "FFI(__tvm_ffi_%s)\n{\n  (void)handle;\n  return kiln_ffi_call(&kiln_op_%s, args, count, "
        "result);\n}\n\n",
        op->name, op->name);
    metadata(out, op);
  }
}
