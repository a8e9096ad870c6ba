# dim 0 and the refused launch are no launches; sizes and directions are told apart.
def must($holds; $sentence): if $holds then empty else $sentence end;
[.launches[] | select(.run == "cold") | [.direction, .dim, .count]] | sort as $got
| must($got == [["backward", 8, 1], ["forward", 3, 1], ["forward", 8, 2]]; "launches are \($got)")
