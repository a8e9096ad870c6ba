#include "op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/random.h"
#include "registry/op.h"

enum { JSON, DEVICE, SHAPE, AXIS, DTYPE, SET, GIVE, FORM, IN_PLACE, SEED };

/* ---- the command line ---- */

static int
take_pair(const char *option, const char *value, const char **list, unsigned *count)
{
  if (!strchr(value, '=') || *value == '=') {
    return kiln_cli_usage("--%s is NAME=VALUE, not '%s'.", option, value);
  }
  if (*count == 32) {
    return kiln_cli_usage("--%s was given more than 32 times, the last with '%s'.", option, value);
  }
  list[(*count)++] = value;
  return 0;
}

static int
take_shared(struct kiln_cli_op *op, size_t option, const char *value)
{
  switch (option) {
  case JSON:
    op->json = true;
    break;
  case DEVICE:
    op->device = value;
    break;
  case SHAPE:
    op->shape = value;
    break;
  case AXIS:
    return take_pair("axis", value, op->axes, &op->axis_count);
  case DTYPE:
    op->dtype = value;
    break;
  case SET:
    return take_pair("set", value, op->sets, &op->set_count);
  case GIVE:
    op->give = value;
    break;
  case FORM:
    op->form = value;
    break;
  case IN_PLACE:
    op->in_place = true;
    break;
  case SEED:
    op->seed = value;
    break;
  default:
    break;
  }
  return 0;
}

static int
take_word(struct kiln_cli_op *op, const char *word)
{
  if (op->word_count == op->most_words) {
    return op->most_words == 0 ? kiln_cli_usage("'kiln %s' takes no argument, but got '%s'.", op->command->name, word)
                               : kiln_cli_usage("'kiln %s' takes at most %u arguments; '%s' is one too many.",
                                     op->command->name, op->most_words, word);
  }
  op->words[op->word_count++] = word;
  return 0;
}

bool
kiln_cli_op_parse(
    struct kiln_cli_op *op, int argc, char **argv, bool shared, kiln_cli_op_take *take, void *context, int *code)
{
  struct kiln_cli_parser parser = {op->command, argc, argv, 1, NULL};
  bool only_words = false;
  size_t option;
  *code = 0;
  while (parser.at < argc && *code == 0) {
    enum kiln_cli_step step = only_words ? KILN_CLI_END : kiln_cli_next(&parser, &option);
    if (step == KILN_CLI_OPTION) {
      *code = option < (shared ? KILN_CLI_OP_OWN : 1u) ? take_shared(op, option, parser.value)
                                                       : take(context, option, parser.value);
    } else if (step != KILN_CLI_END) {
      *code = kiln_cli_step_exit(op->command, step);
      return false;
    } else {
      only_words = only_words || kiln_text_equal(argv[parser.at - 1], "--");
      if (parser.at < argc) {
        *code = take_word(op, argv[parser.at++]);
      }
    }
  }
  return *code == 0;
}

/* ---- the op and its kiln ---- */

static const char *
op_name(const void *context, size_t i)
{
  (void)context;
  return kiln_op_at(i)->name;
}

const struct kiln_op *
kiln_cli_op_find(const char *name)
{
  const struct kiln_op *op = kiln_op_find(name);
  const char *near;
  size_t count = 0;
  if (op) {
    return op;
  }
  while (kiln_op_at(count)) {
    count++;
  }
  near = kiln_cli_nearest(name, count, op_name, NULL);
  if (near) {
    kiln_cli_usage("There is no op '%s'; did you mean '%s'?", name, near);
  } else {
    kiln_cli_usage("There is no op '%s'; 'kiln op list' lists them.", name);
  }
  return NULL;
}

static void
say_log(void *context, enum kiln_log_level level, const char *message)
{
  (void)context;
  if (level <= KILN_LOG_WARNING) {
    fprintf(stderr, "kiln: %s\n", message);
  }
}

enum kiln_status
kiln_cli_op_open(struct kiln_cli_op *op, struct kiln_error *error)
{
  struct kiln_options options;
  kiln_options_init(&options);
  options.log = say_log;
  struct kiln_ops *ops;
  enum kiln_status status = kiln_new(&options, &op->kiln, error);
  return status == KILN_OK ? kiln_ops_of(op->kiln, &ops, error) : status;
}

int
kiln_cli_op_complain(const struct kiln_error *error)
{
  const int code = kiln_cli_complain(error);
  return error->status == KILN_ERROR_NOT_FOUND ? KILN_EXIT_ENVIRONMENT : code;
}

void
kiln_cli_op_close(struct kiln_cli_op *op)
{
  kiln_free(op->kiln);
  op->kiln = NULL;
}

/* ---- what is to be tried ---- */

static bool
parse_device(const char *text, struct kiln_tensor_device *device)
{
  uint64_t number = 0;
  *device = (struct kiln_tensor_device){KILN_DEVICE_CPU, 0};
  if (!text || kiln_text_equal(text, "cpu")) {
    return true;
  }
  device->type = KILN_DEVICE_CUDA;
  if (kiln_text_equal(text, "cuda")) {
    return true;
  }
  if (strncmp(text, "cuda:", 5) != 0 || !kiln_text_parse_uint(text + 5, &number) || number > 63) {
    return false;
  }
  device->id = (int32_t)number;
  return true;
}

bool
kiln_cli_op_place(const struct kiln_cli_op *op, struct kiln_trial *trial, int *code)
{
  *code = KILN_EXIT_USAGE;
  if (!parse_device(op->device, &trial->device)) {
    kiln_cli_usage("--device is cpu, cuda or cuda:N, not '%s'.", op->device);
    return false;
  }
  if (op->seed && !kiln_text_parse_uint(op->seed, &trial->seed)) {
    kiln_cli_usage("--seed is a number from 0, not '%s'.", op->seed);
    return false;
  }
  if (!op->seed && kiln_random_bits(&trial->seed)) {
    trial->seed %= 1000000000;
  }
  return true;
}

/* A size: digits, no more than 2^40. */
static bool
parse_size(const char *text, size_t len, int64_t *value)
{
  char digits[24];
  uint64_t number;
  if (len == 0 || len >= sizeof digits) {
    return false;
  }
  memcpy(digits, text, len);
  digits[len] = '\0';
  if (!kiln_text_parse_uint(digits, &number) || number > UINT64_C(1) << 40) {
    return false;
  }
  *value = (int64_t)number;
  return true;
}

/* Has a shape fewer sizes than there are axes? */
static bool
is_short(const char *text, const struct kiln_op *op)
{
  unsigned sizes = *text != '\0', axes = 0, i;
  for (; *text; text++) {
    sizes += (*text == ',' || *text == 'x') && text[1] != '\0';
  }
  for (i = 1; i < op->naxes; i++) {
    axes += op->axes[i].kind != KILN_AXIS_DERIVED;
  }
  return sizes < axes;
}

static int
apply_shape(const char *text, struct kiln_trial *trial)
{
  const struct kiln_op *op = trial->op;
  const unsigned absent = is_short(text, op) ? kiln_op_absent_axis(op) : 0;
  const char *at = text;
  unsigned i;
  trial->absent = absent != 0;
  for (i = 1; i < op->naxes; i++) {
    const size_t len = strcspn(at, ",x");
    if (i == absent) {
      trial->axis[i] = 1;
    }
    if (i == absent || op->axes[i].kind == KILN_AXIS_DERIVED) {
      continue;
    }
    if (*at == '\0') {
      return kiln_cli_usage("--shape '%s' has no size for %s; give one for every axis.", text, op->axes[i].name);
    }
    if (!parse_size(at, len, &trial->axis[i])) {
      return kiln_cli_usage("--shape '%s': '%.*s' is no size for %s.", text, (int)len, at, op->axes[i].name);
    }
    at += len + (at[len] != '\0');
  }
  return *at ? kiln_cli_usage("--shape '%s' has more sizes than the op has axes; '%s' is left.", text, at) : 0;
}

static int
apply_axis(const char *pair, struct kiln_trial *trial)
{
  const struct kiln_op *op = trial->op;
  const char *equals = strchr(pair, '=');
  unsigned i;
  for (i = 1; i < op->naxes; i++) {
    if (op->axes[i].kind == KILN_AXIS_DERIVED || strlen(op->axes[i].name) != (size_t)(equals - pair) ||
        strncmp(op->axes[i].name, pair, (size_t)(equals - pair)) != 0) {
      continue;
    }
    trial->absent = trial->absent && i != kiln_op_absent_axis(op);
    return parse_size(equals + 1, strlen(equals + 1), &trial->axis[i])
               ? 0
               : kiln_cli_usage("--axis %s: '%s' is no size.", pair, equals + 1);
  }
  return kiln_cli_usage("--axis %s: '%s' has no such axis; 'kiln op show %s' lists them.", pair, op->name, op->name);
}

/* One word of --dtype, for one type variable or for all that take it. */
static int
apply_dtype_word(const char *word, struct kiln_trial *trial)
{
  const struct kiln_op *op = trial->op;
  const char *equals = strchr(word, '=');
  enum kiln_dtype dtype = kiln_dtype_parse(equals ? equals + 1 : word);
  unsigned i;
  bool known = !equals;
  if (dtype == KILN_DTYPE_NONE) {
    return kiln_cli_usage("--dtype: '%s' is no dtype; there are float16, bfloat16, float32, float8_e4m3fn, "
                          "float8_e5m2, int32, int64, uint8, bool.",
        equals ? equals + 1 : word);
  }
  for (i = 0; i < op->ntypes; i++) {
    if (equals && (strlen(op->types[i].name) != (size_t)(equals - word) ||
                      strncmp(op->types[i].name, word, (size_t)(equals - word)) != 0)) {
      continue;
    }
    known = true;
    if (equals || op->types[i].set & KILN_BIT(dtype)) {
      trial->type[i] = (uint8_t)dtype;
    }
  }
  if (!known) {
    return kiln_cli_usage("--dtype %s: '%s' has no such type variable.", word, op->name);
  }
  for (i = 0; i < op->ntypes && !equals; i++) {
    if (op->types[i].set & KILN_BIT(dtype)) {
      return 0;
    }
  }
  return equals ? 0 : kiln_cli_usage("--dtype: '%s' takes no %s.", op->name, kiln_dtype_name(dtype));
}

static int
apply_dtype(const char *text, struct kiln_trial *trial)
{
  char word[64];
  int code = 0;
  while (*text && code == 0) {
    const size_t len = strcspn(text, ",");
    if (len >= sizeof word) {
      return kiln_cli_usage("--dtype: '%s' is no dtype.", text);
    }
    memcpy(word, text, len);
    word[len] = '\0';
    code = apply_dtype_word(word, trial);
    text += len + (text[len] == ',');
  }
  return code;
}

static const struct kiln_arg *
find_argument(const struct kiln_op *op, const char *name, size_t len, unsigned *i)
{
  for (*i = 0; *i < op->nargs; (*i)++) {
    if (strlen(op->args[*i].name) == len && strncmp(op->args[*i].name, name, len) == 0) {
      return &op->args[*i];
    }
  }
  return NULL;
}

static bool
parse_value(const struct kiln_arg *arg, const char *text, double *value)
{
  struct kiln_value named = {KILN_VALUE_TEXT, {.text = text}};
  char *end;
  kiln_op_name_to_number(arg, &named);
  if (named.tag == KILN_VALUE_INT) {
    *value = (double)named.as.integer;
    return true;
  }
  if (arg->kind == KILN_ARG_BOOL && (kiln_text_equal(text, "true") || kiln_text_equal(text, "false"))) {
    *value = kiln_text_equal(text, "true");
    return true;
  }
  *value = strtod(text, &end);
  return end != text && *end == '\0';
}

static int
apply_set(const char *pair, struct kiln_trial *trial)
{
  const char *equals = strchr(pair, '=');
  unsigned i;
  const struct kiln_arg *arg = find_argument(trial->op, pair, (size_t)(equals - pair), &i);
  double value;
  if (!arg || arg->kind == KILN_ARG_TENSOR) {
    return kiln_cli_usage("--set %s: '%s' has no number of this name; 'kiln op show %s' lists its arguments.", pair,
        trial->op->name, trial->op->name);
  }
  if (!parse_value(arg, equals + 1, &value)) {
    return kiln_cli_usage("--set %s: '%s' is no value for it.", pair, equals + 1);
  }
  if (trial->op->layouts && trial->op->layout_arg == i + 1 && value >= 0 && value < trial->op->nlayouts) {
    trial->layout = (unsigned)value;
    return 0;
  }
  trial->set |= KILN_BIT(i);
  trial->number[i] = value;
  return 0;
}

static int
apply_give(const char *text, struct kiln_trial *trial)
{
  unsigned i;
  while (*text) {
    const size_t len = strcspn(text, ",");
    const struct kiln_arg *arg = find_argument(trial->op, text, len, &i);
    if (!arg || !(arg->flags & KILN_OPTIONAL)) {
      return kiln_cli_usage("--give: '%.*s' is no optional argument of '%s'.", (int)len, text, trial->op->name);
    }
    trial->given |= KILN_BIT(i);
    text += len + (text[len] == ',');
  }
  return 0;
}

static int
apply_form(const char *text, struct kiln_trial *trial)
{
  int i;
  for (i = 0; i < KILN_FORM_COUNT; i++) {
    if (kiln_text_equal(text, kiln_form_name((enum kiln_form)i))) {
      trial->form = (enum kiln_form)i;
      return 0;
    }
  }
  return kiln_cli_usage("--form is compact, odd, aligned, far, far-1 or far-2, not '%s'.", text);
}

bool
kiln_cli_op_apply(const struct kiln_cli_op *op, struct kiln_trial *trial, int *code)
{
  unsigned i;
  *code = op->shape ? apply_shape(op->shape, trial) : 0;
  for (i = 0; i < op->axis_count && *code == 0; i++) {
    *code = apply_axis(op->axes[i], trial);
  }
  if (op->dtype && *code == 0) {
    *code = apply_dtype(op->dtype, trial);
  }
  for (i = 0; i < op->set_count && *code == 0; i++) {
    *code = apply_set(op->sets[i], trial);
  }
  if (op->give && *code == 0) {
    trial->given = 0;
    *code = apply_give(op->give, trial);
  }
  if (op->form && *code == 0) {
    *code = apply_form(op->form, trial);
  }
  trial->in_place = trial->in_place || op->in_place;
  return *code == 0;
}
