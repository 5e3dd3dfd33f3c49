// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "work/failure.hpp"

namespace lockkeeper {
namespace {

class CommandFile : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lockkeeper_file_XXXXXX").string();
        ASSERT_NE(nullptr, mkdtemp(pattern.data()));
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }
    [[nodiscard]] std::string made(const std::string& name) const {
        std::filesystem::create_directories((directory_ / name).parent_path());
        std::ofstream(directory_ / name) << "x\n";
        return (directory_ / name).string();
    }
    std::filesystem::path directory_;
};

TEST_F(CommandFile, IsTheScriptAndNotItsInterpreter) {
    const std::string script = made("lock.py");
    EXPECT_EQ(script, file_of_command("python3 " + script + " --wrong"));
    EXPECT_EQ(script, file_of_command("/bin/sh " + script)) << "which is a file as well";
    const std::string spaced = made("my lock.py");
    EXPECT_EQ(spaced, file_of_command("python3 '" + spaced + "'"));
    EXPECT_EQ(spaced, file_of_command("python3 \"" + spaced + "\" x"));
}

TEST_F(CommandFile, IsTheOneInARepositoryFirst) {
    const std::string other = made("settings.toml");
    std::filesystem::create_directories(directory_ / "mine" / ".git");
    const std::string script = made("mine/lock.py");
    EXPECT_EQ(script, file_of_command("run --with " + other + " " + script));
}

TEST_F(CommandFile, IsTheProgramItselfWhereNothingElseIsAFile) {
    const std::string program = made("lock");
    ASSERT_EQ(0, ::chmod(program.c_str(), 0755));
    EXPECT_EQ(program, file_of_command(program + " --wrong"));
    const std::string shell = file_of_command("sh -c true");
    EXPECT_TRUE(shell.starts_with("/") && shell.ends_with("/sh")) << shell;
    EXPECT_EQ("", file_of_command("no-such-program-anywhere x"));
    EXPECT_EQ("", file_of_command(""));
}

}  // namespace
}  // namespace lockkeeper
