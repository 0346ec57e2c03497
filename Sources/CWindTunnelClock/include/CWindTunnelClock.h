// What a thread takes for the time, where this package says it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// What a thread did that has a time of its own.
enum wt_clock_event {
  /// It has read the clock again and again at one instant, and nothing else.
  WT_CLOCK_BUSY = 1,
  /// It has set a timer of Dispatch, which goes by the machine's time.
  WT_CLOCK_TIMER_SOURCE = 2,
};

/// Work that Dispatch is to do later on a queue; whoever has it does it once, on any thread.
typedef struct __attribute__((swift_attr("@Sendable"))) {
  /// From now on, in nanoseconds.
  int64_t delay;
  void *queue;
  void *context;
  void (*work)(void *);
} wt_delayed;

/// The one who keeps a thread's time.
typedef struct {
  void *keeper;
  /// What the clocks read when the time began, in nanoseconds.
  int64_t wall, monotonic, boot;
  /// Tells whether random numbers come from the seed, which goes on with each, and not from the
  /// system.
  bool isSeeded;
  uint64_t seed;
  /// Nanoseconds since the time began; read as often as somebody asks for the time.
  int64_t (*elapsed)(void *keeper);
  /// The thread sleeps.
  void (*pass)(void *keeper, int64_t nanoseconds);
  /// The thread wants work done later; tells whether the keeper will do it.
  bool (*delay)(void *keeper, wt_delayed work);
  void (*tell)(void *keeper, int event);
} wt_timekeeper;

/// Sets what the clocks read when the time begins to what the machine's read now.
void wt_clock_start(wt_timekeeper *timekeeper);

/// Gives this thread a time of its own, or the machine's again (null). What is pointed to has to last.
void wt_clock_keep(wt_timekeeper *timekeeper);

/// The one who keeps this thread's time; null where that is the machine's.
void *wt_clock_keeper(void);

/// Does delayed work now, on its queue, and comes back when it is done; on this thread, unless the
/// queue is the main one.
void wt_clock_do(wt_delayed work);

/// Tells whether the work is the main queue's.
bool wt_clock_is_main(wt_delayed work);

/// The nanoseconds of the machine's own monotonic clock.
int64_t wt_clock_real(void);

/// The number of a job's task, which no other task has or will have; 0 for a job of none.
uint64_t wt_task_number(const void *job);

/// The place of the hook through which jobs go that have no executor in particular; null where the
/// runtime has none.
void **wt_global_hook(void);
