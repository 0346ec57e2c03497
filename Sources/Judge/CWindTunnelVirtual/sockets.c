// Sockets' timeouts, the peers of connections, and descriptors that came from outside. And the
// account of bytes in flight: what one end of a connection sent and the other has not received yet.
// The kernel tells both ends (sock_diag(7), INET_DIAG_INFO).
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/un.h>

enum { NAME_SERVER = 53, POLLED_MAX = 1024 };

union address { struct sockaddr_in four; struct sockaddr_in6 six; struct sockaddr_un path; };

// Sockets are known by their inode.
struct timeout { struct wt_link link; uint64_t inode; bool is_send; int64_t length; };

// The calls that wait for their first argument to be readable; and behind these, to be writable.
static const int sleepers[] = {
  SYS_read, SYS_readv, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_accept, SYS_accept4,
  SYS_write, SYS_writev, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_sendfile, SYS_connect,
};
enum { READERS = 7 };

// The states of tcp_states.h.
enum { ESTABLISHED = 1, SYN_SENT, SYN_RECEIVED, FIN_WAIT_1, FIN_WAIT_2, TIME_WAIT, LISTENS = 10 };

// A delayed acknowledgement takes up to 200 ms; what has not moved for longer is held up on
// purpose: a full window, a cork. A dropped SYN comes again after a second (tcp(7)).
static const int64_t held_after = 500 * WT_MILLISECOND, syn_held_after = 20 * WT_MILLISECOND;

// Only whole words: two of them are compared as bytes.
struct count { uint64_t is_found, state, sent, acknowledged, received, unsent, unread; };

// One end of a connection, as it is on the wire; an IPv6 address that stands for an IPv4 one is
// that.
struct end { uint32_t address[4]; uint16_t port, family; };

struct connection {
  struct wt_link link;
  struct end local, peer;
  struct count ends[2];
  int64_t moved;
};

static struct wt_list timeouts, connections;
static int netlink = -1;

// The ports on which a program of the world listens, as they are in addresses.
static bool is_listened[1 << 16];
// Pipes and sockets from outside, whatever number they get.
static uint64_t inherited[64];
static int inherited_count;

// MARK: Bytes in flight

// Looks one socket up by its two ends. A dump would walk through all sockets of the machine.
static struct count look(struct end local, struct end peer) {
  struct count count = {0};
  struct { struct nlmsghdr header; struct inet_diag_req_v2 request; } asked = {
    {.nlmsg_len = sizeof asked, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
    {
      .sdiag_family = (uint8_t)local.family, .sdiag_protocol = IPPROTO_TCP,
      .idiag_ext = 1 << (INET_DIAG_INFO - 1), .idiag_states = ~0u,
      // INET_DIAG_NOCOOKIE
      .id = {.idiag_sport = local.port, .idiag_dport = peer.port, .idiag_cookie = {~0u, ~0u}},
    },
  };
  memcpy(asked.request.id.idiag_src, local.address, sizeof local.address);
  memcpy(asked.request.id.idiag_dst, peer.address, sizeof peer.address);
  struct { struct nlmsghdr header; struct inet_diag_msg message; char attributes[4096]; } answer;
  if (send(netlink, &asked, sizeof asked, 0) < 0) return count;
  const ssize_t size = recv(netlink, &answer, sizeof answer, 0);
  ssize_t rest = size - (ssize_t)offsetof(__typeof__(answer), attributes);
  if (rest < 0 || answer.header.nlmsg_type == NLMSG_ERROR) return count;
  // Where no connection has these ends, the kernel finds the listener.
  if (answer.message.idiag_state == LISTENS) return count;
  count.is_found = 1;
  count.state = answer.message.idiag_state;
  count.unread = answer.message.idiag_rqueue;
  // Netlink's attributes are laid out like those of rtnetlink(3).
  struct rtattr *part = (void *)answer.attributes;
  for (; RTA_OK(part, rest); part = RTA_NEXT(part, rest)) {
    if (part->rta_type != INET_DIAG_INFO) continue;
    struct tcp_info info = {0};
    const size_t length = RTA_PAYLOAD(part);
    memcpy(&info, RTA_DATA(part), length < sizeof info ? length : sizeof info);
    count.sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
    count.acknowledged = info.tcpi_bytes_acked;
    count.received = info.tcpi_bytes_received;
    count.unsent = info.tcpi_notsent_bytes;
  }
  return count;
}

bool wt_flight_works(void) {
  netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  // A socket that is connected to itself (RFC 9293, 3.5, "Simultaneous Connection
  // Synchronization").
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof own;
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_made = !bind(client, (void *)&own, size)
      && !getsockname(client, (void *)&own, &size) && !connect(client, (void *)&own, size);
  const struct end end = {{own.sin_addr.s_addr}, own.sin_port, AF_INET};
  const bool works = is_made && look(end, end).is_found;
  close(client);
  return works;
}

static bool is_over(const struct count *end) { return !end->is_found || end->state >= TIME_WAIT; }

static bool has_flight(const struct count *from, const struct count *to) {
  if (from->is_found && to->is_found && from->sent > to->received) return true;
  // Bytes that wait to be sent do not move if the receiver has not read what came before, and its
  // window is full: the next byte moves when a program does.
  const bool is_window_full = to->is_found && to->unread > 0 && from->sent == to->received
      && from->acknowledged >= from->sent;
  if (from->unsent > 0 && !is_window_full) return true;
  // One end is closed and the other does not know it yet: a FIN or RST is on its way.
  const bool is_closed = !from->is_found || from->state == FIN_WAIT_1 || from->state == FIN_WAIT_2;
  return is_closed && to->is_found && to->state == ESTABLISHED;
}

bool wt_in_flight(void) {
  if (wt.without & WT_ACCOUNT) return false;
  bool is_any = false, is_held = false;
  const int64_t now = wt_real_now();
  WT_EACH(connection, connection, connections) {
    const struct end local = connection->local, peer = connection->peer;
    const struct count ends[2] = {look(local, peer), look(peer, local)};
    const struct count *here = &ends[0], *there = &ends[1];
    if (is_over(here) && is_over(there)) {
      wt_remove(&connections, &connection->link);
      continue;
    }
    if (memcmp(ends, connection->ends, sizeof ends)) connection->moved = now;
    memcpy(connection->ends, ends, sizeof ends);
    const bool is_new = here->state == SYN_SENT;
    const bool is_half_open = is_new || there->state == SYN_RECEIVED;
    if (!is_half_open && !has_flight(here, there) && !has_flight(there, here)) continue;
    if (now - connection->moved < (is_new ? syn_held_after : held_after)) is_any = true;
    else is_held = true;
  }
  wt.told[WT_IN_FLIGHT] += is_any;
  wt.told[WT_HELD_UP] += !is_any && is_held;
  return is_any;
}

// MARK: Timeouts

static struct timeout *find_timeout(uint64_t inode, bool is_send) {
  WT_EACH(timeout, timeout, timeouts) {
    if (timeout->inode == inode && timeout->is_send == is_send) return timeout;
  }
  return NULL;
}

// Keeps a timeout; the kernel never hears of it (SO_RCVTIMEO in socket(7)).
static bool keep_timeout(struct wt_thread *thread) {
  // SO_RCVTIMEO and SO_SNDTIMEO by their numbers before and after 2038 (asm-generic/socket.h).
  const int64_t option = wt_argument(thread, 2);
  const bool is_receive = option == 20 || option == 66, is_send = option == 21 || option == 67;
  const uint64_t inode = wt_inode(thread->pid, (int)wt_argument(thread, 0));
  int64_t length;
  if (!inode || !(is_receive || is_send) || wt_argument(thread, 1) != SOL_SOCKET) return false;
  const bool is_whole = wt_argument(thread, 4) >= 16;
  if (!is_whole || !wt_peek_time(thread->tid, wt_argument(thread, 3), 1000, &length)) return false;
  struct timeout *timeout = find_timeout(inode, is_send);
  if (!timeout) timeout = wt_add(&timeouts, sizeof *timeout, 8192, "timeouts of sockets");
  if (!timeout) return false;
  *timeout = (struct timeout){timeout->link, inode, is_send, length};
  return wt_skip(thread, 0);
}

// MARK: Peers

// Reads an address argument of a call. The next argument is its size.
static bool peek_address(const struct wt_thread *thread, int place, union address *address) {
  const size_t given = (size_t)wt_argument(thread, place + 1);
  const size_t size = given < sizeof *address ? given : sizeof *address;
  *address = (union address){0};
  return wt_peek(thread->tid, address, wt_argument(thread, place), size);
}

// Zeros for an address of another family.
static struct end end_of(const union address *address) {
  const uint32_t *words = address->six.sin6_addr.s6_addr32;
  const uint16_t port = address->six.sin6_port, family = address->four.sin_family;
  if (family == AF_INET) return (struct end){{address->four.sin_addr.s_addr}, port, AF_INET};
  if (family != AF_INET6) return (struct end){0};
  if (IN6_IS_ADDR_V4MAPPED(words)) return (struct end){{words[3]}, port, AF_INET};
  return (struct end){{words[0], words[1], words[2], words[3]}, port, AF_INET6};
}

static bool is_loopback(struct end end) {
  if (end.family == AF_INET) return ntohl(end.address[0]) >> 24 == IN_LOOPBACKNET;
  return IN6_IS_ADDR_LOOPBACK(end.address);
}

static void reason_peer(struct end end) {
  char name[INET6_ADDRSTRLEN] = "?";
  inet_ntop(end.family, end.address, name, sizeof name);
  wt_reason("foreign peer", "%s port %d", name, ntohs(end.port));
}

// Finds the local end and the type of a socket by its inode (proc_pid_net(5)), which takes longer;
// 0 is for any other kind of socket.
static int find_local(pid_t pid, int number, struct end *local) {
  static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6"};
  // The files in /proc have the inode without the device.
  const uint32_t sought = (uint32_t)wt_inode(pid, number);
  int type = 0;
  for (int place = 0; sought && !type && place < WT_COUNT(tables); place++) {
    FILE *file = fdopen(wt_open_proc(O_RDONLY, "/proc/%d/net/%s", pid, tables[place]), "r");
    char line[512], text[33];
    while (file && !type && fgets(line, sizeof line, file)) {
      unsigned port = 0;
      unsigned long inode = 0;
      sscanf(line, "%*s %32[0-9A-F]:%X %*s %*s %*s %*s %*s %*s %*s %lu", text, &port, &inode);
      if (inode != sought) continue;
      union address address = {.four = {.sin_port = htons((uint16_t)port)}};
      uint32_t *words = address.six.sin6_addr.s6_addr32;
      address.four.sin_family = place % 2 ? AF_INET6 : AF_INET;
      if (place % 2 == 0) words = &address.four.sin_addr.s_addr;
      for (int word = 0; text[8 * word]; word++) sscanf(text + 8 * word, "%8X", words + word);
      *local = end_of(&address);
      type = place < 2 ? SOCK_STREAM : SOCK_DGRAM;
    }
    if (file) fclose(file);
  }
  return type;
}

// Finds the local end and the type of the socket of a call. Returns a descriptor of it, or -1:
// Docker's default profile permits pidfd_getfd(2) with CAP_SYS_PTRACE alone.
static int take_local(const struct wt_thread *thread, struct end *local, int *type) {
  const int number = (int)wt_argument(thread, 0), own = wt_take(thread->pid, number);
  union address address = {0};
  socklen_t size = sizeof address, type_size = sizeof *type;
  getsockopt(own, SOL_SOCKET, SO_TYPE, type, &type_size);
  getsockname(own, (void *)&address, &size);
  *local = end_of(&address);
  if (own < 0) *type = find_local(thread->pid, number, local);
  return own;
}

static void connected_to_path(int own, const char *path) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (own < 0) wt_reason("foreign peer", "a socket with a path");
  // Of a stream it is the process that called listen (unix(7)), which may have ended.
  if (getsockopt(own, SOL_SOCKET, SO_PEERCRED, &credentials, &size)) return;
  if (wt_is_of_world(credentials.pid)) return;
  wt_reason("foreign peer", "socket %.107s", path[0] ? path : path + 1);
}

static void connected_to_port(struct wt_thread *thread, struct end local, struct end peer) {
  // Once is enough, even if the call has not ended.
  thread->at_end = NULL;
  // Of one that is refused on this machine no end is left. Where a queue is full there is no peer
  // yet.
  const bool has_peer = look(peer, local).is_found;
  const bool is_within = is_listened[peer.port] && (has_peer || is_loopback(peer));
  if (look(local, peer).is_found && !is_within) reason_peer(peer);
  struct connection *connection = wt_add(&connections, sizeof *connection, 1024, "connections");
  if (!connection) return;
  connection->local = local;
  connection->peer = peer;
}

void wt_connected(struct wt_thread *thread) {
  const int64_t answer = wt_answer(thread);
  union address peer;
  if ((answer && answer != -EINPROGRESS) || !peek_address(thread, 1, &peer)) return;
  struct end local;
  int type = 0;
  const int own = take_local(thread, &local, &type);
  const struct end end = end_of(&peer);
  // Other datagram sockets are connected to sort addresses, without a byte (getaddrinfo(3)).
  const bool is_query = type == SOCK_DGRAM && ntohs(end.port) == NAME_SERVER;
  const bool is_path = type != SOCK_DGRAM && peer.four.sin_family == AF_UNIX;
  if (type == SOCK_STREAM && end.port && local.port) connected_to_port(thread, local, end);
  if (is_path && !answer) connected_to_path(own, peer.path.sun_path);
  if (is_query && !is_listened[end.port]) reason_peer(end);
  close(own);
}

// A datagram to somebody outside, such as a name server, may have a response.
static void note_datagram(struct wt_thread *thread) {
  union address peer;
  if (!peek_address(thread, 4, &peer)) return;
  const struct end end = end_of(&peer);
  if (end.port && !is_listened[end.port]) reason_peer(end);
}

static void listened(struct wt_thread *thread) {
  struct end local;
  int type = 0;
  if (wt_answer(thread)) return;
  close(take_local(thread, &local, &type));
  is_listened[local.port] = true;
}

bool wt_socket_call(struct wt_thread *thread) {
  const int64_t call = wt_call(thread);
  if (call == SYS_setsockopt) return keep_timeout(thread);
  if (call == SYS_sendto) note_datagram(thread);
  if (call == SYS_connect) thread->at_end = wt_connected;
  if (call == SYS_bind || call == SYS_listen) thread->at_end = listened;
  return thread->at_end;
}

// MARK: Descriptors from outside

void wt_note_inherited(void) {
  for (int number = 0; number < 1024 && inherited_count < WT_COUNT(inherited); number++) {
    const uint64_t inode = wt_inode(wt.root, number);
    if (inode) inherited[inherited_count++] = inode;
  }
}

static bool is_inherited(uint64_t inode) {
  int place = 0;
  while (place < inherited_count && inherited[place] != inode) place++;
  return place < inherited_count;
}

void wt_know_sleeper(struct wt_thread *thread) {
  // A thread that has had no turn since is in the same call.
  if (thread->known_turns == thread->turns) return;
  thread->known_turns = thread->turns;
  thread->asleep_since = wt_real_now();
  int place = 0;
  while (place < WT_COUNT(sleepers) && sleepers[place] != thread->call) place++;
  const int number = place < WT_COUNT(sleepers) ? (int)thread->arguments[0] : -1;
  const uint64_t inode = wt_inode(thread->pid, number);
  thread->is_write = place >= READERS;
  thread->foreign = is_inherited(inode) ? number : -1;
  // No time has passed since it fell asleep.
  const struct timeout *timeout = find_timeout(inode, thread->is_write);
  wt_set_due(&thread->due, timeout && timeout->length ? wt.now + timeout->length : WT_NEVER);
}

int wt_foreign_polled(const struct wt_thread *thread) {
  const int64_t call = thread->call, *given = thread->arguments;
  const pid_t pid = thread->pid, tid = thread->tid;
  if (call == SYS_poll || call == SYS_ppoll) {
    for (int64_t place = 0; place < given[1] && place < POLLED_MAX; place++) {
      struct pollfd polled;
      const int64_t from = given[0] + place * (int64_t)sizeof polled;
      if (!wt_peek(tid, &polled, from, sizeof polled)) return -1;
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
    const int file = wt_open_proc(O_RDONLY, "/proc/%d/fdinfo/%d", pid, (int)given[0]);
    wt_read_proc(text, sizeof text, file);
    for (const char *line = strstr(text, "tfd:"); line; line = strstr(line + 4, "tfd:")) {
      if (is_inherited(wt_inode(pid, atoi(line + 4)))) return atoi(line + 4);
    }
  }
  return -1;
}

#endif
