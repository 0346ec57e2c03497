#include <time.h>

#include "CWindTunnelSystem.h"

int64_t wt_monotonic_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
