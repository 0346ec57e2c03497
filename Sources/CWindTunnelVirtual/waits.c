// Timed waits: the kernel waits without a time, and the tracer ends the wait.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

// recvmmsg(2) is not here: its timeout is looked at after a datagram only, and no wait ends by it.
const struct wt_wait wt_waits[] = {
  {SYS_futex, 3, WT_BY_FUTEX, -ETIMEDOUT, false, false},
  {SYS_epoll_wait, 3, WT_MILLISECONDS, 0, false, false},
  {SYS_epoll_pwait, 3, WT_MILLISECONDS, 0, false, false},
  {SYS_poll, 2, WT_MILLISECONDS, 0, false, false},
  {SYS_epoll_pwait2, 3, WT_TIMESPEC, 0, false, false},
  {SYS_ppoll, 2, WT_TIMESPEC, 0, false, true},
  {SYS_select, 4, WT_TIMEVAL, 0, true, true},
  {SYS_pselect6, 4, WT_TIMESPEC, 0, true, true},
  {SYS_nanosleep, 0, WT_SLEEP, 0, false, false},
  {SYS_clock_nanosleep, 2, WT_SLEEP, 0, false, false},
  {SYS_rt_sigtimedwait, 2, WT_TIMESPEC, -EAGAIN, false, false},
  {SYS_semtimedop, 3, WT_TIMESPEC, -EAGAIN, false, false},
  {SYS_mq_timedsend, 4, WT_WALL, -ETIMEDOUT, false, false},
  {SYS_mq_timedreceive, 4, WT_WALL, -ETIMEDOUT, false, false},
  {SYS_io_getevents, 4, WT_TIMESPEC, 0, false, false},
  {SYS_io_pgetevents, 4, WT_TIMESPEC, 0, false, false},
  {449 /* futex_waitv */, 3, WT_BY_CLOCK, -ETIMEDOUT, false, false},
};
const int wt_wait_count = sizeof wt_waits / sizeof *wt_waits;

// What a call answers inside the kernel if a signal breaks it (include/linux/errno.h). The program
// sees EINTR, or the call begins again.
enum { RESTART_SYSTEM = 512, RESTART_NO_HANDLER = 514, RESTART_BLOCK = 516 };

// As good as never; also keeps sums in range.
static const int64_t years = INT64_C(3000000000) * WT_SECOND;

static bool read_length(const struct wt_thread *thread, uint64_t place, bool is_micro,
                        int64_t *length) {
  int64_t pair[2];
  if (!wt_peek(thread->tid, pair, place, sizeof pair)) return false;
  // The kernel refuses it (EINVAL).
  if (pair[0] < 0 || pair[1] < 0 || pair[1] >= (is_micro ? WT_SECOND / 1000 : WT_SECOND)) return false;
  if (pair[0] > years / WT_SECOND) pair[0] = years / WT_SECOND;
  *length = pair[0] * WT_SECOND + pair[1] * (is_micro ? 1000 : 1);
  return true;
}

// Reads when a wait ends and whether that was told as a length; false if the kernel is to answer.
static bool read_deadline(const struct wt_world *world, const struct wt_thread *thread,
                          const struct wt_wait *wait, wt_registers *registers, int64_t *deadline,
                          bool *is_length) {
  const uint64_t given = *wt_argument(registers, wait->place);
  int64_t value = 0;
  *is_length = true;
  if (wait->unit == WT_MILLISECONDS) {
    *deadline = world->now + (int64_t)(int)given * WT_MILLISECOND;
    return true;
  }
  if (!read_length(thread, given, wait->unit == WT_TIMEVAL, &value)) return false;
  bool is_wall = false;
  if (wait->unit == WT_WALL) {
    is_wall = true;
    *is_length = false;
  } else if (wait->unit == WT_BY_FUTEX) {
    // See futex(2): only FUTEX_WAIT tells a length, and FUTEX_LOCK_PI goes by the wall clock alone.
    const int operation = (int)*wt_argument(registers, 1), command = operation & FUTEX_CMD_MASK;
    *is_length = command == FUTEX_WAIT;
    is_wall = command == FUTEX_LOCK_PI || operation & FUTEX_CLOCK_REALTIME;
  } else if (wait->unit == WT_BY_CLOCK) {
    *is_length = false;
    is_wall = *wt_argument(registers, 4) == CLOCK_REALTIME;
  } else if (wait->call == SYS_clock_nanosleep) {
    const int clock = (int)*wt_argument(registers, 0);
    // Processor time is the kernel's.
    if (clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) return false;
    *is_length = !(*wt_argument(registers, 1) & TIMER_ABSTIME);
    is_wall = clock == CLOCK_REALTIME || clock == CLOCK_TAI;
  }
  *deadline = *is_length ? world->now + value : is_wall ? value - world->wall : value;
  return true;
}

void wt_skip(struct wt_thread *thread, wt_registers *registers, long answer) {
  wt_set_call(registers, -1);
  wt_set_answer(registers, answer);
  ptrace(PTRACE_SETREGS, thread->tid, 0, registers);
  ptrace(PTRACE_CONT, thread->tid, 0, 0);
}

// A program may wait for no time until the clock is later than it was (Ruby's sleep does). Three such
// waits of an instant pass at once; the next one takes a microsecond.
static bool is_one_zero_too_many(const struct wt_world *world, struct wt_thread *thread) {
  if (thread->zero_instant != world->now) thread->zeros = 0;
  thread->zero_instant = world->now;
  return ++thread->zeros > 3;
}

bool wt_begin_wait(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  const long call = wt_call(registers);
  const struct wt_wait *wait = NULL;
  for (int place = 0; place < wt_wait_count && !wait; place++) {
    if (wt_waits[place].call == call) wait = &wt_waits[place];
  }
  int64_t deadline;
  bool is_length;
  if (!wait || !read_deadline(world, thread, wait, registers, &deadline, &is_length)) return false;
  const bool is_restarted = thread->kept_deadline != WT_NEVER && thread->kept_call == call
      && thread->kept_place == wt_place(registers);
  if (is_restarted) {
    deadline = thread->kept_deadline;
  } else if (deadline <= world->now) {
    if (is_one_zero_too_many(world, thread)) {
      deadline = world->now + 1000;
    } else if (wait->unit == WT_SLEEP) {
      wt_skip(thread, registers, 0);
      return true;
    } else if (is_length && wait->unit != WT_BY_FUTEX && call != SYS_semtimedop) {
      return false;
    } else {
      // The kernel would sleep for some microseconds here, and be taken for one that waits.
      deadline = world->now;
    }
  }
  thread->kept_deadline = WT_NEVER;
  thread->wait = wait;
  thread->entry = *registers;
  thread->deadline = deadline - world->now > years / 2 ? WT_NEVER : deadline;
  thread->order = ++world->order;
  thread->pending = WT_WAIT;
  if (wait->unit == WT_SLEEP) wt_set_call(registers, SYS_pause);
  else *wt_argument(registers, wait->place) = wait->unit == WT_MILLISECONDS ? UINT64_MAX : 0;
  ptrace(PTRACE_SETREGS, thread->tid, 0, registers);
  ptrace(PTRACE_SYSCALL, thread->tid, 0, 0);
  return true;
}

static void clear_sets(struct wt_thread *thread) {
  static const char zeros[128];
  const size_t bits = (size_t)(int)*wt_argument(&thread->entry, 0);
  size_t size = (bits + 63) / 64 * 8;
  if (size > sizeof zeros) size = sizeof zeros;
  for (int place = 1; place <= 3; place++) {
    const uint64_t set = *wt_argument(&thread->entry, place);
    if (set) wt_poke(thread->tid, zeros, set, size);
  }
}

static void write_rest(const struct wt_world *world, const struct wt_thread *thread, uint64_t place,
                       bool is_micro) {
  const int64_t rest = thread->deadline > world->now ? thread->deadline - world->now : 0;
  const int64_t pair[2] = {rest / WT_SECOND, rest % WT_SECOND / (is_micro ? 1000 : 1)};
  if (place) wt_poke(thread->tid, pair, place, sizeof pair);
}

// Where a sleep that a signal broke tells its rest; 0 if it does not.
static uint64_t rest_place(struct wt_thread *thread) {
  if (wt_call(&thread->entry) == SYS_nanosleep) return *wt_argument(&thread->entry, 1);
  return *wt_argument(&thread->entry, 1) & TIMER_ABSTIME ? 0 : *wt_argument(&thread->entry, 3);
}

void wt_end_wait(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  const struct wt_wait *wait = thread->wait;
  const long answer = wt_answer(registers);
  // A program relies on its registers: a call changes none but that of the answer (syscall(2)).
  *wt_argument(registers, wait->place) = *wt_argument(&thread->entry, wait->place);
  wt_set_call(registers, wt_call(&thread->entry));
  const bool restarts = answer <= -RESTART_SYSTEM && answer >= -RESTART_BLOCK;
  if (thread->fires && (restarts || answer == -EINTR)) {
    if (wait->clears_sets) clear_sets(thread);
    wt_set_answer(registers, wait->answer);
  } else if (restarts) {
    // A timed wait ends with EINTR when a handler has run; an untimed futex begins again (signal(7)).
    const bool is_futex = wait->unit == WT_BY_FUTEX || wait->unit == WT_BY_CLOCK;
    if (answer == -RESTART_BLOCK || (is_futex && answer == -RESTART_SYSTEM)) {
      wt_set_answer(registers, -RESTART_NO_HANDLER);
    }
    thread->kept_deadline = thread->deadline;
    thread->kept_call = wt_call(registers);
    thread->kept_place = wt_place(registers);
    if (wait->unit == WT_SLEEP) write_rest(world, thread, rest_place(thread), false);
  }
  if (wait->writes_rest) {
    write_rest(world, thread, *wt_argument(&thread->entry, wait->place), wait->unit == WT_TIMEVAL);
  }
  thread->fires = false;
  thread->pending = WT_NOTHING;
  thread->deadline = WT_NEVER;
  ptrace(PTRACE_SETREGS, thread->tid, 0, registers);
  ptrace(PTRACE_CONT, thread->tid, 0, 0);
}

#endif
