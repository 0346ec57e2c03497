// How time passes: by jumps from deadline to deadline while all sleep, and slowly while a program waits
// without sleeping, by looking at the clock or by computing.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

// Processors together are not faster than this.
static const int64_t look_after = 20 * WT_MILLISECOND;
// After so much processor time without a jump each look at the clock traps.
static const int64_t ask_after = 300 * WT_MILLISECOND;
// Who looks so often in so little processor time waits by looking.
static const int64_t looks_max = 3000, looks_processor = 45 * WT_MILLISECOND;

// Processor time: at the first look since the last jump, -1 for none; at the last of so many looks at
// the clock; and where it began to count as time, or 0.
static int64_t base = -1, look_base, counted;
static int64_t looks;
static bool is_looking;

struct next { struct wt_due due; struct wt_thread *thread; struct wt_timer *timer; };

void wt_set_due(struct wt_due *due, int64_t deadline) { *due = (struct wt_due){deadline, ++wt.order}; }

static bool is_before(struct wt_due one, struct wt_due other) {
  return one.deadline < other.deadline || (one.deadline == other.deadline && one.order < other.order);
}

static struct next find_next(void) {
  struct next next = {{WT_NEVER, 0}, NULL, NULL};
  WT_EACH(wt_thread, thread, wt.threads) {
    // A sleep on a socket is over once its thread has had another turn.
    const bool is_on_socket = thread->at_end != wt_wait_ended && thread->due.deadline != WT_NEVER;
    if (is_on_socket && wt_turns(thread) != thread->known_turns) continue;
    if (!thread->fires && is_before(thread->due, next.due)) next = (struct next){thread->due, thread, NULL};
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
    wt.outcome = "virtual limit";
    wt.is_over = true;
  }
  if (instant <= wt.now) return;
  wt.now = instant;
  wt_write_clock();
}

static void set_asks(bool asks) {
  looks = is_looking = 0;
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
  counted = 0;
  pass_to(next.due.deadline);
  if (wt.is_over) return true;
  wt.told[WT_JUMPS]++;
  fire(next);
  return true;
}

// Lets time pass while programs run, to the next deadline at most.
static void creep(int64_t length) {
  struct next next = find_next();
  const int64_t until = wt.now + length;
  pass_to(next.due.deadline < until ? next.due.deadline : until);
  for (; !wt.is_over && next.due.deadline <= wt.now; next = find_next()) {
    fire(next);
    // Another program may be the one that runs from now on.
    looks = is_looking = 0;
  }
}

static int64_t processor_time(void) {
  int64_t sum = wt.processor_gone;
  WT_EACH(wt_thread, thread, wt.threads) {
    char text[96];
    // See sched-stats.rst: the first number is the time on a processor.
    if (wt_read_kept(text, sizeof text, thread->files[WT_TURNS_FILE]) > 0) thread->processor = atoll(text);
    sum += thread->processor;
  }
  return sum;
}

void wt_busy(void) {
  if (wt_real_now() - wt.jump_real < look_after) return;
  const int64_t time = processor_time(), limit = wt.given[WT_PROCESSOR_LIMIT];
  if (base < 0) base = time;
  const int64_t used = time - base;
  if (!wt.asks && used > ask_after) {
    look_base = time;
    set_asks(true);
  }
  if (used <= limit || is_looking) return;
  wt_reason("processor time", "%lld ms of processor time without a wait", (long long)(used / WT_MILLISECOND));
  if (used / 4 > limit) wt_stop("processor time", "no end of it");
  const int64_t length = counted ? time - counted : 0, until = wt.now + length;
  wt.told[WT_COUNTED_TIME] += length;
  // Whatever is due on the way is fired at its instant.
  for (int step = 0; wt.now < until && !wt.is_over && step < 1000; step++) creep(until - wt.now);
  counted = time;
}

void wt_clock_looked_at(struct wt_thread *thread) {
  if (!wt.asks) return;
  if (++looks % looks_max == 0) {
    const int64_t time = processor_time();
    is_looking = time - look_base < looks_processor;
    look_base = time;
  }
  if (!is_looking || !wt_others_sleep(thread)) return;
  const int64_t before = wt.now;
  creep(WT_MILLISECOND);
  wt.told[WT_LOOKED_TIME] += wt.now - before;
}

#endif
