// What happens when a system call stops for the tracer, and when one ends.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

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

// Refuses what reaches beyond the world, and what would take the tracer's place.
static bool refuse_call(struct wt_thread *thread) {
  const int64_t call = wt_call(thread);
  const bool sends = call == SYS_kill || call == SYS_rt_sigqueueinfo || call == SYS_process_vm_writev;
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
