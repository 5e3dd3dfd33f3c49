// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/certificate.hpp"

#include <map>
#include <set>

#include "model/json.hpp"

namespace lockkeeper::proofs {
namespace {

using OrderedJson = nlohmann::ordered_json;

// The weights that say something about the callers, each once.
std::vector<const Weights*> telling_weights(const ClosedSet& set) {
    std::vector<const Weights*> telling;
    std::set<std::vector<std::int64_t>> columns{std::vector<std::int64_t>(set.locals.size())};
    for (const Weights& weights : set.weights) {
        std::vector<std::int64_t> column;
        for (const LocalId local : set.locals) {
            column.push_back(weights.of(local));
        }
        if (columns.insert(std::move(column)).second) {
            telling.push_back(&weights);
        }
    }
    return telling;
}

// A line each, or files of megabytes would be one line, or millions of lines.
void add_lines(std::string& text, const char* name, const std::vector<OrderedJson>& rows,
               bool is_last) {
    text += std::string("  \"") + name + "\": [\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += "    ";
        text += rows[i].dump();
        text += i + 1 < rows.size() ? ",\n" : "\n";
    }
    text += is_last ? "  ]\n" : "  ],\n";
}

}  // namespace

std::string to_hex(const Bytes& bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        text += kDigits[static_cast<unsigned char>(byte) >> 4U];
        text += kDigits[static_cast<unsigned char>(byte) & 15U];
    }
    return text;
}

Certificate certificate_of(const ReplicatedSteps& steps, const ClosedSet& set,
                           const std::vector<const Property*>& proved) {
    Certificate certificate;
    for (const Property* property : proved) {
        certificate.proved.emplace_back(property->name);
    }
    certificate.everybody = set.everybody;
    const std::vector<const Weights*> telling = telling_weights(set);
    std::map<LocalId, std::size_t> situations;
    for (const LocalId local : set.locals) {
        situations.emplace(local, situations.size());
        Certificate::Situation& situation = certificate.situations.emplace_back();
        situation.local = steps.local(local);
        for (const Weights* weights : telling) {
            situation.weights.push_back(weights->of(local));
        }
    }
    std::map<SharedId, std::size_t> shared;
    for (const Marking& marking : set.markings) {
        const auto [number, is_new] = shared.emplace(marking.shared, shared.size());
        if (is_new) {
            Certificate::SharedPart& part = certificate.shared.emplace_back();
            part.bytes = steps.shared(marking.shared);
            for (const Weights* weights : telling) {
                part.weights.push_back(weights->of_shared[marking.shared]);
            }
        }
        Certificate::Combination& combination = certificate.combinations.emplace_back();
        combination.shared = number->second;
        for (const LocalCount& some : marking.counts) {
            combination.counts.push_back(
                {situations.at(some.local),
                 some.count == kAnyNumber ? Certificate::kAny : std::int64_t{some.count}});
        }
    }
    return certificate;
}

std::string to_text(const Certificate& certificate) {
    std::vector<OrderedJson> situations;
    for (const Certificate::Situation& each : certificate.situations) {
        situations.push_back({{"group", each.local.group},
                              {"bytes", to_hex(each.local.slot)},
                              {"weights", each.weights}});
    }
    std::vector<OrderedJson> shared;
    for (const Certificate::SharedPart& each : certificate.shared) {
        shared.push_back({{"bytes", to_hex(each.bytes)}, {"weights", each.weights}});
    }
    std::vector<OrderedJson> combinations;
    for (const Certificate::Combination& each : certificate.combinations) {
        OrderedJson::array_t callers;
        for (const Certificate::Many& many : each.counts) {
            OrderedJson pair = OrderedJson::array({many.situation});
            many.count == Certificate::kAny ? pair.push_back("any") : pair.push_back(many.count);
            callers.push_back(std::move(pair));
        }
        combinations.push_back({{"shared", each.shared}, {"callers", std::move(callers)}});
    }
    std::string text = std::string("{\n  \"$schema\": \"") + Certificate::kSchema + "\",\n";
    text += "  \"kind\": \"certificate\",\n  \"version\": ";
    text += std::to_string(Certificate::kVersion) + ",\n  \"scenario\": ";
    text += OrderedJson(certificate.scenario).dump() + ",\n  \"proved\": ";
    text += OrderedJson(certificate.proved).dump() + ",\n  \"everybody\": ";
    text += certificate.everybody ? "true,\n" : "false,\n";
    add_lines(text, "situations", situations, false);
    add_lines(text, "shared", shared, false);
    add_lines(text, "combinations", combinations, true);
    return text + "}\n";
}

}  // namespace lockkeeper::proofs
