#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CWindTunnelSystem.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

const char *wt_openssl_folder(void) {
#if defined(__linux__)
  // A program with more rights than its user heeds no variable of the user's.
  const char *folder = secure_getenv("WINDTUNNEL_OPENSSL");
#else
  const char *folder = getenv("WINDTUNNEL_OPENSSL");
#endif
  return folder ? folder : "";
}

void *wt_openssl_open(const char *folder, const char *name) {
  char path[4096];
  const char *slash = *folder && folder[__builtin_strlen(folder) - 1] != '/' ? "/" : "";
  if (snprintf(path, sizeof path, "%s%s%s", folder, slash, name) >= (int)sizeof path) return NULL;
  void *library = dlopen(path, RTLD_NOW);
  if (!library) return NULL;
  // Before anything else of it runs: its clean-up at exit races with threads that still use it.
  // If somebody has initialised the library before, it is too late.
  int (*initialise)(uint64_t, const void *) =
      (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
  const uint64_t no_exit_handler = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
  if (initialise) initialise(no_exit_handler, NULL);
  return library;
}
