// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/kept_tree.hpp"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "validate/processes/watched_child.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

void write_kept(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string read_kept(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct KeptTreeTest : testing::Test {
    KeptTreeTest() : folder(fs::path(own.path()) / "data"), store(fs::path(own.path()) / "kept") {
        fs::create_directories(folder / "base/1");
        write_kept(folder / "base/1/table", "old");
        write_kept(folder / "control", "1");
        fs::create_symlink("control", folder / "link");
    }
    WatchedDirectory own{fs::temp_directory_path().string() + "/lockkeeper-kept-"};
    fs::path folder;
    fs::path store;
};

TEST_F(KeptTreeTest, WhatIsChangedMissingOrNewIsAsItWas) {
    const KeptTree kept(folder, store);
    write_kept(folder / "control", "a longer text");
    fs::remove_all(folder / "base");
    fs::create_directories(folder / "base2/2");
    write_kept(folder / "base2/2/table", "new");
    fs::remove(folder / "link");
    write_kept(folder / "link", "now a file");
    kept.put_back();
    EXPECT_EQ("1", read_kept(folder / "control"));
    EXPECT_EQ("old", read_kept(folder / "base/1/table"));
    EXPECT_FALSE(fs::exists(folder / "base2"));
    EXPECT_EQ("control", fs::read_symlink(folder / "link"));
}

TEST_F(KeptTreeTest, AChangeOfTheSameSizeIsSeenEachTime) {
    const KeptTree kept(folder, store);
    for (const char* text : {"new", "two", "tri"}) {
        write_kept(folder / "base/1/table", text);
        kept.put_back();
        EXPECT_EQ("old", read_kept(folder / "base/1/table")) << text;
    }
}

TEST_F(KeptTreeTest, ModesAreThoseOfThen) {
    fs::permissions(folder / "control", fs::perms::owner_read | fs::perms::owner_write);
    const KeptTree kept(folder, store);
    fs::remove(folder / "control");
    kept.put_back();
    struct stat status {};
    ASSERT_EQ(0, stat((folder / "control").c_str(), &status));
    EXPECT_EQ(0600U, status.st_mode & 07777U);
}

}  // namespace
}  // namespace lockkeeper
