/*
 * The processes of bench.op_first: each measures one thing and writes it into a file for the one that started it.
 */
#ifndef KILN_BENCH_OP_FIRST_PROCESS_H
#define KILN_BENCH_OP_FIRST_PROCESS_H

/* What a process tells the one that started it, milliseconds. */
enum figure {
  WHOLE,    /* elapsed */
  CPU,      /* the same in CPU time of the process */
  SOURCES,  /* texts read, spec and request made */
  IDENTITY, /* of the toolkit: found, and its parts identified */
  OPEN,     /* NVRTC and its second library */
  NVRTC,    /* create to destroy */
  DRIVER,   /* module loaded, function found; kiln: started too */
  FIGURES
};

/* argv: PROGRAM --child WAY OP FILE [cold]. WAY: "bare", "kiln", "parts" (kiln's steps one by one), "all" (every op;
 * the sum in WHOLE, the largest in SOURCES). Writes FIGURES numbers, one a line, and ends the process: 0, or 1 and a
 * sentence on stderr. */
_Noreturn void op_first_child(char **argv);

#endif
