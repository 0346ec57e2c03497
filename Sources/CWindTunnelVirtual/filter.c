// The seccomp filter (seccomp(2), seccomp_filter.rst): timed waits, timers, clocks and connections stop
// for the tracer; everything else runs at full speed.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// Each of these stops.
static const int always[] = {
  SYS_gettimeofday, SYS_time, SYS_nanosleep, SYS_clock_nanosleep, SYS_alarm, SYS_setitimer, SYS_getitimer,
  SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_delete, SYS_timerfd_create,
  SYS_timerfd_settime, SYS_timerfd_gettime, SYS_connect, SYS_bind, SYS_listen, SYS_ptrace, SYS_kill, SYS_rt_sigqueueinfo,
  SYS_process_vm_writev,
};
static const int futex_waits[] = {
  FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_LOCK_PI2, FUTEX_WAIT_REQUEUE_PI,
};
// SO_RCVTIMEO and SO_SNDTIMEO by their numbers before and after 2038 (asm-generic/socket.h).
static const int timeout_options[] = {20, 21, 66, 67};

static struct sock_filter code[400];
static unsigned short count;

static void add(uint16_t operation, uint32_t value, uint8_t then, uint8_t otherwise) {
  code[count++] = (struct sock_filter){operation, then, otherwise, value};
}

// Loads a word of struct seccomp_data; only the bits of a mask count.
static void load(size_t offset, uint32_t mask) {
  add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
  add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
}

// The low half of an argument; both processors are little-endian.
static size_t argument(int place) { return offsetof(struct seccomp_data, args) + 8 * (size_t)place; }

static void answer(uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }

static void answer_if(bool is_equal, int value, uint32_t action) {
  add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)value, !is_equal, is_equal);
  answer(action);
}

// What comes from `begin` to `end` is done if the loaded word has a value, and then the call is allowed.
static int begin(int value) {
  add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)value, 0, 0);
  return count - 1;
}

static void end(int begun) {
  answer(SECCOMP_RET_ALLOW);
  code[begun].jf = (uint8_t)(count - begun - 1);
}

// Stops a call whose argument is no null pointer.
static void trace_pointer(int place) {
  load(argument(place), UINT32_MAX);
  answer_if(false, 0, SECCOMP_RET_TRACE);
  load(argument(place) + 4, UINT32_MAX);
  answer_if(false, 0, SECCOMP_RET_TRACE);
}

static void trace_wait(const struct wt_wait *wait) {
  const int call = begin(wait->call);
  if (wait->unit == WT_BY_FUTEX) {
    load(argument(1), FUTEX_CMD_MASK & 0xff);
    for (int place = 0; place < WT_COUNT(futex_waits); place++) {
      const int command = begin(futex_waits[place]);
      trace_pointer(wait->place);
      end(command);
    }
  } else if (wait->unit == WT_MILLISECONDS) {
    // No time and negative ones, which are none, pass.
    load(argument(wait->place), UINT32_MAX);
    answer_if(true, 0, SECCOMP_RET_ALLOW);
    load(argument(wait->place), 0x80000000);
    answer_if(true, 0, SECCOMP_RET_TRACE);
  } else {
    trace_pointer(wait->place);
  }
  end(call);
}

int wt_install_filter(void) {
  load(offsetof(struct seccomp_data, arch), UINT32_MAX);
  // Calls of 32-bit programs have other numbers, as do those of x32 (syscall(2)): the tracer ends them.
  answer_if(false, (int)WT_AUDIT_PROCESSOR, SECCOMP_RET_TRACE | 1);
  load(offsetof(struct seccomp_data, nr), 0x40000000);
  answer_if(false, 0, SECCOMP_RET_TRACE | 1);
  load(offsetof(struct seccomp_data, nr), UINT32_MAX);
  for (int place = 0; place < WT_COUNT(always); place++) answer_if(true, always[place], SECCOMP_RET_TRACE);
  for (int place = 0; place < wt_wait_count; place++) trace_wait(&wt_waits[place]);
  int call = begin(SYS_clock_gettime);
  // Clocks of processor time, 2 and 3 and the negative ones, stay the kernel's.
  load(argument(0), 0xfffffffe);
  answer_if(true, 2, SECCOMP_RET_ALLOW);
  load(argument(0), 0x80000000);
  answer_if(true, 0, SECCOMP_RET_TRACE);
  end(call);
  call = begin(SYS_setsockopt);
  load(argument(2), UINT32_MAX);
  for (int place = 0; place < 4; place++) answer_if(true, timeout_options[place], SECCOMP_RET_TRACE);
  end(call);
  // TCP Fast Open connects without connect(2), and nobody would note the connection (RFC 7413).
  call = begin(SYS_sendto);
  load(argument(3), MSG_FASTOPEN);
  answer_if(false, 0, SECCOMP_RET_ERRNO | EOPNOTSUPP);
  trace_pointer(4);
  end(call);
  call = begin(SYS_sendmsg);
  load(argument(2), MSG_FASTOPEN);
  answer_if(false, 0, SECCOMP_RET_ERRNO | EOPNOTSUPP);
  end(call);
  // Nobody leaves the world: a child that asks not to be traced is refused, and clone3(2), whose flags
  // are in memory, is one that the kernel does not have. Libraries call clone instead.
  answer_if(true, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  call = begin(SYS_clone);
  load(argument(0), CLONE_UNTRACED);
  answer_if(false, 0, SECCOMP_RET_ERRNO | EPERM);
  end(call);
  // Its waits would be the kernel's own.
  answer_if(true, SYS_io_uring_setup, SECCOMP_RET_ERRNO | ENOSYS);
  answer(SECCOMP_RET_ALLOW);
  const struct sock_fprog given = {count, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &given) ? errno : 0;
}

#endif
