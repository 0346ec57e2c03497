#ifndef WINDTUNNEL_CSYSTEM_H
#define WINDTUNNEL_CSYSTEM_H

// What Glibc's module map lacks. The feature macros stay in the one .c file: defined in a header
// they would change what other modules see of the C library.

#if defined(__linux__)
#include <stdint.h>

/// One readiness event: the bits of epoll and the token the descriptor was registered with.
struct wt_event {
  uint32_t events;
  uint64_t token;
};

enum {
  WT_READABLE = 0x001,
  WT_WRITABLE = 0x004,
  WT_ERROR = 0x008,
  WT_HANGUP = 0x010,
  WT_READ_HANGUP = 0x2000,
};

/// Has a program that is about to be spawned start with nothing open but its standard streams; `actions`
/// is a `posix_spawn_file_actions_t *`.
int wt_close_others(void *actions);

int wt_epoll_create(void);
int wt_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token);
int wt_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t token);
int wt_epoll_remove(int epoll, int descriptor);
/// Waits at most `nanoseconds` (negative: for ever) and returns how many events were written, or -1.
int wt_epoll_wait(int epoll, struct wt_event *events, int capacity, int64_t nanoseconds);
/// Lets the calling thread's waits end when they should, not up to 50 microseconds later.
void wt_precise_timers(void);
/// Accepts one connection, non-blocking and closed on exec; -1 and errno where there is none.
int wt_accept(int listener);
/// A descriptor that another thread can make readable.
int wt_eventfd(void);
/// A descriptor that tells of files, or -1.
int wt_inotify(void);
/// Tells of saves in a folder; the number that its events bear, or -1.
int wt_inotify_add(int inotify, const char *folder);
/// Whether an event says that a file was saved or moved here, or that a folder has come.
int wt_inotify_is_save(uint32_t mask);
/// The count of bytes the kernel has not yet sent to the peer, or -1.
int wt_unsent_bytes(int socket);
#endif

#endif
