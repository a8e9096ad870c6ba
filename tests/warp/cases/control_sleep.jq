# The wait is the program's, cold and warm, by the clock and not by CPU.
def must($holds; $sentence): if $holds then empty else $sentence end;
.arms[0].samples[0] | (.cold, .warm)
| must(.phases.program.elapsed_s >= 2; "the program waited 2 s, the report says \(.phases.program.elapsed_s)"),
  must(.phases.program.cpu_s < 1; "a wait was counted as CPU")
