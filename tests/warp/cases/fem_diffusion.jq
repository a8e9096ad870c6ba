# Generated modules: each built once, the header billed to none of them, the whole run explained.
def cold: .builds[] | select(.run == "cold");
def must($holds; $sentence): if $holds then empty else $sentence end;
(must([cold | .identity] | length == (unique | length); "an identity was built twice")),
(must([cold | select(.pch_s > 0)] | length == 1; "the header was not made exactly once")),
(.arms[0].samples[0].cold | (.phases.rest.elapsed_s / .elapsed_s) as $part
  | must($part <= 0.05; "\($part * 100) % of the cold run is in no phase"))
