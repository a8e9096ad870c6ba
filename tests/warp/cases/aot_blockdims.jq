def must($holds; $sentence): if $holds then empty else $sentence end;
must([.builds[] | select(.run == "cold") | .block_dim] | sort == [64, 128, 256]; "block sizes are not 64, 128, 256")
