// The functions by which programs on Linux ask for the time, sleep, and draw random numbers. A
// program's own definition stands before a shared library's (System V gABI, Dynamic Linking: the
// executable's symbols are looked up first), so that Foundation, the standard library and Dispatch
// use these.
//
// A thread without a timekeeper gets what the library says.
#if defined(__linux__)
#define _GNU_SOURCE
#include "CWindTunnelClock.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;
// Who reads the clock so often in one turn waits for it in a loop.
static const int64_t reads_max = 1000000;

typedef struct {
  wt_timekeeper *keeper;
  bool is_loop;
  // What this thread does for a loop.
  int64_t work;
  int64_t reads, last;
} thread_time;

static __thread thread_time own;

// A thread that ends still asks for the time, and locks with the system's own call, when the data of a
// sanitizer about it are gone (glibc, nptl_deallocate_tsd).
#define WHEN_A_THREAD_ENDS __attribute__((disable_sanitizer_instrumentation))

// Here as below: any thread may be the first to look a library's function up, and all find the same.
WHEN_A_THREAD_ENDS
static int real_clock(clockid_t clock, struct timespec *time) {
  static int (*_Atomic library)(clockid_t, struct timespec *);
  // The vDSO's by the library: a system call would cost others ten times as much.
  if (!library) library = dlsym(RTLD_NEXT, "clock_gettime");
  if (library) return library(clock, time);
  return (int)syscall(SYS_clock_gettime, clock, time);
}

// What a clock read when this thread's time began; null where it is none that says the time.
WHEN_A_THREAD_ENDS
static const int64_t *start_of(clockid_t clock) {
  if (!own.keeper) return NULL;
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
    return &own.keeper->wall;
  case CLOCK_MONOTONIC:
  case CLOCK_MONOTONIC_RAW:
  case CLOCK_MONOTONIC_COARSE:
    return &own.keeper->monotonic;
  case CLOCK_BOOTTIME:
    return &own.keeper->boot;
  default:
    return NULL;
  }
}

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * second + time.tv_nsec; }

static int64_t real_nanoseconds(clockid_t clock) {
  struct timespec now;
  real_clock(clock, &now);
  return nanoseconds(now);
}


WHEN_A_THREAD_ENDS
int clock_gettime(clockid_t clock, struct timespec *time) {
  const int64_t *start = start_of(clock);
  if (!start) return real_clock(clock, time);
  int64_t elapsed = own.keeper->elapsed(own.keeper->keeper);
  own.reads = elapsed == own.last ? own.reads + 1 : 0;
  own.last = elapsed;
  if (own.reads == reads_max) own.keeper->tell(own.keeper->keeper, WT_CLOCK_BUSY);
  // Its time may be the machine's from now on: it waits for something, and had better see an end.
  if (!own.keeper) return clock_gettime(clock, time);
  int64_t now = *start + elapsed;
  *time = (struct timespec){.tv_sec = now / second, .tv_nsec = now % second};
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  if (zone) *(struct timezone *)zone = (struct timezone){0};
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// A sleeping thread of one that is alone lets the time pass. Foundation sleeps until its own sum of
// seconds is over, which may leave a rest that is shorter than a nanosecond.
static bool pass(int64_t nanoseconds) {
  return own.keeper->pass(own.keeper->keeper, nanoseconds < 1000 ? 1000 : nanoseconds);
}

extern const char *dispatch_queue_get_label(void *);

// Tells whether code is Dispatch's, which sleeps for some microseconds where two of its threads want
// one thing at once: that is the machine's affair, and no time goes by for who is on the loop.
static bool is_dispatch(void *code) {
  Dl_info caller, dispatch;
  return dladdr((void *)dispatch_queue_get_label, &dispatch) && dladdr(code, &caller)
      && caller.dli_fbase == dispatch.dli_fbase;
}

static int sleep_until(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest,
                       void *caller) {
  const int64_t *start = start_of(clock);
  if (!start || is_dispatch(caller)) {
    long failed = syscall(SYS_clock_nanosleep, clock, flags, wanted, rest);
    return failed ? errno : 0;
  }
  int64_t length = nanoseconds(*wanted);
  if (flags & TIMER_ABSTIME) {
    length -= *start + own.keeper->elapsed(own.keeper->keeper);
    if (length <= 0) return 0;
  }
  if (pass(length)) return 0;
  struct timespec left = {.tv_sec = length / second, .tv_nsec = length % second};
  return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &left, rest) ? errno : 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest) {
  return sleep_until(clock, flags, wanted, rest, __builtin_return_address(0));
}

static int sleep_for(const struct timespec *wanted, struct timespec *rest, void *caller) {
  if (!own.keeper) return (int)syscall(SYS_nanosleep, wanted, rest);
  int failed = sleep_until(CLOCK_MONOTONIC, 0, wanted, rest, caller);
  if (!failed) return 0;
  errno = failed;
  return -1;
}

int nanosleep(const struct timespec *wanted, struct timespec *rest) {
  return sleep_for(wanted, rest, __builtin_return_address(0));
}

// Whoever sleeps for no seconds or microseconds lets others have a processor, as CoreFoundation does
// while another thread has its spin lock (CFInternal.h, __CFLock): no time goes by, and without an
// end it is a busy loop. A rest of less than a nanosecond is another matter; see pass.
static bool yields(unsigned length) {
  if (length > 0 || !own.keeper) return false;
  if (++own.reads == reads_max) own.keeper->tell(own.keeper->keeper, WT_CLOCK_BUSY);
  sched_yield();
  return true;
}

int usleep(useconds_t microseconds) {
  if (yields(microseconds)) return 0;
  struct timespec length = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
  return sleep_for(&length, NULL, __builtin_return_address(0));
}

unsigned sleep(unsigned seconds) {
  if (yields(seconds)) return 0;
  struct timespec rest, length = {.tv_sec = seconds};
  return sleep_for(&length, &rest, __builtin_return_address(0)) ? (unsigned)rest.tv_sec : 0;
}

// splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
static uint64_t draw(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// The system's random numbers, which the standard library asks for by this function alone (Swift 6.3,
// Random.cpp; it calls its own swift_stdlib_random without looking for another's).
WHEN_A_THREAD_ENDS
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long words[6];
  for (int place = 0; place < 6; place++) words[place] = va_arg(list, long);
  va_end(list);
  if (number != SYS_getrandom || !own.keeper || !own.keeper->isSeeded) {
    static long (*_Atomic library)(long, ...);
    if (!library) library = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return library(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  }
  unsigned char *bytes = (unsigned char *)words[0];
  uint64_t drawn = 0;
  for (long place = 0; place < words[1]; place++) {
    if (place % 8 == 0) drawn = draw(&own.keeper->seed);
    bytes[place] = (unsigned char)(drawn >> place % 8 * 8);
  }
  return words[1];
}

typedef uint64_t dispatch_time;
extern void dispatch_retain(void *);
extern void dispatch_release(void *);
extern void *_Block_copy(const void *);
extern void _Block_release(const void *);


// Dispatch's own (the header of the toolchain belongs to its module).
extern char _dispatch_main_q;
extern void dispatch_sync_f(void *queue, void *context, void (*work)(void *));

// The later of two readings of one clock, in nanoseconds from now; see dispatch_time(3): the highest
// bit is that of the wall clock, and the next one with it that of the clock that goes on in sleep.
static int64_t from_now(dispatch_time when) {
  if (when == 0) return 0;
  if (when == ~(uint64_t)0) return INT64_MAX;
  struct timespec now;
  if (when >> 62 == 3) {
    clock_gettime(CLOCK_REALTIME, &now);
    return -(int64_t)when - nanoseconds(now);
  }
  clock_gettime(when >> 63 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, &now);
  return (int64_t)(when & ~((uint64_t)1 << 63)) - nanoseconds(now);
}

// Weak: in a program that has Dispatch linked into it its own definitions win, and what they are
// asked for goes by the machine's time.
#define INTERPOSED __attribute__((weak))

static void after(dispatch_time when, void *queue, void *context, void (*work)(void *)) {
  if (own.keeper) {
    wt_delayed delayed = {.delay = from_now(when), .queue = queue, .context = context, .work = work};
    // A queue lasts as long as it has work.
    dispatch_retain(queue);
    if (own.keeper->delay(own.keeper->keeper, delayed)) return;
    dispatch_release(queue);
  }
  static void (*_Atomic library)(dispatch_time, void *, void *, void (*)(void *));
  if (!library) library = dlsym(RTLD_NEXT, "dispatch_after_f");
  library(when, queue, context, work);
}

INTERPOSED void dispatch_after_f(dispatch_time when, void *queue, void *context, void (*work)(void *))
    __attribute__((alias("after")));

bool wt_clock_has_dispatch(void) { return dispatch_after_f == after; }

static void do_block(void *block) {
  // The layout of a block: isa, flags, reserved, then the function (Block Implementation
  // Specification, 1).
  struct {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
  } *copy = block;
  copy->invoke(block);
  _Block_release(block);
}

// Work that a thread with a time of its own hands to a queue. Whoever does it has that time, too,
// and while it is out the time stands still.
typedef struct {
  wt_timekeeper *keeper;
  int64_t number;
  void *context;
  void (*work)(void *);
} handed;

static void do_handed(void *context) {
  handed out = *(handed *)context;
  free(context);
  thread_time before = own;
  out.keeper->begin(out.keeper->keeper, out.number, wt_clock_thread());
  own = (thread_time){.keeper = out.keeper, .work = out.number, .last = -1};
  out.work(out.context);
  own = before;
  out.keeper->handIn(out.keeper->keeper, out.number);
}

// Returns what to hand to the queue in place of the work; null where nobody counts it.
static handed *hand_out(void *context, void (*work)(void *)) {
  if (!own.keeper) return NULL;
  int64_t number = own.keeper->handOut(own.keeper->keeper);
  handed *out = number ? malloc(sizeof *out) : NULL;
  if (out) *out = (handed){.keeper = own.keeper, .number = number, .context = context, .work = work};
  return out;
}

static void async(void *queue, void *context, void (*work)(void *)) {
  static void (*_Atomic library)(void *, void *, void (*)(void *));
  if (!library) library = dlsym(RTLD_NEXT, "dispatch_async_f");
  library(queue, context, work);
}

// The runtime's own, weak where it has none.
extern uint64_t swift_task_getJobTaskId(const void *job) __attribute__((weak));
extern void *swift_task_enqueueGlobal_hook __attribute__((weak));

// Tells whether a function is one of the concurrency runtime's, which runs a job: a yield within
// an actor comes to Dispatch so, past the hook for jobs. On a thread of its own it would come back
// at any moment of the turn that the actor has.
//
// Of the runtime's own queues alone, by their label, which are concurrent: another may wait for
// somebody.
static bool is_of_runtime(void *queue, void (*work)(void *)) {
  const char *label = dispatch_queue_get_label(queue);
  if (!label || strcmp(label, "Swift global concurrent queue") != 0) return false;
  static void (*_Atomic known)(void *);
  if (work == known) return true;
  Dl_info runtime, other;
  if (!swift_task_getJobTaskId || !dladdr((void *)swift_task_getJobTaskId, &runtime)) return false;
  if (!dladdr((void *)work, &other) || runtime.dli_fbase != other.dli_fbase) return false;
  known = work;
  return true;
}

// What goes to the main queue is the keeper's: the main actor's jobs do (Swift 6.3 has a hook for
// them and does not call it), and the main queue's thread has no time of its own.
INTERPOSED void dispatch_async_f(void *queue, void *context, void (*work)(void *)) {
  if (own.keeper && (queue == &_dispatch_main_q || is_of_runtime(queue, work))) {
    dispatch_retain(queue);
    wt_delayed delayed = {.delay = 0, .queue = queue, .context = context, .work = work};
    if (own.keeper->delay(own.keeper->keeper, delayed)) return;
    dispatch_release(queue);
  }
  handed *out = hand_out(context, work);
  if (out) return async(queue, out, do_handed);
  async(queue, context, work);
}

INTERPOSED void dispatch_async(void *queue, void *block) {
  if (own.keeper) return dispatch_async_f(queue, _Block_copy(block), do_block);
  static void (*_Atomic library)(void *, void *);
  if (!library) library = dlsym(RTLD_NEXT, "dispatch_async");
  library(queue, block);
}

INTERPOSED void dispatch_barrier_async(void *queue, void *block) {
  static void (*_Atomic library)(void *, void *, void (*)(void *));
  if (!library) library = dlsym(RTLD_NEXT, "dispatch_barrier_async_f");
  void *copy = _Block_copy(block);
  handed *out = hand_out(copy, do_block);
  if (out) return library(queue, out, do_handed);
  library(queue, copy, do_block);
}

INTERPOSED void dispatch_group_async(void *group, void *queue, void *block) {
  static void (*_Atomic library)(void *, void *, void *, void (*)(void *));
  if (!library) library = dlsym(RTLD_NEXT, "dispatch_group_async_f");
  void *copy = _Block_copy(block);
  handed *out = hand_out(copy, do_block);
  if (out) return library(group, queue, out, do_handed);
  library(group, queue, copy, do_block);
}

void wt_clock_hand_out(wt_timekeeper *timekeeper, wt_delayed work) {
  thread_time before = own;
  own = (thread_time){.keeper = timekeeper, .last = -1};
  handed *out = hand_out(work.context, work.work);
  own = before;
  async(work.queue, out ? out : work.context, out ? do_handed : work.work);
  dispatch_release(work.queue);
}

INTERPOSED void dispatch_after(dispatch_time when, void *queue, void *block) {
  dispatch_after_f(when, queue, _Block_copy(block), do_block);
}

// Waits in the kernel end by the machine's clock: a moment of ours is told by the time that is left.
static struct timespec real_moment(const struct timespec *moment, clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  int64_t left = nanoseconds(*moment) - nanoseconds(now);
  int64_t end = real_nanoseconds(clock) + left;
  return (struct timespec){.tv_sec = end / second, .tv_nsec = end % second};
}

int sem_timedwait(sem_t *semaphore, const struct timespec *moment) {
  static int (*_Atomic library)(sem_t *, const struct timespec *);
  if (!library) library = dlsym(RTLD_NEXT, "sem_timedwait");
  if (!own.keeper) return library(semaphore, moment);
  struct timespec real = real_moment(moment, CLOCK_REALTIME);
  own.keeper->tell(own.keeper->keeper, WT_CLOCK_BLOCKED);
  return library(semaphore, &real);
}

int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *moment) {
  static int (*_Atomic library)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!library) library = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  if (!own.keeper) return library(condition, mutex, moment);
  struct timespec real = real_moment(moment, CLOCK_REALTIME);
  own.keeper->tell(own.keeper->keeper, WT_CLOCK_BLOCKED);
  return library(condition, mutex, &real);
}

INTERPOSED void dispatch_source_set_timer(
    void *source, dispatch_time start, uint64_t interval, uint64_t leeway) {
  static void (*_Atomic library)(void *, dispatch_time, uint64_t, uint64_t);
  if (!library) library = dlsym(RTLD_NEXT, "dispatch_source_set_timer");
  const wt_timekeeper *keeper = own.keeper;
  if (keeper && start != ~(uint64_t)0) keeper->tell(keeper->keeper, WT_CLOCK_TIMER_SOURCE);
  library(source, start, interval, leeway);
}

bool wt_clock_is_of_runtime(wt_delayed work) { return is_of_runtime(work.queue, work.work); }

bool wt_clock_is_main(wt_delayed work) { return work.queue == &_dispatch_main_q; }

void wt_clock_do(wt_delayed work) {
  dispatch_sync_f(work.queue, work.context, work.work);
  dispatch_release(work.queue);
}

void wt_clock_start(wt_timekeeper *timekeeper) {
  timekeeper->wall = real_nanoseconds(CLOCK_REALTIME);
  timekeeper->monotonic = real_nanoseconds(CLOCK_MONOTONIC);
  timekeeper->boot = real_nanoseconds(CLOCK_BOOTTIME);
}

void wt_clock_keep(wt_timekeeper *timekeeper, bool is_loop) {
  own = (thread_time){.keeper = timekeeper, .is_loop = timekeeper && is_loop, .last = -1};
}

wt_clock_role wt_clock_leave(void) {
  wt_clock_role role = {.keeper = own.keeper, .isLoop = own.is_loop, .work = own.work};
  own = (thread_time){.last = -1};
  return role;
}

void wt_clock_return(wt_clock_role role) {
  own = (thread_time){.keeper = role.keeper, .is_loop = role.isLoop, .work = role.work, .last = -1};
}

static int crashes[2] = {-1, -1};

bool wt_clock_open_crashes(void) { return pipe2(crashes, O_CLOEXEC) == 0; }

// What fits into a pipe's smallest write is written whole (POSIX.1-2017, write: PIPE_BUF).
bool wt_clock_contain_crash(int signal) {
  wt_timekeeper *keeper = own.keeper;
  if (!keeper || !keeper->containsCrashes) return false;
  // Each keeps a thread and its stack for good.
  static atomic_int contained;
  if (atomic_fetch_add(&contained, 1) >= WT_CLOCK_CRASHES_MAX) return false;
  wt_clock_crash crash = {
      .keeper = keeper->keeper, .signal = signal, .isLoop = own.is_loop, .work = own.work};
  return write(crashes[1], &crash, sizeof crash) == sizeof crash;
}

wt_clock_crash wt_clock_next_crash(void) {
  wt_clock_crash crash;
  while (read(crashes[0], &crash, sizeof crash) != sizeof crash) continue;
  return crash;
}

void *wt_clock_keeper(void) { return own.keeper ? own.keeper->keeper : NULL; }

void *wt_clock_loop(void) { return own.is_loop ? own.keeper->keeper : NULL; }

int64_t wt_clock_work(void) { return own.work; }

// Behind the name of the program, which may have brackets of its own, the last of them ends it.
static bool sleeps(const char *thread) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  ssize_t count = read(file, line, sizeof line - 1);
  close(file);
  if (count <= 0) return true;
  line[count] = 0;
  const char *name_end = strrchr(line, ')');
  return !name_end || name_end[1] != ' ' || name_end[2] == 'S';
}

int32_t wt_clock_thread(void) { return gettid(); }

bool wt_clock_sleeps(int32_t thread) {
  char name[16];
  if (thread) {
    snprintf(name, sizeof name, "%d", thread);
    return sleeps(name);
  }
  int32_t here = wt_clock_thread();
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return true;
  bool all = true;
  for (struct dirent *entry; all && (entry = readdir(threads));) {
    int32_t number = atoi(entry->d_name);
    if (number > 0 && number != here) all = sleeps(entry->d_name);
  }
  closedir(threads);
  return all;
}

int64_t wt_clock_real(void) { return real_nanoseconds(CLOCK_MONOTONIC); }

uint64_t wt_task_number(const void *job) {
  return swift_task_getJobTaskId ? swift_task_getJobTaskId(job) : 0;
}

void **wt_global_hook(void) { return &swift_task_enqueueGlobal_hook; }

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if defined(__ELF__)
__attribute__((used, retain, section("wt_modules")))
#elif defined(__APPLE__)
__attribute__((used, section("__DATA_CONST,__wt_modules")))
#endif
static const uint64_t link_mark[3] = {0xF1D38A6C57E294B0, 0x9C0EB7A52D41F863, 26};
#endif
