// SPDX-License-Identifier: Apache-2.0

// The result as one JSON document, for the command that has started the program.
// validate/threads/command reads it.
#include <cstdio>
#include <string_view>

#include "validate/threads/runtime/shown.hpp"

namespace lockkeeper::threads {
namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            out += '\\';
            out += character;
        } else if (byte < 0x20 || byte >= 0x7f) {
            char escaped[8] = {};
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(byte));
            out += escaped;
        } else {
            out += character;
        }
    }
    return out + "\"";
}

// Members of an object, in the order in which they are added.
class Members {
  public:
    Members& add(std::string_view name, std::string_view text) { return put(name, quoted(text)); }
    Members& add(std::string_view name, std::uint64_t value) {
        return put(name, std::to_string(value));
    }
    Members& flag(std::string_view name, bool value) { return put(name, value ? "true" : "false"); }
    Members& put(std::string_view name, std::string_view json) {
        text_ += (text_.empty() ? "" : ",") + quoted(name) + ":" + std::string(json);
        return *this;
    }
    [[nodiscard]] std::string json() const { return "{" + text_ + "}"; }

  private:
    std::string text_;
};

template <class Item, class JsonOf>
std::string list_of(const std::vector<Item>& items, JsonOf json) {
    std::string text;
    for (const Item& item : items) {
        text += (text.empty() ? "" : ",") + json(item);
    }
    return "[" + text + "]";
}

std::string json_of_step(const ShownStep& step) {
    Members members;
    members.add("thread", step.thread).add("where", step.where).add("file", step.file);
    members.add("what", step.what).add("result", step.result).add("mark", step.mark);
    members.add("object", step.object).add("reads", std::uint64_t{step.reads});
    return members.flag("waits", step.waits).json();
}

}  // namespace

std::string json_of(const Hosted& host, const ShownResult& result) {
    const Counts& counts = host.search.counts();
    Members members;
    members.add("threads_result", std::uint64_t{1}).add("verdict", result.verdict);
    members.add("exit_code", static_cast<std::uint64_t>(result.exit_code));
    members.add("detail", result.detail).add("scope", result.scope);
    members.flag("complete", result.exit_code == 0 && host.choices == nullptr);
    members.add("model", host.settings.model == Model::kSc ? "sc" : "c11");
    members.add("strategy", host.settings.strategy).add("seed", host.settings.seed);
    members.add("kind", host.found.kind).add("text", host.found.text);
    members.add("property", static_cast<std::uint64_t>(host.found.property));
    members.put("judged",
                list_of(result.judged_numbers, [](int number) { return std::to_string(number); }));
    members.put("lines", list_of(result.finding.lines,
                                 [](const std::string& line) { return quoted(line); }));
    members.put("steps", list_of(result.finding.steps, json_of_step));
    members.add("executions", counts.complete + counts.stuck + counts.unfinished);
    members.add("events", counts.events);
    members.add("microseconds", static_cast<std::uint64_t>(result.seconds * 1e6));
    members.add("replay", result.replay).add("printed", text_of(host, result));
    return members.json() + "\n";
}

}  // namespace lockkeeper::threads
