// Programs that wait without sleeping: they look at the clock, or compute.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// After so much processor time without a jump each look at the clock traps.
static const int64_t ask_after = 300 * WT_MILLISECOND;
// Who looks so often in so little processor time, three times in a row, waits by looking.
static const int64_t looks_max = 1000, looks_processor = 15 * WT_MILLISECOND;
static const int64_t processor_limit = 20 * WT_SECOND;

int64_t wt_processor_time(struct wt_world *world) {
  int64_t sum = world->processor_gone;
  for (int place = 0; place < world->thread_count; place++) {
    struct wt_thread *thread = world->threads[place];
    char text[96] = "";
    // See sched-stats.rst: the first number is the time on a processor.
    if (pread(thread->turns_file, text, sizeof text - 1, 0) > 0) thread->processor = atoll(text);
    sum += thread->processor;
  }
  return sum;
}

void wt_busy_jumped(struct wt_world *world) {
  if (world->asks) {
    world->asks = false;
    wt_write_clock(world);
  }
  world->jump_real = wt_real_now();
  world->processor_base = -1;
  world->processor_counted = 0;
  world->looks = world->fast = 0;
  world->is_looking = false;
}

void wt_busy(struct wt_world *world) {
  // Processors together are not faster than this.
  if (wt_real_now() - world->jump_real < 20 * WT_MILLISECOND) return;
  const int64_t time = wt_processor_time(world);
  if (world->processor_base < 0) world->processor_base = time;
  const int64_t used = time - world->processor_base;
  if (!world->asks && used > ask_after) {
    world->asks = true;
    world->looks = world->fast = 0;
    world->is_looking = false;
    world->look_processor = time;
    wt_write_clock(world);
  }
  const int64_t limit = world->options.processor_limit ? world->options.processor_limit : processor_limit;
  if (used <= limit || world->is_looking) return;
  wt_reason(world, WT_VIRTUAL_PROCESSOR_TIME, "%lld ms of processor time without a wait",
            (long long)(used / WT_MILLISECOND));
  if (used > 4 * limit) {
    wt_stop(world, WT_VIRTUAL_PROCESSOR_TIME, "no end of it");
    return;
  }
  if (world->processor_counted) {
    const int64_t length = time - world->processor_counted;
    world->result->counted_nanoseconds += length;
    const int64_t until = world->now + length;
    // Whatever is due on the way is fired at its instant.
    for (int step = 0; world->now < until && step < 1000; step++) wt_creep(world, until - world->now);
  }
  world->processor_counted = time;
}

void wt_clock_looked_at(struct wt_world *world) {
  if (!world->asks) return;
  if (++world->looks % looks_max == 0) {
    const int64_t time = wt_processor_time(world);
    world->fast = time - world->look_processor < looks_processor ? world->fast + 1 : 0;
    world->is_looking = world->fast >= 3;
    world->look_processor = time;
  }
  if (!world->is_looking) return;
  const int64_t before = world->now;
  wt_creep(world, WT_MILLISECOND);
  world->result->looked_nanoseconds += world->now - before;
}

#endif
