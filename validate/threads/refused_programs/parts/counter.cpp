// SPDX-License-Identifier: Apache-2.0
int counter = 0;

void count();
void count() { ++counter; }
