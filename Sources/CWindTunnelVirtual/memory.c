// Reading and writing of programs, and of what the kernel tells about them.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/uio.h>

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

ssize_t wt_read_kept(char *text, size_t size, int file) {
  const ssize_t count = pread(file, text, size - 1, 0);
  text[count > 0 ? count : 0] = 0;
  return count;
}

ssize_t wt_read_proc(char *text, size_t size, int file) {
  const ssize_t count = wt_read_kept(text, size, file);
  close(file);
  return count;
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
