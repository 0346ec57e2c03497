// Timers that end a wait without an end.
#if defined(__linux__)
#define _GNU_SOURCE
#include "programs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

static volatile sig_atomic_t rings;

static void ring(int signal) {
  (void)signal;
  rings++;
}

static void hear(int signal, int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = ring;
  action.sa_flags = flags;
  sigaction(signal, &action, NULL);
}

static int do_alarm(int64_t length) {
  hear(SIGALRM, 0);
  alarm((unsigned)(length / second) + 9);
  const unsigned left = alarm((unsigned)(length / second));
  pause();
  return !(rings == 1 && left == length / second + 9);
}

// Three rings; the value says when the first one comes, and the interval the others.
static int do_setitimer(int64_t length) {
  hear(SIGALRM, 0);
  const struct timeval third = {length / 3 / second, length / 3 % second / 1000};
  const struct itimerval value = {third, third};
  setitimer(ITIMER_REAL, &value, NULL);
  while (rings < 3) pause();
  return 0;
}

static int do_timer(int64_t length) {
  hear(SIGUSR2, 0);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR2;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer)) return 1;
  const struct itimerspec value = {{0, 0}, to_timespec(length)};
  struct itimerspec left;
  timer_settime(timer, 0, &value, NULL);
  timer_gettime(timer, &left);
  pause();
  return !(rings == 1 && left.it_value.tv_sec * second + left.it_value.tv_nsec == length);
}

static int wait_for_descriptor(clockid_t clock, int flags, int64_t value_length) {
  const int timer = timerfd_create(clock, 0);
  const struct itimerspec value = {{0, 0}, to_timespec(value_length)};
  uint64_t count = 0;
  if (timer < 0 || timerfd_settime(timer, flags, &value, NULL)) return 1;
  struct pollfd polled = {.fd = timer, .events = POLLIN};
  if (poll(&polled, 1, -1) != 1) return 1;
  return !(read(timer, &count, sizeof count) == sizeof count && count == 1);
}

static int do_timerfd(int64_t length) { return wait_for_descriptor(CLOCK_MONOTONIC, 0, length); }

static int do_timerfd_wall(int64_t length) {
  return wait_for_descriptor(CLOCK_REALTIME, TFD_TIMER_ABSTIME, read_clock(CLOCK_REALTIME) + length);
}

// Ten timers at once: the last one that begins is the first that expires.
static int do_timerfds(int64_t length) {
  int timers[10];
  uint64_t count;
  for (int place = 0; place < 10; place++) {
    const struct itimerspec value = {{0, 0}, to_timespec(length / 10 * (10 - place))};
    timers[place] = timerfd_create(CLOCK_MONOTONIC, 0);
    if (timers[place] < 0 || timerfd_settime(timers[place], 0, &value, NULL)) return 1;
  }
  for (int place = 9; place >= 0; place--) {
    if (read(timers[place], &count, sizeof count) != sizeof count || count != 1) return 1;
  }
  return 0;
}

// A handler runs in the middle of a sleep, and what is left is slept.
static int do_broken_sleep(int64_t length) {
  hear(SIGALRM, SA_RESTART);
  const struct timeval half = {length / 2 / second, length / 2 % second / 1000};
  const struct itimerval value = {{0, 0}, half};
  setitimer(ITIMER_REAL, &value, NULL);
  struct timespec left = to_timespec(length);
  if (nanosleep(&left, &left) == 0 || errno != EINTR) return 1;
  return nanosleep(&left, NULL);
}

// A stop and a continuation in the middle of a sleep: it ends when it would have.
static int do_stopped_sleep(int64_t length) {
  const pid_t own = getpid();
  if (fork() == 0) {
    const struct timespec third = to_timespec(length / 3);
    nanosleep(&third, NULL);
    kill(own, SIGSTOP);
    nanosleep(&third, NULL);
    kill(own, SIGCONT);
    _exit(0);
  }
  signal(SIGCHLD, SIG_IGN);
  const struct timespec whole = to_timespec(length);
  return nanosleep(&whole, NULL);
}

const struct word timer_words[] = {
  {"alarm", do_alarm},
  {"setitimer", do_setitimer},
  {"timer", do_timer},
  {"timerfd", do_timerfd},
  {"timerfd-wall", do_timerfd_wall},
  {"timerfds", do_timerfds},
  {"broken-sleep", do_broken_sleep},
  {"stopped-sleep", do_stopped_sleep},
  {0, 0},
};
#endif
