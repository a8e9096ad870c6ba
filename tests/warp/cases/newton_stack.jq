# One module takes more than half of the native compile time; the whole run is explained.
def must($holds; $sentence): if $holds then empty else $sentence end;
([.builds[] | select(.run == "cold")] | (max_by(.native_s)) as $top | ([.[].native_s] | add) as $all
  | must(($top.module | test("xpbd")) and $top.native_s > 0.45 * $all;
      "dearest module \($top.module) with \($top.native_s) of \($all) s")),
(.arms[0].samples[0].cold | (.phases.rest.elapsed_s / .elapsed_s) as $part
  | must($part <= 0.05; "\($part * 100) % of the cold run is in no phase"))
