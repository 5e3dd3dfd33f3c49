// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.hpp"
#include "scenarios/registry/shipped_systems.hpp"

int main(int argc, char** argv) {
    return lockkeeper::lockkeeper_main(argc, argv, lockkeeper::shipped_systems());
}
