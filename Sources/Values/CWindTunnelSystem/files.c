#define _POSIX_C_SOURCE 200809L
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif
#include "CWindTunnelSystem.h"

#include <sys/stat.h>

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void wt_file_stamp(const char *path, int64_t *stamp) {
  struct stat status;
  if (stat(path, &status) != 0) return;
  stamp[0] = (int64_t)status.st_dev;
  stamp[1] = (int64_t)status.st_ino;
  stamp[2] = (int64_t)status.st_size;
  stamp[3] = nanoseconds(status.st_mtim);
  stamp[4] = nanoseconds(status.st_ctim);
}
