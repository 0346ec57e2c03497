// What happens when a system call stops for the tracer, and when one ends.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

enum { ASKS_FOR_LIMIT = 22356 };

void wt_go_on(const struct wt_thread *thread, int signal) {
  ptrace(thread->at_end ? PTRACE_SYSCALL : PTRACE_CONT, thread->tid, 0, (void *)(intptr_t)signal);
}

void wt_skip(struct wt_thread *thread, int64_t answer) {
  wt_call(thread) = -1;
  wt_answer(thread) = answer;
}

// Whether a number as in kill(2) means processes of the world alone.
static bool is_within(pid_t pid) {
  if (pid == -1) return false;
  if (pid == 0 || wt_is_of_world(pid)) return true;
  WT_EACH(wt_process, process, wt.processes) {
    if (pid < 0 && getpgid(process->pid) == -pid) return true;
  }
  return kill(pid, 0) && errno == ESRCH;
}

// The drill's question, by a signal that no kernel has: kill(-GROUP, ASKS_FOR_LIMIT). If no thread of these
// processes has a deadline, the answer is a call in which one sleeps and its first argument; 0 if one has.
static int64_t sleep_without_limit(pid_t group) {
  int64_t answer = 0;
  WT_EACH(wt_timer, timer, wt.timers) {
    if (timer->due.deadline != WT_NEVER && getpgid(timer->pid) == group) return 0;
  }
  WT_EACH(wt_thread, thread, wt.threads) {
    if (getpgid(thread->process->pid) != group) continue;
    if (thread->due.deadline != WT_NEVER) return 0;
    // Others are what they wait for.
    const int64_t call = thread->call;
    const bool is_behind = call == SYS_wait4 || call == SYS_waitid || call == SYS_futex;
    if (!answer || !is_behind) answer = call << 16 | (thread->arguments[0] & 0xffff);
  }
  return answer;
}

// Refuses what reaches beyond the world, and what would take the tracer's place.
static bool refuse_call(struct wt_thread *thread) {
  const int64_t call = wt_call(thread);
  const bool sends = call == SYS_kill || call == SYS_rt_sigqueueinfo || call == SYS_process_vm_writev;
  if (call == SYS_kill && wt_argument(thread, 1) == ASKS_FOR_LIMIT) {
    wt_skip(thread, sleep_without_limit(-(pid_t)wt_argument(thread, 0)));
    return true;
  }
  if (call == SYS_ptrace) wt_reason("traced itself", "process %d called ptrace", thread->process->pid);
  else if (!sends || is_within((pid_t)wt_argument(thread, 0))) return false;
  wt.told[WT_REFUSED]++;
  wt_skip(thread, -EPERM);
  return true;
}

void wt_trapped(struct wt_thread *thread) {
  unsigned long data = 0;
  if (ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->registers)) return;
  ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &data);
  if (data == 1 && wt_call(thread) != -1) {
    wt_stop("other processor", "process %d is a 32-bit program", thread->process->pid);
    return;
  }
  const bool is_changed = wt_begin_wait(thread) || wt_clock_call(thread) || wt_timer_call(thread)
      || wt_socket_call(thread) || refuse_call(thread);
  if (is_changed) ptrace(PTRACE_SETREGS, thread->tid, 0, &thread->registers);
  wt_go_on(thread, 0);
}

void wt_call_ended(struct wt_thread *thread) {
  if (ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->registers)) return;
  if (thread->at_end) thread->at_end(thread);
  // The timeout of its socket is over: the connection goes on being made (SO_SNDTIMEO in socket(7)).
  if (thread->fires && wt_answer(thread) <= -512) wt_answer(thread) = -EINPROGRESS;
  ptrace(PTRACE_SETREGS, thread->tid, 0, &thread->registers);
  thread->fires = false;
  thread->at_end = NULL;
  thread->due.deadline = WT_NEVER;
  wt_go_on(thread, 0);
}

#endif
