// The account of bytes in flight: what one end of a connection sent and the other has not received yet.
// The kernel tells both ends (sock_diag(7), INET_DIAG_INFO).
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

// The states of tcp_states.h.
enum { ESTABLISHED = 1, SYN_SENT, SYN_RECEIVED, FIN_WAIT_1, FIN_WAIT_2, TIME_WAIT, LISTENS = 10 };

// A delayed acknowledgement takes up to 200 ms; what has not moved for longer is held up on purpose: a
// full window, a cork. A dropped SYN comes again after a second (tcp(7)).
static const int64_t held_after = 500 * WT_MILLISECOND, syn_held_after = 20 * WT_MILLISECOND;

// Only whole words: two of them are compared as bytes.
struct count { uint64_t is_found, state, sent, acknowledged, received, unsent, unread; };

struct connection {
  struct wt_link link;
  struct wt_end local, peer;
  struct count ends[2];
  int64_t moved;
};

static struct wt_list connections;
static int netlink = -1;

// Looks one socket up by its two ends. A dump would walk through all sockets of the machine.
static struct count look(struct wt_end local, struct wt_end peer) {
  struct count count = {0};
  struct { struct nlmsghdr header; struct inet_diag_req_v2 request; } asked = {
    .header = {.nlmsg_len = sizeof asked, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
    .request = {
      .sdiag_family = (uint8_t)local.family, .sdiag_protocol = IPPROTO_TCP,
      .idiag_ext = 1 << (INET_DIAG_INFO - 1), .idiag_states = ~0u,
      // INET_DIAG_NOCOOKIE
      .id = {.idiag_sport = local.port, .idiag_dport = peer.port, .idiag_cookie = {~0u, ~0u}},
    },
  };
  memcpy(asked.request.id.idiag_src, local.address, sizeof local.address);
  memcpy(asked.request.id.idiag_dst, peer.address, sizeof peer.address);
  struct { struct nlmsghdr header; struct inet_diag_msg message; char attributes[4096]; } answer;
  if (netlink < 0) netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) wt_stop("unsupported", "no NETLINK_SOCK_DIAG: %s", strerror(errno));
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
  for (struct rtattr *part = (void *)answer.attributes; RTA_OK(part, rest); part = RTA_NEXT(part, rest)) {
    if (part->rta_type != INET_DIAG_INFO) continue;
    struct tcp_info info = {0};
    memcpy(&info, RTA_DATA(part), RTA_PAYLOAD(part) < sizeof info ? RTA_PAYLOAD(part) : sizeof info);
    count.sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
    count.acknowledged = info.tcpi_bytes_acked;
    count.received = info.tcpi_bytes_received;
    count.unsent = info.tcpi_notsent_bytes;
  }
  return count;
}

void wt_flight_add(struct wt_end local, struct wt_end peer, bool *has_local, bool *has_peer) {
  *has_local = look(local, peer).is_found;
  *has_peer = look(peer, local).is_found;
  struct connection *connection = wt_add(&connections, sizeof *connection, 1024, "connections");
  if (!connection) return;
  connection->local = local;
  connection->peer = peer;
}

bool wt_flight_works(void) {
  struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer = local;
  socklen_t size = sizeof local;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool works = !bind(listener, (void *)&peer, size) && !listen(listener, 1)
      && !getsockname(listener, (void *)&peer, &size) && !connect(client, (void *)&peer, size)
      && !getsockname(client, (void *)&local, &size);
  const struct wt_end ends[] = {{{local.sin_addr.s_addr}, local.sin_port, AF_INET},
                                {{peer.sin_addr.s_addr}, peer.sin_port, AF_INET}};
  works = works && look(ends[0], ends[1]).is_found;
  close(client);
  close(listener);
  return works;
}

static bool is_over(const struct count *count) { return !count->is_found || count->state >= TIME_WAIT; }

static bool has_flight(const struct count *sender, const struct count *receiver) {
  if (sender->is_found && receiver->is_found && sender->sent > receiver->received) return true;
  // Bytes that wait to be sent do not move if the receiver has not read what came before, and its window
  // is full: the next byte moves when a program does.
  const bool is_window_full = receiver->is_found && receiver->unread > 0 && sender->sent == receiver->received
      && sender->acknowledged >= sender->sent;
  if (sender->unsent > 0 && !is_window_full) return true;
  // One end is closed and the other does not know it yet: a FIN or RST is on its way.
  const bool is_closed = !sender->is_found || sender->state == FIN_WAIT_1 || sender->state == FIN_WAIT_2;
  return is_closed && receiver->is_found && receiver->state == ESTABLISHED;
}

bool wt_in_flight(void) {
  if (wt.without & WT_ACCOUNT) return false;
  bool is_any = false, is_held = false;
  const int64_t now = wt_real_now();
  WT_EACH(connection, connection, connections) {
    const struct wt_end local = connection->local, peer = connection->peer;
    const struct count ends[2] = {look(local, peer), look(peer, local)}, *here = &ends[0], *there = &ends[1];
    if (is_over(here) && is_over(there)) {
      wt_remove(&connections, &connection->link);
      continue;
    }
    if (memcmp(ends, connection->ends, sizeof ends)) connection->moved = now;
    memcpy(connection->ends, ends, sizeof ends);
    const bool is_new = here->state == SYN_SENT, is_half_open = is_new || there->state == SYN_RECEIVED;
    if (!is_half_open && !has_flight(here, there) && !has_flight(there, here)) continue;
    if (now - connection->moved < (is_new ? syn_held_after : held_after)) is_any = true;
    else is_held = true;
  }
  wt.told[WT_IN_FLIGHT] += is_any;
  wt.told[WT_HELD_UP] += !is_any && is_held;
  return is_any;
}

#endif
