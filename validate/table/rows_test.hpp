// SPDX-License-Identifier: Apache-2.0

// The rows of small_locks.json, and the judgement of a door on a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "properties/catalogue.hpp"
#include "validate/outside/outside_world.hpp"

namespace lockkeeper::table {

inline const std::string kFolder = LOCKKEEPER_SOURCE_DIR "/validate/table/";
inline const std::string kClient = kFolder + "small_lock.py ";
inline constexpr const char* kPass = "pass";
inline constexpr const char* kNotJudged = "not judged";

// A verdict: "pass", "not judged" or a property, with the shortest run that violates it.
struct Says {
    std::string is;
    std::int64_t primitives = 0;
    std::int64_t time = 0;  // moments at which something ends
    std::int64_t faults = 0;
    std::string history = {};  // "kept", "violated", "not judged"
    std::string missing = {};  // of "not judged": the fact

    [[nodiscard]] std::string text() const {
        std::string out = is;
        if (is != kPass && is != kNotJudged) {
            out += ", " + std::to_string(primitives) + " primitives, " + std::to_string(time) +
                   " ends, " + std::to_string(faults) + " faults";
        }
        return out + (missing.empty() ? "" : ": " + missing) + "; history " + history;
    }
};

struct Step {
    std::string name;  // a primitive; or an answer, which is no step of its own
    std::int32_t number = 0;
    std::string otherwise = {};  // an answer, or the number of a step
};

struct Row {
    std::string lock;
    std::uint16_t places = 1;
    std::uint8_t ttl = 0;     // 0: grants have no end
    std::uint8_t beyond = 0;  // so much longer callers believe than the record grants
    std::optional<bool> reentrant;
    std::uint8_t time = 0;
    std::uint8_t crashes = 0;
    std::vector<std::vector<std::string>> callers;   // their scripts, word by word
    std::map<std::string, std::vector<Step>> steps;  // by word
    std::vector<const Property*> check;              // empty: all
    nlohmann::json written;

    [[nodiscard]] Says expected() const {
        return {written.at("is"),
                written.value("primitives", 0),
                written.value("time", 0),
                written.value("faults", 0),
                written.at("history"),
                written.at("is") == kNotJudged ? written.value("missing", "") : ""};
    }
    [[nodiscard]] bool checks(const Property& property) const {
        return check.empty() || std::find(check.begin(), check.end(), &property) != check.end();
    }
};

inline bool is_answer(const std::string& name) {
    constexpr const char* kAnswers[] = {"ok",     "refused", "lost", "done",
                                        "failed", "unknown", "dies"};
    return std::find(std::begin(kAnswers), std::end(kAnswers), name) != std::end(kAnswers);
}

inline std::vector<std::string> words_of(std::string text) {
    std::vector<std::string> words;
    for (std::size_t end = 0; !text.empty(); text.erase(0, end == text.npos ? end : end + 1)) {
        end = text.find(' ');
        words.push_back(text.substr(0, end));
    }
    return words;
}

inline Step step_of(const std::string& text) {
    const std::vector<std::string> words = words_of(text);
    Step step{words[0]};
    if (words.size() % 2 == 0) {
        step.number = words[1] == "N" ? 0 : std::stoi(words[1]);
    }
    if (words.size() > 2) {
        step.otherwise = words.back();
    }
    return step;
}

// `door`: applies the row's "apart" entry for this door. Empty: takes the row as it is.
inline Row row_of(nlohmann::json json, const std::string& door = "") {
    json.update(
        json.value("apart", nlohmann::json::object()).value(door, nlohmann::json::object()));
    Row row;
    row.written = json;
    row.lock = json.at("lock");
    row.places = json.at("places");
    row.ttl = json.value("ttl", std::uint8_t{0});
    row.beyond = json.value("beyond", std::uint8_t{0});
    if (json.contains("reentrant")) {
        row.reentrant = json["reentrant"].get<bool>();
    }
    row.time = json.contains("ends") ? json["ends"].get<std::uint8_t>() : row.ttl;
    row.crashes = json.value("crashes", std::uint8_t{0});
    for (const std::string script : json.at("callers")) {
        row.callers.push_back(words_of(script));
    }
    for (const char* word : {"acquire", "release", "renew"}) {
        for (const std::string& step : json.value(word, std::vector<std::string>{})) {
            row.steps[word].push_back(step_of(step));
        }
    }
    for (const std::string& name : json.value("check", std::vector<std::string>{})) {
        row.check.push_back(find_property(name));
    }
    return row;
}

inline nlohmann::json the_table() {
    std::ifstream file(kFolder + "small_locks.json");
    return nlohmann::json::parse(file);
}

inline std::vector<Row> all_rows(const std::string& door = "") {
    const nlohmann::json written = the_table();
    std::vector<Row> rows;
    for (const nlohmann::json& json : written.at("locks")) {
        rows.push_back(row_of(json, door));
    }
    return rows;
}

// The key is the lock's name: one process of the interpreter serves all rows.
inline OutsideWorld world_of(const Row& row) {
    OutsideWorld world;
    world.world.keys = {row.lock};
    world.world.words = {"renew"};
    for (const std::vector<std::string>& script : row.callers) {
        CallerConfig& caller = world.world.callers.emplace_back();
        caller.name = std::string(1, static_cast<char>('A' + world.world.callers.size() - 1));
        caller.group = static_cast<std::uint8_t>(world.world.callers.size());
        for (const std::string& word : script) {
            Operation& operation = caller.script.emplace_back();
            operation.verb = word == "acquire"   ? Verb::kAcquire
                             : word == "release" ? Verb::kRelease
                                                 : Verb::kCall;
            operation.place_capacity = row.places;
        }
    }
    world.world.crashes_max = row.crashes;
    world.ticks_max = row.time;
    world.reentrant = row.reentrant;
    for (const std::string& name : row.written.value("asks", std::vector<std::string>{})) {
        world.asked.push_back(find_property(name));
    }
    return world;
}

}  // namespace lockkeeper::table
