// SPDX-License-Identifier: Apache-2.0

// For the tests of what is generated: a directory that vanishes with the test, and a shell that
// reads what is in it.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper::testing_manual {

class Written : public testing::Test {
  public:
    Written() {
        std::string name = testing::TempDir() + "lockkeeper_manual_XXXXXX";
        directory_ = mkdtemp(name.data());
    }
    ~Written() override { std::filesystem::remove_all(directory_); }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    Written(Written&&) = delete;
    Written& operator=(Written&&) = delete;

    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((directory_ / name).parent_path());
        std::ofstream(directory_ / name, std::ios::binary) << text;
        return (directory_ / name).string();
    }
    [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  private:
    std::filesystem::path directory_;
};

// Stdout and stderr of a command of /bin/sh.
inline std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"),
                                                     pclose);
    std::string text;
    std::array<char, 4096> piece{};
    while (pipe && fgets(piece.data(), piece.size(), pipe.get()) != nullptr) {
        text += piece.data();
    }
    return text;
}

}  // namespace lockkeeper::testing_manual
