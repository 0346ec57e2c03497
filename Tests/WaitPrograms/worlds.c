// Programs that reach for the limits of a world.
#if defined(__linux__)
#define _GNU_SOURCE
#include "programs.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Each child and its parent start another one, until there is no process to be had.
static int do_fork_bomb(int64_t unused) {
  (void)unused;
  while (fork() >= 0) {}
  return 0;
}

static int do_sleep_for_ever(int64_t unused) {
  (void)unused;
  int ends[2];
  char byte;
  if (pipe(ends)) return 1;
  return (int)read(ends[0], &byte, 1);
}

// Reads standard input to its end.
static int do_read(int64_t unused) {
  char bytes[64];
  (void)unused;
  while (read(0, bytes, sizeof bytes) > 0) {}
  return 0;
}

// Sends signal 0 to a process, which only asks whether it may.
// Returns EPERM if each way to a signal for another process is closed.
static int do_kill(int64_t pid) {
  const long calls[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_pidfd_open};
  for (int place = 0; place < 4; place++) {
    const int64_t second = calls[place] == SYS_tgkill ? pid : 0;
    if (syscall(calls[place], pid, second, 0) != -1) return 0;
    if (errno != EPERM) return errno;
  }
  return EPERM;
}

static int do_trace(int64_t unused) {
  (void)unused;
  return ptrace(PTRACE_TRACEME, 0, 0, 0) ? errno : 0;
}

// What is left behind sleeps for a number of nanoseconds.
static int do_leave(int64_t length) {
  if (fork()) return 0;
  setsid();
  const struct timespec time = to_timespec(length);
  nanosleep(&time, NULL);
  printf("left\n");
  _exit(0);
}

// Leaves behind a process that computes for ever, and a parent that nobody waits for.
static int do_leave_busy(int64_t unused) {
  (void)unused;
  if (fork()) return 0;
  if (fork()) _exit(0);
  setsid();
  printf("%d\n", getpid());
  while (1) {}
}

// Starts a child that asks not to be traced; see clone(2).
static int do_untraced(int64_t unused) {
  (void)unused;
  const long pid = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid < 0 ? errno : 0;
}

static int do_io_uring(int64_t unused) {
  (void)unused;
  return !(syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == ENOSYS);
}

// Several threads wait for one instant; they wake in the order in which they began.
static int order[16], woken;

static void *wait_and_note(void *number) {
  const struct timespec time = {1, 0};
  nanosleep(&time, NULL);
  order[woken++] = (int)(intptr_t)number;
  return NULL;
}

static int do_ties(int64_t count) {
  pthread_t threads[16];
  for (int64_t place = 0; place < count; place++) {
    pthread_create(&threads[place], NULL, wait_and_note, (void *)(intptr_t)place);
    // The next one begins when this one waits.
    const struct timespec step = {0, 0};
    for (int turn = 0; turn < 4; turn++) nanosleep(&step, NULL);
  }
  for (int64_t place = 0; place < count; place++) pthread_join(threads[place], NULL);
  for (int64_t place = 0; place < count; place++) printf("%d ", order[place]);
  return 0;
}

const struct word world_words[] = {
  {"fork-bomb", do_fork_bomb},
  {"sleep-for-ever", do_sleep_for_ever},
  {"read", do_read},
  {"kill", do_kill},
  {"trace", do_trace},
  {"leave", do_leave},
  {"leave-busy", do_leave_busy},
  {"untraced", do_untraced},
  {"io-uring", do_io_uring},
  {"ties", do_ties},
  {0, 0},
};
#endif
