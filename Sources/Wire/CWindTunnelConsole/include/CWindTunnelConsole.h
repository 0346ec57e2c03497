#ifndef WINDTUNNEL_CONSOLE_H
#define WINDTUNNEL_CONSOLE_H

#include <stddef.h>

// The files of the console's page, which the compiler takes as they lie in `Page`.

/// The bytes of the file of a number, from 0; NULL after the last.
const unsigned char *wt_console_bytes(size_t number);
/// The number of bytes of that file.
size_t wt_console_length(size_t number);
/// The name under which it is served, such as `list.js`.
const char *wt_console_name(size_t number);

#endif
