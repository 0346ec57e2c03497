#if defined(__linux__)
#define _GNU_SOURCE
#include "forked.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: Forked processes

static void close_range_of(int first, int last) {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, first, (unsigned)last, 0) == 0) return;
#endif
  // Linux before 5.9.
  const long count = sysconf(_SC_OPEN_MAX);
  for (int number = first; number <= last && number < count; number++) close(number);
}

void wt_close_all_but(int one, int other) {
  const int low = one < other ? one : other, high = one < other ? other : one;
  if (low > 0) close_range_of(0, low - 1);
  if (high > low + 1) close_range_of(low < 0 ? 0 : low + 1, high - 1);
  close_range_of(high + 1, INT32_MAX);
}

void wt_write_all(int descriptor, const void *bytes, size_t count) {
  ssize_t written;
  do {
    written = write(descriptor, bytes, count);
  } while (written < 0 && errno == EINTR);
}

int wt_read_all(int descriptor, void *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    const ssize_t got = read(descriptor, (char *)bytes + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    done += (size_t)got;
  }
  return 0;
}

char *wt_put_decimal(char *place, unsigned number) {
  char digits[12];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *place++ = digits[--count];
  *place = 0;
  return place;
}

// Any folder that there is: what lies in it is hidden for as long as files are made.
static const char *const workshop = "/tmp";

/// Binds a file with a text over a place.
static int put_over(const char *place, const char *text) {
  static const char file[] = "/tmp/text";
  if (*text == 0) return mount("/dev/null", place, 0, MS_BIND, 0);
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return -1;
  // Whatever mask this process has.
  fchmod(descriptor, 0644);
  wt_write_all(descriptor, text, strlen(text));
  close(descriptor);
  const int result = mount(file, place, 0, MS_BIND, 0);
  const int failure = errno;
  // It stays where it is bound; the next one is another.
  unlink(file);
  errno = failure;
  return result;
}

int wt_enter(const struct wt_network *network) {
  if (setns(network->users, CLONE_NEWUSER) < 0 || setns(network->network, CLONE_NEWNET) < 0 ||
      unshare(CLONE_NEWNS) < 0 || mount("none", "/", 0, MS_REC | MS_PRIVATE, 0) < 0 ||
      mount("none", workshop, "tmpfs", 0, 0) < 0) {
    return -1;
  }
  for (const char *const *pair = network->places; pair[0] != 0; pair += 2) {
    if (put_over(pair[0], pair[1]) == 0) continue;
    if (errno != ENOENT && errno != ENOTDIR) return -1;
  }
  return umount2(workshop, MNT_DETACH);
}

// MARK: The helper

// The helper is forked from a process with many threads and never executes anything: it makes the
// namespaces, since a process with more than one thread cannot (unshare(2), CLONE_NEWUSER), and sockets
// in them, which it passes on (unix(7), SCM_RIGHTS).

enum { parts_max = 4 };

struct told {
  int failure;
  int step;
};

static const char *const steps[] = {
    "a user namespace with a network",
    "its users",
    "its loopback interface",
    "its port 53",
    "its files",
};

static int send_parts(int line, const struct told *told, const int *parts, int count) {
  struct iovec bytes = {(void *)told, sizeof *told};
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int) * parts_max)];
  } control;
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
    memcpy(CMSG_DATA(head), parts, sizeof(int) * (size_t)count);
  }
  ssize_t sent;
  do {
    sent = sendmsg(line, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -1 : 0;
}

/// Receives as many descriptors as were sent; their count, or -1 where nothing comes any more.
static int receive_parts(int line, struct told *told, int *parts) {
  struct iovec bytes = {told, sizeof *told};
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int) * parts_max)];
  } control;
  struct msghdr message = {
      .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got;
  do {
    got = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got != (ssize_t)sizeof *told) return -1;
  const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (head == 0 || head->cmsg_type != SCM_RIGHTS) return 0;
  const size_t size = head->cmsg_len - CMSG_LEN(0);
  memcpy(parts, CMSG_DATA(head), size);
  return (int)(size / sizeof(int));
}

static int put_text(const char *file, const char *text) {
  const int descriptor = open(file, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const ssize_t written = write(descriptor, text, strlen(text));
  const int failure = errno;
  close(descriptor);
  errno = failure;
  return written < 0 ? -1 : 0;
}

/// Lets everybody keep the number that they have outside, who can: whoever is not root only himself
/// (user_namespaces(7)).
static int keep_number(const char *file, unsigned number) {
  if (number == 0 && put_text(file, "0 0 4294967295\n") == 0) return 0;
  char text[48], *end = wt_put_decimal(text, number);
  *end++ = ' ';
  end = wt_put_decimal(end, number);
  strcpy(end, " 1\n");
  return put_text(file, text);
}

static int port_53(int type) {
  const int number = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (number < 0) return -1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(53)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(number, (struct sockaddr *)&address, sizeof address) < 0) return -1;
  if (type == SOCK_STREAM && listen(number, 1024) < 0) return -1;
  return number;
}

/// Makes everything; which step failed, or -1 where none did.
static int make(unsigned user, unsigned group, int *parts) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) return 0;
  if (keep_number("/proc/self/uid_map", user) < 0) return 1;
  if (keep_number("/proc/self/gid_map", group) < 0) {
    // Whoever is not root has to give something up for that. Older systems do not have it.
    put_text("/proc/self/setgroups", "deny");
    if (keep_number("/proc/self/gid_map", group) < 0) return 1;
  }
  if (wt_loopback_up() < 0) return 2;
  if ((parts[2] = port_53(SOCK_DGRAM)) < 0 || (parts[3] = port_53(SOCK_STREAM)) < 0) return 3;
  if ((parts[0] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC)) < 0 ||
      (parts[1] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) < 0) {
    return 4;
  }
  return -1;
}

/// Makes the network, and a socket in it as often as it is asked for one; never returns.
static void help(int line, unsigned user, unsigned group) {
  wt_close_all_but(line, -1);
  int parts[parts_max];
  struct told told = {0, make(user, group, parts)};
  if (told.step >= 0) told.failure = errno;
  send_parts(line, &told, parts, told.step < 0 ? parts_max : 0);
  if (told.step >= 0) _exit(1);
  for (int place = 0; place < parts_max; place++) close(parts[place]);
  char asked;
  while (wt_read_all(line, &asked, 1) == 0) {
    const int number = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    told = (struct told){number < 0 ? errno : 0, -1};
    if (send_parts(line, &told, &number, number < 0 ? 0 : 1) < 0) break;
    if (number >= 0) close(number);
  }
  _exit(0);
}

/// Forks with every signal blocked: no handler of this process may run in a child that has its memory.
static pid_t fork_quietly(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  const int failure = errno;
  if (child != 0) pthread_sigmask(SIG_SETMASK, &before, 0);
  errno = failure;
  return child;
}

static int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

int wt_network_open(struct wt_network_parts *parts) {
  parts->step = steps[0];
  int line[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0) return -1;
  const unsigned user = geteuid(), group = getegid();
  const pid_t helper = fork_quietly();
  if (helper == 0) help(line[1], user, group);
  const int failure = errno;
  close(line[1]);
  if (helper < 0) {
    close(line[0]);
    errno = failure;
    return -1;
  }
  struct told told = {EPIPE, 0};
  int found[parts_max];
  const int count = receive_parts(line[0], &told, found);
  if (count == parts_max) {
    *parts = (struct wt_network_parts){found[0], found[1], found[2], found[3], line[0], helper, 0};
    return 0;
  }
  close(line[0]);
  wait_for(helper);
  if (told.step >= 0 && told.step <= 4) parts->step = steps[told.step];
  errno = told.failure;
  return -1;
}

int wt_network_socket(const struct wt_network_parts *parts) {
  const char asked = 1;
  struct told told = {EPIPE, 0};
  int found[parts_max];
  // It may have been killed; then this is an error and no signal.
  ssize_t sent;
  do {
    sent = send(parts->line, &asked, 1, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent == 1 && receive_parts(parts->line, &told, found) == 1) return found[0];
  errno = told.failure;
  return -1;
}

void wt_network_close(const struct wt_network_parts *parts) {
  close(parts->line);
  wait_for(parts->helper);
  close(parts->users);
  close(parts->network);
}

int wt_network_try(const struct wt_network *network) {
  const pid_t child = fork_quietly();
  if (child < 0) return -1;
  if (child == 0) _exit(wt_enter(network) < 0 ? errno : 0);
  const int status = wait_for(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
  return -1;
}
#else
// Darwin has no namespaces; a target needs an object file all the same.
typedef int wt_no_network;
#endif
