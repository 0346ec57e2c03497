#ifndef WINDTUNNEL_SYSTEM_H
#define WINDTUNNEL_SYSTEM_H

// What Glibc's module map lacks, what a host's debug build must not compute in Swift, and the clock. The
// feature macros stay in the .c files: defined in a header they would change what other modules see of
// the C library.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A SHA-256 that is being taken (FIPS 180-4). In C, since a host's debug build takes Swift's sixty
/// times as long as this.
struct wt_sha256 {
  uint32_t state[8];
  uint64_t count;
  uint8_t pending[64];
};

/// Starts with no bytes.
void wt_sha256_begin(struct wt_sha256 *digest);
/// Adds bytes to the input of the digest.
void wt_sha256_update(struct wt_sha256 *digest, const uint8_t *bytes, size_t count);
/// Writes the 32 bytes of the digest; nothing may follow.
void wt_sha256_end(struct wt_sha256 *digest, uint8_t *out);
/// Takes whole blocks of 64 bytes into a state, without the instructions that some processors have
/// for that: what all others do, and tests hold the instructions against.
void wt_sha256_compress_in_words(uint32_t *state, const uint8_t *blocks, size_t count);

/// Returns the folder that the variable WINDTUNNEL_OPENSSL names; empty if there is none.
const char *wt_openssl_folder(void);
/// Opens a library of OpenSSL, such as libssl.so.3, in a folder, or where the system keeps libraries if that
/// is empty; NULL if it is not there. If nobody has initialised it before, it runs no clean-up at exit.
void *wt_openssl_open(const char *folder, const char *name);

/// Writes the device, inode and size of a file, and the nanoseconds of the last changes of its content and
/// of its inode; nothing if there is no file. In C, since systems name these times differently.
void wt_file_stamp(const char *path, int64_t *stamp);

/// Writes the 16 bytes of the MD5 of some bytes (RFC 1321).
void wt_md5(const uint8_t *bytes, size_t count, uint8_t *out);
/// Writes the 20 bytes of their SHA-1 (FIPS 180-4).
void wt_sha1(const uint8_t *bytes, size_t count, uint8_t *out);
/// Writes the 64 bytes of their SHA-512 (FIPS 180-4).
void wt_sha512(const uint8_t *bytes, size_t count, uint8_t *out);
/// Returns their CRC by a reflected polynomial of 32 bits (RFC 1952 §8).
uint32_t wt_crc32(uint32_t polynomial, const uint8_t *bytes, size_t count);

/// The work that the current thread has counted. In C, because a variable of a thread is read millions of
/// times here.
extern _Thread_local long wt_work;
/// Adds to the work, and returns all of it.
static inline __attribute__((always_inline)) long wt_work_add(long count) { return wt_work += count; }
/// Counts one step, and returns its argument.
static inline __attribute__((always_inline)) long wt_work_step(long place) {
  wt_work += 1;
  return place;
}

/// The things that can be under way at once with words about them.
#define WT_CRASH_PLACES 512

/// Has words about all that is under way written to standard error when this process crashes; then
/// the handlers that were there before have their turn. A stack that overflows is told only on a
/// thread with an alternate one (sigaltstack(2)).
void wt_crash_watch(void);
/// Has somebody asked first, on the thread that crashes, by functions of signal-safety(7) alone: where
/// the answer is true, that thread stops for ever, and the process goes on without it.
void wt_crash_contain(bool (*is_contained)(int signal));
/// Gives this thread a stack of its own for the handlers of signals, so that the overflow of its
/// stack is a crash like others.
void wt_crash_use_own_stack(void);
/// Notes words about something that begins. Returns its place; -1 where there is none left.
int wt_crash_begin(const char *text);
/// Forgets the words of a place.
void wt_crash_end(int place);

/// Returns the nanoseconds of the monotonic clock. In C, since which module owns `struct timespec`
/// depends in Swift on what else its compiler has read before.
int64_t wt_monotonic_nanoseconds(void);

#if defined(__linux__)
/// One readiness event: the bits of epoll and the token the descriptor was registered with.
struct wt_event {
  uint32_t events;
  uint64_t token;
};

enum {
  WT_READABLE = 0x001,
  WT_WRITABLE = 0x004,
  WT_ERROR = 0x008,
  WT_HANGUP = 0x010,
  WT_READ_HANGUP = 0x2000,
};

/// The values for a standard stream of a program that is to be started, where it is given no
/// descriptor.
enum {
  WT_INHERITED = -1,
  WT_NOTHING = -2,
};

/// Starts a program in a process group of its own, with no signal blocked or ignored and nothing open
/// but its three standard streams; its number, or -1 and errno.
///
/// Where it `ends_with_parent`, it is killed when the calling thread ends, and with it when the process
/// does, however that goes: the thread has to stay until the program has ended.
int wt_start(const char *path, char *const *arguments, char *const *environment,
             const int *streams, int ends_with_parent);

/// A network of a program's own, and files that stand in others' places for it.
struct wt_network {
  /// The user namespace that owns the network, and the network namespace.
  int users, network;
  /// Pairs of a place and the text that stands there instead, with a null pointer behind the last; an
  /// empty text is a place that nobody answers at. A place that is not there is left as it is.
  const char *const *places;
};

/// The parts of a network of its own, made by a helper process in a user namespace.
struct wt_network_parts {
  /// The user namespace that owns the network, and the network namespace.
  int users, network;
  /// Port 53 of 127.0.0.1 there, by UDP and listened at by TCP.
  int datagrams, listener;
  /// The way to the helper and its number.
  int line, helper;
  /// The name of what could not be had, where making the network failed.
  const char *step;
};

/// Makes a network with a loopback interface and nothing else, as whoever calls: no rights are needed
/// where the system lets everybody make user namespaces; 0, or -1 and errno.
int wt_network_open(struct wt_network_parts *parts);
/// Makes a TCP socket in that network, which does not block and is closed on exec; or -1 and errno.
int wt_network_socket(const struct wt_network_parts *parts);
/// Ends the helper and closes the namespaces; the ports are their takers'.
void wt_network_close(const struct wt_network_parts *parts);
/// Tries whether a process can enter the network, with its files bound over; 0, or -1 and errno.
int wt_network_try(const struct wt_network *network);

/// A program under a supervisor: its own number, its supervisor's, and where its end is read.
struct wt_supervised {
  int program, supervisor, report;
};

/// Starts a program like `wt_start`, under a supervisor: a process between this one and the program that
/// all of the program's descendants come to whose parents have ended, sessions of their own included
/// (PR_SET_CHILD_SUBREAPER), and that lasts until there are none left. 0, or -1 and errno.
///
/// It ends them all where `wt_end_supervised` asks for that, and where the calling thread ends: that has
/// to stay until the supervisor has ended. It holds the descriptor `kept` open, where that is not
/// negative, so that whoever reads the other end learns when nothing is left. Where `network` is not
/// null, the program is in that network.
int wt_start_supervised(const char *path, char *const *arguments, char *const *environment,
                        const int *streams, int kept, const struct wt_network *network,
                        struct wt_supervised *result);
/// Waits until a supervised program has ended and closes its report; its status as waitpid(2) has it.
int wt_supervised_status(const struct wt_supervised *supervised);
/// Has the program told to end, with its process group (SIGTERM).
void wt_ask_supervised(const struct wt_supervised *supervised);
/// Has the program and all of its descendants killed.
void wt_end_supervised(const struct wt_supervised *supervised);

/// Switches the loopback interface of this process's network namespace on; 0, or -1 and errno.
int wt_loopback_up(void);

int wt_epoll_create(void);
int wt_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token);
int wt_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t token);
int wt_epoll_remove(int epoll, int descriptor);
/// Waits at most `nanoseconds` (negative: for ever) and returns how many events were written, or -1.
int wt_epoll_wait(int epoll, struct wt_event *events, int capacity, int64_t nanoseconds);
/// Lets the calling thread's waits end when they should, not up to 50 microseconds later.
void wt_precise_timers(void);
/// Accepts one connection, non-blocking and closed on exec; -1 and errno where there is none.
int wt_accept(int listener);
/// A descriptor that another thread can make readable.
int wt_eventfd(void);
/// The count of bytes the kernel has not yet sent to the peer, or -1.
int wt_unsent_bytes(int socket);
#endif

#endif
