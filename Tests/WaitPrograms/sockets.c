// Sockets with timeouts, and two ends that exchange bytes beside a wait.
#if defined(__linux__)
#define _GNU_SOURCE
#include "programs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void set_timeout(int socket, int option, int64_t length) {
  const struct timeval time = {length / second, length % second / 1000};
  setsockopt(socket, SOL_SOCKET, option, &time, sizeof time);
}

static int do_receive_timeout(int64_t length) {
  int ends[2];
  char byte;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
  set_timeout(ends[0], SO_RCVTIMEO, length);
  return !(read(ends[0], &byte, 1) < 0 && errno == EAGAIN);
}

static int do_send_timeout(int64_t length) {
  int ends[2];
  static char bytes[65536];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
  set_timeout(ends[0], SO_SNDTIMEO, length);
  // To the last byte that has room; then the buffer is full at once.
  while (send(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {}
  return !(send(ends[0], bytes, sizeof bytes, 0) < 0 && errno == EAGAIN);
}

// The timeout of the call itself is looked at after a datagram only (recvmmsg(2), "Bugs").
static int do_recvmmsg(int64_t length) {
  int ends[2];
  char bytes[16];
  struct iovec vector = {bytes, sizeof bytes};
  struct mmsghdr message = {.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}};
  struct timespec short_time = to_timespec(length / 2);
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) return 1;
  set_timeout(ends[0], SO_RCVTIMEO, length);
  return !(recvmmsg(ends[0], &message, 1, 0, &short_time) < 0 && errno == EAGAIN);
}

// MARK: Exchanges

static struct { int ends[2]; int64_t count; volatile bool is_over; int64_t early; } exchange;

// Connects two sockets by way of a listener on the loopback address.
static int connect_pair(int ends[2], bool is_nagle) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0), is_on = !is_nagle;
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1)) return 1;
  getsockname(listener, (struct sockaddr *)&address, &size);
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(ends[0], (struct sockaddr *)&address, size)) return 1;
  ends[1] = accept(listener, NULL, NULL);
  for (int end = 0; end < 2; end++) {
    setsockopt(ends[end], IPPROTO_TCP, TCP_NODELAY, &is_on, sizeof is_on);
  }
  return close(listener);
}

static void *echo(void *unused) {
  char byte;
  while (read(exchange.ends[1], &byte, 1) == 1 && write(exchange.ends[1], &byte, 1) == 1) {}
  return unused;
}

static void *tick(void *unused) {
  const struct timespec time = {0, millisecond};
  while (!exchange.is_over) {
    nanosleep(&time, NULL);
    if (!exchange.is_over) exchange.early++;
  }
  return unused;
}

// No time passes while somebody runs: the tick of 1 ms must not come before the last exchange.
static int run_exchanges(int64_t count) {
  pthread_t echoes, ticks;
  pthread_create(&echoes, NULL, echo, NULL);
  pthread_create(&ticks, NULL, tick, NULL);
  char byte = 0;
  for (int64_t turn = 0; turn < count; turn++) {
    if (write(exchange.ends[0], &byte, 1) != 1 || read(exchange.ends[0], &byte, 1) != 1) return 1;
  }
  exchange.is_over = true;
  const int64_t early = exchange.early;
  close(exchange.ends[0]);
  shutdown(exchange.ends[1], SHUT_RDWR);
  pthread_join(ticks, NULL);
  if (early) printf("%lld early\n", (long long)early);
  return early != 0;
}

static int do_pingpong(int64_t count) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, exchange.ends)) return 1;
  return run_exchanges(count);
}

static int do_pingpong_tcp(int64_t count) {
  return connect_pair(exchange.ends, false) || run_exchanges(count);
}

// Waits with a time, passes a byte on, and has to see no later time than the one who woke it.
static void *take_over(void *unused) {
  struct pollfd polled = {.fd = exchange.ends[1], .events = POLLIN};
  struct timespec time;
  char byte;
  while (poll(&polled, 1, 1000000) > 0 && read(exchange.ends[1], &byte, 1) == 1) {
    clock_gettime(CLOCK_MONOTONIC, &time);
    exchange.early += time.tv_nsec % millisecond != 0;
    if (write(exchange.ends[1], &byte, 1) != 1) break;
  }
  return unused;
}

static void *doze(void *unused) {
  const struct timespec time = {0, millisecond / 2};
  while (!nanosleep(&time, NULL)) {}
  return unused;
}

// The first of two threads has slept without a time, and is woken by a timer each millisecond; it
// wakes the second one and sleeps again. Beside them another waits for half a millisecond.
static int do_hand_over(int64_t count) {
  pthread_t other, dozing;
  char byte = 0;
  uint64_t expirations;
  struct timespec now;
  struct itimerspec value = {.it_interval.tv_nsec = millisecond};
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  clock_gettime(CLOCK_MONOTONIC, &now);
  value.it_value.tv_sec = now.tv_sec + 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, exchange.ends)) return 1;
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, NULL);
  pthread_create(&other, NULL, take_over, NULL);
  pthread_create(&dozing, NULL, doze, NULL);
  for (int64_t turn = 0; turn < count; turn++) {
    if (read(timer, &expirations, sizeof expirations) != sizeof expirations) return 1;
    if (write(exchange.ends[0], &byte, 1) != 1 || read(exchange.ends[0], &byte, 1) != 1) return 1;
  }
  printf("%lld early\n", (long long)exchange.early);
  return exchange.early != 0;
}

// Answers each third byte: the sender's second byte waits for a delayed acknowledgement (RFC 1122,
// 4.2.3.2) by Nagle's rule (RFC 896).
static void *answer_thirds(void *unused) {
  char byte;
  for (int count = 1; read(exchange.ends[1], &byte, 1) == 1; count++) {
    if (count % 3 == 0 && write(exchange.ends[1], &byte, 1) != 1) break;
  }
  return unused;
}

// Whether each answer comes before a timeout of a second.
static int do_nagle(int64_t count) {
  if (connect_pair(exchange.ends, true)) return 1;
  pthread_t answers;
  pthread_create(&answers, NULL, answer_thirds, NULL);
  set_timeout(exchange.ends[0], SO_RCVTIMEO, second);
  for (int64_t turn = 0; turn < count; turn++) {
    char byte = 0;
    for (int part = 0; part < 3; part++) {
      if (write(exchange.ends[0], &byte, 1) != 1) return 1;
    }
    if (read(exchange.ends[0], &byte, 1) != 1) {
      printf("no answer\n");
      return 1;
    }
  }
  return 0;
}

// MARK: Peers

// Connects to a port of the loopback address.
// Closes a socket whose other end does not read.
static int do_linger(int64_t seconds) {
  static char bytes[65536];
  const struct linger linger = {1, (int)seconds};
  int ends[2];
  if (connect_pair(ends, false)) return 1;
  setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  while (send(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {}
  return close(ends[0]);
}

static int do_connect(int64_t port) {
  const struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return connect(socket(AF_INET, SOCK_STREAM, 0), (const struct sockaddr *)&address, sizeof address) != 0;
}

// Connects to a listener whose queue is full: the kernel drops what comes (listen(2)).
static int do_connect_timeout(int64_t length) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 0)) return 1;
  getsockname(listener, (struct sockaddr *)&address, &size);
  for (int turn = 0; turn < 8; turn++) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    set_timeout(client, SO_SNDTIMEO, length);
    if (connect(client, (struct sockaddr *)&address, size) == 0) continue;
    return errno != EINPROGRESS;
  }
  return 1;
}

const struct word socket_words[] = {
  {"receive-timeout", do_receive_timeout},
  {"send-timeout", do_send_timeout},
  {"recvmmsg", do_recvmmsg},
  {"pingpong", do_pingpong},
  {"pingpong-tcp", do_pingpong_tcp},
  {"hand-over", do_hand_over},
  {"nagle", do_nagle},
  {"linger", do_linger},
  {"connect", do_connect},
  {"connect-timeout", do_connect_timeout},
  {0, 0},
};
#endif
