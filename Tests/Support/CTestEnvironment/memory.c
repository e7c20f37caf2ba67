#include <malloc.h>

#include "CTestEnvironment.h"

long memory_in_use(void) {
  const struct mallinfo2 memory = mallinfo2();
  return (long)(memory.uordblks + memory.hblkhd);
}
