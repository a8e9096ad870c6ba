# Most of this program is simulation: it stays warm, and no speed-up may be promised for it.
def must($holds; $sentence): if $holds then empty else $sentence end;
.arms[0].samples[0] | must(.warm.cpu_s > 0.35 * .cold.cpu_s; "warm \(.warm.cpu_s) s of cold \(.cold.cpu_s) s")
