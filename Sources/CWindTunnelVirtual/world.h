// The state of a world, and the parts that work on it.
#ifndef WT_VIRTUAL_WORLD_H
#define WT_VIRTUAL_WORLD_H

#include "CWindTunnelVirtual.h"
#include "processor.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#define WT_SECOND INT64_C(1000000000)
#define WT_MILLISECOND INT64_C(1000000)
#define WT_NEVER INT64_MAX

// The limits of the tables: a program that goes beyond one of them is ended with a reason.
enum {
  WT_THREADS_MAX = 2048,
  // The kernel's highest number of a process (pid_max in proc_sys_kernel(5)).
  WT_NUMBERS_MAX = 1 << 22,
  WT_PROCESSES_MAX = 1024,
  WT_TIMERS_MAX = 1024,
  WT_CONNECTIONS_MAX = 1024,
  WT_LISTENERS_MAX = 1024,
  WT_INHERITED_MAX = 64,
  // Older entries are overwritten: sockets are known by their inode, and most of these are gone.
  WT_TIMEOUTS_MAX = 1024,
};

struct wt_process {
  pid_t pid;
  int memory, threads;
  // The place of the clock's words; 0 if the process has no clock of ours.
  uint64_t words;
};

// What the next stop at the end of a system call is for.
enum wt_pending {
  WT_NOTHING,
  WT_WAIT,
  WT_CONNECT,
  WT_LISTEN,
  WT_TIMER_CREATE,
};

struct wt_thread {
  pid_t tid;
  struct wt_process *process;
  // Descriptors of /proc/PID/task/TID/stat, schedstat and syscall.
  int stat, turns_file, call_file;
  enum wt_pending pending;
  const struct wt_wait *wait;
  int64_t deadline;
  // The order of entry: of two equal deadlines the earlier entry comes first.
  uint64_t order;
  // The registers at the entry of the call, before they were changed.
  wt_registers entry;
  // An interrupt is under way.
  bool fires;
  // It is stopped by a job control signal, and PTRACE_LISTEN holds.
  bool listens;
  // It waits for the exec or the end of its vfork's child.
  bool is_in_vfork;
  // It is asleep on a socket that has a timeout. No stop is asked for, but by a connect.
  bool is_on_socket;
  bool is_connection_noted;
  // The first look: the count of turns, and the call in which it was asleep after that.
  bool is_seen;
  uint64_t turns, socket_turns;
  long call;
  uint64_t call_arguments[6];
  // A wait that a signal broke keeps its deadline if the kernel restarts the call.
  int64_t kept_deadline;
  long kept_call;
  uint64_t kept_place;
  // Waits of zero length at one instant.
  int64_t zero_instant;
  int zeros;
  int64_t processor;
};

enum wt_timer_kind { WT_TIMER_INTERVAL, WT_TIMER_POSIX, WT_TIMER_DESCRIPTOR };

struct wt_timer {
  enum wt_timer_kind kind;
  pid_t pid, thread;
  // The number of a POSIX timer or the descriptor of a timerfd; and our own descriptor of it.
  int number, own;
  int clock, signal;
  uint64_t value;
  int64_t deadline, interval;
  uint64_t order;
};

struct wt_timeout { uint64_t inode; int is_send; int64_t length; };
struct wt_inherited { int number; uint64_t inode; };

struct wt_world {
  struct wt_virtual_options options;
  struct wt_virtual_result *result;
  pid_t root;
  bool is_root_gone, is_over;
  int64_t now, start, wall, real_start;
  uint64_t order;

  struct wt_thread *threads[WT_THREADS_MAX];
  int thread_count;
  struct wt_process *processes[WT_PROCESSES_MAX];
  int process_count;
  // A bit for each number that a process of the world has had.
  unsigned char numbers[WT_NUMBERS_MAX / 8];
  struct wt_timer timers[WT_TIMERS_MAX];
  int timer_count;
  struct wt_timeout timeouts[WT_TIMEOUTS_MAX];
  int timeout_count;
  struct wt_inherited inherited[WT_INHERITED_MAX];
  int inherited_count;
  uint64_t listeners[WT_LISTENERS_MAX];
  int listener_count;
  struct wt_flight *flight;

  // Busy programs; see busy.c.
  bool asks, is_looking;
  int64_t looks, fast, look_processor, processor_base, processor_gone, processor_counted, jump_real;
};

// MARK: world.c

int64_t wt_real_now(void);
// Keeps the first reason; `format` is as in printf(3).
void wt_reason(struct wt_world *, enum wt_virtual_reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same, and the world ends.
void wt_stop(struct wt_world *, enum wt_virtual_reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// MARK: tables.c

// Finds a thread, or takes it into the tables; null if there is no room.
struct wt_thread *wt_thread(struct wt_world *, pid_t);
struct wt_process *wt_process(struct wt_world *, pid_t);
// Whether a process is one of the world, or was one.
bool wt_is_of_world(const struct wt_world *, pid_t);
void wt_thread_gone(struct wt_world *, pid_t);
// A process executes another program: its other threads are gone.
void wt_threads_replaced(struct wt_world *, pid_t);

// MARK: memory.c

bool wt_peek(pid_t, void *to, uint64_t from, size_t);
bool wt_poke(pid_t, const void *from, uint64_t to, size_t);
// Reads a file of /proc into text that ends with 0; the length, or -1.
ssize_t wt_read_proc(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The inode of a socket or pipe of a process; 0 if the descriptor is something else.
uint64_t wt_inode(pid_t, int descriptor);
// A descriptor of ours for what a descriptor of a process names; see pidfd_getfd(2).
int wt_take(pid_t, int descriptor);

// MARK: filter.c

// Installs the filter in the calling process. It is async-signal-safe. 0, or an error number.
int wt_install_filter(void);

// MARK: waits.c

enum wt_unit { WT_MILLISECONDS, WT_TIMESPEC, WT_TIMEVAL, WT_WALL, WT_BY_FUTEX, WT_BY_CLOCK, WT_SLEEP };

struct wt_wait {
  long call;
  // The argument that tells the time, and how it tells it.
  int place;
  enum wt_unit unit;
  // The answer when the time is over.
  int answer;
  // Whether sets of descriptors are cleared then, and whether the rest of the time is written back.
  bool clears_sets, writes_rest;
};

extern const struct wt_wait wt_waits[];
extern const int wt_wait_count;

// A call of the table is about to begin; false if it is to go on as it is.
bool wt_begin_wait(struct wt_world *, struct wt_thread *, wt_registers *);
void wt_end_wait(struct wt_world *, struct wt_thread *, wt_registers *);
void wt_skip(struct wt_thread *, wt_registers *, long answer);

// MARK: calls.c

// A system call has trapped.
void wt_trapped(struct wt_world *, struct wt_thread *);
// A system call has ended whose end was asked for.
void wt_call_ended(struct wt_world *, struct wt_thread *);

// MARK: timers.c

bool wt_timer_call(struct wt_world *, struct wt_thread *, wt_registers *);
void wt_timer_created(struct wt_world *, struct wt_thread *, const wt_registers *);
void wt_fire_timer(struct wt_world *, struct wt_timer *);
// Drops the timers of a process; at an exec only those that it ends.
void wt_drop_timers(struct wt_world *, pid_t, bool is_exec);

// MARK: clock.c

// Finds the clock's functions in this process's vDSO, which is the same in all.
bool wt_find_clock(void);
void wt_install_clock(struct wt_world *, struct wt_process *);
// A new process has its parent's pages.
void wt_inherit_clock(struct wt_process *);
void wt_write_clock(struct wt_world *);
bool wt_clock_call(struct wt_world *, struct wt_thread *, wt_registers *);

// MARK: barrier.c

// Whether every thread sleeps and nothing is on its way.
bool wt_is_quiet(struct wt_world *);
// Lets time pass to the next deadline and fires it; false if there is none.
bool wt_jump(struct wt_world *);
// Lets time pass while programs run, to the next deadline at most.
void wt_creep(struct wt_world *, int64_t length);
bool wt_has_stop(void);
// Whether the kernel counts turns (CONFIG_SCHED_INFO).
bool wt_counts_turns(void);

// MARK: busy.c

int64_t wt_processor_time(struct wt_world *);
void wt_busy(struct wt_world *);
void wt_busy_jumped(struct wt_world *);
void wt_clock_looked_at(struct wt_world *);

// MARK: sockets.c

bool wt_socket_call(struct wt_world *, struct wt_thread *, wt_registers *);
// A connection has begun, whether it is made or on its way.
void wt_connected(struct wt_world *, struct wt_thread *, long answer);
void wt_listened(struct wt_world *, struct wt_thread *, long answer);
// The timeout of the socket on which a thread is asleep; 0 if it has none.
int64_t wt_socket_timeout(struct wt_world *, struct wt_thread *);
void wt_note_inherited(struct wt_world *);
// The inherited pipe or socket on which a thread is asleep, -1 if there is none.
int wt_foreign_descriptor(struct wt_world *, struct wt_thread *, bool *is_write);
// The same for one that polls, of which only an end asks.
int wt_foreign_polled(struct wt_world *, struct wt_thread *);

// MARK: flight.c

bool wt_flight_open(struct wt_world *);
void wt_flight_close(struct wt_world *);
// Keeps the two ends of a connection, as struct sockaddr_storage.
void wt_flight_add(struct wt_world *, const void *local, const void *peer);
// Whether a socket with these ends is on this machine.
bool wt_flight_finds(struct wt_world *, const void *local, const void *peer);
bool wt_in_flight(struct wt_world *);

#endif
#endif
