// The clock of a world: code of our own over the vDSO's functions (vdso(7)), and words beside it.
#define _GNU_SOURCE
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct { uint64_t gettime, gettimeofday, time; } offsets;

// The code comes behind the jump at the beginning of clock_gettime.
static uint64_t code_offset(void) { return (offsets.gettime + WT_JUMP_SIZE + 7) & ~UINT64_C(7); }
static size_t code_size(void) { return (size_t)(wt_clock_code_end - wt_clock_code); }

bool wt_find_clock(void) {
  const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
  if (!image) return false;
  const Elf64_Ehdr *header = (const void *)image;
  const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);
  for (int place = 0; place < header->e_shnum; place++) {
    if (sections[place].sh_type != SHT_DYNSYM) continue;
    const Elf64_Sym *symbols = (const void *)(image + sections[place].sh_offset);
    const char *names = image + sections[sections[place].sh_link].sh_offset;
    const size_t count = sections[place].sh_size / sizeof *symbols;
    for (size_t symbol = 0; symbol < count; symbol++) {
      const char *name = names + symbols[symbol].st_name;
      const uint64_t value = symbols[symbol].st_value;
      if (strcmp(name, "__vdso_clock_gettime") == 0) offsets.gettime = value;
      if (strcmp(name, "__vdso_gettimeofday") == 0) offsets.gettimeofday = value;
      if (strcmp(name, "__vdso_time") == 0) offsets.time = value;
    }
    if (!offsets.gettime || !offsets.gettimeofday || !offsets.time) return false;
    // No function begins where the code will be.
    for (size_t symbol = 0; symbol < count; symbol++) {
      const uint64_t value = symbols[symbol].st_value;
      if (value > offsets.gettime && value < code_offset() + code_size()) return false;
    }
    return true;
  }
  return false;
}

static void fill(const struct wt_world *world, uint64_t words[6]) {
  const int64_t wall = world->now + world->wall;
  words[0] = (uint64_t)(wall / WT_SECOND);
  words[1] = (uint64_t)(wall % WT_SECOND);
  words[2] = (uint64_t)(wall % WT_SECOND / 1000);
  words[3] = (uint64_t)(world->now / WT_SECOND);
  words[4] = (uint64_t)(world->now % WT_SECOND);
  words[5] = world->asks;
}

// Where a process has its vDSO; see getauxval(3) and proc_pid_auxv(5). 0 if it has none.
static uint64_t base_of(pid_t pid) {
  char text[2048];
  const ssize_t count = wt_read_proc(text, sizeof text, "/proc/%d/auxv", pid);
  for (ssize_t place = 0; place + 16 <= count; place += 16) {
    uint64_t pair[2];
    memcpy(pair, text + place, sizeof pair);
    if (pair[0] == AT_SYSINFO_EHDR) return pair[1];
  }
  return 0;
}

void wt_inherit_clock(struct wt_process *process) {
  const uint64_t base = base_of(process->pid);
  process->words = base ? base + code_offset() : 0;
}

// Writes to /proc/PID/mem, which goes through read-only pages (proc_pid_mem(5)).
static bool put(const struct wt_process *process, const void *bytes, size_t size, uint64_t place) {
  return pwrite(process->memory, bytes, size, (off_t)place) == (ssize_t)size;
}

static bool put_jump(const struct wt_process *process, uint64_t base, uint64_t function,
                     const char *code) {
  unsigned char jump[WT_JUMP_SIZE];
  wt_form_jump(base + function, process->words + (uint64_t)(code - wt_clock_code), jump);
  return put(process, jump, sizeof jump, base + function);
}

void wt_install_clock(struct wt_world *world, struct wt_process *process) {
  char path[64], code[1024];
  snprintf(path, sizeof path, "/proc/%d/mem", process->pid);
  if (process->memory >= 0) close(process->memory);
  process->memory = open(path, O_RDWR | O_CLOEXEC);
  const uint64_t base = base_of(process->pid);
  process->words = 0;
  if (!base || code_size() > sizeof code) {
    wt_stop(world, WT_VIRTUAL_UNKNOWN_VDSO, "process %d has no vDSO", process->pid);
    return;
  }
  process->words = base + code_offset();
  memcpy(code, wt_clock_code, code_size());
  uint64_t words[6];
  fill(world, words);
  memcpy(code, words, sizeof words);
  const bool is_put = put(process, code, code_size(), process->words)
      && put_jump(process, base, offsets.gettime, wt_clock_code_gettime)
      && put_jump(process, base, offsets.gettimeofday, wt_clock_code_gettimeofday)
      && put_jump(process, base, offsets.time, wt_clock_code_time);
  if (is_put) return;
  process->words = 0;
  // Also where proc_mem.force_override=never (kernel-parameters.txt) keeps the pages read-only.
  wt_stop(world, WT_VIRTUAL_UNKNOWN_VDSO, "the vDSO of process %d cannot be written: %s",
          process->pid, strerror(errno));
}

void wt_write_clock(struct wt_world *world) {
  uint64_t words[6];
  fill(world, words);
  for (int place = 0; place < world->process_count; place++) {
    const struct wt_process *process = world->processes[place];
    // A process that is ending has no memory any more; nobody reads its clock.
    if (process->words) put(process, words, sizeof words, process->words);
  }
}

bool wt_clock_call(struct wt_world *world, struct wt_thread *thread, wt_registers *registers) {
  const long call = wt_call(registers);
  const uint64_t first = *wt_argument(registers, 0), second = *wt_argument(registers, 1);
  if (call != SYS_clock_gettime && call != SYS_gettimeofday && call != SYS_time) return false;
  wt_clock_looked_at(world);
  const int64_t wall = world->now + world->wall;
  int64_t value = world->now, answer = 0;
  if (call == SYS_time) {
    answer = wall / WT_SECOND;
    if (first && !wt_poke(thread->tid, &answer, first, sizeof answer)) answer = -EFAULT;
  } else if (call == SYS_gettimeofday) {
    const int64_t pair[2] = {wall / WT_SECOND, wall % WT_SECOND / 1000};
    if (first && !wt_poke(thread->tid, pair, first, sizeof pair)) answer = -EFAULT;
    const int zone[2] = {0, 0};
    if (second) wt_poke(thread->tid, zone, second, sizeof zone);
  } else {
    switch ((int)first) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: value = wall; break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: break;
    default: return false;
    }
    const int64_t pair[2] = {value / WT_SECOND, value % WT_SECOND};
    if (!wt_poke(thread->tid, pair, second, sizeof pair)) answer = -EFAULT;
  }
  wt_skip(thread, registers, answer);
  return true;
}

#endif
