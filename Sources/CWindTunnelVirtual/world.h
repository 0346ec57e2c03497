// The state of a world, and the parts that work on it. The tracer is a process of its own and has one
// world, so each part keeps its own state in its file.
#ifndef WT_VIRTUAL_WORLD_H
#define WT_VIRTUAL_WORLD_H

#define _GNU_SOURCE
#include "CWindTunnelVirtual.h"
#include "processor.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
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
struct wt_due { int64_t deadline; uint64_t order; };

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
  pid_t tid;
  int files[WT_THREAD_FILES];
  // The registers at the last stop of a system call.
  wt_registers registers;
  // What its next stop is for, at the end of a system call; null if it does not stop there.
  void (*at_end)(struct wt_thread *);
  // The wait that ends there, and the argument of which the kernel does not hear.
  const struct wt_wait *wait;
  int64_t given;
  struct wt_due due;
  // An interrupt is under way. It is stopped by a job control signal, and PTRACE_LISTEN holds. It waits
  // for the exec or the end of its vfork's child.
  bool fires, listens, is_in_vfork;
  // The first look: the count of turns, 0 before it; and the call in which it was asleep after that.
  uint64_t turns;
  int64_t call, arguments[6];
  // What is known of the descriptor on which it is asleep, and the count of turns for which that holds:
  // the number if it is from outside, or -1; whether it writes; since when, in real time.
  uint64_t known_turns;
  int foreign;
  bool is_write;
  int64_t asleep_since;
  // A wait that a signal broke keeps its deadline if the kernel restarts the call.
  int64_t kept_deadline, kept_place;
  // Waits of zero length at one instant.
  int64_t zero_instant, zeros;
  int64_t processor;
};

#define wt_call(thread) ((thread)->registers.at[WT_CALL])
#define wt_answer(thread) ((thread)->registers.at[WT_ANSWER])
#define wt_argument(thread, place) ((thread)->registers.at[WT_ARGUMENT(place)])

enum wt_timer_kind { WT_TIMER_INTERVAL, WT_TIMER_POSIX, WT_TIMER_DESCRIPTOR };

struct wt_timer {
  struct wt_link link;
  enum wt_timer_kind kind;
  pid_t pid, thread;
  // The number of a POSIX timer; and our own descriptor of a timerfd, whose inode is the value.
  int number, own, clock, signal;
  int64_t value, interval;
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
  int without;
  // No outcome is the end of the first program, and no reason is none.
  const char *outcome, *reason;
  char detail[256], asleep[2048];
  int status;

  // The first program; and the calling process's parent if the world ends with it, or 0.
  pid_t root, parent;
  bool has_begun, is_root_gone, is_over;
  // The world ends with its first reason.
  bool is_strict;
  // Virtual time; what the wall clock is ahead of it; the start, at which virtual time was the real one;
  // real time at the last jump.
  int64_t now, wall, start, jump_real;
  uint64_t order;
  struct wt_list threads, processes, timers;
  // Each look at the clock traps; see passing.c.
  bool asks;
  // The processor time of threads that are gone.
  int64_t processor_gone;
} wt;

// MARK: world.c

int64_t wt_real_now(void);
void wt_run(char *const arguments[]);
// Handles all stops that are pending; false if there is none.
bool wt_take_stops(void);
// Keeps a reason, null for none; `format` is as in printf(3). The first one stays, unless the world ends:
// its end is told rather than what came before.
void wt_tell(bool is_end, const char *reason, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define wt_reason(...) wt_tell(false, __VA_ARGS__)
#define wt_stop(...) wt_tell(true, __VA_ARGS__)
#define WT_WAITS_OUTSIDE "process %d waits for descriptor %d"

// MARK: tables.c

// Adds an entry of zeros; null if there is no room, and the world ends with a reason.
void *wt_add(struct wt_list *, size_t size, int max, const char *names);
void wt_remove(struct wt_list *, struct wt_link *);
// Finds a thread, or takes it into the tables; null if there is no room.
struct wt_thread *wt_thread(pid_t);
// Whether a process is one of the world, or was one.
bool wt_is_of_world(pid_t);
void wt_thread_gone(struct wt_thread *);

// MARK: memory.c

bool wt_peek(pid_t, void *to, int64_t from, size_t);
bool wt_poke(pid_t, const void *from, int64_t to, size_t);
// The same for a timespec, whose unit is 1 ns, or a timeval, whose unit is 1000.
bool wt_peek_time(pid_t, int64_t place, int64_t unit, int64_t *length);
bool wt_poke_time(pid_t, int64_t length, int64_t place, int64_t unit);
int wt_open_proc(int flags, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Reads a file from its beginning into text that ends with 0; the length, or -1.
ssize_t wt_read_kept(char *text, size_t, int file);
// The same, and closes the file.
ssize_t wt_read_proc(char *text, size_t, int file);
// The inode of a socket or pipe of a process, mixed with its device; 0 if it is something else.
uint64_t wt_inode(pid_t, int descriptor);
// A descriptor of ours for what a descriptor of a process names; see pidfd_getfd(2).
int wt_take(pid_t, int descriptor);

// MARK: filter.c

// Installs the filter in the calling process. It is async-signal-safe. 0, or an error number.
int wt_install_filter(void);

// MARK: waits.c

enum wt_unit { WT_MILLISECONDS, WT_TIMESPEC, WT_TIMEVAL, WT_WALL, WT_BY_FUTEX, WT_BY_CLOCK, WT_SLEEP };
// What a call tells when its time is over, beside its answer.
enum wt_rest { WT_NO_REST, WT_REST, WT_REST_AND_SETS };

struct wt_wait {
  int call;
  // The argument that tells the time, and how it tells it.
  int place;
  enum wt_unit unit;
  // The answer when the time is over.
  int answer;
  enum wt_rest rest;
};

extern const struct wt_wait wt_waits[];
extern const int wt_wait_count;

void wt_wait_ended(struct wt_thread *);

// MARK: calls.c

// A system call has trapped; and one has ended whose end was asked for.
void wt_trapped(struct wt_thread *);
void wt_call_ended(struct wt_thread *);
void wt_go_on(const struct wt_thread *, int signal);
// The call does not take place, and the program gets this answer.
void wt_skip(struct wt_thread *, int64_t answer);

// Each may change the registers of a call that has trapped, or ask for a stop at its end; false if it
// has nothing to do with the call.
bool wt_begin_wait(struct wt_thread *);
bool wt_clock_call(struct wt_thread *);
bool wt_timer_call(struct wt_thread *);
bool wt_socket_call(struct wt_thread *);

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

// MARK: barrier.c

// Whether every thread sleeps and nothing is on its way.
bool wt_is_quiet(void);
// Whether all threads sleep but this one.
bool wt_others_sleep(const struct wt_thread *);
// How often a thread has been given a processor; 0 if the kernel does not count (CONFIG_SCHED_INFO).
uint64_t wt_turns(const struct wt_thread *);

// MARK: passing.c

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
// Finds out what a thread waits for that is asleep, and gives it the deadline of its socket's timeout.
void wt_know_sleeper(struct wt_thread *);
// The descriptor from outside for which a thread polls; -1 if there is none. Only an end asks.
int wt_foreign_polled(const struct wt_thread *);

// MARK: flight.c

// One end of a connection, as it is on the wire; an IPv6 address that stands for an IPv4 one is that.
struct wt_end { uint32_t address[4]; uint16_t port, family; };

// Keeps a connection, and looks whether its two ends are on this machine.
void wt_flight_add(struct wt_end local, struct wt_end peer, bool *has_local, bool *has_peer);
bool wt_in_flight(void);
// Whether the kernel reports the two ends of a connection.
bool wt_flight_works(void);

#endif
#endif
