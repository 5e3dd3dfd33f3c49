// SPDX-License-Identifier: Apache-2.0
// Opens a socket.
#include <sys/socket.h>

#include <thread>

int main() {
    std::thread other([] { (void)socket(AF_UNIX, SOCK_STREAM, 0); });
    other.join();
}
