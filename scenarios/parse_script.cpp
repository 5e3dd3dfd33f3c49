#include "scenarios/parse_script.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/observation.hpp"
#include "scenarios/nearest_name.hpp"

namespace lockkeeper {
namespace {

std::uint32_t parse_times(const Place& element) {
    const auto times = element.find("times");
    return times ? times->integer<std::uint32_t>(1, kOperationsMax) : 1;
}

// The index of the key, which is added when it is new.
std::uint8_t key_index(std::vector<std::string>& keys, const Place& name) {
    const std::string key = name.name();
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end() && keys.size() == kKeysMax) {
        name.refuse(fmt::format("{} would be key number {}; a scenario has at most {}",
                                in_quotes(key), keys.size() + 1, kKeysMax));
    }
    const auto index = static_cast<std::uint8_t>(known - keys.begin());
    if (known == keys.end()) {
        keys.push_back(key);
    }
    return index;
}

// The same for signals, with what the operation does to it.
std::uint8_t signal_index(std::vector<SignalUse>& signals, const Place& place, Verb verb) {
    const std::string name = place.name();
    auto known = std::find_if(signals.begin(), signals.end(),
                              [&](const SignalUse& signal) { return signal.name == name; });
    if (known == signals.end()) {
        if (signals.size() == kSignalsMax) {
            place.refuse(fmt::format("{} would be signal number {}; a scenario has at most {}",
                                     in_quotes(name), signals.size() + 1, kSignalsMax));
        }
        known = signals.insert(signals.end(), SignalUse{.name = name, .first = place});
    }
    (verb == Verb::kSignal ? known->signalled : known->waited_for) = true;
    return static_cast<std::uint8_t>(known - signals.begin());
}

// What acquire and release share. False: the key is not there.
bool parse_max_per(const Place& place, ScriptNames& names, Operation& operation) {
    const auto max_per = place.find("max_per");
    if (!max_per) {
        return false;
    }
    operation.place_capacity = max_per->integer<std::uint16_t>(0, kMaxPerMax);
    if (!names.places && operation.place_capacity != 1) {
        names.places = max_per;
    }
    return true;
}

bool parse_buckets(const Place& place, ScriptNames& names, Operation& operation) {
    const auto buckets = place.find("buckets");
    if (!buckets) {
        return false;
    }
    if (buckets->is_text("current")) {
        operation.follows_resizes = true;
    } else if (buckets->is_integer()) {
        operation.places = buckets->integer<std::uint16_t>(0, kBucketsMax);
    } else {
        buckets->refuse_type("an integer or \"current\"");
    }
    if (!names.places && (operation.follows_resizes || operation.places != 1)) {
        names.places = buckets;
    }
    return true;
}

void parse_acquire(const Place& place, ScriptNames& names, ScriptNode& node) {
    place.has_only({"key", "max_per", "buckets", "until", "number"});
    node.operation.verb = Verb::kAcquire;
    node.operation.key = key_index(names.keys, place.at("key"));
    static_cast<void>(parse_max_per(place, names, node.operation));
    static_cast<void>(parse_buckets(place, names, node.operation));
    if (const auto until = place.find("until")) {
        static_cast<void>(until->word({"acquired"}));
        node.operation.until_acquired = true;
    }
    if (const auto number = place.find("number")) {
        node.operation.number = number->integer<std::uint16_t>(0, kOwnNumberMax);
    }
}

void parse_release(const Place& place, ScriptNames& names, ScriptNode& node) {
    place.has_only({"key", "max_per", "buckets", "unchecked"});
    node.operation.verb = Verb::kRelease;
    node.operation.key = key_index(names.keys, place.at("key"));
    node.has_max_per = parse_max_per(place, names, node.operation);
    node.has_buckets = parse_buckets(place, names, node.operation);
    if (const auto unchecked = place.find("unchecked")) {
        node.operation.unchecked = unchecked->truth();
    }
}

void parse_signal(const Place& place, Verb verb, ScriptNames& names, Operation& operation) {
    operation.verb = verb;
    operation.signal = signal_index(names.signals, place.at("name"), verb);
    if (const auto amount = place.find("amount")) {
        operation.amount = amount->integer<std::uint8_t>(1, kSignalCountMax);
    }
}

void parse_wait(const Place& place, ScriptNames& names, Operation& operation) {
    place.has_only({"name", "amount", "keep"});
    parse_signal(place, Verb::kWait, names, operation);
    if (const auto keep = place.find("keep")) {
        operation.keep = keep->truth();
    }
}

void parse_if_holding(const Place& place, ScriptNames& names, std::size_t conditions,
                      ScriptNode& node) {
    place.has_only({"key", "then"});
    if (conditions == kConditionsMax) {
        place.refuse(
            fmt::format("more than {} \"if_holding\" inside of each other", kConditionsMax));
    }
    node.operation.verb = Verb::kIfHolding;
    node.operation.key = key_index(names.keys, place.at("key"));
    const bool known = std::any_of(names.holdings.begin(), names.holdings.end(),
                                   [&](auto& use) { return use.key == node.operation.key; });
    if (!known) {
        names.holdings.push_back({node.operation.key, place.at("key")});
    }
    node.body = parse_script(place.at("then"), names, conditions + 1);
}

void parse_exit(const Place& place, const Place& element, ScriptNode& node) {
    place.has_only({});
    if (node.times != 1) {
        element.at("times").refuse("a caller exits once; leave \"times\" out");
    }
    node.operation.verb = Verb::kExit;
}

// {"what": "renew", "key": "db", "number": 3}
void parse_call(const Place& place, ScriptNames& names, Operation& operation) {
    place.has_only({"what", "key", "number", "unchecked"});
    operation.verb = Verb::kCall;
    operation.key = key_index(names.keys, place.at("key"));
    const Place what = place.at("what");
    const std::string word = what.name();
    const auto known = std::find_if(names.words.begin(), names.words.end(),
                                    [&](const WordUse& use) { return use.name == word; });
    if (known == names.words.end() && names.words.size() == kWordsMax) {
        place.refuse(fmt::format("more than {} different calls", kWordsMax));
    }
    operation.word = static_cast<std::uint8_t>(known - names.words.begin());
    if (known == names.words.end()) {
        names.words.push_back({word, what});
    }
    if (const auto number = place.find("number")) {
        operation.number = number->integer<std::uint16_t>(0, kOwnNumberMax);
    }
    if (const auto unchecked = place.find("unchecked")) {
        operation.unchecked = unchecked->truth();
    }
}

void parse_sleep(const Place& place, ScriptNames& names, Operation& operation) {
    place.has_only({"time"});
    names.sleep = names.sleep.value_or(place);
    operation.verb = Verb::kSleep;
    operation.number = place.at("time").integer<std::uint16_t>(1, kOwnNumberMax);
}

ScriptNode parse_element(const Place& element, ScriptNames& names, std::size_t conditions) {
    element.has_only({"acquire", "release", "exit", "repeat", "signal", "wait", "if_holding",
                      "call", "sleep", "times"});
    ScriptNode node{.place = element, .times = parse_times(element), .body = {}, .operation = {}};
    std::size_t verbs_count = 0;
    const auto parse_if_there = [&](std::string_view verb, auto parse) {
        if (const auto place = element.find(verb)) {
            parse(*place);
            ++verbs_count;
        }
    };
    parse_if_there("acquire", [&](const Place& at) { parse_acquire(at, names, node); });
    parse_if_there("release", [&](const Place& at) { parse_release(at, names, node); });
    parse_if_there("exit", [&](const Place& at) { parse_exit(at, element, node); });
    parse_if_there("repeat",
                   [&](const Place& at) { node.body = parse_script(at, names, conditions); });
    parse_if_there("signal", [&](const Place& at) {
        at.has_only({"name", "amount"});
        parse_signal(at, Verb::kSignal, names, node.operation);
    });
    parse_if_there("wait", [&](const Place& at) { parse_wait(at, names, node.operation); });
    parse_if_there("if_holding",
                   [&](const Place& at) { parse_if_holding(at, names, conditions, node); });
    parse_if_there("call", [&](const Place& at) { parse_call(at, names, node.operation); });
    parse_if_there("sleep", [&](const Place& at) { parse_sleep(at, names, node.operation); });
    if (verbs_count != 1) {
        element.refuse(
            fmt::format("expected one of \"acquire\", \"release\", \"exit\", \"repeat\", "
                        "\"signal\", \"wait\", \"if_holding\", \"call\", \"sleep\", found {} of "
                        "them",
                        verbs_count));
    }
    return node;
}

}  // namespace

std::vector<ScriptNode> parse_script(const Place& script, ScriptNames& names,
                                     std::size_t conditions) {
    std::vector<ScriptNode> nodes;
    for (const Place& element : script.elements(1, kOperationsMax)) {
        nodes.push_back(parse_element(element, names, conditions));
    }
    return nodes;
}

void refuse_lonely_signals(const std::vector<SignalUse>& signals) {
    for (const SignalUse& signal : signals) {
        if (signal.signalled && signal.waited_for) {
            continue;
        }
        // Misspelt, it has its counterpart under another name.
        std::vector<std::string_view> counterparts;
        for (const SignalUse& other : signals) {
            if (signal.signalled ? other.waited_for : other.signalled) {
                counterparts.push_back(other.name);
            }
        }
        signal.first.refuse(fmt::format("nobody {} {}", signal.signalled ? "waits for" : "signals",
                                        in_quotes(signal.name)) +
                            did_you_mean(signal.name, counterparts));
    }
}

}  // namespace lockkeeper
