# At most 5 % of a cold run may stay unexplained.
.arms[].samples[].cold | (.phases.rest.elapsed_s / .elapsed_s) as $part
| if $part <= 0.05 then empty else "\($part * 1000 | round / 10) % of the cold run is in no phase" end
