#include "CWindTunnelSystem.h"

#include <errno.h>
#include <pthread.h>
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

// The one who may take a crash for the end of a thread, and not of the process.
static bool (*_Atomic contains)(int number);

// Leaves a thread where it is, for ever: what it was about to do is never done, and what it has
// locked stays locked.
static _Noreturn void park(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  for (;;) pause();
}

// Only functions of signal-safety(7) are called. Whoever was asked before is asked again: a fault
// comes back as soon as this returns, and what somebody sent is sent once more.
static void tell(int number, siginfo_t *info, void *context) {
  (void)context;
  bool (*is_contained)(int) = contains;
  if (is_contained && is_contained(number)) park();
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

void wt_crash_contain(bool (*is_contained)(int signal)) {
  contains = is_contained;
  wt_crash_watch();
}

void wt_crash_use_own_stack(void) {
  enum { size = 64 << 10 };
  // As long as the thread, and so as the process: threads that use it are kept.
  stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
  if (stack.ss_sp) sigaltstack(&stack, NULL);
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
