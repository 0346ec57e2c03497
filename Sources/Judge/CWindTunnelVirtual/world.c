// A world: its start, the loop in which its time passes, and its end.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <sys/resource.h>

// Between two looks at a world that is busy.
static const int64_t nap_min = 20000, nap_max = 2 * WT_MILLISECOND, asks_nap = 200000;
// All sleep and none has a deadline: for so long it may be a mistake.
static const int64_t asleep_after = 200 * WT_MILLISECOND;
// What the first program leaves behind may run on for so long, in real time.
static const int64_t rest_patience = 500 * WT_MILLISECOND, end_patience = 5 * WT_SECOND;

struct wt_world wt = {
  .given = {[WT_LIMIT] = 7200 * WT_SECOND, [WT_PROCESSOR_LIMIT] = 20 * WT_SECOND},
};

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

// MARK: The loop

// All sleep for ever: names each call, or who outside is waited for.
static void tell_asleep(void) {
  WT_EACH(wt_thread, thread, wt.threads) {
    const int number = thread->foreign < 0 ? wt_foreign_polled(thread) : thread->foreign;
    if (number >= 0) {
      wt_stop("foreign descriptor", WT_WAITS_OUTSIDE, thread->pid, number);
      return;
    }
    const size_t used = strlen(wt.asleep);
    snprintf(wt.asleep + used, sizeof wt.asleep - used, "%d call %ld %ld\n", thread->tid,
             thread->call, thread->arguments[0]);
  }
  if (!wt.is_root_gone) wt.outcome = "asleep for ever";
  wt.is_over = true;
}

static void nap(int64_t length) {
  const struct timespec time = {0, length};
  sigtimedwait(&children, NULL, &time);
}

// Ends the world if nothing is left of it, or by real time.
static void check_end(void) {
  const int64_t now = wt_real_now(), limit = wt.given[WT_REAL_LIMIT];
  const bool is_rest_late = wt.is_root_gone && now - wt.jump_real > rest_patience;
  if (!wt.threads.count || is_rest_late) wt.is_over = true;
  // What has not begun may still find out that it cannot.
  const bool is_late = limit && wt.has_begun && now - wt.start > limit;
  if (is_late) wt_stop("real limit", "%ld ms", limit / WT_MILLISECOND);
  // PR_SET_PDEATHSIG comes when the parent's thread ends (PR_SET_PDEATHSIG(2const)).
  if (wt.parent && getppid() != wt.parent) wt_stop(NULL, "the parent ended");
}

static void run(void) {
  int64_t length = nap_min, idle_since = 0;
  while (!wt.is_over) {
    const bool is_any = wt_take_stops() > 0;
    check_end();
    if (wt.is_over) return;
    // Looks at the clock stop one after the other; the barrier comes when they pause.
    if (is_any && wt.asks) {
      nap(asks_nap);
      continue;
    }
    const int64_t now = wt_real_now();
    const bool is_quiet = wt.has_begun && wt_is_quiet();
    if (wt.has_news) length = nap_min;
    if (wt.has_news || !is_quiet) idle_since = now;
    wt.has_news = false;
    if (!is_quiet) wt_busy();
    else if (wt_jump()) wt.has_news = true;
    else if (now - idle_since > asleep_after) tell_asleep();
    if (wt.has_news || wt.is_over) continue;
    nap(is_quiet ? nap_max : length);
    if (!is_quiet) length = 2 * length < nap_max ? 2 * length : nap_max;
  }
}

// MARK: Start and end

// Runs in the child: calls only what is async-signal-safe, but execvp, before it is the program. It
// ends with the error's number, and 128 is the filter's.
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
  const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
      | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, wt.root, 0, (void *)options)) {
    wt_stop("unsupported", "no ptrace: %s", strerror(errno));
  } else if (!wt_flight_works()) {
    wt_stop("unsupported", "the kernel reports no connections (tcp_diag)");
  }
  wt_thread(wt.root);
  wt_note_inherited();
  if (!wt.is_over && write(gate[1], "g", 1) != 1) abort();
  close(gate[0]);
  close(gate[1]);
}

// Kills what is left, and waits for its end. All of it is traced, or stops before its first line.
static void kill_all(void) {
  const int64_t until = wt_real_now() + end_patience;
  int count = 0;
  while (count >= 0 && wt_real_now() < until) {
    WT_EACH(wt_process, process, wt.processes) kill(process->pid, SIGKILL);
    count = wt_take_stops();
    if (count == 0) nap(nap_max);
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
  kill_all();
  wt.told[WT_REAL_TIME] = wt_real_now() - wt.start;
}

#endif
