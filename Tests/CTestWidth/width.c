// Sets the number of test cases that run at the same time, before the testing library reads it.
//
// All cases at once would share as many threads as there are cores: each would wait behind thousands,
// its time limit would expire while it waits, and the time-outs of its clients too. With a width, a
// time limit starts when its test starts.
#include "CTestWidth.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const name = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH";
static const int cases_of_a_core = 8;
static int width = 0;

// Runs when the test program is loaded, before its `main`.
__attribute__((constructor)) static void set_width(void) {
  const char *given = getenv(name);
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  // A value of the caller's is kept.
  width = given ? atoi(given) : cases_of_a_core * (cores > 0 ? (int)cores : 1);
  char text[16];
  snprintf(text, sizeof text, "%d", width);
  // Removed first, so that it becomes the last variable: to remove that one moves no other under a
  // thread that reads them.
  unsetenv(name);
  setenv(name, text, 1);
}

int test_width(void) { return width; }

void test_width_forget(void) { unsetenv(name); }
