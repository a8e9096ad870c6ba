/*
 * What the counting compiler hands out instead of compiling (stub_cc.c): it copies this library and writes the number
 * that the source returns behind the mark.
 */
#include <stdint.h>

__attribute__((visibility("default"))) int value(void);

static volatile const struct {
  char mark[16];
  int32_t number;
} cell __attribute__((used)) = {"KILN-STUB-VALUE", -1};

int
value(void)
{
  return cell.number;
}
