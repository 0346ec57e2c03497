// One word for each kind of wait. Each prints the nanoseconds that went by, by clock_gettime(2).
#if defined(__linux__)
#define _GNU_SOURCE
#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * second + time.tv_nsec;
}

struct timespec to_timespec(int64_t length) {
  return (struct timespec){length / second, length % second};
}

static const struct word *const tables[] = {wait_words, timer_words, socket_words, world_words};

int main(int count, char **words) {
  // Lines are whole even if another process ends this one.
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *name = count > 1 ? words[1] : "";
  const int64_t number = count > 2 ? strtoll(words[2], NULL, 10) : 0;
  for (size_t table = 0; table < sizeof tables / sizeof *tables; table++) {
    for (const struct word *word = tables[table]; word->name; word++) {
      if (strcmp(word->name, name)) continue;
      const int64_t start = read_clock(CLOCK_MONOTONIC), wall = read_clock(CLOCK_REALTIME);
      const int failed = word->run(number);
      const int64_t elapsed = read_clock(CLOCK_MONOTONIC) - start;
      // A millisecond may pass between two looks of a program that does nothing but look.
      const int64_t difference = read_clock(CLOCK_REALTIME) - wall - elapsed;
      if (difference < 0 || difference > millisecond) printf("the clocks differ\n");
      printf("%lld\n", (long long)elapsed);
      return failed;
    }
  }
  fprintf(stderr, "wait-programs: no word %s\n", name);
  return 64;
}
#else
int main(void) { return 64; }
#endif
