#if defined(__linux__)
#define _GNU_SOURCE
#include "CWindTunnelSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int put_stream(int place, int stream) {
  if (stream == WT_INHERITED) return 0;
  if (stream == WT_NOTHING) stream = open("/dev/null", place == 0 ? O_RDONLY : O_WRONLY);
  // One that is in its place already would be closed on exec where it is marked so.
  return stream == place ? fcntl(place, F_SETFD, 0) : dup2(stream, place);
}

static void close_others(long count) {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0) return;
#endif
  // Linux before 5.9.
  for (int number = STDERR_FILENO + 1; number < count; number++) close(number);
}

int wt_start(const char *path, char *const *arguments, char *const *environment,
             const int *streams, int ends_with_parent) {
  const pid_t parent = getpid();
  const long count = sysconf(_SC_OPEN_MAX);
  // A launcher may have left it ignored, and the system then keeps no child's status: wait(2).
  struct sigaction ends;
  sigaction(SIGCHLD, 0, &ends);
  if (ends.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
  sigset_t all, none, before;
  sigfillset(&all);
  sigemptyset(&none);
  // No handler of this process may run in the child, which has this process's memory.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int code = 0;
  const pid_t child = vfork();
  if (child == 0) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    setpgid(0, 0);
    if (ends_with_parent) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      // It may have ended before that.
      if (getppid() != parent) _exit(127);
    }
    for (int place = 0; place < 3; place++) {
      if (put_stream(place, streams[place]) < 0) {
        code = errno;
        _exit(127);
      }
    }
    close_others(count);
    sigprocmask(SIG_SETMASK, &none, 0);
    execve(path, arguments, environment);
    code = errno;
    _exit(127);
  }
  const int failure = child < 0 ? errno : code;
  pthread_sigmask(SIG_SETMASK, &before, 0);
  if (failure == 0) return child;
  if (child > 0) while (waitpid(child, 0, 0) < 0 && errno == EINTR) {}
  errno = failure;
  return -1;
}

int wt_loopback_up(void) {
  int number = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (number < 0) return -1;
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strcpy(request.ifr_name, "lo");
  int result = ioctl(number, SIOCGIFFLAGS, &request);
  if (result == 0) {
    request.ifr_flags |= IFF_UP;
    result = ioctl(number, SIOCSIFFLAGS, &request);
  }
  int failure = errno;
  close(number);
  errno = failure;
  return result;
}
#else
// Darwin's module map has what it takes; a target needs an object file all the same.
typedef int wt_no_process;
#endif
