#include "scenarios/write_script.hpp"

#include <algorithm>
#include <span>

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;
using Operations = std::span<const Operation>;

// Repetitions of longer parts are not looked for, except of the whole script.
constexpr std::size_t kPeriodMax = 16;

bool same(const Operation& left, const Operation& right) {
    return left.verb == right.verb && left.key == right.key && left.max_per == right.max_per &&
           left.buckets == right.buckets && left.follows_resizes == right.follows_resizes &&
           left.until_acquired == right.until_acquired && left.unchecked == right.unchecked;
}

// How often the first `period` operations stand at the beginning one after the other.
std::size_t repetitions(Operations operations, std::size_t period) {
    std::size_t end = period;
    while (end < operations.size() && same(operations[end], operations[end - period])) {
        ++end;
    }
    return end / period;
}

Json written(const Operation& operation, const std::vector<std::string>& keys) {
    if (operation.verb == Verb::kExit) {
        return {{"exit", Json::object()}};
    }
    Json body;
    body["key"] = keys.at(operation.key);
    body["max_per"] = operation.max_per;
    body["buckets"] = operation.follows_resizes ? Json("current") : Json(operation.buckets);
    if (operation.until_acquired) {
        body["until"] = "acquired";
    }
    if (operation.unchecked) {
        body["unchecked"] = true;
    }
    return {{std::string(name_of(operation.verb)), body}};
}

// The beginning of `operations` as one element; says in `used` how much of them that is.
Json first_element(Operations operations, const std::vector<std::string>& keys, std::size_t& used) {
    std::size_t best_period = 1;
    used = repetitions(operations, 1);
    for (std::size_t period = 2; period <= std::min(kPeriodMax, operations.size() / 2); ++period) {
        const std::size_t times = repetitions(operations, period);
        if (times > 1 && times * period > used) {
            used = times * period;
            best_period = period;
        }
    }
    Json element;
    if (best_period == 1) {
        element = written(operations.front(), keys);
    } else {
        Json body = Json::array();
        for (const Operation& operation : operations.first(best_period)) {
            body.push_back(written(operation, keys));
        }
        element["repeat"] = body;
    }
    if (used > best_period) {
        element["times"] = used / best_period;
    }
    return element;
}

// The shortest part of which the script consists entirely. Linear, by the table of Knuth, Morris
// and Pratt: borders[i] operations stand both at the beginning and at the end of the first i + 1.
std::size_t whole_period(Operations operations) {
    std::vector<std::size_t> borders(operations.size(), 0);
    for (std::size_t i = 1; i < operations.size(); ++i) {
        std::size_t border = borders[i - 1];
        while (border > 0 && !same(operations[i], operations[border])) {
            border = borders[border - 1];
        }
        borders[i] = border + (same(operations[i], operations[border]) ? 1 : 0);
    }
    const std::size_t period = operations.empty() ? 0 : operations.size() - borders.back();
    return period > 0 && operations.size() % period == 0 ? period : operations.size();
}

}  // namespace

bool behave_alike(const CallerConfig& left, const CallerConfig& right) {
    return left.may_crash == right.may_crash && left.repeats_forever == right.repeats_forever &&
           std::equal(left.script.begin(), left.script.end(), right.script.begin(),
                      right.script.end(), same);
}

void write_script(const CallerConfig& caller, const std::vector<std::string>& keys,
                  nlohmann::ordered_json& entry) {
    const Operations operations(caller.script);
    // With "forever" there is no place for a number.
    const std::size_t period =
        caller.repeats_forever ? operations.size() : whole_period(operations);
    Json script = Json::array();
    for (std::size_t begin = 0; begin < period;) {
        std::size_t used = 0;
        script.push_back(first_element(operations.subspan(begin, period - begin), keys, used));
        begin += used;
    }
    entry["script"] = script;
    if (caller.repeats_forever) {
        entry["repeat"] = "forever";
    } else if (period < operations.size()) {
        entry["repeat"] = operations.size() / period;
    }
}

}  // namespace lockkeeper
