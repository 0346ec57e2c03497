// The threads and processes of a world, and reading and writing of what they have.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <sys/stat.h>
#include <sys/uio.h>

// What is beyond these limits ends a world. The highest number of a process is the kernel's
// (pid_max in proc_sys_kernel(5)).
enum { THREADS_MAX = 2048, PROCESSES_MAX = 1024, NUMBERS_MAX = 1 << 22 };

// Each number that a process of the world has had. Of these pages only those that are written to
// exist.
static bool is_ours[NUMBERS_MAX];

// MARK: Tables

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

// The process of a thread; -1 if nobody traces the thread (proc_pid_status(5)). Its end may have
// been reported before its parent's clone was, and a parent that has not waited keeps it as a
// zombie.
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
  if (!process) return NULL;
  struct wt_thread *thread = wt_add(&wt.threads, sizeof *thread, THREADS_MAX, "threads");
  if (!thread) return NULL;
  thread->pid = pid;
  thread->tid = tid;
  thread->process = process;
  process->threads++;
  wt.told[WT_THREADS]++;
  thread->due.deadline = thread->kept_deadline = WT_NEVER;
  thread->foreign = -1;
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
  wt_turns(thread);
  wt.processor_gone += thread->processor;
  for (int file = 0; file < WT_THREAD_FILES; file++) close(thread->files[file]);
  wt_remove(&wt.threads, &thread->link);
  if (--process->threads) return;
  wt_drop_timers(process->pid, false);
  wt_remove(&wt.processes, &process->link);
}

// MARK: Memory and files

bool wt_peek(pid_t tid, void *to, int64_t from, size_t size) {
  struct iovec local = {to, size}, remote = {(void *)from, size};
  return process_vm_readv(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool wt_poke(pid_t tid, const void *from, int64_t to, size_t size) {
  struct iovec local = {(void *)(uintptr_t)from, size}, remote = {(void *)to, size};
  return process_vm_writev(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool wt_peek_time(pid_t tid, int64_t place, int64_t unit, int64_t *length) {
  int64_t pair[2];
  if (!wt_peek(tid, pair, place, sizeof pair)) return false;
  // The kernel refuses it (EINVAL).
  if (pair[0] < 0 || pair[1] < 0 || pair[1] >= WT_SECOND / unit) return false;
  const int64_t seconds_max = WT_YEARS / WT_SECOND;
  *length = (pair[0] < seconds_max ? pair[0] : seconds_max) * WT_SECOND + pair[1] * unit;
  return true;
}

bool wt_poke_time(pid_t tid, int64_t length, int64_t place, int64_t unit) {
  const int64_t pair[2] = {length / WT_SECOND, length % WT_SECOND / unit};
  return wt_poke(tid, pair, place, sizeof pair);
}

int wt_open_proc(int flags, const char *format, ...) {
  char path[96];
  va_list list;
  va_start(list, format);
  vsnprintf(path, sizeof path, format, list);
  va_end(list);
  return open(path, flags | O_CLOEXEC);
}

bool wt_read_kept(char *text, size_t size, int file) {
  const ssize_t count = pread(file, text, size - 1, 0);
  text[count > 0 ? count : 0] = 0;
  return count > 0;
}

void wt_read_proc(char *text, size_t size, int file) {
  wt_read_kept(text, size, file);
  close(file);
}

uint64_t wt_inode(pid_t pid, int descriptor) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, descriptor);
  // It goes through to the file that is open, which has no path (proc_pid_fd(5)).
  if (stat(path, &status) || !(S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode))) return 0;
  // A FIFO with a path has a number of its file system, and pipes have their own.
  return status.st_ino ^ (uint64_t)status.st_dev << 40;
}

int wt_take(pid_t pid, int descriptor) {
  const int process = (int)syscall(SYS_pidfd_open, pid, 0);
  const int taken = (int)syscall(SYS_pidfd_getfd, process, descriptor, 0);
  close(process);
  return taken;
}

#endif
