// How time passes: by jumps from deadline to deadline while all sleep, and slowly while a program
// waits without sleeping, by looking at the clock or by computing.
//
// All sleep when every thread sleeps, nothing is on its way, and no stop is pending. Two looks
// prove it: each thread is asleep in both, and has had no turn on a processor in between. So all of
// them slept at the instant between the looks.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

// A write to somebody outside is waited for so long, in real time.
static const int64_t write_patience = 10 * WT_SECOND;
// Processors together are not faster than this.
static const int64_t look_after = 20 * WT_MILLISECOND;
// After so much processor time without a jump each look at the clock traps.
static const int64_t ask_after = 300 * WT_MILLISECOND;
// A thread that looks so often in so little processor time, and does so after that patience again,
// waits by looking. Then its looks do not trap for so many steps, each a millisecond of its
// processor time: a step passes for the world too. So a program that computes and looks is not
// slower than in real time.
static const int64_t looks_first = 600, looks_again = 20, look_processor = 15000, steps_max = 100;
static const int64_t patience = 100 * WT_MILLISECOND;

// Processor time: at the first look since the last jump or step, -1 for none; at the first of so
// many looks at the clock; of the thread that waits by looking, at its last step; when the first
// such thread since the last jump was found, -1 for none; and where it began to count as time, or
// 0.
static int64_t base = -1, look_base, looker_base, found = -1, counted;
// Real time when the processor time of all threads was last summed: a sum reads a file of each.
static int64_t summed;
static int64_t looks, steps;
// The thread that waits by looking, or 0; and the time that has passed by looks since the last
// jump.
static pid_t looker;
static int64_t looked;

// MARK: The barrier

uint64_t wt_turns(struct wt_thread *thread) {
  char text[96];
  unsigned long turns = 0;
  // See sched-stats.rst: the time on a processor, that in a queue, and the number of turns.
  wt_read_kept(text, sizeof text, thread->files[WT_TURNS_FILE]);
  sscanf(text, "%ld %*u %lu", &thread->processor, &turns);
  return turns;
}

// Whether a thread is in a system call and off its processor (proc_pid_syscall(5)). The kernel
// waits until a thread that is leaving its processor has left it.
static bool is_off(struct wt_thread *thread) {
  char text[256], *rest = text;
  // Nothing is read of one that has ended.
  const bool is_read = wt_read_kept(text, sizeof text, thread->files[WT_CALL_FILE]);
  if (text[0] == 'r') return false;
  thread->call = is_read ? strtoll(text, &rest, 10) : -1;
  for (int place = 0; place < 6; place++) {
    thread->arguments[place] = (int64_t)strtoull(rest, &rest, 0);
  }
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
  // The end of a thread is reported at once, but that of a process after the last of its threads.
  // One of these may be unknown yet: begun by a thread that was killed before its clone was
  // reported.
  const bool is_leader = thread->tid == thread->pid;
  if (state == 'Z' || state == 'X') return is_leader && thread->process->threads > 1;
  // A parent in vfork(2) waits for its child as for a disk.
  const bool is_fork = thread->call == SYS_vfork || thread->call == SYS_clone;
  return state == 'S' || state == 'T' || (state == 'D' && thread->is_in_vfork && is_fork);
}

static bool is_asleep(struct wt_thread *thread) { return is_off(thread) && is_sleeper(thread); }

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
  if (!is_asleep(thread)) return false;
  thread->turns = turns;
  if (thread->at_end != wt_connected) return true;
  wt_answer(thread) = -EINPROGRESS;
  wt_connected(thread);
  return true;
}

// Its state comes first. The other way round it may be woken before, run between the two, and sleep
// again.
static bool has_slept_on(struct wt_thread *thread) {
  const bool is_sleeping = is_sleeper(thread);
  pause_between();
  return is_sleeping && wt_turns(thread) == thread->turns;
}

static bool is_asleep_still(struct wt_thread *thread) {
  if (stops_first(thread) ? is_asleep(thread) : has_slept_on(thread)) return true;
  thread->turns = 0;
  return false;
}

// Somebody outside who reads slowly, or writes late, takes no time of the world.
static bool waits_inside(struct wt_thread *thread) {
  if (stops_first(thread)) return true;
  // Bytes that are held up keep it there for a time that only the kernel knows (socket(7)).
  const bool lingers = thread->call == SYS_close;
  if (lingers) wt_reason("lingering close", "process %d waits for SO_LINGER", thread->pid);
  wt_know_sleeper(thread);
  if (thread->foreign < 0) return true;
  if (thread->is_write && wt_real_now() - thread->asleep_since < write_patience) return false;
  wt_reason("foreign descriptor", WT_WAITS_OUTSIDE, thread->pid, thread->foreign);
  return true;
}

// Whether a condition holds for all threads except one; null for no exception. A thread that a job
// control signal has stopped does nothing.
static bool all(bool (*holds)(struct wt_thread *), const struct wt_thread *but) {
  WT_EACH(wt_thread, thread, wt.threads) {
    if (thread != but && !thread->listens && !holds(thread)) return false;
  }
  return true;
}

bool wt_is_quiet(void) {
  const bool is_first = all(is_asleep_first, NULL) && wt_take_stops() <= 0 && !wt_in_flight();
  const bool is_last = wt.without & WT_SECOND_LOOK;
  return is_first && (is_last || all(is_asleep_still, NULL)) && all(waits_inside, NULL);
}

// MARK: Jumps

struct next { struct wt_due due; struct wt_thread *thread; struct wt_timer *timer; };

void wt_set_due(struct wt_due *due, int64_t deadline) {
  *due = (struct wt_due){deadline, ++wt.order};
}

static bool is_before(struct wt_due one, struct wt_due other) {
  if (one.deadline == other.deadline) return one.order < other.order;
  return one.deadline < other.deadline;
}

static struct next find_next(void) {
  struct next next = {{WT_NEVER, 0}, NULL, NULL};
  WT_EACH(wt_thread, thread, wt.threads) {
    // A sleep on a socket is over once its thread has had another turn.
    const bool is_on_socket = thread->at_end != wt_wait_ended && thread->due.deadline != WT_NEVER;
    if (is_on_socket && wt_turns(thread) != thread->known_turns) continue;
    const bool is_first = !thread->fires && is_before(thread->due, next.due);
    if (is_first) next = (struct next){thread->due, thread, NULL};
  }
  WT_EACH(wt_timer, timer, wt.timers) {
    if (is_before(timer->due, next.due)) next = (struct next){timer->due, NULL, timer};
  }
  return next;
}

static void fire(struct next next) {
  if (next.timer) {
    wt_fire_timer(next.timer);
  } else {
    next.thread->fires = true;
    ptrace(PTRACE_INTERRUPT, next.thread->tid, 0, 0);
  }
}

// Lets time pass to an instant, or to the limit of the world.
static void pass_to(int64_t instant) {
  const int64_t limit = wt.start + wt.given[WT_LIMIT];
  if (instant > limit) {
    instant = limit;
    if (!wt.is_root_gone) wt.outcome = "virtual limit";
    wt.is_over = true;
  }
  if (instant <= wt.now) return;
  wt.now = instant;
  if (!wt.is_root_gone) wt.told[WT_VIRTUAL_TIME] = wt.now - wt.start;
  wt_write_clock();
}

static void set_asks(bool asks) {
  looks = steps = looker = 0;
  if (wt.asks == asks) return;
  wt.asks = asks;
  wt_write_clock();
}

bool wt_jump(void) {
  const struct next next = find_next();
  if (next.due.deadline == WT_NEVER) return false;
  set_asks(false);
  wt.jump_real = wt_real_now();
  base = -1;
  counted = looked = 0;
  found = -1;
  pass_to(next.due.deadline);
  if (wt.is_over) return true;
  wt.told[WT_JUMPS]++;
  fire(next);
  return true;
}

// Lets time pass while programs run, to the next deadline at most. Returns whether it was reached.
static bool creep(int64_t length) {
  struct next next = find_next();
  const int64_t until = wt.now + length;
  pass_to(next.due.deadline < until ? next.due.deadline : until);
  const bool is_reached = next.due.deadline <= wt.now;
  for (; !wt.is_over && next.due.deadline <= wt.now; next = find_next()) fire(next);
  return is_reached;
}

static int64_t processor_time(void) {
  int64_t sum = wt.processor_gone;
  WT_EACH(wt_thread, thread, wt.threads) {
    wt_turns(thread);
    sum += thread->processor;
  }
  return sum;
}

static void ask(void) {
  look_base = processor_time();
  set_asks(true);
}

// Lets the steps of the thread that waits by looking pass. While another thread computes there are
// none.
static void pass_steps(void) {
  WT_EACH(wt_thread, thread, wt.threads) {
    if (thread->tid != looker) continue;
    wt_turns(thread);
    if (thread->processor - looker_base < WT_MILLISECOND) {
      // Then another one may be looking: threads of Python take turns.
      if (is_asleep(thread)) ask();
      return;
    }
    // Whether it goes on looking.
    if (++steps == steps_max) ask();
    if (processor_time() - found < patience || !all(is_asleep, thread)) {
      looker_base = thread->processor;
      return;
    }
    // Longer by a millisecond for each second of such looks, so that a wait of an hour ends.
    const int64_t before = wt.now, length = looked / WT_SECOND * WT_MILLISECOND;
    const bool is_reached = creep(length > WT_MILLISECOND ? length : WT_MILLISECOND);
    wt.told[WT_LOOKED_TIME] += wt.now - before;
    looked += wt.now - before;
    // The thread that wakes may be the one for which it waits.
    looker_base = is_reached ? thread->processor : looker_base + WT_MILLISECOND;
    base = -1;
    wt.has_news = true;
    return;
  }
  looker = 0;
}

void wt_busy(void) {
  if (looker) pass_steps();
  const int64_t now = wt_real_now();
  if (now - wt.jump_real < look_after || (!counted && now - summed < look_after)) return;
  summed = now;
  const int64_t time = processor_time(), limit = wt.given[WT_PROCESSOR_LIMIT];
  if (base < 0) base = time;
  const int64_t used = time - base;
  if (!wt.asks && !looker && used > ask_after) ask();
  if (used <= limit) return;
  wt_reason("processor time", "%ld ms of processor time without a wait", used / WT_MILLISECOND);
  if (used / 4 > limit) wt_stop("processor time", "no end of it");
  const int64_t length = counted ? time - counted : 0, until = wt.now + length;
  wt.told[WT_COUNTED_TIME] += length;
  // Whatever is due on the way is fired at its instant.
  for (int step = 0; wt.now < until && !wt.is_over && step < 1000; step++) creep(until - wt.now);
  counted = time;
}

void wt_clock_looked_at(struct wt_thread *thread) {
  // A trap is slow where both sides have a processor, so what is known takes fewer looks.
  if (!wt.asks || ++looks < (found < 0 ? looks_first : looks_again)) return;
  const int64_t time = processor_time();
  if (time - look_base >= looks * look_processor) return ask();
  if (found < 0) found = time;
  set_asks(false);
  looker = thread->tid;
  looker_base = thread->processor;
}

#endif
