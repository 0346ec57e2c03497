// Time passes when every thread sleeps, nothing is on its way, and no stop is pending.
//
// Two looks prove it: each thread is asleep in both, and has had no turn on a processor in between. So
// all of them slept at the instant between the looks.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A write to somebody outside is waited for so long, in real time.
static const int64_t write_patience = WT_SECOND;

static ssize_t read_again(int file, char *text, size_t size) {
  const ssize_t count = pread(file, text, size - 1, 0);
  text[count > 0 ? count : 0] = 0;
  return count;
}

// How often a thread has been given a processor (sched-stats.rst).
static uint64_t turns(const struct wt_thread *thread) {
  char text[96], *rest;
  if (read_again(thread->turns_file, text, sizeof text) <= 0) return 0;
  strtoull(text, &rest, 10);
  strtoull(rest, &rest, 10);
  return strtoull(rest, NULL, 10);
}

// Whether a thread is in a system call and off its processor (proc_pid_syscall(5)). The kernel waits
// until a thread that is leaving its processor has left it.
static bool is_off(struct wt_thread *thread) {
  char text[256];
  // Nothing is read of one that has ended.
  const ssize_t count = read_again(thread->call_file, text, sizeof text);
  if (text[0] == 'r') return false;
  char *rest = text;
  thread->call = -1;
  if (count <= 0) return true;
  thread->call = strtol(text, &rest, 10);
  for (int place = 0; place < 6; place++) thread->call_arguments[place] = strtoull(rest, &rest, 0);
  return true;
}

// Whether its state is that of a sleeper (proc_pid_stat(5)): it neither waits for a disk, nor has
// stopped for the tracer, nor is being woken. The last is seen here alone: a thread on its way to
// another processor has not begun to run (TASK_WAKING).
static bool is_sleeper(const struct wt_thread *thread) {
  char text[128];
  read_again(thread->stat, text, sizeof text);
  const char *name_end = strrchr(text, ')');
  const char state = name_end && name_end[1] ? name_end[2] : 'X';
  // The end of a thread is reported at once, but that of a process after the last of its threads. One of
  // these may be unknown yet: begun by a thread that was killed before its clone was reported.
  const bool is_leader = thread->tid == thread->process->pid;
  if (state == 'Z' || state == 'X') return is_leader && thread->process->threads > 1;
  // A parent in vfork(2) waits for its child as for a disk.
  if (state == 'D') {
    return thread->is_in_vfork
        && (thread->call == SYS_vfork || thread->call == SYS_clone || thread->call == SYS_clone3);
  }
  return state == 'S' || state == 'T';
}

static bool is_asleep(struct wt_thread *thread) {
  return is_off(thread) && is_sleeper(thread);
}

// It cannot run a line of its program before it stops, and a stop is noticed.
static bool stops_first(const struct wt_thread *thread) { return thread->pending == WT_WAIT; }

// What a test asks for: what changes between two threads is to be seen.
static void pause_between(const struct wt_world *world) {
  if (world->options.without & WT_VIRTUAL_WITHOUT_HASTE) usleep(100);
}

static bool first_look(struct wt_world *world) {
  for (int place = 0; place < world->thread_count; place++) {
    if (world->threads[place]->fires) return false;
  }
  for (int place = 0; place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    if (stops_first(thread) || thread->listens || thread->is_seen) continue;
    pause_between(world);
    thread->turns = turns(thread);
    if (!is_asleep(thread)) return false;
    thread->is_seen = true;
    if (thread->pending == WT_CONNECT) wt_connected(world, thread, -EINPROGRESS);
  }
  return true;
}

static bool second_look(struct wt_world *world) {
  for (int place = 0; place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    if (thread->listens) continue;
    pause_between(world);
    if (stops_first(thread)) {
      if (!is_asleep(thread)) return false;
    } else if (!is_sleeper(thread) || turns(thread) != thread->turns) {
      thread->is_seen = false;
      return false;
    }
  }
  return true;
}

// What a test compares with: every thread is looked at once.
static bool only_look(struct wt_world *world) {
  for (int place = 0; place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    pause_between(world);
    if (thread->fires || !(thread->listens || is_asleep(thread))) return false;
  }
  return true;
}

bool wt_counts_turns(void) {
  char text[96] = "", *rest = text;
  wt_read_proc(text, sizeof text, "/proc/self/schedstat");
  for (int place = 0; place < 2; place++) strtoull(rest, &rest, 10);
  return strtoull(rest, NULL, 10) > 0;
}

bool wt_has_stop(void) {
  // wait4(2) knows no WNOWAIT.
  siginfo_t stop;
  memset(&stop, 0, sizeof stop);
  waitid(P_ALL, 0, &stop, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL);
  return stop.si_pid != 0;
}

// Somebody outside reads slowly, or writes late: no time of the world.
static bool waits_outside(struct wt_world *world) {
  for (int place = 0; world->inherited_count && place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    bool is_write;
    if (stops_first(thread)) continue;
    const int number = wt_foreign_descriptor(world, thread, &is_write);
    if (number < 0) continue;
    if (is_write && wt_real_now() - world->jump_real < write_patience) return true;
    wt_reason(world, WT_VIRTUAL_FOREIGN_DESCRIPTOR, "process %d waits for descriptor %d",
              thread->process->pid, number);
  }
  return false;
}

bool wt_is_quiet(struct wt_world *world) {
  if (world->options.without & WT_VIRTUAL_WITHOUT_SECOND_LOOK) {
    return only_look(world) && !wt_has_stop() && !wt_in_flight(world);
  }
  return first_look(world) && !wt_has_stop() && !wt_in_flight(world) && second_look(world)
      && !waits_outside(world);
}

// A thread that sleeps on a socket with a timeout has a deadline from the first quiet moment on: no time
// has passed since it fell asleep.
static void note_socket_waits(struct wt_world *world) {
  for (int place = 0; world->timeout_count && place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    if (stops_first(thread) || thread->listens) continue;
    const int64_t length = wt_socket_timeout(world, thread);
    if (!length) {
      thread->is_on_socket = false;
      thread->deadline = WT_NEVER;
    } else if (!thread->is_on_socket || thread->socket_turns != thread->turns) {
      thread->is_on_socket = true;
      thread->socket_turns = thread->turns;
      thread->deadline = world->now + length;
      thread->order = ++world->order;
    }
  }
}

struct due { int64_t deadline; uint64_t order; struct wt_thread *thread; struct wt_timer *timer; };

static bool is_before(int64_t deadline, uint64_t order, const struct due *due) {
  return deadline < due->deadline || (deadline == due->deadline && order < due->order);
}

static struct due next_due(struct wt_world *world) {
  struct due due = {WT_NEVER, 0, NULL, NULL};
  for (int place = 0; place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    if (thread->fires || !is_before(thread->deadline, thread->order, &due)) continue;
    due = (struct due){thread->deadline, thread->order, thread, NULL};
  }
  for (int place = 0; place < world->timer_count; place++) {
    struct wt_timer *timer = &world->timers[place];
    if (!is_before(timer->deadline, timer->order, &due)) continue;
    due = (struct due){timer->deadline, timer->order, NULL, timer};
  }
  return due;
}

static void fire(struct wt_world *world, struct due due) {
  if (due.thread) {
    due.thread->fires = true;
    ptrace(PTRACE_INTERRUPT, due.thread->tid, 0, 0);
  } else {
    wt_fire_timer(world, due.timer);
  }
}

bool wt_jump(struct wt_world *world) {
  note_socket_waits(world);
  const struct due due = next_due(world);
  if (due.deadline == WT_NEVER) return false;
  if (due.deadline - world->start > world->options.limit) {
    world->now = world->start + world->options.limit;
    world->result->outcome = WT_VIRTUAL_LIMIT;
    world->is_over = true;
    return true;
  }
  world->result->jumps++;
  wt_busy_jumped(world);
  if (due.deadline > world->now) {
    world->now = due.deadline;
    wt_write_clock(world);
  }
  fire(world, due);
  return true;
}

void wt_creep(struct wt_world *world, int64_t length) {
  struct due due = next_due(world);
  const int64_t until = world->now + length;
  const bool is_due = due.deadline <= until;
  if (!is_due) {
    world->now = until;
  } else if (due.deadline > world->now) {
    world->now = due.deadline;
  }
  wt_write_clock(world);
  if (world->now - world->start > world->options.limit) {
    world->result->outcome = WT_VIRTUAL_LIMIT;
    world->is_over = true;
  }
  if (!is_due || world->is_over) return;
  // Another program may be the one that runs from now on.
  world->looks = world->fast = 0;
  world->is_looking = false;
  while (due.deadline <= world->now) {
    fire(world, due);
    due = next_due(world);
  }
}

#endif
