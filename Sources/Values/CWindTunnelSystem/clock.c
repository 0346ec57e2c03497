#include <time.h>

#include "CWindTunnelSystem.h"

_Thread_local long wt_work;

int64_t wt_monotonic_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if defined(__ELF__)
__attribute__((used, retain, section("wt_modules")))
#elif defined(__APPLE__)
__attribute__((used, section("__DATA_CONST,__wt_modules")))
#endif
static const uint64_t link_mark[3] = {0xF1D38A6C57E294B0, 0x9C0EB7A52D41F863, 28};
