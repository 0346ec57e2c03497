#include "CWindTunnelSystem.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *wt_openssl_open(const char *folder, const char *name) {
  const char *chosen = getenv("WINDTUNNEL_OPENSSL");
  if (!folder) folder = chosen ? chosen : "";
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
