// The threads and processes of a world.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The process of a thread; -1 if nobody traces the thread (proc_pid_status(5)). Its end may have been
// reported before its parent's clone was, and a parent that has not waited keeps it as a zombie.
static pid_t process_of(pid_t tid) {
  char text[2048];
  if (wt_read_proc(text, sizeof text, "/proc/%d/status", tid) <= 0) return -1;
  const char *process = strstr(text, "\nTgid:"), *tracer = strstr(text, "\nTracerPid:");
  return process && tracer && atoi(tracer + 11) ? atoi(process + 6) : -1;
}

struct wt_process *wt_process(struct wt_world *world, pid_t pid) {
  for (int place = 0; place < world->process_count; place++) {
    if (world->processes[place]->pid == pid) return world->processes[place];
  }
  return NULL;
}

bool wt_is_of_world(const struct wt_world *world, pid_t pid) {
  return pid > 0 && pid < WT_NUMBERS_MAX && world->numbers[pid / 8] >> pid % 8 & 1;
}

static struct wt_process *add_process(struct wt_world *world, pid_t pid) {
  if (world->process_count == WT_PROCESSES_MAX) {
    wt_stop(world, WT_VIRTUAL_TOO_MANY, "%d processes", WT_PROCESSES_MAX);
    return NULL;
  }
  struct wt_process *process = calloc(1, sizeof *process);
  if (!process) abort();
  process->pid = pid;
  world->numbers[pid % WT_NUMBERS_MAX / 8] |= (unsigned char)(1 << pid % 8);
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  process->memory = open(path, O_RDWR | O_CLOEXEC);
  world->processes[world->process_count++] = process;
  world->result->processes++;
  // The first one has this process's pages until its exec.
  if (pid != world->root) wt_inherit_clock(process);
  return process;
}

static int open_of(pid_t pid, pid_t tid, const char *name) {
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

struct wt_thread *wt_thread(struct wt_world *world, pid_t tid) {
  for (int place = 0; place < world->thread_count; place++) {
    if (world->threads[place]->tid == tid) return world->threads[place];
  }
  if (world->thread_count == WT_THREADS_MAX) {
    wt_stop(world, WT_VIRTUAL_TOO_MANY, "%d threads", WT_THREADS_MAX);
    return NULL;
  }
  const pid_t pid = process_of(tid);
  if (pid < 0) return NULL;
  const int call_file = open_of(pid, tid, "syscall");
  if (call_file < 0) {
    if (errno != ENOENT && errno != ESRCH) {
      wt_stop(world, WT_VIRTUAL_TOO_MANY, "no descriptor for a thread: %s", strerror(errno));
    }
    return NULL;
  }
  struct wt_process *process = wt_process(world, pid);
  if (!process) process = add_process(world, pid);
  struct wt_thread *thread = process ? calloc(1, sizeof *thread) : NULL;
  if (!thread) {
    close(call_file);
    return NULL;
  }
  thread->tid = tid;
  thread->process = process;
  process->threads++;
  thread->deadline = thread->kept_deadline = WT_NEVER;
  thread->zero_instant = -1;
  thread->call_file = call_file;
  thread->stat = open_of(pid, tid, "stat");
  thread->turns_file = open_of(pid, tid, "schedstat");
  world->threads[world->thread_count++] = thread;
  world->result->threads++;
  return thread;
}

static void remove_process(struct wt_world *world, struct wt_process *process) {
  for (int place = 0; place < world->process_count; place++) {
    if (world->processes[place] != process) continue;
    world->processes[place] = world->processes[--world->process_count];
    break;
  }
  wt_drop_timers(world, process->pid, false);
  if (process->memory >= 0) close(process->memory);
  free(process);
}

void wt_thread_gone(struct wt_world *world, pid_t tid) {
  for (int place = 0; place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    if (thread->tid != tid) continue;
    world->threads[place] = world->threads[--world->thread_count];
    world->processor_gone += thread->processor;
    close(thread->stat);
    close(thread->turns_file);
    close(thread->call_file);
    if (--thread->process->threads == 0) remove_process(world, thread->process);
    free(thread);
    return;
  }
}

void wt_threads_replaced(struct wt_world *world, pid_t pid) {
  for (int place = world->thread_count - 1; place >= 0; place--) {
    const struct wt_thread *thread = world->threads[place];
    if (thread->process->pid == pid && thread->tid != pid) wt_thread_gone(world, thread->tid);
  }
}

#endif
