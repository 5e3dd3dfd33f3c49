// SPDX-License-Identifier: Apache-2.0

// Functions that the program calls, entered with a clean stack. What earlier calls have left below
// the program's frame would make equal states of a loop look different (state_of).
#pragma once

// NAME clears what is below its caller's frame, and goes on as lockkeeper_NAME.
#define LOCKKEEPER_CLEAN_HOOK(NAME)                                     \
    asm(".text\n"                                                       \
        ".p2align 4\n"                                                  \
        ".hidden lockkeeper_" #NAME                                     \
        "\n"                                                            \
        ".globl " #NAME                                                 \
        "\n"                                                            \
        ".type " #NAME ", @function\n" #NAME ": leaq lockkeeper_" #NAME \
        "(%rip), %r11\n"                                                \
        "jmp lockkeeper_threads_clear\n"                                \
        ".size " #NAME ", .-" #NAME "\n");
