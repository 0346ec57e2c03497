// Sockets' timeouts, the peers of connections, and descriptors that came from outside.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { NAME_SERVER = 53, POLLED_MAX = 1024 };

// The calls that wait for their first argument to be readable; and behind these, to be writable.
static const int sleepers[] = {
  SYS_read, SYS_readv, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_accept, SYS_accept4,
  SYS_write, SYS_writev, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_sendfile, SYS_connect,
};
enum { READERS = 7 };

// Sockets are known by their inode.
static struct timeout { uint64_t inode; bool is_send; int64_t length; } timeouts[8192];
static int timeout_count;
// The ports on which a program of the world listens, as they are in addresses.
static bool is_listened[1 << 16];
// Pipes and sockets from outside, whatever number they get.
static uint64_t inherited[64];
static int inherited_count;

// MARK: Timeouts

static struct timeout *find_timeout(uint64_t inode, bool is_send) {
  for (int place = 0; place < timeout_count; place++) {
    if (timeouts[place].inode == inode && timeouts[place].is_send == is_send) return &timeouts[place];
  }
  return NULL;
}

// Keeps a timeout; the kernel never hears of it (SO_RCVTIMEO in socket(7)).
static bool keep_timeout(struct wt_thread *thread) {
  const bool is_send = wt_argument(thread, 2) == 21 || wt_argument(thread, 2) == 67;
  const uint64_t inode = wt_inode(thread->process->pid, (int)wt_argument(thread, 0));
  int64_t length;
  if (!inode || wt_argument(thread, 1) != SOL_SOCKET || wt_argument(thread, 4) < 16) return false;
  if (!wt_peek_time(thread->tid, wt_argument(thread, 3), 1000, &length)) return false;
  struct timeout *timeout = find_timeout(inode, is_send);
  if (!timeout && timeout_count == WT_COUNT(timeouts)) wt_stop("too many", "%d timeouts of sockets", timeout_count);
  if (!timeout && timeout_count == WT_COUNT(timeouts)) return false;
  if (!timeout) timeout = &timeouts[timeout_count++];
  *timeout = (struct timeout){inode, is_send, length};
  wt_skip(thread, 0);
  return true;
}

// MARK: Peers

// Zeros for an address of another family.
static struct wt_end end_of(const struct sockaddr *address) {
  const struct sockaddr_in *four = (const void *)address;
  const struct sockaddr_in6 *six = (const void *)address;
  struct wt_end end = {{0}, 0, 0};
  if (address->sa_family == AF_INET) end = (struct wt_end){{four->sin_addr.s_addr}, four->sin_port, AF_INET};
  if (address->sa_family != AF_INET6) return end;
  end = (struct wt_end){{0}, six->sin6_port, AF_INET6};
  memcpy(end.address, &six->sin6_addr, sizeof end.address);
  return IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) ? (struct wt_end){{end.address[3]}, end.port, AF_INET} : end;
}

static bool is_loopback(struct wt_end end) {
  if (end.family == AF_INET) return ntohl(end.address[0]) >> 24 == IN_LOOPBACKNET;
  return !end.address[0] && !end.address[1] && !end.address[2] && ntohl(end.address[3]) == 1;
}

static void reason_peer(struct wt_end end) {
  char name[INET6_ADDRSTRLEN] = "?";
  inet_ntop(end.family, end.address, name, sizeof name);
  wt_reason("foreign peer", "%s port %d", name, ntohs(end.port));
}

static void connected_to_path(int own, const char *path) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  // Of a stream it is the process that called listen (unix(7)), which may have ended.
  if (getsockopt(own, SOL_SOCKET, SO_PEERCRED, &credentials, &size)) return;
  if (!wt_is_of_world(credentials.pid)) wt_reason("foreign peer", "socket %.107s", path[0] ? path : path + 1);
}

// Finds the local end and the type of a socket by its inode (proc_pid_net(5)), which takes longer: Docker's
// default profile permits pidfd_getfd(2) with CAP_SYS_PTRACE alone. 0 is for any other kind of socket.
static int find_local(pid_t pid, int number, struct wt_end *local) {
  static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6"};
  char path[64], line[512], address[33];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, number);
  if (stat(path, &status)) return 0;
  for (int place = 0; place < WT_COUNT(tables); place++) {
    const int descriptor = wt_open_proc(O_RDONLY, "/proc/%d/net/%s", pid, tables[place]);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    bool is_found = false;
    while (file && !is_found && fgets(line, sizeof line, file)) {
      unsigned port = 0;
      unsigned long inode = 0;
      const int read = sscanf(line, "%*s %32[0-9A-F]:%X %*s %*s %*s %*s %*s %*s %*s %lu", address, &port, &inode);
      is_found = read == 3 && inode == status.st_ino;
      if (!is_found) continue;
      struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
      struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = six.sin6_port};
      for (int word = 0; word < 4; word++) sscanf(address + 8 * word, "%8X", &six.sin6_addr.s6_addr32[word]);
      four.sin_addr.s_addr = six.sin6_addr.s6_addr32[0];
      *local = end_of(place % 2 ? (void *)&six : (void *)&four);
    }
    if (file) fclose(file);
    if (is_found) return place < 2 ? SOCK_STREAM : SOCK_DGRAM;
  }
  return 0;
}

static void connected_to_port(struct wt_thread *thread, struct wt_end local, struct wt_end peer) {
  // Once is enough, even if the call has not ended.
  thread->at_end = NULL;
  // Of one that is refused on this machine no end is left. Where a queue is full there is no peer yet.
  bool has_local, has_peer;
  wt_flight_add(local, peer, &has_local, &has_peer);
  if (has_local && !(is_listened[peer.port] && (has_peer || is_loopback(peer)))) reason_peer(peer);
}

void wt_connected(struct wt_thread *thread) {
  const int64_t answer = wt_answer(thread);
  if (answer != 0 && answer != -EINPROGRESS) return;
  union { struct sockaddr any; struct sockaddr_un path; struct sockaddr_in6 six; } peer = {0}, local = {0};
  const size_t given = (size_t)wt_argument(thread, 2);
  if (!wt_peek(thread->tid, &peer, wt_argument(thread, 1), given < sizeof peer ? given : sizeof peer)) return;
  const int own = wt_take(thread->process->pid, (int)wt_argument(thread, 0));
  int type = 0;
  socklen_t size = sizeof type, local_size = sizeof local;
  getsockopt(own, SOL_SOCKET, SO_TYPE, &type, &size);
  getsockname(own, &local.any, &local_size);
  const struct wt_end end = end_of(&peer.any);
  struct wt_end local_end = end_of(&local.any);
  if (own < 0) type = find_local(thread->process->pid, (int)wt_argument(thread, 0), &local_end);
  if (own < 0 && peer.any.sa_family == AF_UNIX && !answer) wt_reason("foreign peer", "a socket with a path");
  const bool is_datagram = type == SOCK_DGRAM, is_path = type && peer.any.sa_family == AF_UNIX;
  if (type == SOCK_STREAM && end.port && local_end.port) connected_to_port(thread, local_end, end);
  if (is_path && !is_datagram && !answer) connected_to_path(own, peer.path.sun_path);
  // Other datagram sockets are connected to sort addresses, without a byte (getaddrinfo(3)).
  if (is_datagram && ntohs(end.port) == NAME_SERVER && !is_listened[end.port]) reason_peer(end);
  close(own);
}

// A datagram to somebody outside, such as a name server, may have a response.
static void note_datagram(struct wt_thread *thread) {
  struct sockaddr_in6 peer = {0};
  const size_t given = (size_t)wt_argument(thread, 5);
  if (!wt_peek(thread->tid, &peer, wt_argument(thread, 4), given < sizeof peer ? given : sizeof peer)) return;
  const struct wt_end end = end_of((struct sockaddr *)&peer);
  if (end.port && !is_listened[end.port]) reason_peer(end);
}

static void listened(struct wt_thread *thread) {
  struct sockaddr_storage local = {0};
  socklen_t size = sizeof local;
  const int own = wt_take(thread->process->pid, (int)wt_argument(thread, 0));
  if (!wt_answer(thread)) getsockname(own, (struct sockaddr *)&local, &size);
  struct wt_end end = end_of((struct sockaddr *)&local);
  if (own < 0) find_local(thread->process->pid, (int)wt_argument(thread, 0), &end);
  is_listened[end.port] = true;
  close(own);
}

bool wt_socket_call(struct wt_thread *thread) {
  const int64_t call = wt_call(thread);
  if (call == SYS_setsockopt) return keep_timeout(thread);
  if (call == SYS_sendto) note_datagram(thread);
  if (call != SYS_connect && call != SYS_bind && call != SYS_listen) return false;
  thread->at_end = call == SYS_connect ? wt_connected : listened;
  return true;
}

// MARK: Descriptors from outside

void wt_note_inherited(void) {
  for (int number = 0; number < 1024 && inherited_count < WT_COUNT(inherited); number++) {
    const uint64_t inode = wt_inode(wt.root, number);
    if (inode) inherited[inherited_count++] = inode;
  }
}

static bool is_inherited(uint64_t inode) {
  for (int place = 0; inode && place < inherited_count; place++) {
    if (inherited[place] == inode) return true;
  }
  return false;
}

void wt_know_sleeper(struct wt_thread *thread) {
  // A thread that has had no turn since is in the same call.
  if (thread->known_turns == thread->turns) return;
  thread->known_turns = thread->turns;
  thread->asleep_since = wt_real_now();
  int place = 0;
  while (place < WT_COUNT(sleepers) && sleepers[place] != thread->call) place++;
  const int number = (int)thread->arguments[0];
  const uint64_t inode = place < WT_COUNT(sleepers) ? wt_inode(thread->process->pid, number) : 0;
  thread->is_write = place >= READERS;
  thread->foreign = is_inherited(inode) ? number : -1;
  // No time has passed since it fell asleep.
  const struct timeout *timeout = inode ? find_timeout(inode, thread->is_write) : NULL;
  wt_set_due(&thread->due, timeout && timeout->length ? wt.now + timeout->length : WT_NEVER);
}

int wt_foreign_polled(const struct wt_thread *thread) {
  const int64_t call = thread->call, *given = thread->arguments;
  const pid_t pid = thread->process->pid, tid = thread->tid;
  if (call == SYS_poll || call == SYS_ppoll) {
    for (int64_t place = 0; place < given[1] && place < POLLED_MAX; place++) {
      struct pollfd polled;
      if (!wt_peek(tid, &polled, given[0] + place * (int64_t)sizeof polled, sizeof polled)) return -1;
      if (is_inherited(wt_inode(pid, polled.fd))) return polled.fd;
    }
  } else if (call == SYS_select || call == SYS_pselect6) {
    for (int number = 0; number < given[0] && number < POLLED_MAX; number++) {
      uint64_t word = 0;
      if (!wt_peek(tid, &word, given[1] + number / 64 * 8, sizeof word)) return -1;
      if (word >> number % 64 & 1 && is_inherited(wt_inode(pid, number))) return number;
    }
  } else if (call == SYS_epoll_wait || call == SYS_epoll_pwait || call == SYS_epoll_pwait2) {
    // See proc_pid_fdinfo(5): a line "tfd: 5 events: …" for each descriptor.
    char text[4096];
    wt_read_proc(text, sizeof text, wt_open_proc(O_RDONLY, "/proc/%d/fdinfo/%d", pid, (int)given[0]));
    for (const char *line = strstr(text, "tfd:"); line; line = strstr(line + 4, "tfd:")) {
      if (is_inherited(wt_inode(pid, atoi(line + 4)))) return atoi(line + 4);
    }
  }
  return -1;
}

#endif
