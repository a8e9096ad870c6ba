/* The machine and what it allows: limits, control group, kernel, driver, temporary folder, variables. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/event.h"
#include "os/file.h"
#include "os/filesystem.h"
#include "os/host.h"
#include "os/limits.h"
#include "os/listen.h"
#include "os/proc.h"
#include "os/process.h"
#include "os/runner.h"
#include "probe/doctor_parts.h"

#define LITTLE_ROOM (UINT64_C(1) << 30)
#define LEAST_ROOM (UINT64_C(4) << 20)
#define FEW_FILES 256
#define FEW_PROCESSES 64

/* A number with a bound below which it hurts. */
static void
add_limit(struct kiln_doctor *doctor, const char *group, const char *name, uint64_t limit, bool bytes, uint64_t least)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  if (limit == KILN_UNLIMITED)
    kiln_buf_text_append(&text, "unlimited");
  else if (bytes)
    kiln_text_bytes(&text, (double)limit);
  else
    kiln_buf_printf(&text, "%" PRIu64, limit);
  kiln_doctor_add(doctor, group, limit < least ? KILN_FACT_NOTE : KILN_FACT_INFO, name, kiln_buf_text(&text), NULL,
      limit < least ? "This is little for a program that compiles in several processes." : NULL);
  kiln_buf_release(&text);
}

static void
look_at_limits(struct kiln_doctor *doctor)
{
  struct kiln_rlimits limits;
  kiln_rlimits_read(&limits);
  add_limit(doctor, "limits", "open files", limits.open_files, false, FEW_FILES);
  add_limit(doctor, "limits", "processes", limits.processes, false, FEW_PROCESSES);
  add_limit(doctor, "limits", "file size", limits.file_bytes, true, LITTLE_ROOM);
  add_limit(doctor, "limits", "address space", limits.address_space_bytes, true, 4 * LITTLE_ROOM);
  add_limit(doctor, "limits", "core file", limits.core_bytes, true, 0);
  add_limit(doctor, "limits", "locked memory", limits.locked_bytes, true, 0);
}

static void
look_at_cgroup(struct kiln_doctor *doctor)
{
  struct kiln_cgroup cgroup;
  char text[64];
  kiln_cgroup_read("", &cgroup, NULL);
  if (cgroup.version == 0) {
    kiln_doctor_add(doctor, "cgroup", KILN_FACT_INFO, "version", "none visible", NULL, NULL);
    return;
  }
  snprintf(text, sizeof text, "%d", cgroup.version);
  kiln_doctor_add(doctor, "cgroup", KILN_FACT_INFO, "version", text, NULL, NULL);
  add_limit(doctor, "cgroup", "memory", cgroup.memory_bytes, true, 2 * LITTLE_ROOM);
  add_limit(doctor, "cgroup", "processes", cgroup.processes, false, FEW_PROCESSES);
  snprintf(text, sizeof text, "%.2f processors", cgroup.cpus);
  kiln_doctor_add(doctor, "cgroup", cgroup.cpus > 0 ? KILN_FACT_NOTE : KILN_FACT_INFO, "CPU quota",
      cgroup.cpus > 0 ? text : "none", NULL,
      cgroup.cpus > 0 ? "A quota stops every process for a while when it is used up: trust CPU time, not the clock."
                      : NULL);
}

static void
add_setting(struct kiln_doctor *doctor, const char *path, const char *note_unless, const char *note)
{
  char text[128];
  const bool known = kiln_kernel_setting(path, text, sizeof text);
  const bool noted = known && note_unless && !kiln_text_equal(text, note_unless);
  if (known)
    kiln_doctor_add(doctor, "kernel", noted ? KILN_FACT_NOTE : KILN_FACT_INFO, kiln_text_base_name(path), text, path,
        noted ? note : NULL);
}

static void
count_process(void *context, int pid)
{
  bool *others = context;
  if (pid == 1)
    *others = true;
}

static void
look_at_kernel(struct kiln_doctor *doctor)
{
  bool sees_all = false;
  char text[128];
  const bool table = kiln_proc_each(count_process, &sees_all);
  kiln_doctor_add(doctor, "kernel", table ? KILN_FACT_OK : KILN_FACT_BLOCKED, "process table",
      table ? sees_all ? "readable" : "own processes only" : "not readable", "/proc",
      table ? NULL : "The supervisor finds descendants through /proc; mount it.");
  const bool ports = kiln_port_table_exists();
  kiln_doctor_add(doctor, "kernel", ports ? KILN_FACT_OK : KILN_FACT_NOTE, "port table",
      ports ? "readable" : "not readable", "/proc/net/tcp", ports ? NULL : "--until-port cannot be used here.");
  const bool pressure = kiln_kernel_setting("/proc/pressure/cpu", text, sizeof text);
  kiln_doctor_add(doctor, "kernel", pressure ? KILN_FACT_INFO : KILN_FACT_NOTE, "pressure",
      pressure ? text : "not told", "/proc/pressure/cpu",
      pressure ? NULL : "How busy the machine was during a measurement is known less well.");
  add_setting(doctor, "/proc/sys/kernel/pid_max", NULL, NULL);
  add_setting(doctor, "/proc/sys/kernel/randomize_va_space", NULL, NULL);
  add_setting(doctor, "/proc/sys/vm/overcommit_memory", NULL, NULL);
  add_setting(doctor, "/proc/sys/kernel/perf_event_paranoid", NULL, NULL);
  add_setting(doctor, "/proc/sys/kernel/yama/ptrace_scope", NULL, NULL);
  add_setting(doctor, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance",
      "The clock rate follows the load: times vary more.");
}

static void
look_at_driver(struct kiln_doctor *doctor)
{
  char version[32], text[160];
  if (!kiln_cuda_driver(version, sizeof version)) {
    kiln_doctor_add(
        doctor, "cuda", KILN_FACT_INFO, "driver", "none (no libcuda.so.1): programs use the CPU", NULL, NULL);
    return;
  }
  snprintf(text, sizeof text, "present, CUDA %s", version[0] ? version : "of unknown version");
  kiln_doctor_add(doctor, "cuda", KILN_FACT_OK, "driver", text, NULL, NULL);
  if (kiln_kernel_setting("/proc/driver/nvidia/version", text, sizeof text))
    kiln_doctor_add(doctor, "cuda", KILN_FACT_INFO, "kernel module", text, "/proc/driver/nvidia/version", NULL);
  if (!kiln_file_exists("/dev/nvidiactl"))
    kiln_doctor_add(doctor, "cuda", KILN_FACT_NOTE, "device", "no /dev/nvidiactl", NULL,
        "The driver's library is there, but no device can be reached.");
}

void
kiln_doctor_machine(struct kiln_doctor *doctor)
{
  struct kiln_host host;
  char text[64];
  kiln_host_read(&host);
  kiln_doctor_add(doctor, "machine", KILN_FACT_INFO, "system", host.system, NULL, NULL);
  kiln_doctor_add(doctor, "machine", KILN_FACT_INFO, "kernel", host.kernel, NULL, NULL);
  snprintf(text, sizeof text, "%d usable", host.cores);
  kiln_doctor_add(doctor, "machine", host.cores < 2 ? KILN_FACT_NOTE : KILN_FACT_INFO, "processors", text, NULL,
      host.cores < 2 ? "Arms cannot be measured side by side." : NULL);
  add_limit(doctor, "machine", "memory", host.memory_bytes, true, 0);
  snprintf(text, sizeof text, "%.2f", host.load_1m);
  const bool busy = host.load_1m > host.cores;
  kiln_doctor_add(doctor, "machine", busy ? KILN_FACT_NOTE : KILN_FACT_INFO, "load of the last minute", text, NULL,
      busy ? "The machine is busy: trust CPU time, not the clock." : NULL);
  look_at_limits(doctor);
  look_at_cgroup(doctor);
  look_at_kernel(doctor);
  look_at_driver(doctor);
}

void
kiln_doctor_temporary(struct kiln_doctor *doctor)
{
  const char *place = kiln_folder_temporary();
  const char *set = kiln_environment_current("TMPDIR");
  struct kiln_filesystem disk;
  struct kiln_buf text;
  const bool writable = kiln_folder_writable(place);
  kiln_doctor_add(doctor, "temporary", writable ? KILN_FACT_OK : KILN_FACT_BLOCKED, "folder", place,
      set && *set ? "TMPDIR" : "default", writable ? NULL : "It cannot be written. Set TMPDIR to a folder that can.");
  if (!kiln_filesystem_of(place, &disk))
    return;
  kiln_buf_init(&text);
  kiln_text_bytes(&text, (double)disk.free_bytes);
  kiln_buf_printf(&text, " free on %s", disk.type);
  const bool full = disk.free_bytes < LEAST_ROOM, little = disk.free_bytes < LITTLE_ROOM;
  kiln_doctor_add(doctor, "temporary",
      full     ? KILN_FACT_BLOCKED
      : little ? KILN_FACT_NOTE
               : KILN_FACT_OK,
      "room", kiln_buf_text(&text), NULL,
      little ? "The artefacts of one sample and up to 128 MB of output must fit; TMPDIR moves the sandbox." : NULL);
  if (disk.noexec)
    kiln_doctor_add(doctor, "temporary", KILN_FACT_LIMITED, "mount", "noexec", NULL,
        "Compiled code cannot be loaded from a private cache there. Set TMPDIR to another file system.");
  if (disk.network)
    kiln_doctor_add(doctor, "temporary", KILN_FACT_NOTE, "mount", "a network file system", NULL,
        "Private caches would be slower than the real ones. Set TMPDIR to a local disk.");
  kiln_buf_release(&text);
}

/* Settings of the runtime come from the caller; these are the probe's. */
static bool
is_known(const char *name)
{
  static const char *const known[] = {"KILN_CACHE_DIR", "KILN_CACHE_LAYERS", "KILN_CACHE_LIMIT", "KILN_CACHE",
      "KILN_JIT", "KILN_DEBUG", "KILN_KEEP", "KILN_SYNC", "KILN_WORKSPACE", "KILN_CC", "KILN_LAUNCHER",
      "KILN_EXTRA_FLAGS", "KILN_LIBEXEC", "KILN_WAIT_LIMIT", "KILN_PRELOAD", KILN_EVENT_VARIABLE,
      KILN_SANDBOX_VARIABLE};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i], name) == 0)
      return true;
  return false;
}

static void
look_at_entry(struct kiln_doctor *doctor, const char *entry)
{
  char name[128];
  const size_t len = strcspn(entry, "=");
  if (!kiln_text_starts(entry, "KILN_") || len >= sizeof name || entry[len] != '=')
    return;
  memcpy(name, entry, len);
  name[len] = '\0';
  if (!is_known(name))
    kiln_doctor_add(doctor, "settings", KILN_FACT_NOTE, name, entry + len + 1, "environment",
        "kiln has no setting of this name; 'kiln doctor' lists those that it has.");
}

static void
look_at_variable(struct kiln_doctor *doctor, const char *name, const char *fallback, const char *note)
{
  const char *value = kiln_environment_current(name);
  const bool set = value && *value;
  kiln_doctor_add(doctor, "settings", set && note ? KILN_FACT_NOTE : KILN_FACT_INFO, name, set ? value : fallback,
      set ? "environment" : "default", set ? note : NULL);
}

void
kiln_doctor_variables(struct kiln_doctor *doctor)
{
  struct kiln_environment env;
  look_at_variable(doctor, "KILN_PRELOAD", "beside the program", NULL);
  look_at_variable(doctor, KILN_EVENT_VARIABLE, "not set",
      "This shell records: what it starts writes events there, kiln itself too. 'unset KILN_EVENTS' ends it.");
  look_at_variable(doctor, KILN_SANDBOX_VARIABLE, "not set", "This runs inside a measurement of kiln.");
  look_at_variable(doctor, "LD_PRELOAD", "not set", "kiln puts its agent in front of it and keeps it.");
  look_at_variable(doctor, "PYTHONDONTWRITEBYTECODE", "not set", "kiln measure does not pass it on.");
  look_at_variable(doctor, "NO_COLOR", "not set", NULL);
  kiln_environment_init(&env);
  kiln_environment_copy_current(&env);
  for (unsigned long i = 0; i < env.count; i++)
    look_at_entry(doctor, env.entries[i]);
  kiln_environment_release(&env);
}
