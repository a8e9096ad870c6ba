# The link-time object is counted apart and its time stands on its own line.
def must($holds; $sentence): if $holds then empty else $sentence end;
.arms[0].samples[0]
| must(.cold.lto == 1 and .warm.lto == 0; "link-time objects: \(.cold.lto) cold, \(.warm.lto) warm, not 1 and 0"),
  must(.cold.phases.link.elapsed_s > 0.5; "the object took \(.cold.phases.link.elapsed_s) s"),
  must(.warm.phases.link.elapsed_s < 0.1; "a warm link of \(.warm.phases.link.elapsed_s) s")
