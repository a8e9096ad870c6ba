def must($holds; $sentence): if $holds then empty else $sentence end;
[.launches[] | select(.run == "cold") | [.kernel, .dim, .count]] as $got
| must($got == [["step", 8, 1000]]; "launches are \($got)")
