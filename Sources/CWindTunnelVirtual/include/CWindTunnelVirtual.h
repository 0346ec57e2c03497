#ifndef WIND_TUNNEL_VIRTUAL_H
#define WIND_TUNNEL_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a run leaves out. Only tests set it: each part is needed.
enum wt_virtual_without {
  WT_VIRTUAL_WHOLE = 0,
  /// Threads are looked at once, not twice, before time passes.
  WT_VIRTUAL_WITHOUT_SECOND_LOOK = 1,
  /// Bytes between two sockets do not keep time from passing.
  WT_VIRTUAL_WITHOUT_ACCOUNT = 2,
  /// A look pauses before each thread, so that what changes meanwhile is seen to change.
  WT_VIRTUAL_WITHOUT_HASTE = 4,
};

/// How a world begins and what bounds it. Zero means the default.
struct wt_virtual_options {
  /// Virtual nanoseconds until everything is killed; by default two hours.
  int64_t limit;
  /// CLOCK_REALTIME at the start, in nanoseconds; by default the machine's.
  int64_t realtime;
  /// Nanoseconds of processor time without a jump after which processor time counts as time; by
  /// default 20 s. After four times as much everything is killed.
  int64_t processor_limit;
  /// Real nanoseconds until everything is killed; by default there is no such limit.
  int64_t real_limit;
  /// Bits of `wt_virtual_without`.
  unsigned without;
};

/// How a run ended.
enum wt_virtual_outcome {
  /// The first program ended; see `status`.
  WT_VIRTUAL_ENDED,
  /// Every thread slept, and none had a deadline. `asleep` names the calls.
  WT_VIRTUAL_ASLEEP,
  /// The virtual limit came first.
  WT_VIRTUAL_LIMIT,
  /// The run was ended for the first reason.
  WT_VIRTUAL_STOPPED,
};

/// Why time was not virtual from first to last.
enum wt_virtual_reason {
  WT_VIRTUAL_NONE,
  WT_VIRTUAL_FOREIGN_PEER,
  WT_VIRTUAL_FOREIGN_DESCRIPTOR,
  WT_VIRTUAL_TRACED_ITSELF,
  WT_VIRTUAL_FILTER_REFUSED,
  WT_VIRTUAL_UNKNOWN_VDSO,
  WT_VIRTUAL_PROCESSOR_TIME,
  WT_VIRTUAL_TOO_MANY,
  WT_VIRTUAL_OTHER_PROCESSOR,
  WT_VIRTUAL_REAL_LIMIT,
  WT_VIRTUAL_UNSUPPORTED,
};

/// What happened in a run.
struct wt_virtual_result {
  enum wt_virtual_outcome outcome;
  /// The status of the first program as waitpid(2) gives it; -1 if it did not end by itself.
  int status;
  /// The first reason; `detail` names the address, the descriptor or the limit.
  enum wt_virtual_reason reason;
  char detail[256];
  int64_t virtual_nanoseconds, real_nanoseconds;
  int64_t jumps, traps, processes, threads;
  /// How often bytes in flight kept time from passing, and how often they were held up on purpose.
  int64_t in_flight, held_up;
  /// Time that passed because a program waited by looking at the clock, and by processor time.
  int64_t looked_nanoseconds, counted_nanoseconds;
  /// Calls that were refused because they reach beyond the world.
  int64_t refused;
  /// The system call and first argument of each thread that sleeps for ever, one line for each.
  char asleep[2048];
};

/// Runs a program and all that it starts in virtual time, and waits for its end.
///
/// The calling process has no other children, and only the calling thread takes SIGCHLD. Nothing of
/// the world is left afterwards.
///
/// Returns 0, or -1 if the program could not be started; see `reason` and `detail`.
int wt_virtual_run(const struct wt_virtual_options *options, char *const arguments[],
                   struct wt_virtual_result *result);

/// Runs `[--notes-fd N] [--limit SECONDS] [--realtime SECONDS] [--real-limit SECONDS]
/// [--without look|account|haste] -- COMMAND…` and writes the result as a line of JSON to the descriptor.
///
/// Returns the exit code of the program; 128 + its signal; 124 if it was ended; 125 if it could not be
/// started; 64 for words that are not understood.
int wt_virtual_main(int count, char *const words[]);

#ifdef __cplusplus
}
#endif

#endif
