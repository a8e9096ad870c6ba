# A true NVRTC build, ahead of time, for no device that is here.
def must($holds; $sentence): if $holds then empty else $sentence end;
[.builds[] | select(.run == "cold")][0]
| must(.aot == true; "not called ahead of time"),
  must(.toolchain == "nvrtc"; "toolchain \(.toolchain)"),
  must(.device == "cuda"; "device \(.device)"),
  must(.source_bytes > 0; "no source bytes"),
  must(.pch_s == 0; "a header of the CPU compiler in an NVRTC build")
