// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/judgement.hpp"

#include "model/observation.hpp"

namespace lockkeeper::databases {
namespace {

constexpr const char* kCallStates[] = {"", "pending", "executing", "succeeded", "failed"};

LeaseView view_of_model(const Subject& subject, const Candidate& candidate, const Observation& seen,
                        std::size_t key) {
    const ServerRow row = subject.system.server_row(candidate.state, key);
    const auto& observed = seen.keys[key];
    LeaseView view;
    const std::int32_t expires = observed.counters.back();
    view.there = expires != kAbsentCounter && !row.inserting;
    view.changing = row.inserting || row.deleting;
    view.locked = row.looked_at;
    for (std::size_t at = 0; at + 1 < observed.counters.size(); ++at) {
        const auto state = static_cast<std::size_t>(observed.counters[at]);
        view.calls.emplace_back(kCallStates[state]);
    }
    if (view.there) {
        view.acquisition = row.acquisition;
        view.expires = expires;
        view.expired = observed.granted == 0;
    }
    return view;
}

std::string words_of(const std::string& key, const LeaseView& view) {
    std::string text = key + ":";
    for (const std::string& state : view.calls) {
        text += state.empty() ? "" : " " + state + ",";
    }
    if (!view.there) {
        return text + " no row";
    }
    const std::string whose = view.acquisition == 0
                                  ? "of nobody known"
                                  : "of acquisition " + std::to_string(view.acquisition);
    return text + " a row " + whose + " until " + std::to_string(view.expires) +
           (view.expired ? ", expired" : "");
}

std::string words_of(const Expected& expected) {
    switch (expected.status) {
        case Status::kNone: return "sends nothing";
        case Status::kOk:
            if (!expected.gave_up.empty()) {
                return "is done, after the lock statement failed with " + expected.gave_up;
            }
            return expected.refused          ? "is refused"
                   : expected.token_repeated ? "is done, with a token that has not grown"
                                             : "is done";
        case Status::kError:
            return expected.error.empty() ? "fails" : "fails with " + expected.error;
        case Status::kWaits: return "waits for a lock";
    }
    return "?";
}

std::string words_of(const Observed& seen) {
    switch (seen.status) {
        case Status::kNone: return "sends nothing";
        case Status::kOk:
            return "is done" + (seen.tag.empty() ? "" : " (" + seen.tag + ")") +
                   (seen.token_repeated ? ", with a token that has not grown" : "") +
                   (seen.lock_error.empty()
                        ? ""
                        : ", after the lock statement failed with " + seen.lock_error);
        case Status::kError: return "fails with " + seen.error + " (" + seen.said + ")";
        case Status::kWaits: return "waits for a lock";
    }
    return "?";
}

bool is_dead(const Subject& subject, const Candidate& candidate, std::size_t caller) {
    Observation seen;
    subject.system.observe(candidate.state, seen);
    return seen.callers[caller].dead;
}

std::optional<Mismatch> judge_keys(const Subject& subject, const Candidate& candidate,
                                   const ServerView& view) {
    Observation seen;
    subject.system.observe(candidate.state, seen);
    for (std::size_t key = 0; key < subject.keys.size(); ++key) {
        const auto& counters = seen.keys[key].counters;
        const std::string& name = subject.keys[key].name;
        const auto differs = [&](std::int64_t server, std::size_t counter) {
            return server >= 0 && counter < counters.size() && server != counters[counter];
        };
        const auto both = [&](const char* what, std::int64_t server, std::size_t counter) {
            return Mismatch{name + ": " + what + " " + std::to_string(counters[counter]),
                            name + ": " + what + " " + std::to_string(server)};
        };
        if (differs(view.lines[key], 0)) {
            return both("the line has", view.lines[key], 0);
        }
        if (subject.connections == 0 && differs(view.versions[key], 1)) {
            return both("committed writes", view.versions[key], 1);
        }
        if (subject.connections == 0 && differs(view.rows[key], 2)) {
            return both("rows", view.rows[key], 2);
        }
    }
    return std::nullopt;
}

std::optional<Mismatch> judge_read(const Subject& subject, const ServerClients& clients,
                                   const Candidate& candidate, const Advance& done) {
    const std::size_t caller = done.action.actor;
    const Expected& expected = candidate.expected[caller];
    if (done.step.step != Step::kRead || expected.status != Status::kOk) {
        return std::nullopt;
    }
    Observation seen;
    subject.system.observe(candidate.state, seen);
    const auto committed = seen.keys[done.event.key].counters[1];
    const Observed read = clients.observed(caller);
    if (seen.callers[caller].believed[done.event.key] == 0 || read.value.empty()) {
        return std::nullopt;  // not under the lock
    }
    const bool old = std::stoll(read.value) < committed;
    if (old == expected.stale) {
        return std::nullopt;
    }
    const auto words = [&](bool stale) {
        return std::string(stale ? "reads what is old" : "reads what was committed last");
    };
    return Mismatch{words(expected.stale),
                    words(old) + ": " + read.value + " of " + std::to_string(committed)};
}

}  // namespace

std::vector<LeaseView> leases_of_model(const Subject& subject, const Candidate& candidate) {
    Observation seen;
    subject.system.observe(candidate.state, seen);
    std::vector<LeaseView> views;
    for (std::size_t key = 0; key < subject.keys.size(); ++key) {
        views.push_back(view_of_model(subject, candidate, seen, key));
    }
    return views;
}

std::optional<Mismatch> judge_leases(const Subject& subject, const Candidate& candidate,
                                     const ServerView& view) {
    const std::vector<LeaseView> leases = leases_of_model(subject, candidate);
    for (std::size_t key = 0; key < subject.keys.size(); ++key) {
        const std::string model = words_of(subject.keys[key].name, leases[key]);
        const std::string server = words_of(subject.keys[key].name, view.leases[key]);
        if (model != server) {
            return Mismatch{model, server};
        }
    }
    return std::nullopt;
}

bool agrees(const Expected& expected, const Observed& seen, StatementKind kind) {
    if (!expected.gave_up.empty() && expected.gave_up != seen.lock_error) {
        return false;
    }
    if (seen.status == Status::kNone) {
        return expected.status != Status::kWaits;  // nothing was sent
    }
    if (expected.status == Status::kNone) {
        return true;  // it has not sent anything since
    }
    if (expected.status != seen.status) {
        return false;
    }
    if (expected.token_repeated != seen.token_repeated) {
        return false;
    }
    if (expected.status == Status::kError && !expected.error.empty()) {
        return expected.error == seen.error;
    }
    if (kind.is_commit_on_pg && expected.status == Status::kOk && !seen.tag.empty()) {
        return expected.rolled_back == (seen.tag == "ROLLBACK");
    }
    return !kind.tries || expected.refused == (seen.value == "f");
}

std::optional<Mismatch> judge(const Subject& subject, const ServerClients& clients,
                              const Candidate& candidate, const Advance& done,
                              const ServerView& view) {
    for (std::size_t caller = 0; caller < subject.clients.size(); ++caller) {
        const Expected& expected = candidate.expected[caller];
        const Observed seen = clients.observed(caller);
        const bool own = caller == done.action.actor && done.step.step == Step::kEnd;
        if (is_dead(subject, candidate, caller) ||
            agrees(expected, seen,
                   {own && subject.engine == Engine::kPostgresql, subject.clients[caller].tries})) {
            continue;
        }
        const std::string& name = subject.world.callers[caller].name;
        std::string model = words_of(expected);
        if (own && expected.status == Status::kOk) {
            model += expected.rolled_back ? " (and is a roll-back)" : " (and commits)";
        }
        std::string statement = "the statement of ";
        statement += name;
        statement += " ";
        return Mismatch{statement + model, statement + words_of(seen)};
    }
    if (subject.leases) {
        const Observed told = clients.told(done);
        const bool answers = done.step.step == Step::kRenewalAnswered && !subject.leases->singleton;
        if ((answers || done.step.step == Step::kRenewalHandled) &&
            !agrees(candidate.told, told, {})) {
            return Mismatch{"the renewal " + words_of(candidate.told),
                            "the renewal " + words_of(told)};
        }
        return judge_leases(subject, candidate, view);
    }
    if (auto mismatch = judge_keys(subject, candidate, view)) {
        return mismatch;
    }
    return judge_read(subject, clients, candidate, done);
}

}  // namespace lockkeeper::databases
