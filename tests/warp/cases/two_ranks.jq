# Three processes, each with a header of its own.
def must($holds; $sentence): if $holds then empty else $sentence end;
[.builds[] | select(.run == "cold")] as $builds
| must([$builds[].pid] | unique | length == 3; "not three processes"),
  must($builds | all(.pch_s > 0); "a process that built made no header"),
  must(([.processes[] | select(.run == "cold" and .framework_version != null)] | length) == 3; "not three processes with Warp"),
  must(.arms[0].samples[0].cold.processes >= 4; "\(.arms[0].samples[0].cold.processes) processes seen, 4 at least ran")
