/*
 * dlsym, interposed so that a Python library opened later with dlopen is noticed; see preload.c.
 *
 * It must be a jump: RTLD_NEXT and RTLD_DEFAULT mean different things for different callers, and dlsym takes its caller
 * from the return address.
 */
        .text
        .globl  dlsym
        .type   dlsym, @function
        .p2align 4
dlsym:
        endbr64
        pushq   %rdi
        pushq   %rsi
        subq    $8, %rsp
        call    kiln_preload_dlsym      /* the real dlsym; has looked at the arguments */
        addq    $8, %rsp
        popq    %rsi
        popq    %rdi
        jmp     *%rax
        .size   dlsym, . - dlsym

        .section .note.GNU-stack, "", @progbits
