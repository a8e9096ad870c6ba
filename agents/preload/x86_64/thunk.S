/*
 * Launch thunks for x86-64 (System V calling convention); see count.h.
 *
 * A thunk is 16 bytes: load its index, go to the common part. The common part may change only rax, r10 and r11, which
 * carry no argument. Fast way: the counters are this process's and the dim is the one of the last launch: add one, jump.
 */
        .set    THUNKS, 1024            /* KILN_THUNKS */
        .set    READY, 2                /* KILN_THUNK_READY */
        .set    STACK, 1                /* KILN_THUNK_STACK */

        .text
        .p2align 4
thunks:
        .set    index, 0
        .rept   THUNKS
        .p2align 4
        endbr64
        movl    $index, %r11d
        jmp     common
        .set    index, index + 1
        .endr

        .p2align 4
        .type   common, @function
common:
        shlq    $6, %r11                /* sizeof(struct kiln_thunk) */
        leaq    kiln_thunk_table(%rip), %r10
        addq    %r11, %r10
        movq    kiln_thunk_process(%rip), %rax
        cmpl    $READY, (%rax)
        jne     slow
        movl    16(%r10), %eax          /* offset */
        cmpl    $STACK, 20(%r10)        /* kind */
        je      1f
        movq    (%rdi, %rax), %r11
        jmp     2f
1:      movq    8(%rsp, %rax), %r11
2:      movq    8(%r10), %rax           /* last */
        testq   %rax, %rax
        jz      slow
        cmpq    16(%rax), %r11          /* dim */
        jne     slow
        lock incq (%rax)                /* count */
        jmp     *(%r10)                 /* target */

slow:
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        pushq   %r10
        subq    $128, %rsp              /* the stack is 16-byte aligned here */
        movups  %xmm0, (%rsp)
        movups  %xmm1, 16(%rsp)
        movups  %xmm2, 32(%rsp)
        movups  %xmm3, 48(%rsp)
        movups  %xmm4, 64(%rsp)
        movups  %xmm5, 80(%rsp)
        movups  %xmm6, 96(%rsp)
        movups  %xmm7, 112(%rsp)
        movq    %rdi, %rsi
        movq    %r10, %rdi
        leaq    184(%rsp), %rdx         /* stack pointer at entry */
        call    kiln_thunk_count
        movups  (%rsp), %xmm0
        movups  16(%rsp), %xmm1
        movups  32(%rsp), %xmm2
        movups  48(%rsp), %xmm3
        movups  64(%rsp), %xmm4
        movups  80(%rsp), %xmm5
        movups  96(%rsp), %xmm6
        movups  112(%rsp), %xmm7
        addq    $128, %rsp
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        jmp     *(%r10)
        .size   common, . - common

        /* void *kiln_thunk_code(uint32_t index) */
        .globl  kiln_thunk_code
        .hidden kiln_thunk_code
        .type   kiln_thunk_code, @function
        .p2align 4
kiln_thunk_code:
        endbr64
        movl    %edi, %edi
        shlq    $4, %rdi
        leaq    thunks(%rip), %rax
        addq    %rdi, %rax
        ret
        .size   kiln_thunk_code, . - kiln_thunk_code

        .section .note.GNU-stack, "", @progbits
