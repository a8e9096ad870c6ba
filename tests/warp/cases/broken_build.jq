# The failure is listed as one, in both runs.
def must($holds; $sentence): if $holds then empty else $sentence end;
must([.builds[] | select(.run == "cold" and .result == "failed")] | length == 1; "the failed build is not listed (cold)"),
must([.builds[] | select(.run == "warm" and .result == "failed")] | length == 1; "the failed build is not listed (warm)")
