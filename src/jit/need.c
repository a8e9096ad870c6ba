#include "jit/need.h"

#include <inttypes.h>
#include <stdio.h>

#include "jit/settings.h"
#include "store/files.h"
#include "store/record.h"

#define KIND "need"
#define MOST_RECORD 1024
#define FORGET 8                 /* a smaller peak lowers the memory by one part in so many of the difference */
#define WORTH 32                 /* a change of less than one part in so many is not written */
#define MOST ((uint64_t)1 << 50) /* more is no memory of any machine */

static const char *
relative_of(const struct kiln_toolchain_ops *toolchain, struct kiln_buf *relative)
{
  kiln_buf_printf(relative, "needs/%s", toolchain->name);
  return kiln_buf_text(relative);
}

/* 0: nothing is remembered. */
static uint64_t
recall(struct kiln *kiln, const struct kiln_toolchain_ops *toolchain)
{
  struct kiln_buf relative, path, content;
  struct kiln_store_file file = {.fd = -1};
  struct kiln_record_reader reader;
  uint64_t bytes = 0;
  if (!kiln->store || kiln_location_check(kiln->store, 0) != KILN_LOCATION_TRUSTED)
    return 0;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_buf_init(&content);
  kiln_store_path(kiln->store, relative_of(toolchain, &relative), &path);
  if (kiln_store_read(kiln->store, kiln_buf_text(&path), MOST_RECORD, &content, &file, NULL) != KILN_READ_DONE ||
      !kiln_record_open(&reader, &content, KIND) || !kiln_record_number(&reader, "bytes", &bytes) || bytes > MOST)
    bytes = 0;
  kiln_fd_close(file.fd);
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  kiln_buf_release(&content);
  return bytes;
}

static uint64_t
guess_of(const struct kiln_toolchain_ops *toolchain)
{
  return toolchain->need_bytes > 0 ? toolchain->need_bytes : KILN_NEED_DEFAULT;
}

uint64_t
kiln_need_of(struct kiln *kiln, const struct kiln_toolchain_ops *toolchain, const char **source)
{
  if (kiln->options.job_memory_bytes > 0) {
    *source = kiln_setting_source(kiln, "job_memory");
    return kiln->options.job_memory_bytes;
  }
  const uint64_t learned = recall(kiln, toolchain);
  *source = learned > 0 ? "the peak of earlier builds" : "a guess";
  return learned > 0 ? learned : guess_of(toolchain);
}

void
kiln_need_learn(struct kiln *kiln, const struct kiln_toolchain_ops *toolchain, uint64_t peak_bytes)
{
  struct kiln_buf relative, content;
  if (!kiln->store || peak_bytes == 0 || peak_bytes > MOST)
    return;
  const uint64_t known = recall(kiln, toolchain), before = known > 0 ? known : guess_of(toolchain);
  const uint64_t now = before > peak_bytes ? before - (before - peak_bytes) / FORGET : peak_bytes;
  const uint64_t change = before > now ? before - now : now - before;
  if (known > 0 && change <= before / WORTH)
    return;
  kiln_buf_init(&relative);
  kiln_buf_init(&content);
  kiln_record_begin(&content, KIND);
  kiln_buf_printf(&content, "bytes %" PRIu64 "\n", now);
  kiln_record_end(&content);
  (void)kiln_store_write(kiln->store, relative_of(toolchain, &relative), &content, NULL); /* a guess does as well */
  kiln_buf_release(&relative);
  kiln_buf_release(&content);
}
