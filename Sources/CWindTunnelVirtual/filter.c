// The seccomp filter (seccomp(2), seccomp_filter.rst): timed waits, timers, clocks and connections stop
// for the tracer; everything else runs at full speed.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

struct program { struct sock_filter code[400]; unsigned short count; };

static void add(struct program *program, unsigned short code, uint8_t then, uint8_t otherwise,
                uint32_t value) {
  program->code[program->count++] = (struct sock_filter){code, then, otherwise, value};
}

static void load(struct program *program, uint32_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

// The low half of an argument; both processors are little-endian.
static void load_argument(struct program *program, int place, int half) {
  load(program, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)place + 4 * (size_t)half));
}

static void equal(struct program *program, uint32_t value, uint8_t then, uint8_t otherwise) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, then, otherwise, value);
}

static void any_bit(struct program *program, uint32_t value, uint8_t then, uint8_t otherwise) {
  add(program, BPF_JMP | BPF_JSET | BPF_K, then, otherwise, value);
}

static void answer(struct program *program, uint32_t value) {
  add(program, BPF_RET | BPF_K, 0, 0, value);
}

static void trace(struct program *program, long call) {
  equal(program, (uint32_t)call, 0, 1);
  answer(program, SECCOMP_RET_TRACE);
}

static void fail(struct program *program, long call, uint32_t error) {
  equal(program, (uint32_t)call, 0, 1);
  answer(program, SECCOMP_RET_ERRNO | error);
}

// Traces a call whose argument is more than 0 as an int.
static void trace_positive(struct program *program, long call, int place) {
  equal(program, (uint32_t)call, 0, 5);
  load_argument(program, place, 0);
  equal(program, 0, 2, 0);
  any_bit(program, 0x80000000, 1, 0);
  answer(program, SECCOMP_RET_TRACE);
  answer(program, SECCOMP_RET_ALLOW);
}

// Traces a call whose argument is no null pointer.
static void trace_pointer(struct program *program, long call, int place) {
  equal(program, (uint32_t)call, 0, 6);
  load_argument(program, place, 0);
  equal(program, 0, 0, 2);
  load_argument(program, place, 1);
  equal(program, 0, 1, 0);
  answer(program, SECCOMP_RET_TRACE);
  answer(program, SECCOMP_RET_ALLOW);
}

static void trace_futex(struct program *program) {
  static const uint32_t commands[] = {
    FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_LOCK_PI2, FUTEX_WAIT_REQUEUE_PI,
  };
  const int count = sizeof commands / sizeof *commands;
  equal(program, SYS_futex, 0, (uint8_t)(count + 9));
  load_argument(program, 1, 0);
  add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, FUTEX_CMD_MASK & 0xff);
  for (int place = 0; place < count; place++) {
    equal(program, commands[place], (uint8_t)(count - place), 0);
  }
  answer(program, SECCOMP_RET_ALLOW);
  load_argument(program, 3, 0);
  equal(program, 0, 0, 2);
  load_argument(program, 3, 1);
  equal(program, 0, 1, 0);
  answer(program, SECCOMP_RET_TRACE);
  answer(program, SECCOMP_RET_ALLOW);
}

// Clocks of processor time, 2 and 3 and the negative ones, stay the kernel's.
static void trace_clock(struct program *program) {
  equal(program, SYS_clock_gettime, 0, 6);
  load_argument(program, 0, 0);
  equal(program, 2, 3, 0);
  equal(program, 3, 2, 0);
  any_bit(program, 0x80000000, 1, 0);
  answer(program, SECCOMP_RET_TRACE);
  answer(program, SECCOMP_RET_ALLOW);
}

// SO_RCVTIMEO and SO_SNDTIMEO by their numbers before and after 2038 (asm-generic/socket.h).
static void trace_socket_option(struct program *program) {
  static const uint32_t options[] = {20, 21, 66, 67};
  equal(program, SYS_setsockopt, 0, 9);
  load_argument(program, 1, 0);
  equal(program, SOL_SOCKET, 0, 5);
  load_argument(program, 2, 0);
  for (int place = 0; place < 4; place++) equal(program, options[place], (uint8_t)(4 - place), 0);
  answer(program, SECCOMP_RET_ALLOW);
  answer(program, SECCOMP_RET_TRACE);
}

// Nobody leaves the world: a child that asks not to be traced is refused, and clone3(2), whose flags are
// in memory, is one that the kernel does not have. Libraries call clone instead.
static void keep_children(struct program *program) {
  fail(program, SYS_clone3, ENOSYS);
  equal(program, SYS_clone, 0, 4);
  load_argument(program, 0, 0);
  any_bit(program, CLONE_UNTRACED, 0, 1);
  answer(program, SECCOMP_RET_ERRNO | EPERM);
  answer(program, SECCOMP_RET_ALLOW);
}

int wt_install_filter(void) {
  static const long always[] = {
    SYS_gettimeofday, SYS_time, SYS_alarm, SYS_setitimer, SYS_getitimer, SYS_timer_create,
    SYS_timer_settime, SYS_timer_gettime, SYS_timer_delete, SYS_timerfd_settime, SYS_timerfd_gettime,
    SYS_connect, SYS_bind, SYS_listen, SYS_ptrace, SYS_kill, SYS_rt_sigqueueinfo,
    SYS_process_vm_writev,
  };
  struct program program = {.count = 0};
  load(&program, offsetof(struct seccomp_data, arch));
  equal(&program, WT_AUDIT_PROCESSOR, 1, 0);
  // Calls of 32-bit programs have other numbers: the tracer ends them.
  answer(&program, SECCOMP_RET_TRACE | 1);
  load(&program, offsetof(struct seccomp_data, nr));
  // As do those of x32 (syscall(2)).
  any_bit(&program, 0x40000000, 0, 1);
  answer(&program, SECCOMP_RET_TRACE | 1);
  trace_futex(&program);
  trace_clock(&program);
  trace_socket_option(&program);
  for (int place = 0; place < wt_wait_count; place++) {
    const struct wt_wait *wait = &wt_waits[place];
    if (wait->unit == WT_BY_FUTEX && wait->call == SYS_futex) continue;
    if (wait->unit == WT_MILLISECONDS) trace_positive(&program, wait->call, wait->place);
    else if (wait->unit == WT_SLEEP) trace(&program, wait->call);
    else trace_pointer(&program, wait->call, wait->place);
  }
  for (size_t place = 0; place < sizeof always / sizeof *always; place++) trace(&program, always[place]);
  keep_children(&program);
  // Its waits would be the kernel's own.
  fail(&program, SYS_io_uring_setup, ENOSYS);
  answer(&program, SECCOMP_RET_ALLOW);
  struct sock_fprog given = {program.count, program.code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &given)) return errno;
  return 0;
}

#endif
