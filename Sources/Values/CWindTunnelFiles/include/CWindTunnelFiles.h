#ifndef WINDTUNNEL_FILES_H
#define WINDTUNNEL_FILES_H

#include <stddef.h>

// What ships inside the binary, so that a copied binary needs no other file: the compiler takes the
// very files of `Cassettes`, in a fraction of the time that a Swift literal of them takes.

/// The bytes of the shipped file of a number, from 0; NULL after the last.
const unsigned char *wt_shipped_bytes(size_t number);
/// The number of bytes of that file.
size_t wt_shipped_length(size_t number);
/// Its name: `examples/NAME`, or `scenarios/NAME` in the order of the group `pre-release`.
const char *wt_shipped_name(size_t number);

#endif
