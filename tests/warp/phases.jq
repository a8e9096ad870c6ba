# The phase split of every run of a report, as sentences about what does not hold.
# Disjoint and complete: no part is negative, and the parts add up to the run (to a microsecond of rounding each).
def runs: .arms[].samples[] | (.cold, .warm) | select(. != null and .phases != null);
def near($a; $b): ($a - $b) | fabs < 0.001;
(runs
  | (if [.phases[] | .elapsed_s, .cpu_s] | any(. < 0) then "a phase is negative" else empty end),
    (([.phases[].elapsed_s] | add) as $sum
      | if near($sum; .elapsed_s) then empty else "phases add up to \($sum) s of \(.elapsed_s) s elapsed" end),
    (([.phases[].cpu_s] | add) as $sum
      | if near($sum; .cpu_s) then empty else "phases add up to \($sum) s of \(.cpu_s) s CPU" end))
