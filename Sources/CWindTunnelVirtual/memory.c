// Reading and writing of programs, and of what the kernel tells about them.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

bool wt_peek(pid_t tid, void *to, uint64_t from, size_t size) {
  struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
  return process_vm_readv(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool wt_poke(pid_t tid, const void *from, uint64_t to, size_t size) {
  struct iovec local = {(void *)(uintptr_t)from, size}, remote = {(void *)(uintptr_t)to, size};
  return process_vm_writev(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

ssize_t wt_read_proc(char *text, size_t size, const char *format, ...) {
  char path[96];
  va_list list;
  va_start(list, format);
  vsnprintf(path, sizeof path, format, list);
  va_end(list);
  text[0] = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t count = read(file, text, size - 1);
  close(file);
  text[count > 0 ? count : 0] = 0;
  return count;
}

uint64_t wt_inode(pid_t pid, int descriptor) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, descriptor);
  // It goes through to the file that is open, which has no path (proc_pid_fd(5)).
  if (stat(path, &status)) return 0;
  return S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode) ? status.st_ino : 0;
}

int wt_take(pid_t pid, int descriptor) {
  const int process = (int)syscall(SYS_pidfd_open, pid, 0);
  if (process < 0) return -1;
  const int taken = (int)syscall(SYS_pidfd_getfd, process, descriptor, 0);
  close(process);
  return taken;
}

#endif
