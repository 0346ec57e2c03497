// The account of bytes in flight: what one end of a connection sent and the other has not received yet.
// The kernel tells both ends (sock_diag(7), INET_DIAG_INFO).
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The states of tcp_states.h.
enum { ESTABLISHED = 1, SYN_SENT, SYN_RECEIVED, FIN_WAIT_1, FIN_WAIT_2, TIME_WAIT, LISTENS = 10 };

// A delayed acknowledgement takes up to 200 ms; what has not moved for longer is held up on purpose: a
// full window, a cork. A dropped SYN comes again after a second (tcp(7)).
static const int64_t held_after = 500 * WT_MILLISECOND, syn_held_after = 20 * WT_MILLISECOND;

struct end { uint32_t address[4]; uint16_t port; uint16_t family; };

// Only whole words: two of them are compared as bytes.
struct count { uint64_t is_found, state, sent, acknowledged, received, repeated, unsent, unread; };

struct connection { struct end local, peer; struct count here, there; int64_t moved; };

struct wt_flight {
  int netlink, count;
  struct connection connections[WT_CONNECTIONS_MAX];
};

bool wt_flight_open(struct wt_world *world) {
  world->flight = calloc(1, sizeof *world->flight);
  if (!world->flight) abort();
  world->flight->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  return world->flight->netlink >= 0;
}

void wt_flight_close(struct wt_world *world) {
  if (!world->flight) return;
  if (world->flight->netlink >= 0) close(world->flight->netlink);
  free(world->flight);
  world->flight = NULL;
}

static struct end end_of(const void *address) {
  struct end end = {{0}, 0, 0};
  if (((const struct sockaddr *)address)->sa_family == AF_INET) {
    const struct sockaddr_in *four = address;
    end.family = AF_INET;
    end.port = four->sin_port;
    end.address[0] = four->sin_addr.s_addr;
    return end;
  }
  const struct sockaddr_in6 *six = address;
  end.family = AF_INET6;
  end.port = six->sin6_port;
  memcpy(end.address, &six->sin6_addr, sizeof end.address);
  if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
    end.family = AF_INET;
    end.address[0] = end.address[3];
    end.address[1] = end.address[2] = end.address[3] = 0;
  }
  return end;
}

static void read_attributes(const struct inet_diag_msg *message, size_t rest, struct count *count) {
  const struct nlattr *attribute = (const void *)(message + 1);
  while (rest >= sizeof *attribute && attribute->nla_len >= sizeof *attribute
         && attribute->nla_len <= rest) {
    if (attribute->nla_type == INET_DIAG_INFO) {
      struct tcp_info info;
      memset(&info, 0, sizeof info);
      const size_t size = attribute->nla_len - sizeof *attribute;
      memcpy(&info, attribute + 1, size < sizeof info ? size : sizeof info);
      count->sent = info.tcpi_bytes_sent;
      count->acknowledged = info.tcpi_bytes_acked;
      count->received = info.tcpi_bytes_received;
      count->repeated = info.tcpi_bytes_retrans;
      count->unsent = info.tcpi_notsent_bytes;
    }
    const size_t step = NLA_ALIGN(attribute->nla_len);
    if (step >= rest) return;
    rest -= step;
    attribute = (const void *)((const char *)attribute + step);
  }
}

// Looks one socket up by its two ends. A dump would walk through all sockets of the machine.
static struct count look(const struct wt_flight *flight, const struct end *local, const struct end *peer) {
  struct count count;
  memset(&count, 0, sizeof count);
  struct { struct nlmsghdr header; struct inet_diag_req_v2 request; } asked;
  memset(&asked, 0, sizeof asked);
  asked.header.nlmsg_len = sizeof asked;
  asked.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  asked.header.nlmsg_flags = NLM_F_REQUEST;
  asked.request.sdiag_family = (uint8_t)local->family;
  asked.request.sdiag_protocol = IPPROTO_TCP;
  asked.request.idiag_ext = 1 << (INET_DIAG_INFO - 1);
  asked.request.idiag_states = ~0u;
  asked.request.id.idiag_sport = local->port;
  asked.request.id.idiag_dport = peer->port;
  memcpy(asked.request.id.idiag_src, local->address, sizeof local->address);
  memcpy(asked.request.id.idiag_dst, peer->address, sizeof peer->address);
  asked.request.id.idiag_cookie[0] = asked.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  _Alignas(struct nlmsghdr) char answer[4096];
  if (send(flight->netlink, &asked, sizeof asked, 0) < 0) return count;
  const ssize_t size = recv(flight->netlink, answer, sizeof answer, 0);
  const struct nlmsghdr *header = (const void *)answer;
  if (size < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg))) return count;
  if (header->nlmsg_type == NLMSG_ERROR) return count;
  const struct inet_diag_msg *message = NLMSG_DATA(header);
  // Where no connection has these ends, the kernel finds the listener.
  if (message->idiag_state == LISTENS) return count;
  count.is_found = 1;
  count.state = message->idiag_state;
  count.unread = message->idiag_rqueue;
  read_attributes(message, (size_t)size - NLMSG_LENGTH(sizeof *message), &count);
  return count;
}

bool wt_flight_finds(struct wt_world *world, const void *local, const void *peer) {
  const struct end here = end_of(local), there = end_of(peer);
  return look(world->flight, &here, &there).is_found;
}

void wt_flight_add(struct wt_world *world, const void *local, const void *peer) {
  struct wt_flight *flight = world->flight;
  if (flight->count == WT_CONNECTIONS_MAX) {
    wt_stop(world, WT_VIRTUAL_TOO_MANY, "%d connections", WT_CONNECTIONS_MAX);
    return;
  }
  struct connection *connection = &flight->connections[flight->count++];
  memset(connection, 0, sizeof *connection);
  connection->local = end_of(local);
  connection->peer = end_of(peer);
  connection->moved = wt_real_now();
}

static bool is_over(const struct count *count) { return !count->is_found || count->state >= TIME_WAIT; }

static bool is_behind(const struct count *sender, const struct count *receiver) {
  if (!sender->is_found || !receiver->is_found) return false;
  return sender->sent - sender->repeated > receiver->received;
}

// Whether bytes wait to be sent. They do not if the receiver has not read what came before, and its
// window is full: the next byte moves when a program does.
static bool is_sending(const struct count *sender, const struct count *receiver) {
  const uint64_t sent = sender->sent - sender->repeated;
  const bool is_window_full = receiver->is_found && receiver->unread > 0 && sent == receiver->received
      && sender->acknowledged >= sent;
  return sender->unsent > 0 && !is_window_full;
}

// Whether one end is closed and the other does not know it yet: a FIN or RST is on its way.
static bool is_closing(const struct count *closed, const struct count *other) {
  if (!other->is_found || other->state != ESTABLISHED) return false;
  return !closed->is_found || closed->state == FIN_WAIT_1 || closed->state == FIN_WAIT_2;
}

static bool has_flight(const struct count *sender, const struct count *receiver) {
  return is_sending(sender, receiver) || is_behind(sender, receiver) || is_closing(sender, receiver);
}

bool wt_in_flight(struct wt_world *world) {
  struct wt_flight *flight = world->flight;
  if (world->options.without & WT_VIRTUAL_WITHOUT_ACCOUNT) return false;
  bool is_any = false, is_held = false;
  const int64_t now = wt_real_now();
  for (int place = flight->count - 1; place >= 0; place--) {
    struct connection *connection = &flight->connections[place];
    const struct count here = look(flight, &connection->local, &connection->peer);
    const struct count there = look(flight, &connection->peer, &connection->local);
    if (is_over(&here) && is_over(&there)) {
      *connection = flight->connections[--flight->count];
      continue;
    }
    if (memcmp(&here, &connection->here, sizeof here) || memcmp(&there, &connection->there, sizeof there)) {
      connection->here = here;
      connection->there = there;
      connection->moved = now;
    }
    const bool is_new = here.state == SYN_SENT;
    const bool is_half_open = is_new || there.state == SYN_RECEIVED;
    if (!is_half_open && !has_flight(&here, &there) && !has_flight(&there, &here)) continue;
    if (now - connection->moved < (is_new ? syn_held_after : held_after)) is_any = true;
    else is_held = true;
  }
  world->result->in_flight += is_any;
  world->result->held_up += !is_any && is_held;
  return is_any;
}

#endif
