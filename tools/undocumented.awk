# awk -f tools/undocumented.awk HEADER…: prototypes without a comment directly above or on their line, and a last line
# "N of M documented".
FNR == 1 { before = "" }
{
  # A prototype starts in column 0 with a word, has a parenthesis and ends in this or a following line with ";".
  if (open_text != "") {
    open_text = open_text " " $0
  } else if (/^[A-Za-z_][A-Za-z0-9_ *]*[ *][a-z_0-9]+\(/ && !/^(typedef|return|static)/) {
    open_text = $0
    open_line = FNR
    open_before = before
  }
  if (open_text != "" && open_text ~ /;/) {
    total++
    if (open_before ~ /\*\/[ \t]*$/ || open_text ~ /\/\*/)
      documented++
    else
      printf "%s:%d: %s\n", FILENAME, open_line, open_text
    open_text = ""
  } else if (open_text != "" && /\{/) {
    open_text = ""
  }
  before = $0
}
END { printf "%d of %d documented\n", documented, total }
