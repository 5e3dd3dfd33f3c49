// SPDX-License-Identifier: Apache-2.0

// The rows of leases, as the model has them and as the server shows them.
#include "model/observation.hpp"
#include "validate/servers/judgement.hpp"

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

}  // namespace lockkeeper::databases
