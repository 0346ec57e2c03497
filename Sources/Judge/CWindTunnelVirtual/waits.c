// Timed waits: the kernel waits without a time, and the tracer ends the wait. And the seccomp
// filter (seccomp(2), seccomp_filter.rst): timed waits, timers, clocks and connections stop for the
// tracer; everything else runs at full speed.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>

// How a call passes a time: as a length, as a time of the wall clock, or depending on other
// arguments. The lengths come first.
enum { MILLISECONDS, TIMESPEC, TIMEVAL, WALL, BY_FUTEX, BY_CLOCK, SLEEP };

// A call, the number of its time argument, the unit of it, and the answer at the deadline.
struct wt_wait { int call, place, unit, answer; };

// recvmmsg(2) is not here: its timeout is looked at after a datagram only, and no wait ends by it.
static const struct wt_wait waits[] = {
  {SYS_epoll_wait, 3, MILLISECONDS, 0}, {SYS_epoll_pwait, 3, MILLISECONDS, 0},
  {SYS_poll, 2, MILLISECONDS, 0}, {SYS_ppoll, 2, TIMESPEC, 0},
  {SYS_epoll_pwait2, 3, TIMESPEC, 0}, {SYS_pselect6, 4, TIMESPEC, 0},
  {SYS_select, 4, TIMEVAL, 0}, {SYS_rt_sigtimedwait, 2, TIMESPEC, -EAGAIN},
  {SYS_io_getevents, 4, TIMESPEC, 0}, {SYS_io_pgetevents, 4, TIMESPEC, 0},
  {SYS_semtimedop, 3, TIMESPEC, -EAGAIN}, {SYS_mq_timedsend, 4, WALL, -ETIMEDOUT},
  {SYS_mq_timedreceive, 4, WALL, -ETIMEDOUT}, {SYS_futex, 3, BY_FUTEX, -ETIMEDOUT},
  {449 /* futex_waitv */, 3, BY_CLOCK, -ETIMEDOUT},
  {SYS_nanosleep, 0, SLEEP, 0}, {SYS_clock_nanosleep, 2, SLEEP, 0},
};

// These calls always stop.
static const int always[] = {
  SYS_gettimeofday, SYS_time, SYS_times, SYS_sysinfo, SYS_alarm, SYS_setitimer, SYS_getitimer,
  SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_delete,
  SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_connect, SYS_bind, SYS_listen,
  SYS_setsockopt, SYS_ptrace, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo,
  SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_process_vm_writev,
};
// Futex operations that do not wait. Their fourth argument is not a timeout.
static const int futex_others[] = {
  FUTEX_WAKE, FUTEX_FD, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_UNLOCK_PI,
  FUTEX_TRYLOCK_PI, FUTEX_WAKE_BITSET, FUTEX_CMP_REQUEUE_PI,
};

// MARK: The filter

static struct sock_filter code[640];
static unsigned short count;

static void add(uint16_t operation, size_t value, uint8_t then, uint8_t otherwise) {
  code[count++] = (struct sock_filter){operation, then, otherwise, (uint32_t)value};
}

static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }

// Returns an action if a masked word of struct seccomp_data equals a value, or if it differs.
static void check(size_t offset, uint32_t mask, bool is_equal, uint32_t value, uint32_t action) {
  load(offset);
  add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  add(BPF_JMP | BPF_JEQ | BPF_K, value, !is_equal, is_equal);
  add(BPF_RET | BPF_K, action, 0, 0);
}

// The same for one half of an argument of a call. The processor is little-endian: the low half of
// an argument comes first. The number of the call is loaded before and after it.
static void rule(int call, int half, uint32_t mask, bool is_equal, int value, uint32_t action) {
  const size_t offset = offsetof(struct seccomp_data, args) + 4 * (size_t)half;
  add(BPF_JMP | BPF_JEQ | BPF_K, (size_t)call, 0, 5);
  check(offset, mask, is_equal, (uint32_t)value, action);
  load(offsetof(struct seccomp_data, nr));
}

static void rule_always(int call, uint32_t action) { rule(call, 0, 0, true, 0, action); }

// Stops a call whose argument is no null pointer.
static void rule_pointer(int call, int place) {
  rule(call, 2 * place, UINT32_MAX, false, 0, SECCOMP_RET_TRACE);
  rule(call, 2 * place + 1, UINT32_MAX, false, 0, SECCOMP_RET_TRACE);
}

static void rule_wait(const struct wt_wait *wait) {
  if (wait->unit != MILLISECONDS) {
    rule_pointer(wait->call, wait->place);
    return;
  }
  // No time and negative ones, which are none, pass.
  rule(wait->call, 2 * wait->place, UINT32_MAX, true, 0, SECCOMP_RET_ALLOW);
  rule(wait->call, 2 * wait->place, 0x80000000, true, 0, SECCOMP_RET_TRACE);
}

int wt_install_filter(void) {
  enum { TRACE = SECCOMP_RET_TRACE };
  // Calls of 32-bit programs have other numbers, as do those of x32 (syscall(2)): the tracer ends
  // them.
  check(offsetof(struct seccomp_data, arch), UINT32_MAX, false, WT_AUDIT_PROCESSOR, TRACE | 1);
  check(offsetof(struct seccomp_data, nr), 0x40000000, false, 0, TRACE | 1);
  load(offsetof(struct seccomp_data, nr));
  for (int place = 0; place < WT_COUNT(always); place++) rule_always(always[place], TRACE);
  for (int place = 0; place < WT_COUNT(futex_others); place++) {
    rule(SYS_futex, 2, FUTEX_CMD_MASK & 0xff, true, futex_others[place], SECCOMP_RET_ALLOW);
  }
  for (int place = 0; place < WT_COUNT(waits); place++) rule_wait(&waits[place]);
  // Clocks of processor time, 2 and 3 and the negative ones, stay the kernel's.
  rule(SYS_clock_gettime, 0, 0xfffffffe, true, 2, SECCOMP_RET_ALLOW);
  rule(SYS_clock_gettime, 0, 0x80000000, true, 0, TRACE);
  // TCP Fast Open connects without connect(2), and nobody would note the connection (RFC 7413).
  rule(SYS_sendto, 6, MSG_FASTOPEN, false, 0, SECCOMP_RET_ERRNO | EOPNOTSUPP);
  rule(SYS_sendmsg, 4, MSG_FASTOPEN, false, 0, SECCOMP_RET_ERRNO | EOPNOTSUPP);
  rule_pointer(SYS_sendto, 4);
  // Nobody leaves the world: a child that asks not to be traced is refused, and clone3(2), whose
  // flags are in memory, is one that the kernel does not have. Libraries call clone instead.
  rule_always(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  rule(SYS_clone, 0, CLONE_UNTRACED, false, 0, SECCOMP_RET_ERRNO | EPERM);
  // Its waits would be the kernel's own.
  rule_always(SYS_io_uring_setup, SECCOMP_RET_ERRNO | ENOSYS);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  const struct sock_fprog given = {count, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &given) ? errno : 0;
}

// MARK: Waits

// What a call answers inside the kernel if a signal breaks it (include/linux/errno.h). The program
// sees EINTR, or the call begins again.
enum { RESTART_SYSTEM = 512, RESTART_NO_HANDLER = 514, RESTART_BLOCK = 516 };

static int64_t unit_of(const struct wt_wait *wait) { return wait->unit == TIMEVAL ? 1000 : 1; }

// Reads when a wait ends; false if the kernel is to answer.
static bool read_deadline(const struct wt_thread *thread, const struct wt_wait *wait,
                          int64_t *deadline) {
  const int64_t given = wt_argument(thread, wait->place);
  // Of a futex the operation, of clock_nanosleep the flags.
  const int second = (int)wt_argument(thread, 1), command = second & FUTEX_CMD_MASK;
  int64_t value = (int)given * WT_MILLISECOND, base, clock = CLOCK_MONOTONIC;
  bool is_length = wait->unit != WALL && wait->unit != BY_CLOCK;
  bool is_wall = wait->unit == WALL;
  if (wait->unit == BY_FUTEX) {
    // See futex(2): only FUTEX_WAIT tells a length, and FUTEX_LOCK_PI goes by the wall clock alone.
    is_length = command == FUTEX_WAIT;
    is_wall = command == FUTEX_LOCK_PI || second & FUTEX_CLOCK_REALTIME;
  } else if (wait->unit == BY_CLOCK) {
    clock = wt_argument(thread, 4);
  } else if (wait->call == SYS_clock_nanosleep) {
    is_length = !(second & TIMER_ABSTIME);
    clock = wt_argument(thread, 0);
  }
  const bool is_pair = wait->unit != MILLISECONDS;
  if (is_pair && !wt_peek_time(thread->tid, given, unit_of(wait), &value)) return false;
  if (!wt_clock_base(is_wall ? CLOCK_REALTIME : clock, &base)) return false;
  *deadline = is_length ? wt.now + value : value - base;
  return true;
}

// Outside of a world the kernel adds 50 us to a wait (PR_SET_TIMERSLACK(2const)). A row of waits
// that are as short gets at most as much here, and more once it takes longer than a second.
static const int64_t slack = 50000, long_slack = 250000;
// A row of waits with a length begins to get it after so long.
static const int64_t slack_after = 20 * WT_MILLISECOND;

// Returns the length of a wait that is short. A program may wait for no time until the clock is
// later than it was (Ruby's sleep does), or until another thread has done something. Three such
// waits in a row pass at once; the next one takes a microsecond, or the slack of all four.
static int64_t in_row(struct wt_thread *thread, int64_t length) {
  if (thread->row_end != wt.now) thread->row = thread->zeros = 0;
  const int64_t max = thread->row < WT_SECOND ? slack : long_slack;
  const int64_t grown = thread->row / 32, least = grown < max ? grown : max;
  const bool is_zero = length <= 0;
  if (is_zero) length = ++thread->zeros % 4 ? 0 : 4 * least > 1000 ? 4 * least : 1000;
  else if (length < least && thread->row > slack_after) length = least;
  thread->row += length;
  thread->row_end = wt.now + length;
  return length;
}

bool wt_begin_wait(struct wt_thread *thread) {
  const struct wt_wait *wait = waits, *end = waits + WT_COUNT(waits);
  while (wait < end && wait->call != wt_call(thread)) wait++;
  int64_t deadline;
  if (wait == end || !read_deadline(thread, wait, &deadline)) return false;
  const int64_t place = thread->registers.at[WT_PLACE], kept = thread->kept_deadline;
  if (kept != WT_NEVER && thread->wait == wait && thread->kept_place == place) {
    deadline = kept;
  } else if (deadline - wt.now < long_slack) {
    deadline = wt.now + in_row(thread, deadline - wt.now);
    const bool is_over = deadline == wt.now;
    if (is_over && wait->unit == SLEEP) return wt_skip(thread, 0);
    // Other calls would sleep for some microseconds in the kernel, and be taken for ones that wait.
    if (is_over && wait->unit <= TIMEVAL && wait->call != SYS_semtimedop) return false;
  }
  thread->kept_deadline = WT_NEVER;
  thread->wait = wait;
  thread->at_end = wt_wait_ended;
  thread->foreign = -1;
  thread->given = wt_argument(thread, wait->place);
  wt_set_due(&thread->due, deadline - wt.now > WT_YEARS / 2 ? WT_NEVER : deadline);
  if (wait->unit == SLEEP) wt_call(thread) = SYS_pause;
  else wt_argument(thread, wait->place) = wait->unit == MILLISECONDS ? -1 : 0;
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
  const bool has_sets = wait->call == SYS_select || wait->call == SYS_pselect6;
  int64_t rest_to = has_sets || wait->call == SYS_ppoll ? thread->given : 0;
  // A program relies on its registers: a call changes none but that of the answer (syscall(2)).
  wt_argument(thread, wait->place) = thread->given;
  wt_call(thread) = wait->call;
  const bool restarts = answer <= -RESTART_SYSTEM && answer >= -RESTART_BLOCK;
  if (thread->fires && (restarts || answer == -EINTR)) {
    if (has_sets) clear_sets(thread);
    wt_answer(thread) = wait->answer;
  } else if (restarts) {
    // A timed wait ends with EINTR when a handler has run; an untimed futex begins again
    // (signal(7)).
    const bool is_futex = wait->unit == BY_FUTEX || wait->unit == BY_CLOCK;
    const bool begins_again = answer == -RESTART_BLOCK || (is_futex && answer == -RESTART_SYSTEM);
    if (begins_again) wt_answer(thread) = -RESTART_NO_HANDLER;
    thread->kept_deadline = thread->due.deadline;
    thread->kept_place = thread->registers.at[WT_PLACE];
    if (wait->unit == SLEEP) rest_to = rest_place(thread);
  }
  const int64_t rest = thread->due.deadline > wt.now ? thread->due.deadline - wt.now : 0;
  if (rest_to) wt_poke_time(thread->tid, rest, rest_to, unit_of(wait));
}

#endif
