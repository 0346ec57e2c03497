// Timers: alarm(2), setitimer(2), timer_create(2), timerfd_create(2). The kernel's own stay
// unarmed, and the tracer sends the signal at the virtual deadline. In place of a timerfd a program
// gets a pipe: only the program itself can set a timerfd, and the tracer can write to a pipe. Both
// are readable when they have the number of expirations, which is eight bytes.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <sys/time.h>

// The arguments of the calls: what is set, or 0, and where the old value goes.
static const struct timer_call { int call, kind, given, old; } calls[] = {
  {SYS_setitimer, WT_TIMER_INTERVAL, 1, 2}, {SYS_getitimer, WT_TIMER_INTERVAL, 0, 1},
  {SYS_timer_settime, WT_TIMER_POSIX, 2, 3}, {SYS_timer_gettime, WT_TIMER_POSIX, 0, 1},
  {SYS_timerfd_settime, WT_TIMER_DESCRIPTOR, 2, 3},
  {SYS_timerfd_gettime, WT_TIMER_DESCRIPTOR, 0, 1},
};

// Finds a timer, or creates it if `is_made`; null if it is missing or there is no room. Processes
// share a timerfd, so its number is enough.
static struct wt_timer *find(int kind, struct wt_thread *thread, int64_t number, bool is_made) {
  WT_EACH(wt_timer, known, wt.timers) {
    const bool is_near = known->pid == thread->pid || kind == WT_TIMER_DESCRIPTOR;
    if (known->kind == kind && known->number == number && is_near) return known;
  }
  struct wt_timer *timer = is_made ? wt_add(&wt.timers, sizeof *timer, 1024, "timers") : NULL;
  if (!timer) return NULL;
  *timer = (struct wt_timer){
    .link = timer->link, .kind = kind, .pid = thread->pid, .number = number, .value = number,
    .own = -1, .signal = SIGALRM, .due.deadline = WT_NEVER,
  };
  return timer;
}

static void drop(struct wt_timer *timer) {
  close(timer->own);
  wt_remove(&wt.timers, &timer->link);
}

// Whether it is a timerfd that no program has any more (poll(2), POLLERR).
static bool is_closed(const struct wt_timer *timer) {
  struct pollfd polled = {.fd = timer->own};
  return poll(&polled, 1, 0) > 0 && polled.revents & POLLERR;
}

void wt_drop_timers(pid_t pid, bool is_exec) {
  WT_EACH(wt_timer, timer, wt.timers) {
    const bool is_shared = timer->kind == WT_TIMER_DESCRIPTOR && !is_closed(timer);
    const bool is_kept = is_shared || (is_exec && timer->kind != WT_TIMER_POSIX);
    if (timer->pid == pid && !is_kept) drop(timer);
  }
}

static int64_t rest_of(const struct wt_timer *timer) {
  return timer->due.deadline == WT_NEVER ? 0 : timer->due.deadline - wt.now;
}

static void arm(struct wt_timer *timer, int64_t interval, int64_t value, bool is_absolute) {
  int64_t deadline = wt.now + value;
  if (is_absolute && wt_clock_base(timer->clock, &deadline)) deadline = value - deadline;
  timer->interval = interval;
  wt_set_due(&timer->due, !value ? WT_NEVER : deadline > wt.now ? deadline : wt.now);
}

// MARK: Descriptors

// Takes out the expirations that no program has read.
static uint64_t unread(const struct wt_timer *timer) {
  uint64_t count = 0;
  const int file = wt_open_proc(O_RDONLY | O_NONBLOCK, "/proc/self/fd/%d", timer->own);
  if (read(file, &count, sizeof count) != sizeof count) count = 0;
  close(file);
  return count;
}

// The program has opened the pipe, or could not. From now on this process has the end for writing
// alone: so it sees that the program closes its own.
static void descriptor_created(struct wt_thread *thread) {
  const int end = (int)thread->given, number = (int)wt_answer(thread);
  struct wt_timer *timer = find(WT_TIMER_DESCRIPTOR, thread, -1 - end, false);
  close(end);
  if (!timer) return;
  // A call changes none of its arguments' registers.
  wt_call(thread) = SYS_timerfd_create;
  wt_argument(thread, 0) = timer->clock;
  wt_argument(thread, 1) &= ~O_RDWR;
  timer->number = (int64_t)wt_inode(thread->pid, number);
  if (number >= 0) return;
  wt_reason("unsupported", "no pipe: %s", strerror(-number));
  drop(timer);
}

static bool create_descriptor(struct wt_thread *thread) {
  int64_t base;
  if (!wt_clock_base(wt_argument(thread, 0), &base)) return false;
  WT_EACH(wt_timer, timer, wt.timers) {
    if (is_closed(timer)) drop(timer);
  }
  // Nobody else finds a pipe, and nothing of it is left. It is opened by its place in /proc, and
  // until then the timer has a number that no inode has.
  char path[64];
  int ends[2] = {-1, -1};
  const bool is_made = !pipe2(ends, O_CLOEXEC | O_NONBLOCK);
  struct wt_timer *timer = is_made ? find(WT_TIMER_DESCRIPTOR, thread, -1 - ends[0], true) : NULL;
  const int64_t place = thread->registers.at[WT_STACK] - WT_RED_ZONE - (int64_t)sizeof path;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", getpid(), ends[0]);
  if (!timer || !wt_poke(thread->tid, path, place, sizeof path)) {
    wt_reason("unsupported", "no pipe %s: %s", path, strerror(errno));
    return false;
  }
  timer->own = ends[1];
  timer->clock = (int)wt_argument(thread, 0);
  thread->given = ends[0];
  thread->at_end = descriptor_created;
  wt_call(thread) = SYS_open;
  wt_argument(thread, 0) = place;
  wt_argument(thread, 1) |= O_RDWR;
  return true;
}

// MARK: All kinds

static bool set_alarm(struct wt_thread *thread) {
  struct wt_timer *timer = find(WT_TIMER_INTERVAL, thread, ITIMER_REAL, true);
  if (!timer) return true;
  // See alarm(2): it answers the seconds that were left, and no rest is told as 0.
  const int64_t rest = rest_of(timer), half = WT_SECOND / 2;
  arm(timer, 0, (int64_t)(unsigned)wt_argument(thread, 0) * WT_SECOND, false);
  return wt_skip(thread, rest > 0 && rest < half ? 1 : (rest + half) / WT_SECOND);
}

static bool set_or_get(struct wt_thread *thread, const struct timer_call *call) {
  const bool is_set = call->given, is_interval = call->kind == WT_TIMER_INTERVAL;
  const int64_t given = is_set ? wt_argument(thread, call->given) : 0;
  const int64_t old = wt_argument(thread, call->old);
  // Of an itimerspec or an itimerval the interval comes first.
  const int64_t unit = is_interval ? 1000 : 1, next = 2 * sizeof(int64_t);
  const pid_t tid = thread->tid;
  int64_t interval = 0, value = 0, number = (int)wt_argument(thread, 0);
  const bool is_read = given && wt_peek_time(tid, given, unit, &interval)
      && wt_peek_time(tid, given + next, unit, &value);
  // What cannot be read is the kernel's to refuse, but setitimer(2) takes null for zeros.
  if (is_set && !is_read && (given || !is_interval)) return false;
  if (call->kind == WT_TIMER_DESCRIPTOR) number = (int64_t)wt_inode(thread->pid, (int)number);
  // A POSIX timer that is not known here goes by processor time.
  struct wt_timer *timer = find(call->kind, thread, number, is_set && is_interval);
  if (!timer) return false;
  if (old) {
    wt_poke_time(tid, timer->interval, old, unit);
    wt_poke_time(tid, rest_of(timer), old + next, unit);
  }
  if (is_set && call->kind == WT_TIMER_DESCRIPTOR) unread(timer);
  if (is_set) arm(timer, interval, value, !is_interval && wt_argument(thread, 1) & TIMER_ABSTIME);
  return wt_skip(thread, 0);
}

static void created(struct wt_thread *thread) {
  int number;
  const int64_t place = wt_argument(thread, 2);
  if (wt_answer(thread) || !wt_peek(thread->tid, &number, place, sizeof number)) return;
  struct wt_timer *timer = find(WT_TIMER_POSIX, thread, number, true);
  if (!timer) return;
  timer->clock = (int)wt_argument(thread, 0);
  // struct sigevent: the value, the signal, how to notify, the thread.
  struct { int64_t value; int signal, notify, thread; } event;
  if (!wt_peek(thread->tid, &event, wt_argument(thread, 1), sizeof event)) return;
  timer->value = event.value;
  // Signal 0 is sent to nobody (kill(2)).
  timer->signal = event.notify == SIGEV_NONE ? 0 : event.signal;
  timer->thread = event.notify == SIGEV_THREAD_ID ? event.thread : 0;
}

bool wt_timer_call(struct wt_thread *thread) {
  const int64_t call = wt_call(thread), first = wt_argument(thread, 0);
  int64_t base;
  if (call == SYS_alarm) return set_alarm(thread);
  if (call == SYS_timerfd_create) return create_descriptor(thread);
  if (call == SYS_timer_create && wt_clock_base(first, &base)) thread->at_end = created;
  struct wt_timer *timer = find(WT_TIMER_POSIX, thread, (int)first, false);
  if (call == SYS_timer_delete && timer) drop(timer);
  // The other two kinds of an interval timer count processor time.
  if ((call == SYS_setitimer || call == SYS_getitimer) && first != ITIMER_REAL) return false;
  for (int place = 0; place < WT_COUNT(calls); place++) {
    if (calls[place].call == call) return set_or_get(thread, &calls[place]);
  }
  return false;
}

void wt_fire_timer(struct wt_timer *timer) {
  wt_set_due(&timer->due, timer->interval ? timer->due.deadline + timer->interval : WT_NEVER);
  siginfo_t info = {.si_signo = timer->signal, .si_code = SI_TIMER};
  info.si_timerid = (int)timer->number;
  info.si_value.sival_ptr = (void *)timer->value;
  if (timer->kind == WT_TIMER_DESCRIPTOR) {
    const uint64_t count = unread(timer) + 1;
    if (write(timer->own, &count, sizeof count) < 0) drop(timer);
  } else if (timer->thread) {
    syscall(SYS_rt_tgsigqueueinfo, timer->pid, timer->thread, timer->signal, &info);
  } else {
    syscall(SYS_rt_sigqueueinfo, timer->pid, timer->signal, &info);
  }
}

#endif
