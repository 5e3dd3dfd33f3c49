// SPDX-License-Identifier: Apache-2.0

// `lockkeeper playground`: where it looks, and what it refuses. What it answers:
// serve/http_playground_test.cpp.
#include "app/beside_command.hpp"
#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
namespace fs = std::filesystem;

class Playground : public WithFiles {
  protected:
    void have(const std::string& file) const {
        fs::create_directories(fs::path(path(file)).parent_path());
        std::ofstream(path(file)) << "\n";
    }
};

TEST_F(Playground, IsFoundInTheBuildTreeAndInAPrefix) {
    have("build/playground/index.html");
    EXPECT_EQ(path("build/playground"), playground_folder(path("build/release/lockkeeper"), {}));
    have("usr/share/lockkeeper/playground/index.html");
    EXPECT_EQ(path("usr/share/lockkeeper/playground"),
              playground_folder(path("usr/bin/lockkeeper"), {}));
    EXPECT_EQ("elsewhere", playground_folder(path("usr/bin/lockkeeper"), {"elsewhere"}));
}

TEST_F(Playground, WhereThereIsNoneBothPlacesAreNamedAndWhatMakesIt) {
    try {
        static_cast<void>(playground_folder(path("usr/bin/lockkeeper"), {}));
        ADD_FAILURE() << "found";
    } catch (const UsageError& error) {
        const std::string said = error.what();
        EXPECT_TRUE(contains(said, path("usr/share/lockkeeper/playground"))) << said;
        EXPECT_TRUE(contains(said, path("build/playground"))) << said;
        EXPECT_TRUE(contains(said, "make playground")) << said;
    }
}

TEST_F(Playground, RefusesWhatIsNoPlayground) {
    const Ran none = run({"playground", path("none")});
    EXPECT_EQ(kExitInput, none.exit_code);
    expect_one_line(none, "no playground is there");
    const Ran two = run({"playground", path("a"), path("b")});
    EXPECT_EQ(kExitUsage, two.exit_code);
    expect_one_line(two, "one folder");
    EXPECT_EQ(kExitUsage, run({"playground", path("a"), "--port", "65536"}).exit_code);
}

}  // namespace
}  // namespace lockkeeper
