// SPDX-License-Identifier: Apache-2.0

// Tests which files read_text() reads, and for which inputs it does not wait.
#include "model/read_text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

constexpr std::size_t kBytesMax = 100;

std::string said(const std::string& file) {
    const auto read = read_text(file, kBytesMax);
    const auto* none = std::get_if<NotRead>(&read);
    return none != nullptr ? "not read: " + none->message : std::get<std::string>(read);
}

class ReadText : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = std::filesystem::temp_directory_path() / "read_text_XXXXXX";
        ASSERT_NE(nullptr, mkdtemp(name.data()));
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string path(const char* name) const { return folder_ + "/" + name; }

  private:
    std::string folder_;
};

TEST_F(ReadText, AFileIsReadAndAtMostOneByteMoreThanIsAllowed) {
    std::ofstream(path("a")) << "text";
    EXPECT_EQ("text", said(path("a")));
    std::ofstream(path("b")) << std::string(1000, 'x');
    EXPECT_EQ(kBytesMax + 1, said(path("b")).size());
    EXPECT_EQ("not read: cannot be opened: No such file or directory", said(path("c")));
    EXPECT_EQ("not read: cannot be read: Is a directory", said(path("")));
}

TEST_F(ReadText, APipeInWhichNobodyWritesIsRefusedAtOnce) {
    ASSERT_EQ(0, mkfifo(path("pipe").c_str(), 0600));
    const std::string refusal =
        "not read: is no file, but a pipe, a device or a socket; - is standard input";
    EXPECT_EQ(refusal, said(path("pipe")));
    EXPECT_EQ(refusal, said("/dev/null"));
    EXPECT_EQ(refusal, said("/dev/zero"));
}

TEST_F(ReadText, APipeThatTheShellHasOpenedIsRead) {
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        EXPECT_EQ(4, write(ends[1], "text", 4));
        close(ends[1]);
    });
    EXPECT_EQ("text", said("/dev/fd/" + std::to_string(ends[0])));
    writer.join();
    close(ends[0]);
}

std::atomic<bool> is_ended{false};

TEST_F(ReadText, AWaitEndsWhenThatIsAskedFor) {
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    end_reads_when([] { return is_ended.load(); });
    std::thread interrupt([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        is_ended = true;
    });
    EXPECT_EQ("not read: cannot be read: interrupted", said("/dev/fd/" + std::to_string(ends[0])));
    interrupt.join();
    end_reads_when(nullptr);
    close(ends[0]);
    close(ends[1]);
}

}  // namespace
}  // namespace lockkeeper
