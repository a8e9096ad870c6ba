# The header belongs to one build, stands apart, and without it the three builds cost about the same.
def must($holds; $sentence): if $holds then empty else $sentence end;
[.builds[] | select(.run == "cold")] as $builds
| must([$builds[] | select(.pch_s > 0)] | length == 1; "the header was not made exactly once"),
  must($builds | all(.wall_s - .pch_s < 0.5 * ([$builds[].pch_s] | max)); "the header's time is in a module's own time"),
  must(.arms[0].samples[0].warm.phases.pch.elapsed_s == 0; "a header in a run that built nothing")
