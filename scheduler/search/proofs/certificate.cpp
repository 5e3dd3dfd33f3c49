// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/proofs/certificate.hpp"

#include <map>
#include <set>
#include <stdexcept>

#include "model/json.hpp"

namespace lockkeeper::proofs {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kBytesMost = 8'192;
constexpr std::int64_t kNumberMost = 1'000'000'000;

// Those that say something of who is there, each once.
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

[[noreturn]] void is_wrong(const std::string& what) { throw std::invalid_argument(what); }

int digit_of(char letter) {
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

Bytes from_hex(const std::string& text) {
    Bytes bytes;
    if (text.size() % 2 != 0 || text.size() > 2 * kBytesMost) {
        is_wrong("no bytes");
    }
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit_of(text[i]);
        const int low = digit_of(text[i + 1]);
        if (high < 0 || low < 0) {
            is_wrong("no bytes");
        }
        bytes.push_back(static_cast<char>(high * 16 + low));
    }
    return bytes;
}

std::int64_t number_in(const OrderedJson& json, std::int64_t least, std::int64_t most) {
    if (!json.is_number_integer()) {
        is_wrong("a whole number is expected");
    }
    if (json.is_number_unsigned() &&
        json.get<std::uint64_t>() > static_cast<std::uint64_t>(kNumberMost)) {
        is_wrong("a number is too large");
    }
    const auto number = json.get<std::int64_t>();
    if (number < least || number > most) {
        is_wrong("a number is out of range");
    }
    return number;
}

const OrderedJson& member(const OrderedJson& json, const char* name) {
    if (!json.is_object() || !json.contains(name)) {
        is_wrong(std::string("\"") + name + "\" is missing");
    }
    return json.at(name);
}

void expect_members(const OrderedJson& json, std::size_t count) {
    if (!json.is_object() || json.size() != count) {
        is_wrong("a member is missing or unknown");
    }
}

const OrderedJson& list(const OrderedJson& json, const char* name) {
    const OrderedJson& found = member(json, name);
    if (!found.is_array()) {
        is_wrong(std::string("\"") + name + "\" is no list");
    }
    return found;
}

std::string text_in(const OrderedJson& json) {
    if (!json.is_string()) {
        is_wrong("a text is expected");
    }
    return json.get<std::string>();
}

std::vector<std::int64_t> weights_in(const OrderedJson& json, std::int64_t least) {
    std::vector<std::int64_t> weights;
    for (const OrderedJson& weight : list(json, "weights")) {
        weights.push_back(number_in(weight, least, kNumberMost));
    }
    return weights;
}

Certificate::Combination combination_in(const OrderedJson& json) {
    expect_members(json, 2);
    Certificate::Combination combination;
    combination.shared =
        static_cast<std::size_t>(number_in(member(json, "shared"), 0, kNumberMost));
    for (const OrderedJson& many : list(json, "callers")) {
        if (!many.is_array() || many.size() != 2) {
            is_wrong("a count of callers is [situation, count]");
        }
        const bool any = many[1].is_string() && many[1] == "any";
        combination.counts.push_back(
            {static_cast<std::size_t>(number_in(many[0], 0, kNumberMost)),
             any ? Certificate::kAny : number_in(many[1], 1, kNumberMost)});
    }
    return combination;
}

Certificate certificate_in(const OrderedJson& json) {
    expect_members(json, 9);
    if (text_in(member(json, "$schema")) != Certificate::kSchema) {
        is_wrong("\"$schema\" is another one");
    }
    if (text_in(member(json, "kind")) != "certificate") {
        is_wrong("\"kind\" is not \"certificate\"");
    }
    static_cast<void>(
        number_in(member(json, "version"), Certificate::kVersion, Certificate::kVersion));
    Certificate certificate;
    certificate.scenario = text_in(member(json, "scenario"));
    for (const OrderedJson& name : list(json, "proved")) {
        certificate.proved.push_back(text_in(name));
    }
    if (!member(json, "everybody").is_boolean()) {
        is_wrong("\"everybody\" is true or false");
    }
    certificate.everybody = json.at("everybody").get<bool>();
    for (const OrderedJson& situation : list(json, "situations")) {
        expect_members(situation, 3);
        certificate.situations.push_back(
            {{static_cast<std::size_t>(number_in(member(situation, "group"), 0, 255)),
              from_hex(text_in(member(situation, "bytes")))},
             weights_in(situation, 0)});
    }
    for (const OrderedJson& shared : list(json, "shared")) {
        expect_members(shared, 2);
        certificate.shared.push_back(
            {from_hex(text_in(member(shared, "bytes"))), weights_in(shared, -kNumberMost)});
    }
    for (const OrderedJson& combination : list(json, "combinations")) {
        certificate.combinations.push_back(combination_in(combination));
    }
    return certificate;
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
        OrderedJson callers = OrderedJson::array();
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

std::variant<Certificate, std::string> parse_certificate(const std::string& text) {
    try {
        return certificate_in(OrderedJson::parse(text));
    } catch (const OrderedJson::exception& error) {
        return std::string(error.what());
    } catch (const std::invalid_argument& error) {
        return std::string(error.what());
    }
}

}  // namespace lockkeeper::proofs
