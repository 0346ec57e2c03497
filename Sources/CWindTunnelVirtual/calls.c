// What happens when a system call stops for the tracer, and when one ends.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// Whether a number as in kill(2) means processes of the world alone.
static bool is_within(struct wt_world *world, pid_t pid) {
  if (pid == -1) return false;
  if (pid >= 0) return pid == 0 || wt_is_of_world(world, pid) || (kill(pid, 0) && errno == ESRCH);
  for (int place = 0; place < world->process_count; place++) {
    if (getpgid(world->processes[place]->pid) == -pid) return true;
  }
  return kill(pid, 0) && errno == ESRCH;
}

// Refuses what reaches beyond the world, and what would take the tracer's place.
static bool refuse_call(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  const long call = wt_call(registers);
  const pid_t pid = (pid_t)*wt_argument(registers, 0);
  if (call == SYS_ptrace) {
    wt_reason(world, WT_VIRTUAL_TRACED_ITSELF, "process %d called ptrace", thread->process->pid);
  } else if (call != SYS_kill && call != SYS_rt_sigqueueinfo && call != SYS_process_vm_writev) {
    return false;
  } else if (is_within(world, pid)) {
    return false;
  }
  world->result->refused++;
  wt_skip(thread, registers, -EPERM);
  return true;
}

void wt_trapped(struct wt_world *world, struct wt_thread *thread) {
  world->result->traps++;
  wt_registers registers;
  unsigned long data = 0;
  if (ptrace(PTRACE_GETREGS, thread->tid, 0, &registers)) return;
  ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &data);
  if (data == 1 && wt_call(&registers) != -1) {
    wt_stop(world, WT_VIRTUAL_OTHER_PROCESSOR, "process %d is a 32-bit program", thread->process->pid);
    return;
  }
  if (wt_begin_wait(world, thread, &registers) || wt_clock_call(world, thread, &registers)
      || wt_timer_call(world, thread, &registers) || wt_socket_call(world, thread, &registers)
      || refuse_call(world, thread, &registers)) {
    return;
  }
  ptrace(PTRACE_CONT, thread->tid, 0, 0);
}

void wt_call_ended(struct wt_world *world, struct wt_thread *thread) {
  wt_registers registers;
  if (ptrace(PTRACE_GETREGS, thread->tid, 0, &registers)) return;
  if (thread->pending == WT_WAIT) {
    wt_end_wait(world, thread, &registers);
    return;
  }
  if (thread->pending == WT_CONNECT) wt_connected(world, thread, wt_answer(&registers));
  if (thread->pending == WT_LISTEN) wt_listened(world, thread, wt_answer(&registers));
  if (thread->pending == WT_TIMER_CREATE) wt_timer_created(world, thread, &registers);
  if (thread->fires) {
    // Its timeout is over: the connection goes on being made (SO_SNDTIMEO in socket(7)).
    if (wt_answer(&registers) <= -512) wt_set_answer(&registers, -EINPROGRESS);
    ptrace(PTRACE_SETREGS, thread->tid, 0, &registers);
    thread->fires = thread->is_on_socket = false;
    thread->deadline = WT_NEVER;
  }
  thread->pending = WT_NOTHING;
  ptrace(PTRACE_CONT, thread->tid, 0, 0);
}

#endif
