// SPDX-License-Identifier: Apache-2.0

// `explain` with a lock of one's own, registered in C++ or a program of the protocol, and what a
// report of an answer is made of. Obviously wrong and obviously right locks, with one place and
// two.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "model/implementation.hpp"
#include "model/json.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "validate/logs/command.hpp"
#include "validate/programs/outside_test.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
namespace {

enum class At : std::uint8_t { kRead, kWrite, kSubtract };
enum class Write : std::uint8_t { kBlindly, kIfUnchanged };  // wrong, right

// A user would write it so: a row says how many places are in use.
class OwnLimiter : public BasicImplementation<> {
  public:
    static constexpr Traits kTraits{.no_background = true, .by_record = true};
    struct Shared {
        std::uint8_t in_use;
    };
    struct Call {
        At at;
        std::uint8_t seen;
    };

    explicit OwnLimiter(Write write) : write_(write) {}

    Shared initial_shared() const { return {0}; }
    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kRead : At::kSubtract;
    }
    Outcome step(Shared& shared, Record& /*record*/, Call& call, const Operation& operation,
                 Event& /*event*/) const {
        switch (call.at) {
            case At::kRead:
                call = {At::kWrite, shared.in_use};
                return call.seen < operation.capacity() ? Outcome::kContinues : Outcome::kRefused;
            case At::kWrite:
                if (write_ == Write::kIfUnchanged && shared.in_use != call.seen) {
                    call = {At::kRead, 0};
                    return Outcome::kContinues;
                }
                shared.in_use = static_cast<std::uint8_t>(call.seen + 1);
                return Outcome::kAcquired;
            case At::kSubtract:
                if (shared.in_use > 0) {
                    --shared.in_use;
                }
                break;
        }
        return Outcome::kReleased;
    }
    void observe(const Shared& shared, Observation& out) const {
        out.keys[0].counters = {shared.in_use};
        out.keys[0].counted_least = out.keys[0].counted_most = shared.in_use;
    }
    std::string describe_step(const Shared& /*shared*/, const Record& /*record*/, const Call& call,
                              const Operation& /*operation*/) const {
        return call.at == At::kRead ? "read" : call.at == At::kWrite ? "write" : "subtract";
    }
    std::string show(const Shared& shared) const {
        return "in use " + std::to_string(shared.in_use);
    }

  private:
    Write write_;
};

// Two callers that are both told at once that they have the only connection; one after the other.
const std::string kBoth =
    "1.000 a trying\n1.010 b trying\n2.000 a acquired\n2.010 b acquired\n3.000 a releasing\n"
    "3.001 a released\n3.100 b releasing\n3.101 b released\n";
const std::string kInTurn =
    "1.000 a trying\n1.001 a acquired\n1.100 b trying\n1.101 b busy\n1.200 a releasing\n"
    "1.201 a released\n1.300 b trying\n1.301 b acquired\n1.400 b releasing\n1.401 b released\n";
const std::string kCounter = testing_outside::running("python3") + " '" LOCKKEEPER_SOURCE_DIR
                                                                   "/examples/outside/counter.py'";
const std::string kNight = LOCKKEEPER_SOURCE_DIR "/examples/incidents/redis_lock.log";

class OwnLock : public ::testing::Test {
  protected:
    OwnLock() {
        register_lock(registry_, {"my_lock", "wrong", "writes what it has read, plus 1"},
                      OwnLimiter(Write::kBlindly));
        register_lock(registry_, {"my_lock", "right", "writes if the row is unchanged"},
                      OwnLimiter(Write::kIfUnchanged));
        std::string pattern = (std::filesystem::temp_directory_path() / "own_XXXXXX").string();
        directory_ = mkdtemp(pattern.data());
    }
    ~OwnLock() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (directory_ / name).string();
    }
    ExplainedLogs explain(const logs::Asked& asked, bool wants_reports = false) {
        out_.str("");
        return explain_logs(Desk{registry_, asked_, out_}, asked, wants_reports, out_);
    }
    // The exit code; the text is in out_.
    int explained(const std::string& log, const std::string& model,
                  const std::optional<std::string>& program = {},
                  const std::optional<std::string>& save = {}) {
        std::ofstream(path("own.log")) << log;
        logs::Asked asked;
        asked.logs = {path("own.log")};
        asked.model = model;
        asked.lost_max = 0;
        asked.program = program;
        asked.save = save;
        return explain(asked).exit_code;
    }
    [[nodiscard]] bool says(const std::string& text) const {
        return out_.str().find(text) != std::string::npos;
    }

    Registry registry_ = shipped_systems();
    Asked asked_;
    std::ostringstream out_;
    std::filesystem::path directory_;
};

TEST_F(OwnLock, ARegisteredLockIsTheModel) {
    // The wrong one has the run that no right one has.
    EXPECT_EQ(1, explained(kBoth, "my_lock/wrong:max_per=1"));
    EXPECT_TRUE(says("the run in steps of my_lock/wrong: lk1:")) << out_.str();
    EXPECT_EQ(1, explained(kBoth, "my_lock/right:max_per=1"));
    EXPECT_TRUE(says("my_lock/right has no such run: ")) << out_.str();
    EXPECT_TRUE(says("acquired) cannot happen there, because ")) << out_.str();
    for (const char* model : {"my_lock/wrong:max_per=1", "my_lock/right:max_per=1"}) {
        EXPECT_EQ(0, explained(kInTurn, model)) << out_.str();
        EXPECT_TRUE(says("the run in steps of my_lock/")) << out_.str();
    }
    EXPECT_EQ(0, explained(kBoth, "my_lock/wrong:max_per=2")) << "no double grant of two places";
    EXPECT_THROW(explained(kBoth, "my_lock/wrong"), UsageError);
    EXPECT_THROW(explained(kBoth, "my_lock/none:max_per=1"), UsageError);
}

TEST_F(OwnLock, AProgramIsAskedForTheRun) {
    EXPECT_EQ(1, explained(kBoth, "mutex", kCounter));
    EXPECT_TRUE(says("the run in steps of `" + kCounter + "`: lk1:")) << out_.str();
    EXPECT_EQ(1, explained(kBoth, "mutex", kCounter + " --atomic"));
    EXPECT_TRUE(says("has no such run: ")) << out_.str();
    EXPECT_TRUE(says("it is refused")) << out_.str();
    for (const std::string& program : {kCounter, kCounter + " --atomic"}) {
        EXPECT_EQ(0, explained(kInTurn, "mutex", program)) << out_.str();
        EXPECT_TRUE(says("the run in steps of `")) << out_.str();
    }
    EXPECT_EQ(0, explained(kBoth, "semaphore:2", kCounter + " --atomic")) << out_.str();
    EXPECT_TRUE(says("the run in steps of `")) << out_.str();
    EXPECT_THROW(explained(kBoth, "canal:max_per=1", kCounter), UsageError);
}

TEST_F(OwnLock, ARunOfAProgramIsSavedAndReplays) {
    EXPECT_EQ(1, explained(kBoth, "mutex", kCounter, path("saved.json")));
    const std::string before = "--replay-choices ";
    const std::size_t at = out_.str().find(before);
    ASSERT_NE(std::string::npos, at) << out_.str();
    const std::string rest = out_.str().substr(at + before.size());
    asked_.command = "validate";
    asked_.validate.program = kCounter;
    asked_.validate.replay_choices = rest.substr(0, rest.find('\n'));
    const RunReport report = validate_outside(Desk{registry_, asked_, out_}, path("saved.json"));
    ASSERT_TRUE(is<Violated>(report.verdict));
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ("over-allocation", report.findings.front().property->name);
}

TEST_F(OwnLock, AProgramWithLeasesHasTheRunOfItsTimes) {
    const std::string lease = testing_outside::running("python3") + " '" LOCKKEEPER_SOURCE_DIR
                                                                    "/examples/outside/lease.py'";
    const std::string log =
        "1.000 a trying\n1.001 a acquired\n1.010 b trying\n1.011 b busy\n1.100 b trying\n"
        "1.101 b acquired\n";
    EXPECT_EQ(0, explained(log, "lease:ttl=50ms", lease + " --exact")) << out_.str();
    EXPECT_TRUE(says("the run in steps of `")) << out_.str();
}

TEST_F(OwnLock, AProgramThatAnswersDifferentlyIsNotDeterministic) {
    for (const char* mode : {"changing.py", "changing.py --steps"}) {
        const std::string program = testing_outside::other_child(mode);
        EXPECT_EQ(1, explained(kBoth, "mutex", program));
        EXPECT_TRUE(says("`" + program + "`: not deterministic: ")) << out_.str();
        EXPECT_FALSE(says("has no such run")) << out_.str();
        EXPECT_THROW(explained(kBoth, "mutex", program, path("none.json")), BadInput);
    }
}

// No time passes at the end of the scripts while b can ask again: that is no "cannot happen".
TEST_F(OwnLock, AProgramThatPollsIsNotToldToHaveNoRun) {
    const std::string program = testing_outside::other_child("polling.py");
    const std::string log = "1.000 a trying\n1.001 a acquired\n1.009 b trying\n1.012 b acquired\n";
    EXPECT_EQ(0, explained(log, "lease:ttl=10ms", program)) << out_.str();
    EXPECT_TRUE(says("the run was not found, and not all of its runs were tried")) << out_.str();
    EXPECT_FALSE(says("cannot happen")) << out_.str();
}

// A page and a document are made of one answer: the same lines, the same effects without the lock.
TEST_F(OwnLock, AReportHasTheLinesOfTheDocument) {
    logs::Asked asked;
    asked.logs = {kNight};
    asked.model = "lease:ttl=1s";
    asked.document = nlohmann::ordered_json::object();
    const ExplainedLogs explained = explain(asked, true);
    const nlohmann::json document = nlohmann::json::parse(out_.str());
    ASSERT_EQ(1U, explained.reports.size());
    const Finding& shown = explained.reports[0].findings.at(0);
    std::multiset<std::string> of_report;
    std::size_t effects = 0;
    for (std::size_t i = 0; i < shown.sources.size(); ++i) {
        effects += shown.trace.steps[i].violates.empty() ? 0 : 1;
        if (!shown.sources[i].file.empty()) {
            of_report.insert(shown.sources[i].file + ":" + std::to_string(shown.sources[i].line));
        }
    }
    std::multiset<std::string> of_document;
    std::size_t without_lock = 0;
    const nlohmann::json& lock = document["locks"][0];
    for (const auto& moment : lock["run"]["moments"]) {
        if (!moment["line"].is_null()) {
            of_document.insert(moment["line"]["file"].get<std::string>() + ":" +
                               std::to_string(moment["line"]["line"].get<int>()));
        }
        without_lock += moment["without_lock"].get<bool>() ? 1 : 0;
    }
    EXPECT_FALSE(of_report.empty());
    EXPECT_EQ(of_report, of_document);
    EXPECT_EQ(effects, without_lock);
    EXPECT_EQ(effects, lock["effects_without_lock"].get<std::size_t>());
    EXPECT_EQ("violated", lock["verdict"].get<std::string>());
    EXPECT_TRUE(is<Violated>(explained.reports[0].verdict));
}

}  // namespace
}  // namespace lockkeeper
