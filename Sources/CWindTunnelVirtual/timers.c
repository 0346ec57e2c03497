// Timers: alarm(2), setitimer(2), timer_create(2), timerfd_create(2). The kernel's own stay unarmed;
// the tracer sends the signal, or lets the descriptor expire, at the virtual deadline.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static struct wt_timer *find(struct wt_world *world, enum wt_timer_kind kind, pid_t pid, int number) {
  for (int place = 0; place < world->timer_count; place++) {
    struct wt_timer *timer = &world->timers[place];
    if (timer->kind == kind && timer->pid == pid && timer->number == number) return timer;
  }
  return NULL;
}

// Finds a timer or adds one; null if there is no room.
static struct wt_timer *make(struct wt_world *world, enum wt_timer_kind kind, pid_t pid, int number) {
  struct wt_timer *timer = find(world, kind, pid, number);
  if (timer) return timer;
  if (world->timer_count == WT_TIMERS_MAX) {
    wt_stop(world, WT_VIRTUAL_TOO_MANY, "%d timers", WT_TIMERS_MAX);
    return NULL;
  }
  timer = &world->timers[world->timer_count++];
  *timer = (struct wt_timer){.kind = kind, .pid = pid, .number = number, .own = -1};
  timer->deadline = WT_NEVER;
  return timer;
}

static void drop(struct wt_world *world, struct wt_timer *timer) {
  if (timer->own >= 0) close(timer->own);
  *timer = world->timers[--world->timer_count];
}

void wt_drop_timers(struct wt_world *world, pid_t pid, bool is_exec) {
  for (int place = world->timer_count - 1; place >= 0; place--) {
    struct wt_timer *timer = &world->timers[place];
    if (timer->pid == pid && (!is_exec || timer->kind == WT_TIMER_POSIX)) drop(world, timer);
  }
}

static bool is_wall(int clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

// Reads the interval and the value of an itimerspec, or of an itimerval.
static bool read_pair(const struct wt_thread *thread, uint64_t place, bool is_micro, int64_t pair[2]) {
  int64_t words[4];
  if (!wt_peek(thread->tid, words, place, sizeof words)) return false;
  for (int word = 0; word < 4; word++) {
    const int64_t most = word % 2 ? (is_micro ? 999999 : WT_SECOND - 1) : INT64_MAX;
    if (words[word] < 0 || words[word] > most) return false;
    if (words[word] > 3000000000) words[word] = 3000000000;
  }
  for (int half = 0; half < 2; half++) {
    pair[half] = words[2 * half] * WT_SECOND + words[2 * half + 1] * (is_micro ? 1000 : 1);
  }
  return true;
}

static int64_t rest_of(const struct wt_world *world, const struct wt_timer *timer) {
  return timer && timer->deadline != WT_NEVER ? timer->deadline - world->now : 0;
}

static void write_pair(const struct wt_world *world, const struct wt_thread *thread,
                       const struct wt_timer *timer, uint64_t place, bool is_micro) {
  if (!place) return;
  const int64_t rest = rest_of(world, timer), interval = timer ? timer->interval : 0;
  const int64_t unit = is_micro ? 1000 : 1;
  const int64_t words[4] = {
    interval / WT_SECOND, interval % WT_SECOND / unit, rest / WT_SECOND, rest % WT_SECOND / unit,
  };
  wt_poke(thread->tid, words, place, sizeof words);
}

static void arm(struct wt_world *world, struct wt_timer *timer, const int64_t pair[2], bool is_absolute) {
  timer->interval = pair[0];
  int64_t deadline = pair[1] + world->now;
  if (is_absolute) deadline = is_wall(timer->clock) ? pair[1] - world->wall : pair[1];
  if (deadline < world->now) deadline = world->now;
  timer->deadline = pair[1] ? deadline : WT_NEVER;
  timer->order = ++world->order;
}

static int clock_of(pid_t pid, int descriptor) {
  char text[512];
  wt_read_proc(text, sizeof text, "/proc/%d/fdinfo/%d", pid, descriptor);
  const char *line = strstr(text, "clockid:");
  return line ? atoi(line + 8) : CLOCK_MONOTONIC;
}

// Takes a descriptor of the program's and unarms its timer; false if it is none.
static bool take(struct wt_timer *timer) {
  if (timer->own >= 0) close(timer->own);
  timer->own = wt_take(timer->pid, timer->number);
  timer->clock = clock_of(timer->pid, timer->number);
  const struct itimerspec zero = {{0, 0}, {0, 0}};
  return timer->own >= 0 && timerfd_settime(timer->own, 0, &zero, NULL) == 0;
}

static bool set_alarm(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  struct wt_timer *timer = make(world, WT_TIMER_INTERVAL, thread->process->pid, 0);
  if (!timer) return true;
  // See alarm(2): it answers the seconds that were left, and no rest is told as 0.
  const int64_t rest = rest_of(world, timer), half = WT_SECOND / 2;
  const int64_t left = rest > 0 && rest < half ? 1 : (rest + half) / WT_SECOND;
  const int64_t pair[2] = {0, (int64_t)(unsigned)*wt_argument(registers, 0) * WT_SECOND};
  timer->signal = SIGALRM;
  arm(world, timer, pair, false);
  wt_skip(thread, registers, left);
  return true;
}

static bool set(struct wt_world *world, struct wt_thread *thread, wt_registers *registers,
                enum wt_timer_kind kind) {
  const bool is_interval = kind == WT_TIMER_INTERVAL;
  const int number = (int)*wt_argument(registers, 0);
  const uint64_t given = *wt_argument(registers, is_interval ? 1 : 2);
  const uint64_t old = *wt_argument(registers, is_interval ? 2 : 3);
  int64_t pair[2] = {0, 0};
  if ((given || !is_interval) && !read_pair(thread, given, is_interval, pair)) return false;
  const pid_t pid = thread->process->pid;
  struct wt_timer *timer = find(world, kind, pid, number);
  // A POSIX timer that is not known here goes by processor time.
  if (!timer && kind == WT_TIMER_POSIX) return false;
  if (!timer) timer = make(world, kind, pid, number);
  if (!timer) return true;
  write_pair(world, thread, timer, old, is_interval);
  if (kind == WT_TIMER_DESCRIPTOR && !take(timer)) {
    drop(world, timer);
    return false;
  }
  if (is_interval) timer->signal = SIGALRM;
  arm(world, timer, pair, !is_interval && *wt_argument(registers, 1) & TIMER_ABSTIME);
  wt_skip(thread, registers, 0);
  return true;
}

static bool get(struct wt_world *world, struct wt_thread *thread, wt_registers *registers,
                enum wt_timer_kind kind) {
  const struct wt_timer *timer =
      find(world, kind, thread->process->pid, (int)*wt_argument(registers, 0));
  if (!timer) return false;
  write_pair(world, thread, timer, *wt_argument(registers, 1), kind == WT_TIMER_INTERVAL);
  wt_skip(thread, registers, 0);
  return true;
}

static bool create(struct wt_thread *thread, wt_registers *registers) {
  const int clock = (int)*wt_argument(registers, 0);
  if (clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) return false;
  thread->entry = *registers;
  thread->pending = WT_TIMER_CREATE;
  ptrace(PTRACE_SYSCALL, thread->tid, 0, 0);
  return true;
}

void wt_timer_created(struct wt_world *world, struct wt_thread *thread, const wt_registers *registers) {
  int number;
  if (wt_answer(registers) != 0) return;
  if (!wt_peek(thread->tid, &number, *wt_argument(&thread->entry, 2), sizeof number)) return;
  struct wt_timer *timer = make(world, WT_TIMER_POSIX, thread->process->pid, number);
  if (!timer) return;
  timer->clock = (int)*wt_argument(&thread->entry, 0);
  timer->signal = SIGALRM;
  timer->value = (uint64_t)number;
  // struct sigevent: the value, the signal, how to notify, the thread.
  struct { uint64_t value; int signal, notify, thread; } event;
  const uint64_t place = *wt_argument(&thread->entry, 1);
  if (!place || !wt_peek(thread->tid, &event, place, sizeof event)) return;
  timer->value = event.value;
  timer->signal = event.notify == SIGEV_NONE ? 0 : event.signal;
  if (event.notify == SIGEV_THREAD_ID) timer->thread = event.thread;
}

bool wt_timer_call(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  const int first = (int)*wt_argument(registers, 0);
  switch (wt_call(registers)) {
  case SYS_alarm: return set_alarm(world, thread, registers);
  // The other two count processor time.
  case SYS_setitimer: return first == ITIMER_REAL && set(world, thread, registers, WT_TIMER_INTERVAL);
  case SYS_getitimer: return first == ITIMER_REAL && get(world, thread, registers, WT_TIMER_INTERVAL);
  case SYS_timer_create: return create(thread, registers);
  case SYS_timer_settime: return set(world, thread, registers, WT_TIMER_POSIX);
  case SYS_timer_gettime: return get(world, thread, registers, WT_TIMER_POSIX);
  case SYS_timerfd_settime: return set(world, thread, registers, WT_TIMER_DESCRIPTOR);
  case SYS_timerfd_gettime: return get(world, thread, registers, WT_TIMER_DESCRIPTOR);
  case SYS_timer_delete: {
    struct wt_timer *timer = find(world, WT_TIMER_POSIX, thread->process->pid, first);
    if (timer) drop(world, timer);
    return false;
  }
  default: return false;
  }
}

static void send_signal(const struct wt_timer *timer) {
  if (!timer->signal) return;
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = timer->signal;
  info.si_code = SI_TIMER;
  info.si_timerid = timer->number;
  memcpy(&info.si_value, &timer->value, sizeof timer->value);
  if (timer->thread) {
    syscall(SYS_rt_tgsigqueueinfo, timer->pid, timer->thread, timer->signal, &info);
  } else {
    syscall(SYS_rt_sigqueueinfo, timer->pid, timer->signal, &info);
  }
}

void wt_fire_timer(struct wt_world *world, struct wt_timer *timer) {
  timer->deadline = timer->interval ? timer->deadline + timer->interval : WT_NEVER;
  timer->order = ++world->order;
  if (timer->kind == WT_TIMER_INTERVAL) {
    kill(timer->pid, timer->signal);
  } else if (timer->kind == WT_TIMER_POSIX) {
    send_signal(timer);
  } else {
    // A moment that is over; the barrier must not look before the kernel has noticed it.
    const struct itimerspec past = {{0, 0}, {0, 1}};
    timerfd_settime(timer->own, TFD_TIMER_ABSTIME, &past, NULL);
    struct pollfd expired = {.fd = timer->own, .events = POLLIN};
    poll(&expired, 1, 1);
  }
}

#endif
