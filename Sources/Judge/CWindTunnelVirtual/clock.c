// The clock of a world: code of our own over the vDSO's functions (vdso(7)), and words beside it.
#include "world.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)
#include <elf.h>
#include <sys/auxv.h>

// The functions, our code for each, and where the vDSO has it.
static struct { const char *name, *code; uint64_t offset; } functions[] = {
  {"__vdso_clock_gettime", wt_clock_code_gettime, 0},
  {"__vdso_gettimeofday", wt_clock_code_gettimeofday, 0},
  {"__vdso_time", wt_clock_code_time, 0},
};

// The code comes behind the jump at the beginning of clock_gettime.
static uint64_t code_offset(void) { return (functions[0].offset + WT_JUMP_SIZE + 7) / 8 * 8; }
static size_t code_size(void) { return (size_t)(wt_clock_code_end - wt_clock_code); }

// Finds the functions in this process's vDSO, which is the same in all; false if there is no room
// for ours.
static bool find_functions(void) {
  const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
  if (!image) return false;
  const Elf64_Ehdr *header = (const void *)image;
  const Elf64_Shdr *sections = (const void *)(image + header->e_shoff), *section = sections;
  while (section < sections + header->e_shnum && section->sh_type != SHT_DYNSYM) section++;
  if (section == sections + header->e_shnum) return false;
  const char *names = image + sections[section->sh_link].sh_offset;
  const Elf64_Sym *symbols = (const void *)(image + section->sh_offset);
  const Elf64_Sym *end = symbols + section->sh_size / sizeof *symbols;
  for (int place = 0; place < WT_COUNT(functions); place++) {
    const Elf64_Sym *symbol = symbols;
    while (symbol < end && strcmp(names + symbol->st_name, functions[place].name)) symbol++;
    if (symbol == end) return false;
    functions[place].offset = symbol->st_value;
  }
  // No function begins where the code will be.
  for (const Elf64_Sym *symbol = symbols; symbol < end; symbol++) {
    const bool is_behind = symbol->st_value > functions[0].offset;
    if (is_behind && symbol->st_value < code_offset() + code_size()) return false;
  }
  return true;
}

void wt_find_words(struct wt_process *process) {
  // Where it has its vDSO; see getauxval(3) and proc_pid_auxv(5).
  uint64_t pairs[256] = {0};
  const int file = wt_open_proc(O_RDONLY, "/proc/%d/auxv", process->pid);
  wt_read_proc((char *)pairs, sizeof pairs, file);
  process->words = 0;
  for (int place = 0; pairs[place]; place += 2) {
    if (pairs[place] == AT_SYSINFO_EHDR) process->words = pairs[place + 1] + code_offset();
  }
}

// Writes to /proc/PID/mem, which goes through read-only pages (proc_pid_mem(5)).
static bool put(pid_t pid, const void *bytes, size_t size, uint64_t place) {
  const int file = wt_open_proc(O_RDWR, "/proc/%d/mem", pid);
  // See PR_SET_DUMPABLE(2const): its clock would stand.
  const bool is_hidden = file < 0 && errno == EACCES;
  if (is_hidden) wt_stop("unsupported", "process %d does not let itself be read", pid);
  const ssize_t count = pwrite(file, bytes, size, (off_t)place);
  close(file);
  return count == (ssize_t)size;
}

void wt_install_clock(struct wt_process *process) {
  const pid_t pid = process->pid;
  bool is_put = find_functions();
  wt_find_words(process);
  is_put = is_put && put(pid, wt_clock_code, code_size(), process->words);
  for (int place = 0; is_put && place < WT_COUNT(functions); place++) {
    const uint64_t from = process->words - code_offset() + functions[place].offset;
    const uint64_t to = process->words + (uint64_t)(functions[place].code - wt_clock_code);
    unsigned char jump[WT_JUMP_SIZE];
    wt_form_jump(from, to, jump);
    is_put = put(pid, jump, sizeof jump, from);
  }
  // Also where proc_mem.force_override=never (kernel-parameters.txt) keeps the pages read-only.
  if (!is_put) wt_stop("unknown vDSO", "process %d has none with room for our clock", pid);
  wt_write_clock();
}

void wt_write_clock(void) {
  const int64_t wall = wt.now + wt.wall, seconds = wall / WT_SECOND, nanoseconds = wall % WT_SECOND;
  const int64_t words[WT_CLOCK_WORDS] = {
    seconds, nanoseconds, seconds, nanoseconds / 1000,
    wt.now / WT_SECOND, wt.now % WT_SECOND, wt.asks,
  };
  WT_EACH(wt_process, process, wt.processes) {
    // A process that is ending has no memory any more; nobody reads its clock.
    if (process->words) put(process->pid, words, sizeof words, process->words);
  }
}

bool wt_clock_base(int64_t clock, int64_t *base) {
  if (clock < 0 || clock > 11) return false;
  *base = WT_WALL_CLOCKS >> clock & 1 ? wt.wall : 0;
  return (WT_WALL_CLOCKS | WT_MONOTONIC_CLOCKS) >> clock & 1;
}

// The kernel has written its time since the boot: times(2) returns it in ticks, and sysinfo(2) has
// its seconds first.
static void uptime_ended(struct wt_thread *thread) {
  const int64_t seconds = wt.now / WT_SECOND, tick = WT_SECOND / sysconf(_SC_CLK_TCK);
  if (wt_answer(thread) < 0) return;
  if (wt_call(thread) == SYS_times) wt_answer(thread) = wt.now / tick;
  else wt_poke(thread->tid, &seconds, wt_argument(thread, 0), sizeof seconds);
}

bool wt_clock_call(struct wt_thread *thread) {
  const int64_t call = wt_call(thread);
  if (call == SYS_times || call == SYS_sysinfo) thread->at_end = uptime_ended;
  const int64_t first = wt_argument(thread, 0), second = wt_argument(thread, 1);
  int64_t base = wt.wall;
  const bool is_clock = call == SYS_clock_gettime && wt_clock_base((int)first, &base);
  if (!is_clock && call != SYS_gettimeofday && call != SYS_time) return false;
  wt_clock_looked_at(thread);
  const int64_t time = wt.now + base, place = is_clock ? second : first, zone = 0;
  // time(2) has seconds alone.
  const int64_t pair[2] = {time / WT_SECOND, time % WT_SECOND / (is_clock ? 1 : 1000)};
  const size_t size = call == SYS_time ? sizeof *pair : sizeof pair;
  const bool is_put = (!place && !is_clock) || wt_poke(thread->tid, pair, place, size);
  if (second && call == SYS_gettimeofday) wt_poke(thread->tid, &zone, second, sizeof zone);
  return wt_skip(thread, !is_put ? -EFAULT : call == SYS_time ? pair[0] : 0);
}

#endif
