#include "processor.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED) && defined(__x86_64__)
#include <string.h>

// Six words: seconds, nanoseconds and microseconds of the wall clock; seconds and nanoseconds of the
// monotonic clock; whether to ask the tracer. The numbers of the clocks are those of clock_gettime(2):
// bits 0, 5, 8, 11 tell the wall's, bits 1, 4, 6, 7, 9 the monotonic ones. Others are the kernel's.
__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        ".globl wt_clock_code, wt_clock_code_gettime, wt_clock_code_gettimeofday\n"
        ".globl wt_clock_code_time, wt_clock_code_end\n"
        "wt_clock_code: .quad 0, 0, 0, 0, 0, 0\n"
        "wt_clock_code_gettime:\n"
        "  lea wt_clock_code(%rip), %rdx\n"
        "  cmpl $0, 40(%rdx)\n"
        "  jne 3f\n"
        "  cmpl $11, %edi\n"
        "  ja 3f\n"
        "  movl $0x921, %eax\n"
        "  btl %edi, %eax\n"
        "  jc 1f\n"
        "  movl $0x2d2, %eax\n"
        "  btl %edi, %eax\n"
        "  jnc 3f\n"
        "  movq 24(%rdx), %rax\n"
        "  movq 32(%rdx), %rcx\n"
        "  jmp 2f\n"
        "1: movq (%rdx), %rax\n"
        "  movq 8(%rdx), %rcx\n"
        "2: movq %rax, (%rsi)\n"
        "  movq %rcx, 8(%rsi)\n"
        "  xorl %eax, %eax\n"
        "  ret\n"
        "3: movl $228, %eax\n" // clock_gettime
        "  syscall\n"
        "  ret\n"
        "wt_clock_code_gettimeofday:\n"
        "  lea wt_clock_code(%rip), %rdx\n"
        "  cmpl $0, 40(%rdx)\n"
        "  jne 3f\n"
        "  testq %rdi, %rdi\n"
        "  jz 1f\n"
        "  movq (%rdx), %rax\n"
        "  movq 16(%rdx), %rcx\n"
        "  movq %rax, (%rdi)\n"
        "  movq %rcx, 8(%rdi)\n"
        "1: testq %rsi, %rsi\n"
        "  jz 2f\n"
        "  movq $0, (%rsi)\n"
        "2: xorl %eax, %eax\n"
        "  ret\n"
        "3: movl $96, %eax\n" // gettimeofday
        "  syscall\n"
        "  ret\n"
        "wt_clock_code_time:\n"
        "  lea wt_clock_code(%rip), %rdx\n"
        "  cmpl $0, 40(%rdx)\n"
        "  jne 2f\n"
        "  movq (%rdx), %rax\n"
        "  testq %rdi, %rdi\n"
        "  jz 1f\n"
        "  movq %rax, (%rdi)\n"
        "1: ret\n"
        "2: movl $201, %eax\n" // time
        "  syscall\n"
        "  ret\n"
        "wt_clock_code_end:\n"
        ".popsection\n");

void wt_form_jump(uint64_t from, uint64_t to, unsigned char jump[WT_JUMP_SIZE]) {
  const int32_t distance = (int32_t)(to - (from + WT_JUMP_SIZE));
  jump[0] = 0xe9;
  memcpy(jump + 1, &distance, sizeof distance);
}

#endif
