// SPDX-License-Identifier: Apache-2.0
// A part without hooks that has a variable of its own on the stack, and shares that.
int count_with_threads();

int main() { return count_with_threads() == 2 ? 0 : 0; }
