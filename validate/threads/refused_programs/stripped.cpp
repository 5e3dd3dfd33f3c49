// SPDX-License-Identifier: Apache-2.0
// Nobody can look which functions have hooks.
int main() {}
