// SPDX-License-Identifier: Apache-2.0
static int counter = 0;
__attribute__((noinline)) static void add() { counter = counter + 1; }

void count();
void count() { add(); }
