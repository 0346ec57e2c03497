// What happens when a thread stops for the tracer: at a system call, a signal, or an event of its
// life.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

enum { ASKS_FOR_LIMIT = 22356 };

bool wt_skip(struct wt_thread *thread, int64_t answer) {
  wt_call(thread) = -1;
  wt_answer(thread) = answer;
  return true;
}

// MARK: System calls

// Whether a number as in kill(2) means processes of the world alone.
static bool is_within(pid_t pid) {
  if (pid == -1) return false;
  if (pid == 0 || wt_is_of_world(pid)) return true;
  WT_EACH(wt_process, process, wt.processes) {
    if (pid < 0 && getpgid(process->pid) == -pid) return true;
  }
  return kill(pid, 0) && errno == ESRCH;
}

static bool is_thread(pid_t tid) {
  WT_EACH(wt_thread, thread, wt.threads) {
    if (thread->tid == tid) return true;
  }
  return kill(tid, 0) && errno == ESRCH;
}

// The drill's question, by a signal that no kernel has: kill(-GROUP, ASKS_FOR_LIMIT). If no thread
// of these processes has a deadline, the answer is a call in which one sleeps and its first
// argument, plus one; 0 if one has.
static int64_t sleep_without_limit(pid_t group) {
  int64_t answer = 0;
  WT_EACH(wt_timer, timer, wt.timers) {
    if (timer->due.deadline != WT_NEVER && getpgid(timer->pid) == group) return 0;
  }
  WT_EACH(wt_thread, thread, wt.threads) {
    if (getpgid(thread->pid) != group) continue;
    if (thread->due.deadline != WT_NEVER) return 0;
    // Others are what they wait for.
    const int64_t call = thread->call;
    const bool is_behind = call == SYS_wait4 || call == SYS_waitid || call == SYS_futex;
    if (!answer || !is_behind) answer = (call << 16 | (thread->arguments[0] & 0xffff)) + 1;
  }
  return answer;
}

// Calls whose first argument is a process.
static const int aimed[] = {
  SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open,
  SYS_process_vm_writev,
};

// Refuses what reaches beyond the world, and what would take the tracer's place.
static bool refuse_call(struct wt_thread *thread) {
  const int64_t call = wt_call(thread);
  const pid_t target = (pid_t)wt_argument(thread, 0);
  bool reaches_out = call == SYS_tkill && !is_thread(target);
  for (int place = 0; place < WT_COUNT(aimed); place++) {
    if (call == aimed[place]) reaches_out = !is_within(target);
  }
  const bool asks = call == SYS_kill && wt_argument(thread, 1) == ASKS_FOR_LIMIT;
  if (asks) return wt_skip(thread, sleep_without_limit(-target));
  if (call == SYS_ptrace) {
    wt_reason("traced itself", "process %d called ptrace", thread->pid);
  } else if (!reaches_out) {
    return false;
  }
  wt.told[WT_REFUSED]++;
  return wt_skip(thread, -EPERM);
}

static void call_trapped(struct wt_thread *thread) {
  unsigned long data = 0;
  if (ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->registers)) return;
  ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &data);
  if (data == 1 && wt_call(thread) != -1) {
    wt_stop("other processor", "process %d is a 32-bit program", thread->pid);
  } else if (wt_begin_wait(thread) || wt_clock_call(thread) || wt_timer_call(thread)
             || wt_socket_call(thread) || refuse_call(thread)) {
    ptrace(PTRACE_SETREGS, thread->tid, 0, &thread->registers);
  }
}

static void call_ended(struct wt_thread *thread) {
  if (ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->registers)) return;
  if (thread->at_end) thread->at_end(thread);
  // The timeout of its socket is over: the connection goes on being made (SO_SNDTIMEO in
  // socket(7)).
  if (thread->fires && wt_answer(thread) <= -512) wt_answer(thread) = -EINPROGRESS;
  ptrace(PTRACE_SETREGS, thread->tid, 0, &thread->registers);
  thread->fires = false;
  thread->at_end = NULL;
  thread->due.deadline = WT_NEVER;
}

// MARK: Other stops

// PTRACE_EVENT_STOP: a new thread or our interrupt, by SIGTRAP; or a job control stop, by its
// signal (ptrace(2), "Group-stop").
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
}

static void executed(struct wt_thread *thread) {
  wt.has_begun = true;
  WT_EACH(wt_thread, other, wt.threads) {
    if (other->process == thread->process && other != thread) wt_thread_gone(other);
  }
  wt_drop_timers(thread->pid, true);
  thread->at_end = NULL;
  thread->due.deadline = thread->kept_deadline = WT_NEVER;
  thread->fires = false;
  wt_install_clock(thread->process);
  if (wt_turns(thread)) return;
  wt_stop("unsupported", "the kernel does not count turns (CONFIG_SCHED_INFO)");
}

static void begun(struct wt_thread *thread, int event) {
  unsigned long number = 0;
  thread->is_in_vfork = event == PTRACE_EVENT_VFORK;
  ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &number);
  if (event == PTRACE_EVENT_EXEC) executed(thread);
  else wt_thread((pid_t)number);
}

static void ended(pid_t tid, int status) {
  WT_EACH(wt_thread, thread, wt.threads) {
    if (thread->tid == tid) wt_thread_gone(thread);
  }
  if (tid != wt.root) return;
  wt.is_root_gone = true;
  wt.status = status;
  wt.jump_real = wt_real_now();
}

// A wait does not keep its deadline if the program has a handler for the signal, or if that is not
// known.
static void signalled(struct wt_thread *thread, int signal) {
  if (thread->kept_deadline == WT_NEVER) return;
  char text[4096];
  wt_read_proc(text, sizeof text, wt_open_proc(O_RDONLY, "/proc/%d/status", thread->tid));
  const char *line = strstr(text, "\nSigCgt:");
  const bool is_caught = !line || (strtoull(line + 8, NULL, 16) >> (signal - 1) & 1);
  if (is_caught) thread->kept_deadline = WT_NEVER;
}

static void handle(pid_t tid, int status) {
  struct wt_thread *thread = WIFSTOPPED(status) && !wt.is_over ? wt_thread(tid) : NULL;
  if (!WIFSTOPPED(status)) ended(tid, status);
  // There is no room for it, or the world is over.
  else if (!thread) kill(tid, SIGKILL);
  if (!thread) return;
  thread->listens = thread->is_in_vfork = false;
  thread->turns = 0;
  const int signal = WSTOPSIG(status), event = status >> 16;
  const bool is_call = signal == (SIGTRAP | 0x80);
  if (is_call) call_ended(thread);
  else if (event == PTRACE_EVENT_SECCOMP) call_trapped(thread);
  else if (event == PTRACE_EVENT_STOP) stopped(thread, signal);
  else if (event) begun(thread, event);
  else signalled(thread, signal);
  if (wt.is_over) return;
  const int request =
      thread->listens ? PTRACE_LISTEN : thread->at_end ? PTRACE_SYSCALL : PTRACE_CONT;
  ptrace(request, tid, 0, (void *)(intptr_t)(is_call || event ? 0 : signal));
}

int wt_take_stops(void) {
  int status, count = 0;
  pid_t tid;
  for (; (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0; count++) handle(tid, status);
  if (count) wt.has_news = true;
  return count ? count : tid;
}

#endif
