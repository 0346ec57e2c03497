#include "processor.h"

#if defined(WT_VIRTUAL_IS_SUPPORTED)

// Seven words: seconds and nanoseconds of the wall clock; its seconds and microseconds; seconds and
// nanoseconds of the monotonic clock; whether to ask the tracer by a system call, which traps.
// The numbers 0x921 and 0x2d2 are WT_WALL_CLOCKS and WT_MONOTONIC_CLOCKS.
__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        ".globl wt_clock_code, wt_clock_code_gettime, wt_clock_code_gettimeofday\n"
        ".globl wt_clock_code_time, wt_clock_code_end\n"
        "wt_clock_code: .quad 0, 0, 0, 0, 0, 0, 0\n"
        "wt_clock_code_gettime:\n"
        "  movl $228, %eax\n" // clock_gettime
        "  cmpl $0, 48 + wt_clock_code(%rip)\n"
        "  jne 5f\n"
        "  cmpl $11, %edi\n"
        "  ja 5f\n"
        "  lea wt_clock_code(%rip), %rdx\n"
        "  movl $0x921, %ecx\n"
        "  btl %edi, %ecx\n"
        "  jc 1f\n"
        "  addq $32, %rdx\n"
        "  movl $0x2d2, %ecx\n"
        "  btl %edi, %ecx\n"
        "  jnc 5f\n"
        "1: movups (%rdx), %xmm0\n"
        "  movups %xmm0, (%rsi)\n"
        "2: xorl %eax, %eax\n"
        "  ret\n"
        "wt_clock_code_gettimeofday:\n"
        "  movl $96, %eax\n" // gettimeofday
        "  cmpl $0, 48 + wt_clock_code(%rip)\n"
        "  jne 5f\n"
        "  testq %rdi, %rdi\n"
        "  jz 3f\n"
        "  movups 16 + wt_clock_code(%rip), %xmm0\n"
        "  movups %xmm0, (%rdi)\n"
        "3: testq %rsi, %rsi\n"
        "  jz 2b\n"
        "  movq $0, (%rsi)\n"
        "  jmp 2b\n"
        "wt_clock_code_time:\n"
        "  movl $201, %eax\n" // time
        "  cmpl $0, 48 + wt_clock_code(%rip)\n"
        "  jne 5f\n"
        "  movq wt_clock_code(%rip), %rax\n"
        "  testq %rdi, %rdi\n"
        "  jz 4f\n"
        "  movq %rax, (%rdi)\n"
        "4: ret\n"
        "5: syscall\n"
        "  ret\n"
        "wt_clock_code_end:\n"
        ".popsection\n");

#endif
