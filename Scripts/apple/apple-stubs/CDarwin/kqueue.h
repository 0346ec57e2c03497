// kqueue(2) as Darwin's <sys/event.h> declares it.
#include <stdint.h>
#include <time.h>

struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  intptr_t data;
  void *udata;
};

int kqueue(void);
int kevent(int queue, const struct kevent *changes, int changes_count, struct kevent *events,
           int events_count, const struct timespec *limit);

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_PROC (-5)
#define EVFILT_USER (-10)
#define EVFILT_EXCEPT (-15)
#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_ENABLE 0x0004
#define EV_DISABLE 0x0008
#define EV_ONESHOT 0x0010
#define EV_CLEAR 0x0020
#define EV_RECEIPT 0x0040
#define EV_ERROR 0x4000
#define EV_EOF 0x8000
#define NOTE_TRIGGER 0x01000000
#define NOTE_LOWAT 0x00000001
#define NOTE_OOB 0x00000002
#define NOTE_EXIT 0x80000000
