// A world: its start, the loop of stops, and its end.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int64_t default_limit = 7200 * WT_SECOND;
// Between two looks at a world that is busy.
static const int64_t nap_min = 20000, nap_max = 2 * WT_MILLISECOND;
// All sleep and none has a deadline: for so long it may be a mistake.
static const int64_t asleep_after = 200 * WT_MILLISECOND;
// What the first program leaves behind may run on for so long, in real time.
static const int64_t rest_patience = 500 * WT_MILLISECOND, end_patience = 5 * WT_SECOND;

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * WT_SECOND + time.tv_nsec;
}

int64_t wt_real_now(void) { return read_clock(CLOCK_MONOTONIC); }

// MARK: Reasons

static void keep(struct wt_world *world, enum wt_virtual_reason reason, const char *format, va_list list) {
  if (world->result->reason != WT_VIRTUAL_NONE) return;
  world->result->reason = reason;
  vsnprintf(world->result->detail, sizeof world->result->detail, format, list);
}

void wt_reason(struct wt_world *world, enum wt_virtual_reason reason, const char *format, ...) {
  va_list list;
  va_start(list, format);
  keep(world, reason, format, list);
  va_end(list);
}

void wt_stop(struct wt_world *world, enum wt_virtual_reason reason, const char *format, ...) {
  va_list list;
  va_start(list, format);
  // What ends a world is told rather than what came before it.
  world->result->reason = WT_VIRTUAL_NONE;
  keep(world, reason, format, list);
  va_end(list);
  if (!world->is_root_gone) world->result->outcome = WT_VIRTUAL_STOPPED;
  world->is_over = true;
}

// MARK: Stops

static bool is_job_control(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

// Whether a program has a handler for a signal; yes if that is not known.
static bool is_caught(pid_t tid, int signal) {
  char text[4096];
  wt_read_proc(text, sizeof text, "/proc/%d/status", tid);
  const char *line = strstr(text, "\nSigCgt:");
  return !line || (strtoull(line + 8, NULL, 16) >> (signal - 1) & 1);
}

static void go_on(const struct wt_thread *thread, int signal) {
  const bool has_end = thread->pending != WT_NOTHING;
  ptrace(has_end ? PTRACE_SYSCALL : PTRACE_CONT, thread->tid, 0, (void *)(intptr_t)signal);
}

// PTRACE_EVENT_STOP: a new thread, a job control stop, or our interrupt (ptrace(2), "Group-stop").
static void stopped(struct wt_thread *thread, int signal) {
  if (is_job_control(signal)) {
    thread->listens = true;
    thread->is_on_socket = false;
    thread->deadline = WT_NEVER;
    ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
    return;
  }
  wt_registers registers;
  if (thread->fires && thread->is_on_socket && !ptrace(PTRACE_GETREGS, thread->tid, 0, &registers)) {
    // The kernel would begin the call again.
    const long answer = wt_answer(&registers);
    if (answer <= -512 && answer >= -516) {
      wt_set_answer(&registers, -EAGAIN);
      ptrace(PTRACE_SETREGS, thread->tid, 0, &registers);
    }
    thread->fires = thread->is_on_socket = false;
    thread->deadline = WT_NEVER;
  }
  go_on(thread, 0);
}

static void executed(struct wt_world *world, struct wt_thread *thread) {
  wt_threads_replaced(world, thread->tid);
  wt_drop_timers(world, thread->process->pid, true);
  thread->pending = WT_NOTHING;
  thread->deadline = thread->kept_deadline = WT_NEVER;
  thread->fires = thread->is_on_socket = false;
  wt_install_clock(world, thread->process);
  go_on(thread, 0);
}

static void ended(struct wt_world *world, pid_t tid, int status) {
  if (tid == world->root) {
    world->is_root_gone = true;
    world->result->status = status;
    world->result->virtual_nanoseconds = world->now - world->start;
    world->jump_real = wt_real_now();
  }
  wt_thread_gone(world, tid);
}

static void handle(struct wt_world *world, pid_t tid, int status) {
  if (!WIFSTOPPED(status)) {
    ended(world, tid, status);
    return;
  }
  struct wt_thread *thread = wt_thread(world, tid);
  if (!thread) return;
  thread->is_seen = thread->listens = thread->is_in_vfork = false;
  const int signal = WSTOPSIG(status), event = status >> 16;
  if (signal == (SIGTRAP | 0x80)) {
    wt_call_ended(world, thread);
    return;
  }
  unsigned long number = 0;
  switch (event) {
  case PTRACE_EVENT_SECCOMP: wt_trapped(world, thread); break;
  case PTRACE_EVENT_EXEC: executed(world, thread); break;
  case PTRACE_EVENT_STOP: stopped(thread, signal); break;
  case PTRACE_EVENT_VFORK: thread->is_in_vfork = true; __attribute__((fallthrough));
  case PTRACE_EVENT_FORK:
  case PTRACE_EVENT_CLONE:
    ptrace(PTRACE_GETEVENTMSG, tid, 0, &number);
    wt_thread(world, (pid_t)number);
    go_on(thread, 0);
    break;
  default:
    if (thread->kept_deadline != WT_NEVER && is_caught(tid, signal)) thread->kept_deadline = WT_NEVER;
    go_on(thread, signal);
  }
}

// MARK: The loop

// All sleep for ever: names each call, or who outside is waited for.
static void tell_asleep(struct wt_world *world) {
  struct wt_virtual_result *result = world->result;
  size_t used = 0;
  for (int place = 0; place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    bool is_write;
    int number = wt_foreign_descriptor(world, thread, &is_write);
    if (number < 0) number = wt_foreign_polled(world, thread);
    if (number >= 0) {
      wt_stop(world, WT_VIRTUAL_FOREIGN_DESCRIPTOR, "process %d waits for descriptor %d",
              thread->process->pid, number);
      return;
    }
    const int count = snprintf(result->asleep + used, sizeof result->asleep - used, "%d call %ld %lld\n",
                               thread->tid, thread->call, (long long)thread->call_arguments[0]);
    if (count > 0 && used + (size_t)count < sizeof result->asleep) used += (size_t)count;
  }
  if (!world->is_root_gone) result->outcome = WT_VIRTUAL_ASLEEP;
  world->is_over = true;
}

static void nap(int64_t length) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  const struct timespec time = {0, length};
  sigtimedwait(&children, NULL, &time);
}

static bool take_stops(struct wt_world *world) {
  bool is_any = false;
  int status;
  pid_t tid;
  while (!world->is_over && (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
    handle(world, tid, status);
    is_any = true;
  }
  return is_any;
}

static void check_real_time(struct wt_world *world) {
  const int64_t now = wt_real_now(), limit = world->options.real_limit;
  if (world->is_root_gone && now - world->jump_real > rest_patience) world->is_over = true;
  if (limit && now - world->real_start > limit) {
    wt_stop(world, WT_VIRTUAL_REAL_LIMIT, "%lld ms", (long long)(limit / WT_MILLISECOND));
  }
}

static void run(struct wt_world *world) {
  int64_t length = nap_min, idle_since = 0;
  while (!world->is_over) {
    const bool is_any = take_stops(world);
    check_real_time(world);
    if (world->thread_count == 0) return;
    if (world->is_over) continue;
    if (is_any) {
      length = nap_min;
      idle_since = 0;
    }
    // Looks at the clock stop one after the other; the barrier comes when they pause.
    if (is_any && world->asks) {
      nap(200000);
      if (wt_has_stop()) continue;
    }
    if (!wt_is_quiet(world)) {
      idle_since = 0;
      wt_busy(world);
      nap(length);
      // A test that leaves the second look out looks often.
      if (!(world->options.without & WT_VIRTUAL_WITHOUT_SECOND_LOOK)) length *= 2;
      if (length > nap_max) length = nap_max;
    } else if (wt_jump(world)) {
      length = nap_min;
      idle_since = 0;
    } else {
      const int64_t now = wt_real_now();
      if (!idle_since) idle_since = now;
      if (now - idle_since > asleep_after) tell_asleep(world);
      else nap(nap_max);
    }
  }
}

// MARK: Start and end

struct before { sigset_t mask; struct rlimit files; struct sigaction children; int is_subreaper, slack; };

// Runs in the child: calls only what is async-signal-safe, but execvp, before it is the program.
static _Noreturn void become(const struct before *before, char *const arguments[], int gate, int report) {
  char go;
  setpgid(0, 0);
  if (read(gate, &go, 1) != 1) _exit(126);
  int failure = wt_install_filter();
  int step = 1;
  if (!failure) {
    setrlimit(RLIMIT_NOFILE, &before->files);
    sigaction(SIGCHLD, &before->children, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    execvp(arguments[0], arguments);
    failure = errno;
    step = 2;
  }
  const int told[2] = {step, failure};
  if (write(report, told, sizeof told) < 0) _exit(126);
  _exit(127);
}

// Kills what is left: traced, or a child of ours by PR_SET_CHILD_SUBREAPER (CONFIG_PROC_CHILDREN).
static void kill_all(struct wt_world *world) {
  const int64_t until = wt_real_now() + end_patience;
  int status;
  while (wt_real_now() < until) {
    for (int place = 0; place < world->process_count; place++) kill(world->processes[place]->pid, SIGKILL);
    char text[4096];
    wt_read_proc(text, sizeof text, "/proc/self/task/%d/children", (int)gettid());
    for (char *rest = text; *rest >= '0' && *rest <= '9';) {
      kill((pid_t)strtol(rest, &rest, 10), SIGKILL);
      while (*rest == ' ') rest++;
    }
    pid_t tid;
    while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
      if (WIFSTOPPED(status)) kill(tid, SIGKILL);
      else if (tid == world->root && !world->is_root_gone) ended(world, tid, -1);
      else wt_thread_gone(world, tid);
    }
    if (tid < 0 && errno == ECHILD) return;
    nap(nap_max);
  }
}

static int start(struct wt_world *world, const struct before *before, char *const arguments[]) {
  int gate[2] = {-1, -1}, report[2] = {-1, -1}, told[2];
  if (pipe2(gate, O_CLOEXEC) || pipe2(report, O_CLOEXEC)) {
    wt_stop(world, WT_VIRTUAL_NONE, "no pipe: %s", strerror(errno));
    return -1;
  }
  world->root = fork();
  if (world->root == 0) become(before, arguments, gate[0], report[1]);
  const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC
      | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  int failed = world->root < 0;
  if (failed) wt_stop(world, WT_VIRTUAL_NONE, "no process: %s", strerror(errno));
  if (!failed && ptrace(PTRACE_SEIZE, world->root, 0, (void *)options)) {
    wt_stop(world, WT_VIRTUAL_UNSUPPORTED, "no ptrace: %s", strerror(errno));
    failed = 1;
  }
  close(gate[0]);
  close(report[1]);
  if (!failed) {
    wt_thread(world, world->root);
    wt_note_inherited(world);
    failed = write(gate[1], "g", 1) != 1;
  }
  close(gate[1]);
  // Until the exec, or until it is known to have failed.
  while (!failed && !world->is_over) {
    const bool is_any = take_stops(world);
    const struct wt_process *process = wt_process(world, world->root);
    if (!process || process->words || world->result->reason) break;
    if (!is_any) nap(nap_min);
  }
  fcntl(report[0], F_SETFL, O_NONBLOCK);
  if (!failed && read(report[0], told, sizeof told) == sizeof told) {
    failed = 1;
    wt_stop(world, told[0] == 1 ? WT_VIRTUAL_FILTER_REFUSED : WT_VIRTUAL_NONE, "%s: %s",
            told[0] == 1 ? "seccomp" : arguments[0], strerror(told[1]));
  }
  close(report[0]);
  if (!failed) return 0;
  world->result->outcome = WT_VIRTUAL_STOPPED;
  world->result->status = -1;
  return -1;
}

static struct before prepare(void) {
  struct before before = {.is_subreaper = 0};
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &before.mask);
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  sigaction(SIGCHLD, &standard, &before.children);
  // Three descriptors for each thread.
  getrlimit(RLIMIT_NOFILE, &before.files);
  const struct rlimit files = {before.files.rlim_max, before.files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &files);
  before.slack = prctl(PR_GET_TIMERSLACK);
  prctl(PR_GET_CHILD_SUBREAPER, &before.is_subreaper, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  return before;
}

static void restore(const struct before *before) {
  prctl(PR_SET_CHILD_SUBREAPER, before->is_subreaper, 0, 0, 0);
  prctl(PR_SET_TIMERSLACK, before->slack, 0, 0, 0);
  setrlimit(RLIMIT_NOFILE, &before->files);
  sigaction(SIGCHLD, &before->children, NULL);
  sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

int wt_virtual_run(const struct wt_virtual_options *options, char *const arguments[],
                   struct wt_virtual_result *result) {
  memset(result, 0, sizeof *result);
  result->status = -1;
  struct wt_world *world = calloc(1, sizeof *world);
  if (!world) abort();
  world->result = result;
  world->options = *options;
  if (!world->options.limit) world->options.limit = default_limit;
  world->real_start = world->jump_real = world->now = world->start = wt_real_now();
  world->wall = (options->realtime ? options->realtime : read_clock(CLOCK_REALTIME)) - world->now;
  world->processor_base = -1;
  int failed = -1;
  if (!wt_find_clock()) {
    wt_stop(world, WT_VIRTUAL_UNKNOWN_VDSO, "no clock that is known, or no room for ours");
  } else if (!wt_counts_turns()) {
    wt_stop(world, WT_VIRTUAL_UNSUPPORTED, "the kernel does not count turns (CONFIG_SCHED_INFO)");
  } else if (!wt_flight_open(world)) {
    wt_stop(world, WT_VIRTUAL_UNSUPPORTED, "no NETLINK_SOCK_DIAG: %s", strerror(errno));
  } else {
    const struct before before = prepare();
    failed = start(world, &before, arguments);
    // For short naps; after the fork, since a child inherits it (PR_SET_TIMERSLACK(2const)).
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    if (!failed) run(world);
    if (!world->is_root_gone) result->virtual_nanoseconds = world->now - world->start;
    kill_all(world);
    restore(&before);
  }
  wt_flight_close(world);
  result->real_nanoseconds = wt_real_now() - world->real_start;
  free(world);
  return failed;
}

#endif
