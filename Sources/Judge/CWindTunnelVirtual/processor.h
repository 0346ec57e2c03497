// What depends on the processor: registers of a system call, and the clock that replaces the
// vDSO's.
#ifndef WT_VIRTUAL_PROCESSOR_H
#define WT_VIRTUAL_PROCESSOR_H

#if defined(__linux__) && defined(__x86_64__)
#define WT_VIRTUAL_IS_SUPPORTED 1

#include <linux/audit.h>
#include <stdint.h>
#include <string.h>
#include <sys/reg.h>
#include <sys/user.h>

#define WT_AUDIT_PROCESSOR AUDIT_ARCH_X86_64

// The words of struct user_regs_struct, by the numbers of sys/reg.h. For those of the arguments see
// syscall(2), "Architecture calling conventions".
typedef struct { int64_t at[sizeof(struct user_regs_struct) / 8]; } wt_registers;
enum { WT_CALL = ORIG_RAX, WT_ANSWER = RAX, WT_PLACE = RIP, WT_STACK = RSP };
// A program may use so many bytes beyond the top of its stack (System V ABI, "The Red Zone").
enum { WT_RED_ZONE = 128 };
#define WT_ARGUMENT(place) ((const int[6]){RDI, RSI, RDX, R10, R8, R9}[place])

// The code of the clock, with its words at the beginning.
extern const char wt_clock_code[], wt_clock_code_gettime[], wt_clock_code_gettimeofday[];
extern const char wt_clock_code_time[], wt_clock_code_end[];

enum { WT_JUMP_SIZE = 5, WT_CLOCK_WORDS = 7 };

// Bit sets of the clocks of clock_gettime(2) that tell the wall's time, and of the monotonic ones.
// The others, of processor time and devices, are the kernel's.
enum { WT_WALL_CLOCKS = 0x921, WT_MONOTONIC_CLOCKS = 0x2d2 };

// Forms a jump from one address to another that is near.
static inline void wt_form_jump(uint64_t from, uint64_t to, unsigned char jump[WT_JUMP_SIZE]) {
  const int32_t distance = (int32_t)(to - (from + WT_JUMP_SIZE));
  jump[0] = 0xe9;
  memcpy(jump + 1, &distance, sizeof distance);
}

#endif
#endif
