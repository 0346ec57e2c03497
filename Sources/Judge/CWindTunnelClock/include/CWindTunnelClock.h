// What a thread takes for the time, where this package says it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// The things that a thread did which has a time of its own.
enum wt_clock_event {
  /// It has read the clock again and again at one instant, and nothing else.
  WT_CLOCK_BUSY = 1,
  /// It has set a timer of Dispatch, which goes by the machine's time.
  WT_CLOCK_TIMER_SOURCE = 2,
  /// It waits in the kernel for something with an end by the clock.
  WT_CLOCK_BLOCKED = 3,
};

/// Work that Dispatch is to do later on a queue; whoever has it does it once, on any thread.
typedef struct __attribute__((swift_attr("@Sendable"))) {
  /// From now on, in nanoseconds.
  int64_t delay;
  void *queue;
  void *context;
  void (*work)(void *);
} wt_delayed;

/// The one who keeps the time of some threads: of one loop, and of those that do what it hands to
/// Dispatch. They ask on any of their threads.
typedef struct {
  void *keeper;
  /// The readings of the clocks when the time began, in nanoseconds.
  int64_t wall, monotonic, boot;
  /// Tells whether random numbers come from the seed, which goes on with each, and not from the
  /// system.
  bool isSeeded;
  uint64_t seed;
  /// Nanoseconds since the time began; read as often as somebody asks for the time.
  int64_t (*elapsed)(void *keeper);
  /// The thread sleeps; tells whether it has: after the end it has to by itself.
  bool (*pass)(void *keeper, int64_t nanoseconds);
  /// The thread wants work done later; tells whether the keeper will do it.
  bool (*delay)(void *keeper, wt_delayed work);
  /// The thread hands work to a queue; returns the work's number, or 0 where nobody counts any more.
  int64_t (*handOut)(void *keeper);
  /// This thread begins with the work of this number; `thread` is its number in the system.
  void (*begin)(void *keeper, int64_t number, int32_t thread);
  /// Work of this number is done.
  void (*handIn)(void *keeper, int64_t number);
  void (*tell)(void *keeper, int event);
  /// Tells whether a crash is the end of the thread that it is on, and of nothing else.
  bool containsCrashes;
} wt_timekeeper;

/// A crash that was contained.
typedef struct {
  void *keeper;
  int signal;
  /// Tells whether the thread was the loop; else it did the work of this number.
  bool isLoop;
  int64_t work;
} wt_clock_crash;

/// The most crashes that a process contains; the next one ends it.
#define WT_CLOCK_CRASHES_MAX 4096

/// Contains a crash of this thread, if its timekeeper contains such; for the handler of a signal.
bool wt_clock_contain_crash(int signal);

/// Makes the way by which crashes are told; false where the system has none to give.
bool wt_clock_open_crashes(void);

/// Waits for the next crash that is contained.
wt_clock_crash wt_clock_next_crash(void);

/// Sets what the clocks read when the time begins to what the machine's read now.
void wt_clock_start(wt_timekeeper *timekeeper);

/// Gives this thread a time of its own, as its loop or not, or the machine's again (null). What is
/// pointed to has to last.
void wt_clock_keep(wt_timekeeper *timekeeper, bool isLoop);

/// The part that a thread has in a time of its own.
typedef struct {
  wt_timekeeper *keeper;
  bool isLoop;
  int64_t work;
} wt_clock_role;

/// Takes this thread's time away for a while, so that what it does is the machine's.
wt_clock_role wt_clock_leave(void);

/// Gives it back.
void wt_clock_return(wt_clock_role role);

/// The one whose loop this thread is; null where it is none.
void *wt_clock_loop(void);

/// The one who keeps this thread's time; null where that is the machine's.
void *wt_clock_keeper(void);

/// The number of the work that this thread does for a loop; 0 where it does none.
int64_t wt_clock_work(void);

/// Tells whether Dispatch's functions are ours in this program: those of one that has Dispatch
/// linked into it are not.
bool wt_clock_has_dispatch(void);

/// Does delayed work now, on its queue, and comes back when it is done; on this thread, unless the
/// queue is the main one.
void wt_clock_do(wt_delayed work);

/// Has delayed work done on its queue, counted as what a loop hands out.
void wt_clock_hand_out(wt_timekeeper *timekeeper, wt_delayed work);

/// Tells whether the work is a job of Swift's on a global queue, which waits for nobody.
bool wt_clock_is_of_runtime(wt_delayed work);

/// Tells whether the work is the main queue's.
bool wt_clock_is_main(wt_delayed work);

/// The system's number of this thread.
int32_t wt_clock_thread(void);

/// Tells whether a thread of this process waits for something: neither runs nor waits for a
/// processor or for a disk (proc(5), /proc/PID/stat, state S). One that is no more does. 0: whether
/// all threads of the process do but this one.
bool wt_clock_sleeps(int32_t thread);

/// The nanoseconds of the machine's own monotonic clock.
int64_t wt_clock_real(void);

/// The number of a job's task, which no other task has or will have; 0 for a job of none.
uint64_t wt_task_number(const void *job);

/// The place of the hook through which jobs go that have no executor in particular; null where the
/// runtime has none.
void **wt_global_hook(void);
