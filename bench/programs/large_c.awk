# awk -f large_c.awk: a C file of about 110 KB whose functions differ from one another.
BEGIN {
  for (i = 0; i < 420; i++) {
    printf "int f%d(int *a, int n)\n{\n  int s = %d;\n  for (int i = 0; i < n; i++) {\n", i, i
    printf "    if (a[i] %% %d == %d)\n      s += a[i] * %d;\n    else\n      a[i] ^= s >> %d;\n", i % 7 + 2, i % 2, i + 3, i % 13 + 1
    printf "    s = (s << %d) | ((unsigned)s >> %d);\n  }\n", i % 5 + 1, 31 - i % 5
    printf "  return s + %d;\n}\n\n", i * 31
  }
}
