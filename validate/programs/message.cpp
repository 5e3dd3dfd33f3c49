// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/message.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "model/text_place.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/programs/message_members.hpp"

namespace lockkeeper {
namespace {

using namespace members;

// The members that a question's body may have beside type, msg_id, op, local and name. `name_key`:
// the required member that goes to Message::name.
struct QuestionRow {
    const char* type;
    MessageKind kind;
    const char* name_key;
    const char* value_key;  // required where there is one; goes to Message::value
    std::array<const char*, 3> optional_keys;
};
constexpr std::array kOfCounters{"least", "most", "create_if_not_exists"};
constexpr QuestionRow kQuestions[] = {
    {"read", MessageKind::kRead, "key", nullptr, {}},
    {"write", MessageKind::kWrite, "key", "value", {"ttl"}},
    {"cas", MessageKind::kCompareAndSet, "key", "to", {"from", "create_if_not_exists", "ttl"}},
    {"insert_new", MessageKind::kInsertNew, "key", "value", {"ttl"}},
    {"delete", MessageKind::kDelete, "key", nullptr, {"from"}},
    {"expire", MessageKind::kExpire, "key", "ttl", {"from"}},
    {"update_counter", MessageKind::kUpdateCounter, "key", "add", kOfCounters},
    {"await", MessageKind::kAwait, "key", "value", {}},
    {"now", MessageKind::kNow, nullptr, nullptr, {"what"}},
    {"access", MessageKind::kAccess, "what", nullptr, {}},
    {"send", MessageKind::kSend, "to", "message", {}},
    {"receive", MessageKind::kReceive, "mailbox", nullptr, {}},
    {"monitor", MessageKind::kMonitor, "mailbox", "message", {"client"}},
    {"atomic", MessageKind::kAtomic, nullptr, nullptr, {"keys", "clock"}},
};

// Refuses text that is nested too deep, and a key that its object has already, as soon as the
// parser meets them. The refusal names the keys that lead there.
Json parsed(std::string_view line) {
    struct Level {
        std::set<std::string> names;
        std::string step;
    };
    std::vector<Level> levels;
    const auto look = [&](int depth, Json::parse_event_t event, const Json& name) {
        using Event = Json::parse_event_t;
        const bool begins = event == Event::object_start || event == Event::array_start;
        if (begins && static_cast<std::size_t>(depth) >= kMessageDepthMax) {
            throw Refusal("nested more than 32 levels deep");
        }
        if (event == Event::object_start) {
            levels.emplace_back();
        } else if (event == Event::object_end) {
            levels.pop_back();
        } else if (event == Event::key) {
            levels.back().step = name.get_ref<const std::string&>();
            if (!levels.back().names.insert(levels.back().step).second) {
                std::string found;
                for (const Level& level : levels) {
                    found += "/" + level.step;
                }
                throw Refusal("duplicate key " + quoted_piece(found, 80));
            }
        }
        return true;
    };
    Json json = Json::parse(line, look, false);
    if (json.is_discarded()) {
        throw Refusal("it is not JSON");
    }
    return json;
}

std::string value_of(const Json& json, const char* key) {
    std::string text = json.dump();
    if (text.size() > kValueBytesMax) {
        throw Refusal(std::string("\"") + key + "\" has more than 16 KiB");
    }
    return text;
}

std::optional<std::int64_t> optional_integer(const Json& body, const char* key) {
    const auto found = body.find(key);
    return found == body.end() ? std::nullopt : std::optional(integer_of(*found, key));
}

void refuse_unknown(const Json& body, std::initializer_list<const char*> known,
                    const QuestionRow* row = nullptr) {
    for (const auto& [key, value] : body.items()) {
        const auto is_key = [&asked = key](const char* name) {
            return name != nullptr && asked == name;
        };
        if (std::none_of(known.begin(), known.end(), is_key) &&
            (row == nullptr ||
             (!is_key(row->name_key) && !is_key(row->value_key) &&
              std::none_of(row->optional_keys.begin(), row->optional_keys.end(), is_key)))) {
            throw Refusal("unknown key " + quoted_piece(key, 40));
        }
    }
}

const QuestionRow* row_of(std::string_view type) {
    const auto* found = std::find_if(std::begin(kQuestions), std::end(kQuestions),
                                     [&](const QuestionRow& row) { return type == row.type; });
    return found == std::end(kQuestions) ? nullptr : found;
}

// Reads the members that are particular to this type.
void read_members(const Json& body, const QuestionRow& row, Message& out) {
    out.kind = row.kind;
    if (row.name_key != nullptr) {
        out.name = name_of_json(member(body, row.name_key), row.name_key);
    }
    if (row.kind == MessageKind::kNow && body.contains("what")) {
        out.name = name_of_json(body["what"], "what");
    }
    if (row.kind == MessageKind::kUpdateCounter) {
        out.add = integer_of(member(body, "add"), "add");
        out.least = optional_integer(body, "least");
        out.most = optional_integer(body, "most");
        if (out.least && out.most && *out.least > *out.most) {
            throw Refusal("\"least\" is above \"most\"");
        }
    } else if (row.value_key != nullptr && row.kind != MessageKind::kExpire) {
        out.value = value_of(member(body, row.value_key), row.value_key);
    }
    if (row.kind == MessageKind::kCompareAndSet || body.contains("from")) {
        out.from = value_of(member(body, "from"), "from");
    }
    out.ttl = optional_integer(body, "ttl");
    if (out.ttl ? *out.ttl < 1 || *out.ttl > kTtlMax : row.kind == MessageKind::kExpire) {
        throw Refusal("\"ttl\" is not 1 to 2^32");
    }
    if (row.kind == MessageKind::kMonitor) {
        out.client = name_of_json(member(body, "client"), "client");
    }
    if (body.contains("create_if_not_exists")) {
        out.creates = truth_of(body["create_if_not_exists"], "create_if_not_exists");
    }
}

std::vector<std::string> keys_of(const Json& json) {
    if (!json.is_array() || json.empty() || json.size() > kAtomicKeysMax) {
        throw Refusal("\"keys\" is no list of 1 to 16 names");
    }
    std::vector<std::string> keys;
    for (const Json& key : json) {
        keys.push_back(name_of_json(key, "keys"));
        if (std::count(keys.begin(), keys.end(), keys.back()) > 1) {
            throw Refusal("\"keys\" has " + quoted_piece(keys.back(), 40) + " twice");
        }
    }
    return keys;
}

void read_question(const Json& body, const QuestionRow& row, Message& out) {
    refuse_unknown(body, {"type", "msg_id", "op", "local", "name", "more"}, &row);
    out.msg_id = id_of(body, "msg_id");
    out.op = id_of(body, "op");
    read_members(body, row, out);
    if (row.kind == MessageKind::kAtomic) {
        out.keys = keys_of(member(body, "keys"));
        out.sees_clock = body.contains("clock") && truth_of(body["clock"], "clock");
    }
    if (body.contains("local")) {
        out.local = value_of(body["local"], "local");
    }
    if (body.contains("name")) {
        out.label = name_of_json(body["name"], "name");
    }
}

// A step of a commit: a question without the members that a message of its own has.
Message step_of_json(const Json& json) {
    const Json empty = Json::object();
    const Json& body = json.is_object() ? json : empty;
    Message step;
    step.type = name_of_json(member(body, "type"), "type");
    const QuestionRow* row = row_of(step.type);
    if (row == nullptr || (row->kind != MessageKind::kWrite && row->kind != MessageKind::kDelete &&
                           row->kind != MessageKind::kExpire)) {
        throw Refusal(R"(a step of a commit is no "write", "delete" or "expire": )" +
                      quoted_piece(step.type, 40));
    }
    refuse_unknown(body, {"type"}, row);
    read_members(body, *row, step);
    return step;
}

void read_commit(const Json& body, Message& out) {
    refuse_unknown(body, {"type", "msg_id", "op", "steps", "more"});
    out.kind = MessageKind::kCommit;
    out.op = id_of(body, "op");
    const Json& steps = member(body, "steps");
    if (!steps.is_array() || steps.size() > kCommitStepsMax) {
        throw Refusal("\"steps\" is no list of at most 64 steps");
    }
    for (const Json& step : steps) {
        out.steps.push_back(step_of_json(step));
    }
}

std::string text_of(const Json& json, const char* key, std::size_t most) {
    if (!json.is_string()) {
        throw Refusal(std::string("\"") + key + "\" is no text");
    }
    return json.get_ref<const std::string&>().substr(0, most);
}

void read_failure(const Json& body, Message& out) {
    refuse_unknown(body, {"type", "msg_id", "op", "text", "where", "more"});
    out.kind = MessageKind::kFailed;
    out.text = text_of(member(body, "text"), "text", kFailureBytesMax);
    if (body.contains("where")) {
        out.where = text_of(body["where"], "where", kNameBytesMax);
    }
}

CrashTakes crash_takes_of(const Json& json) {
    for (std::size_t i = 0; i < kCrashTakesWords.size(); ++i) {
        if (json.is_string() && json.get_ref<const std::string&>() == kCrashTakesWords[i]) {
            return static_cast<CrashTakes>(i);
        }
    }
    throw Refusal(R"("crash_takes" is none of "locks", "callers", "nothing")");
}

void read_answer(const Json& body, Message& out) {
    refuse_unknown(body, {"type", "msg_id", "in_reply_to", "stateless", "background", "count",
                          "until", "token", "value", "more", "crash_takes", "done", "tasks"});
    out.in_reply_to = id_of(body, "in_reply_to");
    out.count = optional_integer(body, "count");
    out.until = optional_integer(body, "until");
    out.token = optional_integer(body, "token");
    out.tasks = optional_integer(body, "tasks");
    if (body.contains("done")) {
        out.done = truth_of(body["done"], "done");
    }
    if (body.contains("stateless")) {
        out.stateless = truth_of(body["stateless"], "stateless");
    }
    if (body.contains("crash_takes")) {
        out.crash_takes = crash_takes_of(body["crash_takes"]);
    }
    const auto background = body.find("background");
    if (background == body.end()) {
        return;
    }
    if (!background->is_array() || background->size() > kBackgroundMax) {
        throw Refusal("\"background\" is no list of at most 8 names");
    }
    for (const Json& name : *background) {
        out.background.push_back(name_of_json(name, "background"));
    }
}

void read_error(const Json& body, Message& out) {
    refuse_unknown(body, {"type", "msg_id", "in_reply_to", "code", "text", "more"});
    out.kind = MessageKind::kError;
    out.in_reply_to = id_of(body, "in_reply_to");
    out.code = integer_of(member(body, "code"), "code");
    if (body.contains("text")) {
        out.text = text_of(body["text"], "text", kNameBytesMax);
    }
}

Message read_message(std::string_view line) {
    if (const auto nul = nul_in(line)) {
        throw Refusal(kNulComplaint + (" in column " + std::to_string(nul->column)));
    }
    const Json json = parsed(line);
    if (!json.is_object()) {
        throw Refusal("it is no object");
    }
    Message out;
    out.src = name_of_json(member(json, "src"), "src");
    out.dest = name_of_json(member(json, "dest"), "dest");
    const Json& body = member(json, "body");
    if (!body.is_object()) {
        throw Refusal("\"body\" is no object");
    }
    out.type = name_of_json(member(body, "type"), "type");
    out.more = body.contains("more") && truth_of(body["more"], "more");
    if (const QuestionRow* row = row_of(out.type)) {
        read_question(body, *row, out);
    } else if (out.type == "commit") {
        read_commit(body, out);
    } else if (out.type == "choices") {
        read_choices(body, out);
    } else if (out.type == "failed") {
        read_failure(body, out);
    } else if (out.type == "error") {
        read_error(body, out);
    } else if (out.type == "wait") {
        refuse_unknown(body, {"type", "msg_id", "op", "more"});
        out.kind = MessageKind::kWait;
        out.op = id_of(body, "op");
    } else if (out.type.ends_with("_ok")) {
        read_answer(body, out);
    } else {
        throw Refusal("unknown type " + quoted_piece(out.type, 40));
    }
    return out;
}

}  // namespace

bool is_definite_error(std::int64_t code) {
    constexpr std::int64_t kDefinite[] = {10, 11, 12, 14, 20, 21, 22, 30, 1000};
    return std::find(std::begin(kDefinite), std::end(kDefinite), code) != std::end(kDefinite);
}

bool is_refusal(std::int64_t code) {
    constexpr std::int64_t kRefusals[] = {11, 20, 21, 22, 30, 1000};
    return std::find(std::begin(kRefusals), std::end(kRefusals), code) != std::end(kRefusals);
}

std::variant<Message, std::string> parse_message(std::string_view line) {
    try {
        return read_message(line);
    } catch (const Refusal& refusal) {
        return refusal.what();
    }
}

std::string message_line(const std::string& src, const std::string& dest, const std::string& type,
                         const nlohmann::ordered_json& members) {
    using Ordered = nlohmann::ordered_json;
    Ordered body;
    body["type"] = type;
    for (const auto& [name, value] : members.items()) {  // none, where it is null
        body[name] = value;
    }
    const Ordered message = {{"src", src}, {"dest", dest}, {"body", std::move(body)}};
    return message.dump(-1, ' ', true, Ordered::error_handler_t::replace);
}

}  // namespace lockkeeper
