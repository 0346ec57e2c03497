// Timed waits: the kernel waits without a time, and the tracer ends the wait.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <linux/futex.h>

// recvmmsg(2) is not here: its timeout is looked at after a datagram only, and no wait ends by it.
const struct wt_wait wt_waits[] = {
  {SYS_futex, 3, WT_BY_FUTEX, -ETIMEDOUT, WT_NO_REST},
  {SYS_epoll_wait, 3, WT_MILLISECONDS, 0, WT_NO_REST},
  {SYS_epoll_pwait, 3, WT_MILLISECONDS, 0, WT_NO_REST},
  {SYS_poll, 2, WT_MILLISECONDS, 0, WT_NO_REST},
  {SYS_epoll_pwait2, 3, WT_TIMESPEC, 0, WT_NO_REST},
  {SYS_ppoll, 2, WT_TIMESPEC, 0, WT_REST},
  {SYS_select, 4, WT_TIMEVAL, 0, WT_REST_AND_SETS},
  {SYS_pselect6, 4, WT_TIMESPEC, 0, WT_REST_AND_SETS},
  {SYS_nanosleep, 0, WT_SLEEP, 0, WT_NO_REST},
  {SYS_clock_nanosleep, 2, WT_SLEEP, 0, WT_NO_REST},
  {SYS_rt_sigtimedwait, 2, WT_TIMESPEC, -EAGAIN, WT_NO_REST},
  {SYS_semtimedop, 3, WT_TIMESPEC, -EAGAIN, WT_NO_REST},
  {SYS_mq_timedsend, 4, WT_WALL, -ETIMEDOUT, WT_NO_REST},
  {SYS_mq_timedreceive, 4, WT_WALL, -ETIMEDOUT, WT_NO_REST},
  {SYS_io_getevents, 4, WT_TIMESPEC, 0, WT_NO_REST},
  {SYS_io_pgetevents, 4, WT_TIMESPEC, 0, WT_NO_REST},
  {449 /* futex_waitv */, 3, WT_BY_CLOCK, -ETIMEDOUT, WT_NO_REST},
};
const int wt_wait_count = WT_COUNT(wt_waits);

// What a call answers inside the kernel if a signal breaks it (include/linux/errno.h). The program
// sees EINTR, or the call begins again.
enum { RESTART_SYSTEM = 512, RESTART_NO_HANDLER = 514, RESTART_BLOCK = 516 };

static int64_t unit_of(const struct wt_wait *wait) { return wait->unit == WT_TIMEVAL ? 1000 : 1; }

// Reads when a wait ends and whether that was told as a length; false if the kernel is to answer.
static bool read_deadline(const struct wt_thread *thread, const struct wt_wait *wait, int64_t *deadline,
                          bool *is_length) {
  const int64_t given = wt_argument(thread, wait->place);
  // Of a futex the operation, of clock_nanosleep the flags.
  const int second = (int)wt_argument(thread, 1), command = second & FUTEX_CMD_MASK;
  int64_t value = (int)given * WT_MILLISECOND, base, clock = CLOCK_MONOTONIC;
  if (wait->unit != WT_MILLISECONDS && !wt_peek_time(thread->tid, given, unit_of(wait), &value)) return false;
  *is_length = wait->unit != WT_WALL && wait->unit != WT_BY_CLOCK;
  if (wait->unit == WT_WALL) {
    clock = CLOCK_REALTIME;
  } else if (wait->unit == WT_BY_FUTEX) {
    // See futex(2): only FUTEX_WAIT tells a length, and FUTEX_LOCK_PI goes by the wall clock alone.
    *is_length = command == FUTEX_WAIT;
    if (command == FUTEX_LOCK_PI || second & FUTEX_CLOCK_REALTIME) clock = CLOCK_REALTIME;
  } else if (wait->unit == WT_BY_CLOCK) {
    clock = wt_argument(thread, 4);
  } else if (wait->call == SYS_clock_nanosleep) {
    *is_length = !(second & TIMER_ABSTIME);
    clock = wt_argument(thread, 0);
  }
  if (!wt_clock_base(clock, &base)) return false;
  *deadline = *is_length ? wt.now + value : value - base;
  return true;
}

// A program may wait for no time until the clock is later than it was (Ruby's sleep does). Three such
// waits of an instant pass at once; the next one takes a microsecond.
static bool is_one_zero_too_many(struct wt_thread *thread) {
  if (thread->zero_instant != wt.now) thread->zeros = 0;
  thread->zero_instant = wt.now;
  return ++thread->zeros > 3;
}

bool wt_begin_wait(struct wt_thread *thread) {
  const struct wt_wait *wait = wt_waits, *end = wt_waits + wt_wait_count;
  while (wait < end && wait->call != wt_call(thread)) wait++;
  int64_t deadline;
  bool is_length;
  if (wait == end || !read_deadline(thread, wait, &deadline, &is_length)) return false;
  const bool is_restarted = thread->kept_deadline != WT_NEVER && thread->wait == wait
      && thread->kept_place == thread->registers.at[WT_PLACE];
  if (is_restarted) {
    deadline = thread->kept_deadline;
  } else if (deadline <= wt.now && is_one_zero_too_many(thread)) {
    deadline = wt.now + 1000;
  } else if (deadline <= wt.now) {
    if (wait->unit == WT_SLEEP) {
      wt_skip(thread, 0);
      return true;
    }
    if (is_length && wait->unit != WT_BY_FUTEX && wait->call != SYS_semtimedop) return false;
    // The kernel would sleep for some microseconds here, and be taken for one that waits.
    deadline = wt.now;
  }
  thread->kept_deadline = WT_NEVER;
  thread->wait = wait;
  thread->at_end = wt_wait_ended;
  thread->foreign = -1;
  thread->given = wt_argument(thread, wait->place);
  wt_set_due(&thread->due, deadline - wt.now > WT_YEARS / 2 ? WT_NEVER : deadline);
  if (wait->unit == WT_SLEEP) wt_call(thread) = SYS_pause;
  else wt_argument(thread, wait->place) = wait->unit == WT_MILLISECONDS ? -1 : 0;
  return true;
}

static void clear_sets(const struct wt_thread *thread) {
  static const char zeros[128];
  const size_t bits = (size_t)(int)wt_argument(thread, 0), size = (bits + 63) / 64 * 8;
  for (int place = 1; place <= 3; place++) {
    const int64_t set = wt_argument(thread, place);
    if (set) wt_poke(thread->tid, zeros, set, size < sizeof zeros ? size : sizeof zeros);
  }
}

// Where a sleep that a signal broke tells its rest; 0 if it does not.
static int64_t rest_place(const struct wt_thread *thread) {
  if (thread->wait->call == SYS_nanosleep) return wt_argument(thread, 1);
  return wt_argument(thread, 1) & TIMER_ABSTIME ? 0 : wt_argument(thread, 3);
}

void wt_wait_ended(struct wt_thread *thread) {
  const struct wt_wait *wait = thread->wait;
  const int64_t answer = wt_answer(thread);
  int64_t rest_to = wait->rest ? thread->given : 0;
  // A program relies on its registers: a call changes none but that of the answer (syscall(2)).
  wt_argument(thread, wait->place) = thread->given;
  wt_call(thread) = wait->call;
  const bool restarts = answer <= -RESTART_SYSTEM && answer >= -RESTART_BLOCK;
  if (thread->fires && (restarts || answer == -EINTR)) {
    if (wait->rest == WT_REST_AND_SETS) clear_sets(thread);
    wt_answer(thread) = wait->answer;
  } else if (restarts) {
    // A timed wait ends with EINTR when a handler has run; an untimed futex begins again (signal(7)).
    const bool is_futex = wait->unit == WT_BY_FUTEX || wait->unit == WT_BY_CLOCK;
    const bool begins_again = answer == -RESTART_BLOCK || (is_futex && answer == -RESTART_SYSTEM);
    if (begins_again) wt_answer(thread) = -RESTART_NO_HANDLER;
    thread->kept_deadline = thread->due.deadline;
    thread->kept_place = thread->registers.at[WT_PLACE];
    if (wait->unit == WT_SLEEP) rest_to = rest_place(thread);
  }
  const int64_t rest = thread->due.deadline > wt.now ? thread->due.deadline - wt.now : 0;
  if (rest_to) wt_poke_time(thread->tid, rest, rest_to, unit_of(wait));
}

#endif
