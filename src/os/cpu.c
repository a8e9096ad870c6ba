#include "os/cpu.h"

#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Who must save the registers for an extension to be usable: bits of XCR0. */
enum { STATE_NONE = 0, STATE_AVX = 0x6, STATE_AVX512 = 0xe6, STATE_TILE = 0x60000 };

/* Where CPUID keeps a bit; registers are numbered eax 0 … edx 3. */
struct extension {
  const char *name;
  uint32_t leaf, subleaf;
  uint8_t reg, bit;
  uint32_t state;
};

#define LEAF_1 1, 0
#define LEAF_7 7, 0
#define LEAF_7_1 7, 1
#define LEAF_D 0xd, 1
#define LEAF_EXTENDED 0x80000001u, 0
#define EAX 0
#define EBX 1
#define ECX 2
#define EDX 3

/* In this order they are printed. Numbers: the processor manuals of both vendors. */
static const struct extension extensions[] = {
    {"adx", LEAF_7, EBX, 19, STATE_NONE},
    {"aes", LEAF_1, ECX, 25, STATE_NONE},
    {"amx-bf16", LEAF_7, EDX, 22, STATE_TILE},
    {"amx-fp16", LEAF_7_1, EAX, 21, STATE_TILE},
    {"amx-int8", LEAF_7, EDX, 25, STATE_TILE},
    {"amx-tile", LEAF_7, EDX, 24, STATE_TILE},
    {"avx", LEAF_1, ECX, 28, STATE_AVX},
    {"avx2", LEAF_7, EBX, 5, STATE_AVX},
    {"avx512-4fmaps", LEAF_7, EDX, 3, STATE_AVX512},
    {"avx512-4vnniw", LEAF_7, EDX, 2, STATE_AVX512},
    {"avx512-bf16", LEAF_7_1, EAX, 5, STATE_AVX512},
    {"avx512-bitalg", LEAF_7, ECX, 12, STATE_AVX512},
    {"avx512-fp16", LEAF_7, EDX, 23, STATE_AVX512},
    {"avx512-ifma", LEAF_7, EBX, 21, STATE_AVX512},
    {"avx512-vbmi", LEAF_7, ECX, 1, STATE_AVX512},
    {"avx512-vbmi2", LEAF_7, ECX, 6, STATE_AVX512},
    {"avx512-vnni", LEAF_7, ECX, 11, STATE_AVX512},
    {"avx512-vp2intersect", LEAF_7, EDX, 8, STATE_AVX512},
    {"avx512-vpopcntdq", LEAF_7, ECX, 14, STATE_AVX512},
    {"avx512bw", LEAF_7, EBX, 30, STATE_AVX512},
    {"avx512cd", LEAF_7, EBX, 28, STATE_AVX512},
    {"avx512dq", LEAF_7, EBX, 17, STATE_AVX512},
    {"avx512er", LEAF_7, EBX, 27, STATE_AVX512},
    {"avx512f", LEAF_7, EBX, 16, STATE_AVX512},
    {"avx512pf", LEAF_7, EBX, 26, STATE_AVX512},
    {"avx512vl", LEAF_7, EBX, 31, STATE_AVX512},
    {"avx-ifma", LEAF_7_1, EAX, 23, STATE_AVX},
    {"avx-ne-convert", LEAF_7_1, EDX, 5, STATE_AVX},
    {"avx-vnni", LEAF_7_1, EAX, 4, STATE_AVX},
    {"avx-vnni-int16", LEAF_7_1, EDX, 10, STATE_AVX},
    {"avx-vnni-int8", LEAF_7_1, EDX, 4, STATE_AVX},
    {"bmi", LEAF_7, EBX, 3, STATE_NONE},
    {"bmi2", LEAF_7, EBX, 8, STATE_NONE},
    {"cldemote", LEAF_7, ECX, 25, STATE_NONE},
    {"clflushopt", LEAF_7, EBX, 23, STATE_NONE},
    {"clwb", LEAF_7, EBX, 24, STATE_NONE},
    {"cx16", LEAF_1, ECX, 13, STATE_NONE},
    {"enqcmd", LEAF_7, ECX, 29, STATE_NONE},
    {"f16c", LEAF_1, ECX, 29, STATE_AVX},
    {"fma", LEAF_1, ECX, 12, STATE_AVX},
    {"fma4", LEAF_EXTENDED, ECX, 16, STATE_AVX},
    {"fsgsbase", LEAF_7, EBX, 0, STATE_NONE},
    {"gfni", LEAF_7, ECX, 8, STATE_NONE},
    {"lwp", LEAF_EXTENDED, ECX, 15, STATE_NONE},
    {"lzcnt", LEAF_EXTENDED, ECX, 5, STATE_NONE},
    {"movbe", LEAF_1, ECX, 22, STATE_NONE},
    {"movdir64b", LEAF_7, ECX, 28, STATE_NONE},
    {"movdiri", LEAF_7, ECX, 27, STATE_NONE},
    {"pclmulqdq", LEAF_1, ECX, 1, STATE_NONE},
    {"pku", LEAF_7, ECX, 4, STATE_NONE},
    {"popcnt", LEAF_1, ECX, 23, STATE_NONE},
    {"prefetchwt1", LEAF_7, ECX, 0, STATE_NONE},
    {"prfchw", LEAF_EXTENDED, ECX, 8, STATE_NONE},
    {"ptwrite", 0x14, 0, EBX, 4, STATE_NONE},
    {"rdpid", LEAF_7, ECX, 22, STATE_NONE},
    {"rdrnd", LEAF_1, ECX, 30, STATE_NONE},
    {"rdseed", LEAF_7, EBX, 18, STATE_NONE},
    {"rtm", LEAF_7, EBX, 11, STATE_NONE},
    {"sahf", LEAF_EXTENDED, ECX, 0, STATE_NONE},
    {"serialize", LEAF_7, EDX, 14, STATE_NONE},
    {"sha", LEAF_7, EBX, 29, STATE_NONE},
    {"sse3", LEAF_1, ECX, 0, STATE_NONE},
    {"sse4.1", LEAF_1, ECX, 19, STATE_NONE},
    {"sse4.2", LEAF_1, ECX, 20, STATE_NONE},
    {"sse4a", LEAF_EXTENDED, ECX, 6, STATE_NONE},
    {"ssse3", LEAF_1, ECX, 9, STATE_NONE},
    {"tbm", LEAF_EXTENDED, ECX, 21, STATE_NONE},
    {"tsxldtrk", LEAF_7, EDX, 16, STATE_NONE},
    {"vaes", LEAF_7, ECX, 9, STATE_AVX},
    {"vpclmulqdq", LEAF_7, ECX, 10, STATE_AVX},
    {"waitpkg", LEAF_7, ECX, 5, STATE_NONE},
    {"xop", LEAF_EXTENDED, ECX, 11, STATE_AVX},
    {"xsave", LEAF_1, ECX, 27, STATE_NONE},
    {"xsavec", LEAF_D, EAX, 1, STATE_NONE},
    {"xsaveopt", LEAF_D, EAX, 0, STATE_NONE},
    {"xsaves", LEAF_D, EAX, 3, STATE_NONE},
};

/* One leaf at a time is kept, since a question is slow under a hypervisor. */
struct leaf {
  uint32_t leaf, subleaf, regs[4];
  bool known;
};

static struct leaf *
ask(struct leaf *leaves, size_t count, uint32_t leaf, uint32_t subleaf)
{
  size_t i = 0;
  while (i + 1 < count && leaves[i].known && (leaves[i].leaf != leaf || leaves[i].subleaf != subleaf))
    i++;
  struct leaf *at = &leaves[i];
  if (at->known && at->leaf == leaf && at->subleaf == subleaf)
    return at;
  *at = (struct leaf){.leaf = leaf, .subleaf = subleaf, .known = true};
  /* The compilers' headers do not agree on the type of its result. */
  if ((uint32_t)__get_cpuid_max(leaf & 0x80000000u, NULL) >= leaf)
    __cpuid_count(leaf, subleaf, at->regs[0], at->regs[1], at->regs[2], at->regs[3]);
  return at;
}

static uint32_t
saved_state(bool osxsave)
{
  uint32_t low = 0, high = 0;
  if (osxsave)
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

void
kiln_cpu_features(struct kiln_buf *text)
{
  struct leaf leaves[8] = {{0}};
  const size_t room = sizeof leaves / sizeof *leaves;
  const uint32_t state = saved_state((ask(leaves, room, LEAF_1)->regs[ECX] >> 27 & 1) != 0);
  kiln_buf_text_append(text, "x86_64");
  for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
    const struct extension *extension = &extensions[i];
    const struct leaf *leaf = ask(leaves, room, extension->leaf, extension->subleaf);
    if ((leaf->regs[extension->reg] >> extension->bit & 1) != 0 && (state & extension->state) == extension->state)
      kiln_buf_printf(text, " %s", extension->name);
  }
}

unsigned
kiln_cpu_elf_machine(void)
{
  return EM_X86_64;
}

#else

/* Elsewhere the kernel's own words of feature bits say the same, one bit an extension. */
void
kiln_cpu_features(struct kiln_buf *text)
{
  struct utsname system;
  kiln_buf_text_append(text, uname(&system) == 0 ? system.machine : "unknown");
  kiln_buf_printf(text, " hwcap=%lx hwcap2=%lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

unsigned
kiln_cpu_elf_machine(void)
{
#if defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__riscv)
  return EM_RISCV;
#elif defined(__powerpc64__)
  return EM_PPC64;
#else
  return EM_NONE;
#endif
}

#endif
