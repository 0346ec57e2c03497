#if defined(__linux__)
#define _GNU_SOURCE
#include "CWindTunnelSystem.h"
#include "forked.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The supervisor is forked from a process with many threads and never executes anything: it calls what
// is async-signal-safe alone (POSIX, fork).

// What has a supervisor end everything; the end of its parent's thread is told by the same.
static const int end_signal = SIGUSR1;
// How often it looks for further children then, and how often at the most: one in the kernel's hands
// that cannot be killed does not keep it for ever.
static const struct timespec look = {0, 10000000};
static const int looks_max = 500;

struct start {
  int failure;
  int program;
};

// MARK: Children

static int number_at(const char **text) {
  int number = 0;
  while (**text >= '0' && **text <= '9') number = number * 10 + (*(*text)++ - '0');
  return number;
}

/// Kills the children that the kernel lists (CONFIG_PROC_CHILDREN); -1 where it does not.
static int kill_listed(void) {
  char path[64];
  strcpy(path, "/proc/self/task/");
  strcpy(wt_put_decimal(path + strlen(path), (unsigned)getpid()), "/children");
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[4097];
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count < 0) return -1;
  text[count] = 0;
  for (const char *rest = text; *rest >= '0' && *rest <= '9';) {
    const int number = number_at(&rest);
    // One that the buffer has cut is killed when those before it are gone.
    if (*rest != ' ') break;
    kill(number, SIGKILL);
    rest++;
  }
  return 0;
}

struct entry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

static int parent_of(int process) {
  char path[64], text[512];
  strcpy(path, "/proc/");
  strcpy(wt_put_decimal(path + strlen(path), (unsigned)process), "/stat");
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return -1;
  text[count] = 0;
  // A name may have a bracket in it; behind the last one: " STATE PARENT".
  const char *rest = strrchr(text, ')');
  if (rest == 0 || strlen(rest) < 5) return -1;
  rest += 4;
  return number_at(&rest);
}

/// Kills whoever bears this process's number as its parent's.
static void kill_found(void) {
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const pid_t own = getpid();
  _Alignas(struct entry) char buffer[4096];
  long count;
  while ((count = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long place = 0; place < count;) {
      const struct entry *entry = (const struct entry *)(buffer + place);
      place += entry->length;
      const char *rest = entry->name;
      const int number = number_at(&rest);
      if (number > 1 && *rest == 0 && parent_of(number) == own) kill(number, SIGKILL);
    }
  }
  close(folder);
}

// MARK: Supervising

/// Waits for the program and whatever it leaves behind; never returns.
static void supervise(pid_t program, int report) {
  sigset_t all;
  sigfillset(&all);
  int runs = 1, looks = 0;
  while (1) {
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended != program) continue;
      runs = 0;
      wt_write_all(report, &status, sizeof status);
    }
    if (ended < 0 && errno == ECHILD) _exit(0);
    if (looks > looks_max) _exit(1);
    if (looks > 0) {
      looks++;
      if (kill_listed() < 0) kill_found();
    }
    const int came = looks > 0 ? sigtimedwait(&all, 0, &look) : sigwaitinfo(&all, 0);
    // While it has not been waited for nobody else bears its number.
    if (came == SIGTERM && runs && kill(-program, SIGTERM) < 0) kill(program, SIGTERM);
    if (came == end_signal) {
      if (runs) kill(-program, SIGKILL);
      if (looks == 0) looks = 1;
    }
  }
}

int wt_start_supervised(const char *path, char *const *arguments, char *const *environment,
                        const int *streams, int kept, const struct wt_network *network,
                        struct wt_supervised *result) {
  const pid_t parent = getpid();
  int line[2];
  if (pipe2(line, O_CLOEXEC) < 0) return -1;
  sigset_t all, before;
  sigfillset(&all);
  // No handler of this process may run in the supervisor, which has its memory's copy.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    setpgid(0, 0);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct start start = {0, -1};
    if (network == 0 || wt_enter(network) == 0) {
      // Behind a change of rights, which may take it back.
      prctl(PR_SET_PDEATHSIG, end_signal);
      // It may have ended before that.
      if (getppid() != parent) _exit(127);
      start.program = wt_start(path, arguments, environment, streams, 1);
    }
    if (start.program < 0) start.failure = errno;
    wt_write_all(line[1], &start, sizeof start);
    if (start.program < 0) _exit(127);
    wt_close_all_but(line[1], kept);
    supervise(start.program, line[1]);
  }
  const int failure = supervisor < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, 0);
  close(line[1]);
  struct start start = {failure, -1};
  if (failure == 0 && wt_read_all(line[0], &start, sizeof start) < 0) start.failure = ECHILD;
  if (start.program > 0) {
    *result = (struct wt_supervised){start.program, supervisor, line[0]};
    return 0;
  }
  close(line[0]);
  if (supervisor > 0) while (waitpid(supervisor, 0, 0) < 0 && errno == EINTR) {}
  errno = start.failure;
  return -1;
}

int wt_supervised_status(const struct wt_supervised *supervised) {
  int status;
  // A supervisor that was killed has taken the program along, which is told when it ends.
  if (wt_read_all(supervised->report, &status, sizeof status) < 0) status = SIGKILL;
  close(supervised->report);
  return status;
}

void wt_ask_supervised(const struct wt_supervised *supervised) {
  kill(supervised->supervisor, SIGTERM);
}

void wt_end_supervised(const struct wt_supervised *supervised) {
  kill(supervised->supervisor, end_signal);
}
#else
// Darwin's module map has what it takes; a target needs an object file all the same.
typedef int wt_no_supervisor;
#endif
