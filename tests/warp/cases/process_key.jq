def must($holds; $sentence): if $holds then empty else $sentence end;
must([.builds[].identity] | unique | length == 2; "cold and warm have not two identities")
