// The state of a world, and the parts that work on it. The tracer is a process of its own and has
// one world, so each part keeps its own state in its file.
#pragma once

#define _GNU_SOURCE
#include "CWindTunnelVirtual.h"
#include "processor.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WT_SECOND INT64_C(1000000000)
#define WT_MILLISECOND INT64_C(1000000)
#define WT_NEVER INT64_MAX
// As good as never, and sums with it stay in range.
#define WT_YEARS (3000000000 * WT_SECOND)
#define WT_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// Each entry of a list begins with its link.
struct wt_link { struct wt_link *next; };
struct wt_list { struct wt_link *first; int count; };

// Goes through a list; the entry may be removed meanwhile.
#define WT_EACH(type, entry, list) \
  for (struct type *entry = (void *)(list).first, *entry##_next; \
       entry && (entry##_next = (void *)entry->link.next, true); entry = entry##_next)

// Of two equal deadlines the earlier order comes first.
struct wt_due { int64_t deadline, order; };

struct wt_process {
  struct wt_link link;
  pid_t pid;
  int threads;
  // The place of the clock's words; 0 if the process has no clock of ours.
  uint64_t words;
};

// Descriptors of /proc/PID/task/TID/stat, schedstat and syscall.
enum { WT_STATE_FILE, WT_TURNS_FILE, WT_CALL_FILE, WT_THREAD_FILES };

struct wt_thread {
  struct wt_link link;
  struct wt_process *process;
  pid_t pid, tid;
  // Its files; and the number of the descriptor from outside on which it is asleep, or -1.
  int files[WT_THREAD_FILES], foreign;
  // The registers at the last stop of a system call.
  wt_registers registers;
  // What its next stop is for, at the end of a system call; null if it does not stop there.
  void (*at_end)(struct wt_thread *);
  // The wait that ends there.
  const struct wt_wait *wait;
  struct wt_due due;
  // An interrupt is under way. It is stopped by a job control signal, and PTRACE_LISTEN holds. It
  // waits for the exec or the end of its vfork's child. The descriptor on which it is asleep is
  // written to.
  bool fires, listens, is_in_vfork, is_write;
  // The count of turns at the first look, 0 before it; and the one for which the descriptor is
  // known.
  uint64_t turns, known_turns;
  // The call in which it was asleep after the first look; and since when, in real time.
  int64_t call, arguments[6], asleep_since;
  // The argument of which the kernel does not hear. A wait that a signal broke keeps its deadline
  // if the kernel restarts the call.
  int64_t given, kept_deadline, kept_place;
  // Short waits in a row, one after the other: the time that they took, the end of the last one,
  // and how many had no length. And its time on processors.
  int64_t row, row_end, zeros, processor;
};

#define wt_call(thread) ((thread)->registers.at[WT_CALL])
#define wt_answer(thread) ((thread)->registers.at[WT_ANSWER])
#define wt_argument(thread, place) ((thread)->registers.at[WT_ARGUMENT(place)])

enum { WT_TIMER_INTERVAL, WT_TIMER_POSIX, WT_TIMER_DESCRIPTOR };

struct wt_timer {
  struct wt_link link;
  pid_t pid, thread;
  // One of the three kinds; and our own descriptor of a timerfd.
  int kind, own, clock, signal;
  // The number of a POSIX timer, or the inode of a timerfd; and the value that a signal has.
  int64_t number, value, interval;
  struct wt_due due;
};

// The options that are times, and what is left out; see CWindTunnelVirtual.h.
enum { WT_LIMIT, WT_REAL_LIMIT, WT_PROCESSOR_LIMIT, WT_REALTIME, WT_OPTIONS };
enum { WT_SECOND_LOOK = 1, WT_ACCOUNT = 2, WT_HASTE = 4 };
// What is told in the end.
enum {
  WT_VIRTUAL_TIME, WT_REAL_TIME, WT_JUMPS, WT_PROCESSES, WT_THREADS, WT_IN_FLIGHT, WT_HELD_UP,
  WT_LOOKED_TIME, WT_COUNTED_TIME, WT_REFUSED, WT_NUMBERS,
};

extern struct wt_world {
  int64_t given[WT_OPTIONS], told[WT_NUMBERS];
  // No outcome is the end of the first program, and no reason is none.
  const char *outcome, *reason;
  char detail[256], asleep[2048];
  // What is left out; and the status of the first program at its end.
  int without, status;
  // The first program; and the calling process's parent if the world ends with it, or 0.
  pid_t root, parent;
  bool has_begun, is_root_gone, is_over;
  // The world ends with its first reason. A stop has come since the last look. Each look at the
  // clock traps; see passing.c.
  bool is_strict, has_news, asks;
  // Virtual time; what the wall clock is ahead of it; the start, at which virtual time was the real
  // one; real time at the last jump; the processor time of threads that are gone; the last order.
  int64_t now, wall, start, jump_real, processor_gone, order;
  struct wt_list threads, processes, timers;
} wt;

// MARK: world.c

int64_t wt_real_now(void);
void wt_run(char *const arguments[]);
// Keeps a reason, null for none; `format` is as in printf(3). The first one stays, unless the world
// ends: its end is told rather than what came before.
__attribute__((format(printf, 3, 4)))
void wt_tell(bool is_end, const char *reason, const char *format, ...);
#define wt_reason(...) wt_tell(false, __VA_ARGS__)
#define wt_stop(...) wt_tell(true, __VA_ARGS__)
#define WT_WAITS_OUTSIDE "process %d waits for descriptor %d"

// MARK: stops.c

// Handles all stops that are pending, and kills what stops when the world is over. Returns how many
// there were; -1 if no process is left.
int wt_take_stops(void);
// Skips the call: the program gets this answer. Returns true, since the registers have changed.
bool wt_skip(struct wt_thread *, int64_t answer);

// Each may change the registers of a call that has trapped, or ask for a stop at its end; false if
// it has nothing to do with the call.
bool wt_begin_wait(struct wt_thread *);
bool wt_clock_call(struct wt_thread *);
bool wt_timer_call(struct wt_thread *);
bool wt_socket_call(struct wt_thread *);

// MARK: processes.c

// Adds an entry of zeros; null if there is no room, and the world ends with a reason.
void *wt_add(struct wt_list *, size_t size, int max, const char *names);
void wt_remove(struct wt_list *, struct wt_link *);
// Finds a thread, or takes it into the tables; null if there is no room.
struct wt_thread *wt_thread(pid_t);
// Whether a process is one of the world, or was one.
bool wt_is_of_world(pid_t);
void wt_thread_gone(struct wt_thread *);

bool wt_peek(pid_t, void *to, int64_t from, size_t);
bool wt_poke(pid_t, const void *from, int64_t to, size_t);
// The same for a timespec, whose unit is 1 ns, or a timeval, whose unit is 1000.
bool wt_peek_time(pid_t, int64_t place, int64_t unit, int64_t *length);
bool wt_poke_time(pid_t, int64_t length, int64_t place, int64_t unit);
int wt_open_proc(int flags, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Reads a file from its beginning into text that ends with 0; false if there is none.
bool wt_read_kept(char *text, size_t, int file);
// The same, and closes the file.
void wt_read_proc(char *text, size_t, int file);
// The inode of a socket or pipe of a process, mixed with its device; 0 if it is something else.
uint64_t wt_inode(pid_t, int descriptor);
// A descriptor of ours for what a descriptor of a process names; see pidfd_getfd(2).
int wt_take(pid_t, int descriptor);

// MARK: waits.c

// Installs the filter in the calling process. It is async-signal-safe. 0, or an error number.
int wt_install_filter(void);
void wt_wait_ended(struct wt_thread *);

// MARK: timers.c

void wt_fire_timer(struct wt_timer *);
// Drops the timers of a process; at an exec only those that it ends.
void wt_drop_timers(pid_t, bool is_exec);

// MARK: clock.c

void wt_install_clock(struct wt_process *);
// A new process has its parent's pages.
void wt_find_words(struct wt_process *);
void wt_write_clock(void);
// What a clock of clock_gettime(2) is ahead of virtual time; false for the kernel's.
bool wt_clock_base(int64_t clock, int64_t *base);

// MARK: passing.c

// Whether every thread sleeps and nothing is on its way.
bool wt_is_quiet(void);
// How often a thread has been given a processor; 0 if the kernel does not count
// (CONFIG_SCHED_INFO).
uint64_t wt_turns(struct wt_thread *);
void wt_set_due(struct wt_due *, int64_t deadline);
// Lets time pass to the next deadline and fires it; false if there is none.
bool wt_jump(void);
// Lets time pass if a program waits without sleeping.
void wt_busy(void);
void wt_clock_looked_at(struct wt_thread *);

// MARK: sockets.c

// A connection has begun, whether it is made or on its way.
void wt_connected(struct wt_thread *);
void wt_note_inherited(void);
// Finds out what a thread waits for that is asleep, and gives it the deadline of its socket's
// timeout.
void wt_know_sleeper(struct wt_thread *);
// The descriptor from outside for which a thread polls; -1 if there is none. Only an end asks.
int wt_foreign_polled(const struct wt_thread *);
// Whether bytes are between the two ends of a connection.
bool wt_in_flight(void);
// Whether the kernel reports the two ends of a connection.
bool wt_flight_works(void);

#endif
