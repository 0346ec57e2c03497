#if defined(__linux__)
#define _GNU_SOURCE
#include "CWindTunnelSystem.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int wt_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

int wt_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_ADD, descriptor, events, token);
}

int wt_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_MOD, descriptor, events, token);
}

int wt_epoll_remove(int epoll, int descriptor) {
  return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

int wt_epoll_wait(int epoll, struct wt_event *events, int capacity, int64_t nanoseconds) {
  struct epoll_event ready[256];
  if (capacity > 256) capacity = 256;
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  const struct timespec *until = nanoseconds < 0 ? 0 : &limit;
  static atomic_int is_missing;
  int count = -1;
  if (nanoseconds == 0) {
    count = epoll_wait(epoll, ready, capacity, 0);
  } else if (!atomic_load_explicit(&is_missing, memory_order_relaxed)) {
    // By number: the wrapper needs glibc 2.35. Milliseconds would make two of a timer of one.
    count = (int)syscall(SYS_epoll_pwait2, epoll, ready, capacity, until, 0, 0);
    // Linux before 5.11, or a container whose filter does not know the call.
    if (count < 0 && (errno == ENOSYS || errno == EPERM)) atomic_store(&is_missing, 1);
  }
  if (nanoseconds != 0 && atomic_load_explicit(&is_missing, memory_order_relaxed)) {
    struct pollfd waiting = {.fd = epoll, .events = POLLIN};
    count = ppoll(&waiting, 1, until, 0);
    if (count > 0) count = epoll_wait(epoll, ready, capacity, 0);
  }
  for (int i = 0; i < count; i++) {
    events[i].events = ready[i].events;
    events[i].token = ready[i].data.u64;
  }
  return count;
}

void wt_precise_timers(void) { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

int wt_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int wt_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int wt_unsent_bytes(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}
#else
// Darwin's module map has what it takes; a target needs one object file all the same.
typedef int wt_nothing;
#endif
