// SPDX-License-Identifier: Apache-2.0

// The message "choices" of an event loop.
#include <algorithm>
#include <iterator>

#include "validate/programs/message_members.hpp"

namespace lockkeeper {
namespace {

using namespace members;

Choice choice_of(const Json& json) {
    const Json empty = Json::object();
    const Json& body = json.is_object() ? json : empty;
    refuse_other_keys(body, {"do", "id", "client", "name", "due"});
    Choice choice;
    const std::string word = name_of_json(member(body, "do"), "do");
    const auto* const* found = std::find(std::begin(kChoiceWords), std::end(kChoiceWords), word);
    if (found == std::end(kChoiceWords)) {
        throw Refusal("\"do\" is no choice of an event loop: " + quoted_piece(word, 40));
    }
    choice.kind = static_cast<ChoiceKind>(found - std::begin(kChoiceWords));
    if (choice.kind == ChoiceKind::kCancel) {
        choice.client = name_of_json(member(body, "client"), "client");
        return choice;
    }
    const std::int64_t id = id_of(body, "id");
    if (id >= UINT16_MAX) {
        throw Refusal("\"id\" is above 65,534");
    }
    choice.id = static_cast<std::uint16_t>(id);
    choice.name = name_of_json(member(body, "name"), "name");
    if (body.contains("due")) {
        if (choice.kind != ChoiceKind::kTimer || !body["due"].is_boolean()) {
            throw Refusal("\"due\" is true or false, of a timer");
        }
        choice.due = body["due"].get<bool>();
    }
    return choice;
}

bool is_same(const Choice& left, const Choice& right) {
    return left.kind == right.kind && left.id == right.id && left.client == right.client;
}

std::vector<std::string> clients_of(const Json& json, const char* key) {
    if (!json.is_array() || json.size() > kChoicesMax) {
        throw Refusal(std::string("\"") + key + "\" is no list of clients");
    }
    std::vector<std::string> clients;
    for (const Json& name : json) {
        clients.push_back(name_of_json(name, key));
    }
    return clients;
}

}  // namespace

void read_choices(const nlohmann::json& body, Message& out) {
    refuse_other_keys(body, {"type", "msg_id", "of", "begin", "at_once", "missed", "did", "time"});
    out.kind = MessageKind::kChoices;
    out.msg_id = id_of(body, "msg_id");
    out.loop_time = id_of(body, "time");
    const Json& of = member(body, "of");
    if (!of.is_array() || of.size() > kChoicesMax) {
        throw Refusal("\"of\" is no list of at most 256 choices");
    }
    for (const Json& each : of) {
        const Choice choice = choice_of(each);
        if (std::any_of(out.choices.begin(), out.choices.end(),
                        [&](const Choice& other) { return is_same(choice, other); })) {
            throw Refusal("\"of\" has a choice twice");
        }
        out.choices.push_back(choice);
    }
    if (body.contains("begin")) {
        out.begin = clients_of(body["begin"], "begin");
    }
    if (body.contains("did")) {
        out.did = name_of_json(body["did"], "did");
    }
    if (body.contains("at_once")) {
        out.at_once = clients_of(body["at_once"], "at_once");
    }
    if (body.contains("missed")) {
        out.missed = clients_of(body["missed"], "missed");
    }
}

}  // namespace lockkeeper
