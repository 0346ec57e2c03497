// A world: its start, the loop of stops, and its end.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// Between two looks at a world that is busy.
static const int64_t nap_min = 20000, nap_max = 2 * WT_MILLISECOND, asks_nap = 200000;
// All sleep and none has a deadline: for so long it may be a mistake.
static const int64_t asleep_after = 200 * WT_MILLISECOND;
// What the first program leaves behind may run on for so long, in real time.
static const int64_t rest_patience = 500 * WT_MILLISECOND, end_patience = 5 * WT_SECOND;

struct wt_world wt = {.given = {[WT_LIMIT] = 7200 * WT_SECOND, [WT_PROCESSOR_LIMIT] = 20 * WT_SECOND}};

// A stop has come since the last look.
static bool has_news;
// SIGCHLD, which ends a nap.
static sigset_t children;

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * WT_SECOND + time.tv_nsec;
}

int64_t wt_real_now(void) { return read_clock(CLOCK_MONOTONIC); }

void wt_tell(bool is_end, const char *reason, const char *format, ...) {
  if (wt.reason && !is_end) return;
  wt.reason = reason;
  va_list list;
  va_start(list, format);
  vsnprintf(wt.detail, sizeof wt.detail, format, list);
  va_end(list);
  if (!is_end && !wt.is_strict) return;
  if (!wt.is_root_gone) wt.outcome = "stopped";
  wt.is_over = true;
}

// MARK: Stops

// Whether a program has a handler for a signal; yes if that is not known.
static bool is_caught(pid_t tid, int signal) {
  char text[4096];
  wt_read_proc(text, sizeof text, wt_open_proc(O_RDONLY, "/proc/%d/status", tid));
  const char *line = strstr(text, "\nSigCgt:");
  return !line || (strtoull(line + 8, NULL, 16) >> (signal - 1) & 1);
}

// PTRACE_EVENT_STOP: a new thread or our interrupt, by SIGTRAP; or a job control stop, by its signal
// (ptrace(2), "Group-stop").
static void stopped(struct wt_thread *thread, int signal) {
  // Only a sleep on a socket is still fired here: other waits have ended at the end of their call.
  if (thread->fires && !ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->registers)) {
    // The kernel would begin the call again.
    if (wt_answer(thread) <= -512 && wt_answer(thread) >= -516) wt_answer(thread) = -EAGAIN;
    ptrace(PTRACE_SETREGS, thread->tid, 0, &thread->registers);
  }
  thread->fires = false;
  thread->listens = signal != SIGTRAP;
  thread->due.deadline = WT_NEVER;
  if (thread->listens) ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
  else wt_go_on(thread, 0);
}

static void executed(struct wt_thread *thread) {
  wt.has_begun = true;
  WT_EACH(wt_thread, other, wt.threads) {
    if (other->process == thread->process && other != thread) wt_thread_gone(other);
  }
  wt_drop_timers(thread->process->pid, true);
  thread->at_end = NULL;
  thread->due.deadline = thread->kept_deadline = WT_NEVER;
  thread->fires = false;
  wt_install_clock(thread->process);
  if (!wt_turns(thread)) wt_stop("unsupported", "the kernel does not count turns (CONFIG_SCHED_INFO)");
}

static void ended(pid_t tid, int status) {
  WT_EACH(wt_thread, thread, wt.threads) {
    if (thread->tid == tid) wt_thread_gone(thread);
  }
  if (tid != wt.root) return;
  wt.is_root_gone = true;
  wt.status = status;
  wt.told[WT_VIRTUAL_TIME] = wt.now - wt.start;
  wt.jump_real = wt_real_now();
}

static void handle(pid_t tid, int status) {
  struct wt_thread *thread = WIFSTOPPED(status) ? wt_thread(tid) : NULL;
  if (!WIFSTOPPED(status)) ended(tid, status);
  // There is no room for it, and the world is over.
  else if (!thread) kill(tid, SIGKILL);
  if (!thread) return;
  thread->listens = thread->is_in_vfork = false;
  thread->turns = 0;
  const int signal = WSTOPSIG(status), event = status >> 16;
  unsigned long number = 0;
  if (signal == (SIGTRAP | 0x80)) {
    wt_call_ended(thread);
  } else if (event == PTRACE_EVENT_SECCOMP) {
    wt_trapped(thread);
  } else if (event == PTRACE_EVENT_STOP) {
    stopped(thread, signal);
  } else if (event) {
    thread->is_in_vfork = event == PTRACE_EVENT_VFORK;
    ptrace(PTRACE_GETEVENTMSG, tid, 0, &number);
    if (event == PTRACE_EVENT_EXEC) executed(thread);
    else wt_thread((pid_t)number);
    wt_go_on(thread, 0);
  } else {
    if (thread->kept_deadline != WT_NEVER && is_caught(tid, signal)) thread->kept_deadline = WT_NEVER;
    wt_go_on(thread, signal);
  }
}

// MARK: The loop

// All sleep for ever: names each call, or who outside is waited for.
static void tell_asleep(void) {
  WT_EACH(wt_thread, thread, wt.threads) {
    const int number = thread->foreign < 0 ? wt_foreign_polled(thread) : thread->foreign;
    if (number >= 0) {
      wt_stop("foreign descriptor", WT_WAITS_OUTSIDE, thread->process->pid, number);
      return;
    }
    const size_t used = strlen(wt.asleep);
    snprintf(wt.asleep + used, sizeof wt.asleep - used, "%d call %lld %lld\n", thread->tid,
             (long long)thread->call, (long long)thread->arguments[0]);
  }
  if (!wt.is_root_gone) wt.outcome = "asleep for ever";
  wt.is_over = true;
}

static void nap(int64_t length) {
  const struct timespec time = {0, length};
  sigtimedwait(&children, NULL, &time);
}

bool wt_take_stops(void) {
  bool is_any = false;
  int status;
  pid_t tid;
  while (!wt.is_over && (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
    handle(tid, status);
    is_any = has_news = true;
  }
  return is_any;
}

static void check_real_time(void) {
  const int64_t now = wt_real_now(), limit = wt.given[WT_REAL_LIMIT];
  if (wt.is_root_gone && now - wt.jump_real > rest_patience) wt.is_over = true;
  // What has not begun may still find out that it cannot.
  if (limit && wt.has_begun && now - wt.start > limit) {
    wt_stop("real limit", "%lld ms", (long long)(limit / WT_MILLISECOND));
  }
  // PR_SET_PDEATHSIG comes when the parent's thread ends (PR_SET_PDEATHSIG(2const)).
  if (wt.parent && getppid() != wt.parent) wt_stop(NULL, "the parent ended");
}

static void run(void) {
  int64_t length = nap_min, idle_since = 0;
  while (!wt.is_over) {
    const bool is_any = wt_take_stops();
    check_real_time();
    if (wt.is_over || !wt.threads.count) return;
    // Looks at the clock stop one after the other; the barrier comes when they pause.
    if (is_any && wt.asks) {
      nap(asks_nap);
      continue;
    }
    const int64_t now = wt_real_now();
    const bool is_quiet = wt.has_begun && wt_is_quiet();
    if (has_news) length = nap_min;
    if (has_news || !is_quiet) idle_since = now;
    has_news = false;
    if (!is_quiet) {
      wt_busy();
      nap(length);
      length = 2 * length < nap_max ? 2 * length : nap_max;
    } else if (wt_jump()) {
      length = nap_min;
      idle_since = now;
    } else if (now - idle_since > asleep_after) {
      tell_asleep();
    } else {
      nap(nap_max);
    }
  }
}

// MARK: Start and end

// Runs in the child: calls only what is async-signal-safe, but execvp, before it is the program. It ends
// with the error's number, and 128 is the filter's.
static _Noreturn void become(char *const arguments[], const int gate[2]) {
  char go;
  setpgid(0, 0);
  // If the tracer is killed before it traces this process, the read ends.
  close(gate[1]);
  if (read(gate[0], &go, 1) != 1) _exit(0);
  const int failure = wt_install_filter();
  if (failure) _exit(128 | failure);
  execvp(arguments[0], arguments);
  _exit(errno);
}

// The child has inherited none of this.
static void prepare(void) {
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  signal(SIGCHLD, SIG_DFL);
  // A program may close a descriptor to which this process writes.
  signal(SIGPIPE, SIG_IGN);
  // Three descriptors for each thread.
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  // For short naps (PR_SET_TIMERSLACK(2const)).
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

static void start(char *const arguments[]) {
  int gate[2];
  if (pipe2(gate, O_CLOEXEC) || (wt.root = fork()) < 0) {
    wt_stop(NULL, "no process: %s", strerror(errno));
    return;
  }
  if (wt.root == 0) become(arguments, gate);
  prepare();
  const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC
      | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  const bool is_traced = !ptrace(PTRACE_SEIZE, wt.root, 0, (void *)options);
  if (!is_traced) wt_stop("unsupported", "no ptrace: %s", strerror(errno));
  if (is_traced && !wt_flight_works()) wt_stop("unsupported", "the kernel reports no connections (tcp_diag)");
  wt_thread(wt.root);
  wt_note_inherited();
  if (is_traced && write(gate[1], "g", 1) != 1) abort();
  close(gate[0]);
  close(gate[1]);
}

// Kills what is left, and waits for its end. All of it is traced, or stops before its first line.
static void kill_all(void) {
  const int64_t until = wt_real_now() + end_patience;
  pid_t tid = 0;
  int status;
  while ((tid >= 0 || errno != ECHILD) && wt_real_now() < until) {
    WT_EACH(wt_process, process, wt.processes) kill(process->pid, SIGKILL);
    while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
      if (WIFSTOPPED(status)) kill(tid, SIGKILL);
      else ended(tid, status);
    }
    if (tid == 0) nap(nap_max);
  }
}

void wt_run(char *const arguments[]) {
  wt.jump_real = wt.now = wt.start = wt_real_now();
  wt.wall = (wt.given[WT_REALTIME] ? wt.given[WT_REALTIME] : read_clock(CLOCK_REALTIME)) - wt.now;
  start(arguments);
  run();
  if (wt.is_root_gone && !wt.has_begun) {
    const int failure = WEXITSTATUS(wt.status), is_filter = failure & 128;
    wt.outcome = "stopped";
    wt_stop(is_filter ? "filter refused" : NULL, "%s: %s", is_filter ? "seccomp" : arguments[0],
            strerror(failure & 127));
  }
  if (!wt.is_root_gone) wt.told[WT_VIRTUAL_TIME] = wt.now - wt.start;
  kill_all();
  wt.told[WT_REAL_TIME] = wt_real_now() - wt.start;
}

#endif
