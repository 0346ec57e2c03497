#if defined(__linux__)
#include "CWindTunnelSystem.h"

#include <stddef.h>

// What processes use that are forked from one with many threads and execute nothing: all of it is
// async-signal-safe (POSIX, fork).

/// Closes every descriptor but two; a negative one is none.
void wt_close_all_but(int one, int other);
void wt_write_all(int descriptor, const void *bytes, size_t count);
/// Reads as much; -1 where the end comes first.
int wt_read_all(int descriptor, void *bytes, size_t count);
/// Writes a number in decimal digits and a null byte; the place of that byte.
char *wt_put_decimal(char *place, unsigned number);
/// Goes into a network, and puts files in others' places for this process and its children; 0, or -1 and
/// errno. The process must have one thread.
int wt_enter(const struct wt_network *network);
#endif
