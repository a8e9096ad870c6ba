# The compile is not on the main thread, so the main thread's time is the program's (it waits).
def must($holds; $sentence): if $holds then empty else $sentence end;
.arms[0].samples[0].cold
| must(.phases.compile.elapsed_s == 0; "the main thread compiled nothing"),
  must(.phases.program.elapsed_s > 0.3; "the main thread waited longer than \(.phases.program.elapsed_s) s")
