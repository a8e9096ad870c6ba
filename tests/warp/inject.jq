# $control and $injected are reports of inject.py without and with a busy wait of 0.3 s CPU in phase $phase; of as many
# rounds each. Prints what does not hold: that phase grew by 0.300 ± 0.030 s, no other beyond the control's own spread
# (three times the distance between its smallest and largest value, 20 ms at least). The smallest of the samples stands
# for a report, the median of what it grew by for all rounds.
def cpu($report; $run; $name): [$report.arms[0].samples[] | .[$run].phases[$name].cpu_s];
def median: sort | (.[((length - 1) / 2 | floor)] + .[(length / 2 | floor)]) / 2;
def ms: . * 1000 | round;
["codegen", "pch", "compile"] as $cold_only
| ("cold", "warm") as $run
| select($run == "cold" or ($cold_only | index($phase) | not))
| $control[0].arms[0].samples[0].cold.phases | keys_unsorted[] as $name
| [$control[] | cpu(.; $run; $name)[]] as $before
| ([range($control | length) as $i | (cpu($injected[$i]; $run; $name) | min) - (cpu($control[$i]; $run; $name) | min)]
    | median) as $grown
| ([0.020, 3 * (($before | max) - ($before | min))] | max) as $noise
| if $name == $phase then
    if ($grown - 0.3 | fabs) <= 0.030 then empty else "\($run): \($name) grew by \($grown | ms) ms, not by 300 ± 30" end
  elif $grown > $noise then "\($run): \($name) grew by \($grown | ms) ms (noise \($noise | ms) ms)"
  else empty end
