// What depends on the processor: registers of a system call, and the clock that replaces the vDSO's.
#ifndef WT_VIRTUAL_PROCESSOR_H
#define WT_VIRTUAL_PROCESSOR_H

#if defined(__linux__) && defined(__x86_64__)
#define WT_VIRTUAL_IS_SUPPORTED 1

#include <linux/audit.h>
#include <stdint.h>
#include <sys/user.h>

#define WT_AUDIT_PROCESSOR AUDIT_ARCH_X86_64

typedef struct user_regs_struct wt_registers;

// The register of an argument; see syscall(2), "Architecture calling conventions".
static inline unsigned long long *wt_argument(wt_registers *registers, int place) {
  switch (place) {
  case 0: return &registers->rdi;
  case 1: return &registers->rsi;
  case 2: return &registers->rdx;
  case 3: return &registers->r10;
  case 4: return &registers->r8;
  default: return &registers->r9;
  }
}

static inline long wt_call(const wt_registers *registers) { return (long)registers->orig_rax; }
static inline void wt_set_call(wt_registers *registers, long call) {
  registers->orig_rax = (unsigned long long)call;
}
static inline long wt_answer(const wt_registers *registers) { return (long)registers->rax; }
static inline void wt_set_answer(wt_registers *registers, long answer) {
  registers->rax = (unsigned long long)answer;
}
static inline uint64_t wt_place(const wt_registers *registers) { return registers->rip; }

// The code of the clock, with its words at the beginning.
extern const char wt_clock_code[], wt_clock_code_gettime[], wt_clock_code_gettimeofday[];
extern const char wt_clock_code_time[], wt_clock_code_end[];

enum { WT_JUMP_SIZE = 5 };

// Forms a jump from one address to another that is near.
void wt_form_jump(uint64_t from, uint64_t to, unsigned char jump[WT_JUMP_SIZE]);

#endif
#endif
