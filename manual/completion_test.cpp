// SPDX-License-Identifier: Apache-2.0
#include "manual/completion.hpp"

#include <algorithm>
#include <sstream>

#include "manual/written_test.hpp"
#include "model/missing_test.hpp"
#include "model/printable.hpp"

namespace lockkeeper {
namespace {

using namespace testing_manual;

const CompletionNames& names() {
    static const CompletionNames kNames(shipped_systems());
    return kNames;
}

using Lines = std::vector<std::string>;

bool has_line(const Lines& lines, const std::string& wanted) {
    return std::find(lines.begin(), lines.end(), wanted) != lines.end();
}

// A directory with two scenario files, something else, and a folder.
class Completion : public Written {
  protected:
    void SetUp() override {
        script_ = write("lockkeeper.bash", bash_completion(names()));
        for (const char* name :
             {"here/leak.json", "here/two words.json", "here/notes.txt", "here/folder/leak.json"}) {
            static_cast<void>(write(name, "{}"));
        }
    }

    // Returns what bash offers for the last of the words; bash has taken the line apart.
    [[nodiscard]] Lines offered(const Lines& words) const {
        std::string line;
        for (const std::string& word : words) {
            line += shell_quoted(word) + " ";
        }
        const std::string test =
            "source " + shell_quoted(script_) + "\nCOMP_WORDS=(" + line + ")\n" +
            "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_lockkeeper\n" +
            "for one in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$one\"; done\n";
        std::istringstream out(output_of("cd " + shell_quoted((directory() / "here").string()) +
                                         " && bash --norc --noprofile " +
                                         shell_quoted(write("test.bash", test))));
        Lines lines;
        for (std::string one; std::getline(out, one);) {
            lines.push_back(one);
        }
        return lines;
    }

  private:
    std::string script_;
};

TEST_F(Completion, OfAVerb) {
    EXPECT_EQ((Lines{"explore"}), offered({"lockkeeper", "explo"}));
    EXPECT_EQ((Lines{"measure"}), offered({"lockkeeper", "help", "me"}));
    const Lines all = offered({"lockkeeper", ""});
    for (const VerbRow& verb : verbs()) {
        EXPECT_TRUE(has_line(all, name_of(verb.command))) << name_of(verb.command);
    }
}

TEST_F(Completion, OfEveryFlagOfTheVerbAndOfNoOther) {
    EXPECT_EQ((Lines{"--frontier"}), offered({"lockkeeper", "explore", "a.json", "--fr"}));
    for (const VerbRow& verb : verbs()) {
        const Lines all = offered({"lockkeeper", name_of(verb.command), "--"});
        for (const Flag& flag : flags()) {
            if (find_flag(flag.name, verb.command) != nullptr) {
                EXPECT_TRUE(has_line(all, flag.name)) << flag.name;
            } else {
                EXPECT_FALSE(has_line(all, flag.name)) << flag.name;
            }
        }
    }
}

TEST_F(Completion, OfAValueBehindTheFlagAndBehindTheEqualsSign) {
    EXPECT_EQ((Lines{"queue", "stack"}), offered({"lockkeeper", "explore", "--frontier", ""}));
    EXPECT_EQ((Lines{"stack"}), offered({"lockkeeper", "explore", "--frontier", "=", "st"}));
    EXPECT_EQ((Lines{"queue", "stack"}), offered({"lockkeeper", "explore", "--frontier", "="}));
    EXPECT_EQ((Lines{"canal/repaired"}),
              offered({"lockkeeper", "validate", "--against", "canal/repaire"}));
    EXPECT_EQ((Lines{"owner-aware-mutex"}),
              offered({"lockkeeper", "validate", "--model", "owner"}));
    EXPECT_EQ((Lines{}), offered({"lockkeeper", "explore", "--seed", ""}));
}

TEST_F(Completion, OfTheLastOfAListOfProperties) {
    EXPECT_EQ((Lines{"leak"}), offered({"lockkeeper", "fuzz", "--check", "lea"}));
    EXPECT_EQ((Lines{"leak,deadlock"}), offered({"lockkeeper", "fuzz", "--check", "leak,deadl"}));
}

// One name, two verbs: --history is a file of both, --check is a table of `sweep` and a list of
// properties elsewhere.
TEST_F(Completion, OfAFlagIsThatOfTheVerb) {
    EXPECT_EQ((Lines{"leak.json"}), offered({"lockkeeper", "sweep", "--check", "lea"}));
    EXPECT_EQ((Lines{"notes.txt"}), offered({"lockkeeper", "validate", "--history", "no"}));
}

TEST_F(Completion, OfAScenarioFile) {
    EXPECT_EQ((Lines{"leak.json"}), offered({"lockkeeper", "run", "le"}));
    EXPECT_EQ((Lines{"folder"}), offered({"lockkeeper", "run", "fo"}));
    EXPECT_EQ((Lines{"folder/leak.json"}), offered({"lockkeeper", "run", "folder/"}));
    EXPECT_EQ((Lines{"two words.json"}), offered({"lockkeeper", "explore", "two"}));
    EXPECT_EQ((Lines{}), offered({"lockkeeper", "run", "no"}));
    EXPECT_EQ((Lines{"notes.txt"}), offered({"lockkeeper", "run", "--report", "no"}));
    EXPECT_EQ((Lines{"folder"}), offered({"lockkeeper", "run", "--out", ""}));
}

TEST_F(Completion, OfWhatIsListed) {
    EXPECT_EQ((Lines{"exit-codes"}), offered({"lockkeeper", "list", "exit"}));
    EXPECT_TRUE(has_line(offered({"lockkeeper", "list", "canal"}), "canal/faithful"));
}

TEST_F(Completion, OfZshIsAScriptThatZshReads) {
    const std::string zsh = zsh_completion(names());
    for (const Flag& flag : flags()) {
        EXPECT_NE(std::string::npos, zsh.find(flag.name + (flag.value.form.empty() ? "[" : "=[")))
            << flag.name;
    }
    NEEDS_TOOL("zsh");
    EXPECT_EQ("", output_of("zsh -n " + write("_lockkeeper", zsh)));
}

TEST_F(Completion, OfFishOffersTheSame) {
    const std::string fish = fish_completion(names());
    for (const Flag& flag : flags()) {
        EXPECT_NE(std::string::npos, fish.find(" -l " + flag.name.substr(2) + " ")) << flag.name;
    }
    NEEDS_TOOL("fish");
    const std::string script = write("lockkeeper.fish", fish);
    const auto offers = [&](const std::string& line) {
        return output_of("fish --no-config -c \"source " + script + "; complete -C '" + line +
                         "'\" | cut -f1");
    };
    EXPECT_EQ("queue\nstack\n", offers("lockkeeper explore --frontier "));
    EXPECT_EQ("explore\n", offers("lockkeeper explo"));
    EXPECT_EQ("--frontier\n", offers("lockkeeper explore --fron"));
    EXPECT_EQ("", offers("lockkeeper fuzz --fron"));
    EXPECT_EQ("canal/repaired\n", offers("lockkeeper list canal/repaire"));
}

}  // namespace
}  // namespace lockkeeper
