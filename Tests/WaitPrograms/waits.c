// Waits of a number of nanoseconds.
#if defined(__linux__)
#define _GNU_SOURCE
#include "programs.h"

#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <unistd.h>

static int do_poll(int64_t length) { return poll(NULL, 0, (int)(length / millisecond)); }

static int do_ppoll(int64_t length) {
  const struct timespec time = to_timespec(length);
  return ppoll(NULL, 0, &time, NULL);
}

static int do_epoll(int64_t length) {
  struct epoll_event event;
  const int epoll = epoll_create1(0);
  return epoll_wait(epoll, &event, 1, (int)(length / millisecond));
}

static int do_epoll_nanoseconds(int64_t length) {
  struct epoll_event event;
  const struct timespec time = to_timespec(length);
  return (int)syscall(SYS_epoll_pwait2, epoll_create1(0), &event, 1, &time, NULL, 0);
}

// The set is cleared and the rest of the time is 0 (select(2)).
static int do_select(int64_t length) {
  int ends[2];
  fd_set set;
  if (pipe(ends)) return 1;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  struct timeval time = {length / second, length % second / 1000};
  if (select(ends[0] + 1, &set, NULL, NULL, &time) != 0) return 1;
  return FD_ISSET(ends[0], &set) || time.tv_sec || time.tv_usec;
}

static int do_pselect(int64_t length) {
  const struct timespec time = to_timespec(length);
  return pselect(0, NULL, NULL, NULL, &time, NULL);
}

static int do_nanosleep(int64_t length) {
  const struct timespec time = to_timespec(length);
  return nanosleep(&time, NULL);
}

static int do_clock_nanosleep(int64_t length) {
  const struct timespec time = to_timespec(length);
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static int sleep_until(clockid_t clock, int64_t length) {
  const struct timespec time = to_timespec(read_clock(clock) + length);
  return clock_nanosleep(clock, TIMER_ABSTIME, &time, NULL);
}

static int do_sleep_until(int64_t length) { return sleep_until(CLOCK_MONOTONIC, length); }
static int do_sleep_until_wall(int64_t length) { return sleep_until(CLOCK_REALTIME, length); }

static int wait_for_condition(clockid_t clock, int64_t length) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_condattr_t attributes;
  pthread_cond_t condition;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  pthread_cond_init(&condition, &attributes);
  const struct timespec time = to_timespec(read_clock(clock) + length);
  pthread_mutex_lock(&mutex);
  return pthread_cond_timedwait(&condition, &mutex, &time) != ETIMEDOUT;
}

static int do_condition(int64_t length) { return wait_for_condition(CLOCK_MONOTONIC, length); }
static int do_condition_wall(int64_t length) { return wait_for_condition(CLOCK_REALTIME, length); }

static int do_futex(int64_t length) {
  const struct timespec time = to_timespec(length);
  int word = 0;
  return !(syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, &time, NULL, 0) < 0 && errno == ETIMEDOUT);
}

static int do_signal(int64_t length) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  const struct timespec time = to_timespec(length);
  return !(sigtimedwait(&set, NULL, &time) < 0 && errno == EAGAIN);
}

static int do_semaphore(int64_t length) {
  const int semaphore = semget(IPC_PRIVATE, 1, 0600);
  struct sembuf operation = {0, -1, 0};
  const struct timespec time = to_timespec(length);
  const int is_right = semtimedop(semaphore, &operation, 1, &time) < 0 && errno == EAGAIN;
  semctl(semaphore, 0, IPC_RMID);
  return !is_right;
}

static int do_queue(int64_t length) {
  char name[64], text[64];
  snprintf(name, sizeof name, "/wait-programs-%d", getpid());
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof text};
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  mq_unlink(name);
  const struct timespec time = to_timespec(read_clock(CLOCK_REALTIME) + length);
  return !(mq_timedreceive(queue, text, sizeof text, NULL, &time) < 0 && errno == ETIMEDOUT);
}

// Ten waits of no length, then waits until the clock is later than it was.
static int do_nothing(int64_t length) {
  const struct timespec zero = {0, 0};
  for (int turn = 0; turn < 10; turn++) nanosleep(&zero, NULL);
  const int64_t end = read_clock(CLOCK_MONOTONIC) + length;
  while (read_clock(CLOCK_MONOTONIC) <= end) sleep_until(CLOCK_MONOTONIC, end - read_clock(CLOCK_MONOTONIC));
  return 0;
}

// Does nothing but look at the clock.
static int do_look(int64_t length) {
  const int64_t end = read_clock(CLOCK_MONOTONIC) + length;
  while (read_clock(CLOCK_MONOTONIC) < end) {}
  return 0;
}

static volatile int is_set;

static void *set_later(void *length) {
  const struct timespec time = to_timespec((int64_t)(intptr_t)length);
  nanosleep(&time, NULL);
  is_set = 1;
  return NULL;
}

// Waits again and again, for so many nanoseconds, until another thread has slept.
static int wait_in_row(int64_t step, int64_t length) {
  const struct timespec time = to_timespec(step);
  pthread_t thread;
  pthread_create(&thread, NULL, set_later, (void *)(intptr_t)length);
  while (!is_set) nanosleep(&time, NULL);
  return pthread_join(thread, NULL);
}

static int do_zeros(int64_t length) { return wait_in_row(0, length); }
static int do_short_waits(int64_t length) { return wait_in_row(10000, length); }

// Computes, and then looks at the clock so many times. Fails if this takes longer by the clock than
// the processor was busy with it.
static int do_work_and_look(int64_t count) {
  while (read_clock(CLOCK_PROCESS_CPUTIME_ID) < second / 2) {}
  const int64_t start = read_clock(CLOCK_MONOTONIC), used = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  for (int64_t turn = 0; turn < count; turn++) read_clock(CLOCK_MONOTONIC);
  const int64_t elapsed = read_clock(CLOCK_MONOTONIC) - start;
  return elapsed > read_clock(CLOCK_PROCESS_CPUTIME_ID) - used;
}

// Other calls that return the time since the boot.
static int do_uptime(int64_t length) {
  struct sysinfo before, after;
  struct tms unused;
  const clock_t ticks = times(&unused);
  sysinfo(&before);
  sleep_until(CLOCK_MONOTONIC, length);
  sysinfo(&after);
  const int64_t step = second / sysconf(_SC_CLK_TCK), passed = (times(&unused) - ticks) * step;
  return passed != length || (after.uptime - before.uptime) * second != length;
}

static int do_look_by_call(int64_t length) {
  struct timespec time;
  const int64_t start = read_clock(CLOCK_MONOTONIC);
  sleep_until(CLOCK_MONOTONIC, length);
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec - start != length;
}

// Computes for ever.
static int do_compute(int64_t length) {
  for (volatile int64_t number = 0; number >= 0 && length >= 0;) number = number + 1;
  return 0;
}

const struct word wait_words[] = {
  {"poll", do_poll},
  {"ppoll", do_ppoll},
  {"epoll", do_epoll},
  {"epoll-nanoseconds", do_epoll_nanoseconds},
  {"select", do_select},
  {"pselect", do_pselect},
  {"nanosleep", do_nanosleep},
  {"clock-nanosleep", do_clock_nanosleep},
  {"sleep-until", do_sleep_until},
  {"sleep-until-wall", do_sleep_until_wall},
  {"condition", do_condition},
  {"condition-wall", do_condition_wall},
  {"futex", do_futex},
  {"signal", do_signal},
  {"semaphore", do_semaphore},
  {"queue", do_queue},
  {"nothing", do_nothing},
  {"look", do_look},
  {"look-by-call", do_look_by_call},
  {"zeros", do_zeros},
  {"short-waits", do_short_waits},
  {"work-and-look", do_work_and_look},
  {"uptime", do_uptime},
  {"compute", do_compute},
  {0, 0},
};
#endif
