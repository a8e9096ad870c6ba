def must($holds; $sentence): if $holds then empty else $sentence end;
.arms[0].samples[0] | (.cold, .warm) | must(.exit_code == 3; "exit code \(.exit_code)"), must(.signal == 0 or .signal == null; "signal \(.signal)")
