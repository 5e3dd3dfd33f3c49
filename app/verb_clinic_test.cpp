// SPDX-License-Identifier: Apache-2.0

// `lockkeeper clinic`: where it looks for the tool and the libraries, and what it starts.
#include "app/beside_command.hpp"
#include "app/command_test.hpp"
#include "app/verbs.hpp"
#include "model/missing_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
namespace fs = std::filesystem;

class Clinic : public WithFiles {
  protected:
    void SetUp() override {
        WithFiles::SetUp();
        root_ = fs::canonical(path("."));
    }
    void have(const fs::path& file) const {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << "\n";
    }
    [[nodiscard]] static Options parsed(const std::vector<std::string>& arguments) {
        return std::get<Options>(
            parse_options(arguments, [](const char*) -> const char* { return nullptr; }));
    }
    [[nodiscard]] std::string problem(const std::string& command) const {
        try {
            static_cast<void>(clinic_command(root_ / command, parsed({"clinic"})));
        } catch (const UsageError& error) {
            return error.what();
        }
        return "none";
    }

    fs::path root_;
};

using Words = std::vector<std::string>;

TEST_F(Clinic, IsFoundInTheBuildTreeAndInAPrefix) {
    have("tools/clinic/clinic.py");
    have("examples/clinic/tarn/expectation.json");
    have("build/release/lockkeeper");
    EXPECT_EQ((Words{"python3", "-B", root_ / "tools/clinic/clinic.py", "--bin",
                     root_ / "build/release/lockkeeper", "--"}),
              clinic_command(root_ / "build/release/lockkeeper", parsed({"clinic"})));
    have("usr/share/lockkeeper/tools/clinic/clinic.py");
    have("usr/share/lockkeeper/examples/clinic/tarn/expectation.json");
    have("usr/bin/lockkeeper");
    EXPECT_EQ(root_ / "usr/share/lockkeeper/tools/clinic/clinic.py",
              clinic_command(root_ / "usr/bin/lockkeeper", parsed({"clinic"}))[2]);
}

TEST_F(Clinic, WhatIsGivenReachesTheTool) {
    have("tools/clinic/clinic.py");
    have("examples/clinic/tarn/expectation.json");
    const Options options =
        parsed({"clinic", "tarn", "--folder", "my locks", "--cache=--ci", "--accept", "throat"});
    const Words words = clinic_command(root_ / "build/release/lockkeeper", options);
    EXPECT_EQ((Words{"--folder=my locks", "--cache=--ci", "--accept", "--", "tarn", "throat"}),
              Words(words.begin() + 5, words.end()));
}

TEST_F(Clinic, WhereSomethingIsMissingItIsNamedWithBothPlaces) {
    have("usr/share/lockkeeper/tools/clinic/clinic.py");
    const std::string said = problem("usr/bin/lockkeeper");
    EXPECT_TRUE(contains(said, "not installed beside this command")) << said;
    EXPECT_TRUE(contains(said, "examples/clinic")) << said;
    EXPECT_TRUE(contains(said, (root_ / "usr/share/lockkeeper").string())) << said;
    have("usr/share/lockkeeper/examples/clinic/tarn/expectation.json");
    EXPECT_EQ("none", problem("usr/bin/lockkeeper"));
}

#ifdef LOCKKEEPER_EXECUTABLE
// The tool's own words and exit code.
TEST_F(Clinic, TheCommandEndsAsTheToolEnds) {
    NEEDS_TOOL("python3");
    const std::string output = path("output");
    const std::string words = std::string("'") + LOCKKEEPER_EXECUTABLE +
                              "' clinic --folder '" LOCKKEEPER_SOURCE_DIR
                              "/examples/clinic' no-such-lock > '" +
                              output + "' 2>&1";
    EXPECT_EQ(kExitInput, WEXITSTATUS(std::system(words.c_str())));
    const std::string said = read_whole(output);
    EXPECT_TRUE(contains(said, "clinic: ")) << said;
    EXPECT_TRUE(contains(said, "there is no folder no-such-lock; there are advanced-pool,"))
        << said;
}
#endif

}  // namespace
}  // namespace lockkeeper
