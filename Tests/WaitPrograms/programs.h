#include <stdint.h>
#include <time.h>

static const int64_t second = 1000000000, millisecond = 1000000;

struct word {
  const char *name;
  // Receives the number of the command line; returns an exit code.
  int (*run)(int64_t);
};

extern const struct word wait_words[], timer_words[], socket_words[], world_words[];

int64_t read_clock(clockid_t);
struct timespec to_timespec(int64_t);
