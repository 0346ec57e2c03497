#include "CWindTunnelSystem.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The words about each thing that is under way; null where a place is free.
static _Atomic(char *) words[WT_CRASH_PLACES];

// The signals of a fault of the process's own (signal(7)).
static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
enum { fault_count = sizeof faults / sizeof faults[0] };
static struct sigaction before[fault_count];

static void say(const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t written = write(STDERR_FILENO, text, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    left -= (size_t)written;
  }
}

// Only functions of signal-safety(7) are called. Whoever was asked before is asked again: a fault
// comes back as soon as this returns, and what somebody sent is sent once more.
static void tell(int number, siginfo_t *info, void *context) {
  (void)context;
  bool is_first = true;
  for (int place = 0; place < WT_CRASH_PLACES; place++) {
    // Taken and never given back: whoever flies on would have freed it.
    const char *text = atomic_exchange(&words[place], NULL);
    if (!text) continue;
    if (is_first) say("\n");
    is_first = false;
    say(text);
  }
  for (int place = 0; place < fault_count; place++) {
    if (faults[place] == number) sigaction(number, &before[place], NULL);
  }
  bool is_sent = info->si_code <= 0;
  if (is_sent || number == SIGABRT || number == SIGTRAP) raise(number);
}

void wt_crash_watch(void) {
  static atomic_flag is_watched = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_watched)) return;
  for (int place = 0; place < fault_count; place++) {
    struct sigaction action = {
        .sa_sigaction = tell, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaction(faults[place], &action, &before[place]);
  }
}

int wt_crash_begin(const char *text) {
  char *copy = strdup(text);
  if (!copy) return -1;
  for (int place = 0; place < WT_CRASH_PLACES; place++) {
    char *none = NULL;
    if (atomic_compare_exchange_strong(&words[place], &none, copy)) return place;
  }
  free(copy);
  return -1;
}

void wt_crash_end(int place) {
  if (place >= 0) free(atomic_exchange(&words[place], NULL));
}
