// The threads and processes of a world.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

// What is beyond these limits ends a world. The highest number of a process is the kernel's (pid_max in
// proc_sys_kernel(5)).
enum { THREADS_MAX = 2048, PROCESSES_MAX = 1024, NUMBERS_MAX = 1 << 22 };

// Each number that a process of the world has had. Of these pages only those that are written to exist.
static bool is_ours[NUMBERS_MAX];

void *wt_add(struct wt_list *list, size_t size, int max, const char *names) {
  if (list->count == max) wt_stop("too many", "%d %s", max, names);
  if (list->count == max) return NULL;
  struct wt_link *link = calloc(1, size);
  if (!link) abort();
  link->next = list->first;
  list->first = link;
  list->count++;
  return link;
}

void wt_remove(struct wt_list *list, struct wt_link *link) {
  struct wt_link **place = &list->first;
  while (*place != link) place = &(*place)->next;
  *place = link->next;
  list->count--;
  free(link);
}

// The process of a thread; -1 if nobody traces the thread (proc_pid_status(5)). Its end may have been
// reported before its parent's clone was, and a parent that has not waited keeps it as a zombie.
static pid_t process_of(pid_t tid) {
  char text[2048];
  wt_read_proc(text, sizeof text, wt_open_proc(O_RDONLY, "/proc/%d/status", tid));
  const char *process = strstr(text, "\nTgid:"), *tracer = strstr(text, "\nTracerPid:");
  return process && tracer && atoi(tracer + 11) ? atoi(process + 6) : -1;
}

bool wt_is_of_world(pid_t pid) { return pid > 0 && pid < NUMBERS_MAX && is_ours[pid]; }

static struct wt_process *find_process(pid_t pid) {
  WT_EACH(wt_process, known, wt.processes) {
    if (known->pid == pid) return known;
  }
  struct wt_process *process = wt_add(&wt.processes, sizeof *process, PROCESSES_MAX, "processes");
  if (!process) return NULL;
  process->pid = pid;
  is_ours[pid % NUMBERS_MAX] = true;
  wt.told[WT_PROCESSES]++;
  // The first one has this process's pages until its exec.
  if (pid != wt.root) wt_find_words(process);
  return process;
}

struct wt_thread *wt_thread(pid_t tid) {
  WT_EACH(wt_thread, known, wt.threads) {
    if (known->tid == tid) return known;
  }
  const pid_t pid = process_of(tid);
  struct wt_process *process = pid < 0 ? NULL : find_process(pid);
  struct wt_thread *thread = process ? wt_add(&wt.threads, sizeof *thread, THREADS_MAX, "threads") : NULL;
  if (!thread) return NULL;
  thread->tid = tid;
  thread->process = process;
  process->threads++;
  wt.told[WT_THREADS]++;
  thread->due.deadline = thread->kept_deadline = WT_NEVER;
  thread->zero_instant = thread->foreign = -1;
  static const char *const names[WT_THREAD_FILES] = {"stat", "schedstat", "syscall"};
  for (int file = 0; file < WT_THREAD_FILES; file++) {
    thread->files[file] = wt_open_proc(O_RDONLY, "/proc/%d/task/%d/%s", pid, tid, names[file]);
  }
  if (thread->files[WT_CALL_FILE] >= 0) return thread;
  if (errno == EMFILE || errno == ENFILE) wt_stop("too many", "no descriptor for a thread");
  wt_thread_gone(thread);
  return NULL;
}

void wt_thread_gone(struct wt_thread *thread) {
  struct wt_process *process = thread->process;
  wt.processor_gone += thread->processor;
  for (int file = 0; file < WT_THREAD_FILES; file++) close(thread->files[file]);
  wt_remove(&wt.threads, &thread->link);
  if (--process->threads) return;
  wt_drop_timers(process->pid, false);
  wt_remove(&wt.processes, &process->link);
}

#endif
