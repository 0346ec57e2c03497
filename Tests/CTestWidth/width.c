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
static int is_ours = 0;

// Runs when the test program is loaded, before its `main`.
__attribute__((constructor)) static void set_width(void) {
  const char *given = getenv(name);
  if (given) {
    width = atoi(given);
    return;
  }
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  width = cases_of_a_core * (cores > 0 ? (int)cores : 1);
  char text[16];
  snprintf(text, sizeof text, "%d", width);
  // A value of the caller's is kept.
  is_ours = setenv(name, text, 0) == 0;
}

int test_width(void) { return width; }

// It is the last variable, so that removing it moves no other one under a thread that reads them.
void test_width_forget(void) {
  if (is_ours) unsetenv(name);
}
