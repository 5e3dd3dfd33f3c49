// SPDX-License-Identifier: Apache-2.0

// A private server ends with whom it was started for, and leaves no file behind.
#include "validate/servers/private_server.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "model/missing_test.hpp"
#include "validate/processes/processes_test.hpp"

namespace lockkeeper::databases {
namespace {

TEST(PrivateServers, nothing_is_left_of_a_server) {
    std::string directory;
    pid_t pid = 0;
    {
        auto started = PrivateServer::start(Engine::kMariadb);
        auto* server = std::get_if<std::unique_ptr<PrivateServer>>(&started);
        if (server == nullptr) {
            SKIP_FOR_LACK_OF(std::get<NoServer>(started).reason);
        }
        directory = (*server)->directory();
        pid = (*server)->pid();
        EXPECT_TRUE(std::filesystem::exists(directory));
        EXPECT_EQ(0, ::kill(pid, 0));
    }
    EXPECT_FALSE(std::filesystem::exists(directory));
    EXPECT_EQ(-1, ::kill(pid, 0));
}

// One process that has a server, killed by SIGKILL.
void expect_nothing_left_of_a_killed_process(Engine engine) {
    testing_processes::Pipe told;
    const pid_t process = fork();
    if (process == 0) {
        const auto started = PrivateServer::start(engine);
        const auto* server = std::get_if<std::unique_ptr<PrivateServer>>(&started);
        if (server == nullptr) {
            dprintf(told.writing(), "%s\n", std::get<NoServer>(started).reason.c_str());
            _exit(1);
        }
        const auto session = (*server)->connect();  // PostgreSQL has a process for it
        dprintf(told.writing(), "%d\n%s\n", (*server)->pid(), (*server)->directory().c_str());
        pause();
    }
    told.close_writing();
    const std::string number = told.line();
    const std::string directory = told.line();
    if (!directory.empty()) {
        const testing_processes::AnyProcess server(std::stoi(number));
        const testing_processes::AnyProcess watcher(testing_processes::parent_of(server.id()));
        EXPECT_TRUE(std::filesystem::exists(directory));
        ::kill(process, SIGKILL);
        EXPECT_TRUE(watcher.ends_within());
        EXPECT_TRUE(server.ends_within(0));
        EXPECT_FALSE(std::filesystem::exists(directory));
    }
    waitpid(process, nullptr, 0);
    if (directory.empty()) {
        SKIP_FOR_LACK_OF(number);
    }
}

TEST(PrivateServers, postgresql_ends_with_a_process_that_is_killed) {
    expect_nothing_left_of_a_killed_process(Engine::kPostgresql);
}

TEST(PrivateServers, mariadb_ends_with_a_process_that_is_killed) {
    expect_nothing_left_of_a_killed_process(Engine::kMariadb);
}

}  // namespace
}  // namespace lockkeeper::databases
