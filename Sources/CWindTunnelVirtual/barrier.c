// Time passes when every thread sleeps, nothing is on its way, and no stop is pending.
//
// Two looks prove it: each thread is asleep in both, and has had no turn on a processor in between. So
// all of them slept at the instant between the looks.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

// A write to somebody outside is waited for so long, in real time.
static const int64_t write_patience = 10 * WT_SECOND;

uint64_t wt_turns(const struct wt_thread *thread) {
  char text[96];
  unsigned long long turns = 0;
  wt_read_kept(text, sizeof text, thread->files[WT_TURNS_FILE]);
  sscanf(text, "%*u %*u %llu", &turns);
  return turns;
}

// Whether a thread is in a system call and off its processor (proc_pid_syscall(5)). The kernel waits
// until a thread that is leaving its processor has left it.
static bool is_off(struct wt_thread *thread) {
  char text[256], *rest = text;
  // Nothing is read of one that has ended.
  const bool is_read = wt_read_kept(text, sizeof text, thread->files[WT_CALL_FILE]) > 0;
  if (text[0] == 'r') return false;
  thread->call = is_read ? strtoll(text, &rest, 10) : -1;
  for (int place = 0; place < 6; place++) thread->arguments[place] = (int64_t)strtoull(rest, &rest, 0);
  return true;
}

// Whether its state is that of a sleeper (proc_pid_stat(5)): it neither waits for a disk, nor has
// stopped for the tracer, nor is being woken. The last is seen here alone: a thread on its way to
// another processor has not begun to run (TASK_WAKING).
static bool is_sleeper(const struct wt_thread *thread) {
  char text[128];
  wt_read_kept(text, sizeof text, thread->files[WT_STATE_FILE]);
  const char *name_end = strrchr(text, ')');
  const char state = name_end && name_end[1] ? name_end[2] : 'X';
  // The end of a thread is reported at once, but that of a process after the last of its threads. One of
  // these may be unknown yet: begun by a thread that was killed before its clone was reported.
  const bool is_leader = thread->tid == thread->process->pid;
  if (state == 'Z' || state == 'X') return is_leader && thread->process->threads > 1;
  // A parent in vfork(2) waits for its child as for a disk.
  const bool is_fork = thread->call == SYS_vfork || thread->call == SYS_clone || thread->call == SYS_clone3;
  return state == 'S' || state == 'T' || (state == 'D' && thread->is_in_vfork && is_fork);
}

// It cannot run a line of its program before it stops, and a stop is noticed.
static bool stops_first(const struct wt_thread *thread) { return thread->at_end == wt_wait_ended; }

// What a test asks for: what changes between two threads is to be seen.
static void pause_between(void) {
  if (wt.without & WT_HASTE) usleep(100);
}

static bool is_asleep_first(struct wt_thread *thread) {
  if (thread->fires) return false;
  if (stops_first(thread) || thread->turns) return true;
  pause_between();
  const uint64_t turns = wt_turns(thread);
  if (!is_off(thread) || !is_sleeper(thread)) return false;
  thread->turns = turns;
  if (thread->at_end != wt_connected) return true;
  wt_answer(thread) = -EINPROGRESS;
  wt_connected(thread);
  return true;
}

static bool is_asleep_still(struct wt_thread *thread) {
  pause_between();
  const bool is_same = stops_first(thread) ? is_off(thread) : wt_turns(thread) == thread->turns;
  if (is_same && is_sleeper(thread)) return true;
  thread->turns = 0;
  return false;
}

// Somebody outside who reads slowly, or writes late, takes no time of the world.
static bool waits_inside(struct wt_thread *thread) {
  if (stops_first(thread)) return true;
  wt_know_sleeper(thread);
  if (thread->foreign < 0) return true;
  if (thread->is_write && wt_real_now() - thread->asleep_since < write_patience) return false;
  wt_reason("foreign descriptor", WT_WAITS_OUTSIDE, thread->process->pid, thread->foreign);
  return true;
}

// A thread that a job control signal has stopped does nothing.
static bool all(bool (*holds)(struct wt_thread *)) {
  WT_EACH(wt_thread, thread, wt.threads) {
    if (!thread->listens && !holds(thread)) return false;
  }
  return true;
}

bool wt_others_sleep(const struct wt_thread *thread) {
  WT_EACH(wt_thread, other, wt.threads) {
    if (other != thread && !other->listens && !(is_off(other) && is_sleeper(other))) return false;
  }
  return true;
}

bool wt_is_quiet(void) {
  const bool is_first = all(is_asleep_first) && !wt_take_stops() && !wt_in_flight();
  return is_first && (wt.without & WT_SECOND_LOOK || all(is_asleep_still)) && all(waits_inside);
}

#endif
