// Sockets' timeouts, the peers of connections, and descriptors that came from outside.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME_SERVER_PORT = 53 };

// MARK: Timeouts

static struct wt_timeout *find_timeout(struct wt_world *world, uint64_t inode, int is_send) {
  const int count = world->timeout_count < WT_TIMEOUTS_MAX ? world->timeout_count : WT_TIMEOUTS_MAX;
  for (int place = 0; place < count; place++) {
    struct wt_timeout *timeout = &world->timeouts[place];
    if (timeout->inode == inode && timeout->is_send == is_send) return timeout;
  }
  return NULL;
}

// Keeps a timeout; the kernel never hears of it (SO_RCVTIMEO in socket(7)).
static bool keep_timeout(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  const int option = (int)*wt_argument(registers, 2), is_send = option == 21 || option == 67;
  const uint64_t inode = wt_inode(thread->process->pid, (int)*wt_argument(registers, 0));
  int64_t pair[2];
  if (!inode || *wt_argument(registers, 4) < sizeof pair) return false;
  if (!wt_peek(thread->tid, pair, *wt_argument(registers, 3), sizeof pair)) return false;
  if (pair[0] < 0 || pair[1] < 0 || pair[1] >= 1000000) return false;
  if (pair[0] > 3000000000) pair[0] = 3000000000;
  struct wt_timeout *timeout = find_timeout(world, inode, is_send);
  if (!timeout) timeout = &world->timeouts[world->timeout_count++ % WT_TIMEOUTS_MAX];
  *timeout = (struct wt_timeout){inode, is_send, pair[0] * WT_SECOND + pair[1] * 1000};
  wt_skip(thread, registers, 0);
  return true;
}

// Whether a call waits for a descriptor to be readable (0) or writable (1); -1 for other calls.
static int direction(long call) {
  switch (call) {
  case SYS_read:
  case SYS_readv:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_accept:
  case SYS_accept4: return 0;
  case SYS_write:
  case SYS_writev:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_sendmmsg:
  case SYS_sendfile:
  case SYS_connect: return 1;
  default: return -1;
  }
}

int64_t wt_socket_timeout(struct wt_world *world, struct wt_thread *thread) {
  const int is_send = direction(thread->call);
  if (world->timeout_count == 0 || is_send < 0) return 0;
  const uint64_t inode = wt_inode(thread->process->pid, (int)thread->call_arguments[0]);
  const struct wt_timeout *timeout = inode ? find_timeout(world, inode, is_send) : NULL;
  return timeout ? timeout->length : 0;
}

// MARK: Peers

static uint16_t port_of(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET) return ntohs(((const struct sockaddr_in *)address)->sin_port);
  if (address->ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
  return 0;
}

static bool is_loopback(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET) {
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == IN_LOOPBACKNET);
}

static bool is_listener(const struct wt_world *world, uint16_t port) {
  for (int place = 0; place < world->listener_count; place++) {
    if (world->listeners[place] == port) return true;
  }
  return false;
}

static void reason_peer(struct wt_world *world, const struct sockaddr_storage *address) {
  char name[INET6_ADDRSTRLEN] = "?";
  const void *bytes = address->ss_family == AF_INET
      ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
      : (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr;
  inet_ntop(address->ss_family, bytes, name, sizeof name);
  wt_reason(world, WT_VIRTUAL_FOREIGN_PEER, "%s port %d", name, port_of(address));
}

static void connected_to_path(struct wt_world *world, int own, const struct sockaddr_storage *peer) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  // Of a stream it is the process that called listen (unix(7)), which may have ended.
  if (getsockopt(own, SOL_SOCKET, SO_PEERCRED, &credentials, &size)) return;
  if (wt_is_of_world(world, credentials.pid)) return;
  const char *path = ((const char *)peer) + sizeof peer->ss_family;
  wt_reason(world, WT_VIRTUAL_FOREIGN_PEER, "socket %.107s", path[0] ? path : path + 1);
}

void wt_connected(struct wt_world *world, struct wt_thread *thread, long answer) {
  if (thread->is_connection_noted || (answer != 0 && answer != -EINPROGRESS)) return;
  struct sockaddr_storage peer = {0}, local = {0};
  const uint64_t given = *wt_argument(&thread->entry, 2);
  const size_t length = given < sizeof peer ? given : sizeof peer;
  if (!wt_peek(thread->tid, &peer, *wt_argument(&thread->entry, 1), length)) return;
  const int own = wt_take(thread->process->pid, (int)*wt_argument(&thread->entry, 0));
  int type = 0;
  socklen_t size = sizeof type, local_size = sizeof local;
  if (own < 0 || getsockopt(own, SOL_SOCKET, SO_TYPE, &type, &size)
      || getsockname(own, (struct sockaddr *)&local, &local_size)) {
    if (own >= 0) close(own);
    return;
  }
  if (peer.ss_family == AF_UNIX && type != SOCK_DGRAM && answer == 0) {
    connected_to_path(world, own, &peer);
  } else if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) {
    const uint16_t port = port_of(&peer);
    if (type == SOCK_STREAM && port_of(&local)) {
      thread->is_connection_noted = true;
      wt_flight_add(world, &local, &peer);
      // One that is refused on this machine is gone already.
      const bool is_refused = !wt_flight_finds(world, &local, &peer);
      // Where a queue is full there is no other end yet.
      const bool is_within = is_listener(world, port)
          && (is_loopback(&peer) || wt_flight_finds(world, &peer, &local));
      if (!is_refused && !is_within) reason_peer(world, &peer);
    } else if (type == SOCK_DGRAM && port == NAME_SERVER_PORT && !is_listener(world, port)) {
      // Other datagram sockets are connected to sort addresses, without a byte (getaddrinfo(3)).
      reason_peer(world, &peer);
    }
  }
  close(own);
}

void wt_listened(struct wt_world *world, struct wt_thread *thread, long answer) {
  const int own = answer == 0 ? wt_take(thread->process->pid, (int)*wt_argument(&thread->entry, 0)) : -1;
  if (own < 0) return;
  struct sockaddr_storage local = {0};
  socklen_t size = sizeof local;
  getsockname(own, (struct sockaddr *)&local, &size);
  close(own);
  const uint16_t port = port_of(&local);
  if (port == 0 || is_listener(world, port)) return;
  if (world->listener_count == WT_LISTENERS_MAX) {
    wt_stop(world, WT_VIRTUAL_TOO_MANY, "%d ports that are listened on", WT_LISTENERS_MAX);
    return;
  }
  world->listeners[world->listener_count++] = port;
}

bool wt_socket_call(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  const long call = wt_call(registers);
  if (call == SYS_setsockopt) return keep_timeout(world, thread, registers);
  if (call != SYS_connect && call != SYS_bind && call != SYS_listen) return false;
  thread->entry = *registers;
  thread->pending = call == SYS_connect ? WT_CONNECT : WT_LISTEN;
  thread->is_connection_noted = false;
  ptrace(PTRACE_SYSCALL, thread->tid, 0, 0);
  return true;
}

// MARK: Descriptors from outside

void wt_note_inherited(struct wt_world *world) {
  for (int number = 0; number < 1024 && world->inherited_count < WT_INHERITED_MAX; number++) {
    const uint64_t inode = wt_inode(world->root, number);
    if (inode) world->inherited[world->inherited_count++] = (struct wt_inherited){number, inode};
  }
}

static bool is_inherited(const struct wt_world *world, pid_t pid, int number) {
  for (int place = 0; place < world->inherited_count; place++) {
    // Another number names it only after a dup; the usual ones are standard input and output.
    if (world->inherited[place].number != number && number > 2) continue;
    if (wt_inode(pid, number) == world->inherited[place].inode) return true;
  }
  return false;
}

int wt_foreign_descriptor(struct wt_world *world, struct wt_thread *thread, bool *is_write) {
  const int way = direction(thread->call), number = (int)thread->call_arguments[0];
  *is_write = way == 1;
  return way >= 0 && is_inherited(world, thread->process->pid, number) ? number : -1;
}

int wt_foreign_polled(struct wt_world *world, struct wt_thread *thread) {
  const pid_t pid = thread->process->pid;
  const long call = thread->call;
  if (call == SYS_poll || call == SYS_ppoll) {
    struct pollfd polled[64];
    size_t count = thread->call_arguments[1];
    if (count > sizeof polled / sizeof *polled) count = sizeof polled / sizeof *polled;
    if (!wt_peek(thread->tid, polled, thread->call_arguments[0], count * sizeof *polled)) return -1;
    for (size_t place = 0; place < count; place++) {
      if (polled[place].fd >= 0 && is_inherited(world, pid, polled[place].fd)) return polled[place].fd;
    }
  } else if (call == SYS_epoll_wait || call == SYS_epoll_pwait || call == SYS_epoll_pwait2) {
    // See proc_pid_fdinfo(5): a line "tfd: 5 events: …" for each descriptor.
    char text[4096];
    wt_read_proc(text, sizeof text, "/proc/%d/fdinfo/%d", pid, (int)thread->call_arguments[0]);
    for (const char *line = strstr(text, "tfd:"); line; line = strstr(line + 4, "tfd:")) {
      const int number = atoi(line + 4);
      if (is_inherited(world, pid, number)) return number;
    }
  } else if (call == SYS_select || call == SYS_pselect6) {
    uint64_t words[16] = {0};
    const size_t bits = thread->call_arguments[0] < 1024 ? thread->call_arguments[0] : 1024;
    if (!wt_peek(thread->tid, words, thread->call_arguments[1], (bits + 63) / 64 * 8)) return -1;
    for (int number = 0; number < (int)bits; number++) {
      const bool is_asked = words[number / 64] >> number % 64 & 1;
      if (is_asked && is_inherited(world, pid, number)) return number;
    }
  }
  return -1;
}

#endif
