# One process, two threads, each with a header of its own.
def must($holds; $sentence): if $holds then empty else $sentence end;
[.builds[] | select(.run == "cold")] as $builds
| must([$builds[].pid] | unique | length == 1; "not one process"),
  must([$builds[].tid] | unique | length == 2; "not two threads"),
  must($builds | all(.pch_s > 0); "a thread that built made no header"),
  must(.arms[0].samples[0].cold.overlap > 1.2; "the builds overlapped, the report does not say so")
