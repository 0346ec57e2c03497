// Puts the interpreter behind `python3` first in `PATH`.
//
// A version manager such as pyenv has a shell script of that name, which searches for the interpreter
// at each start: three times the processor time of the interpreter's own start. The tests start it
// hundreds of times.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns whether the first `python3` in `PATH` is a script.
static int is_script(const char *path) {
  char file[4096], start[2] = "";
  for (const char *folder = path; *folder; folder += *folder == ':') {
    const size_t length = strcspn(folder, ":");
    snprintf(file, sizeof file, "%.*s/python3", (int)length, folder);
    folder += length;
    FILE *program = fopen(file, "r");
    if (!program) continue;
    const size_t count = fread(start, 1, 2, program);
    fclose(program);
    return count == 2 && memcmp(start, "#!", 2) == 0;
  }
  return 0;
}

// Runs when the test program is loaded, before its `main`. Child processes inherit the result.
__attribute__((constructor)) static void find_interpreter(void) {
  const char *path = getenv("PATH");
  if (!path || !is_script(path)) return;
  FILE *python = popen(
      "exec python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null", "r");
  if (!python) return;
  char folder[4096] = "", both[65536];
  const int is_read = fgets(folder, sizeof folder, python) != NULL;
  if (pclose(python) != 0 || !is_read || folder[0] != '/') return;
  folder[strcspn(folder, "\n")] = 0;
  if (snprintf(both, sizeof both, "%s:%s", folder, path) < (int)sizeof both) setenv("PATH", both, 1);
}
