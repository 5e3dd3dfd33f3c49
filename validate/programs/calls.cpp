// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/calls.hpp"

#include "model/json.hpp"

namespace lockkeeper {

std::int64_t say_operation(Program& program, const WorldConfig& world, const std::string& client,
                           const Operation& operation,
                           const std::optional<BelievedHolding>& subject, bool at_once) {
    nlohmann::ordered_json members;
    members["key"] = world.keys[operation.key];
    if (operation.verb != Verb::kCall) {
        members["max_per"] = operation.place_capacity;
        members["buckets"] = operation.places;
    } else if (operation.number != 0) {
        members["number"] = operation.number;
    }
    if (subject && subject->token) {
        members["token"] = *subject->token;
    }
    if (at_once) {
        members["at_once"] = true;
    }
    return program.ask(client, word_of(world, operation), members);
}

void refuse_unsupported(const Message& answer, const std::string& word) {
    if (answer.kind == MessageKind::kError && answer.code == kErrorNotSupported) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "error 10, it does not support " + quoted_piece(word, 40) +
                             (answer.text.empty() ? "" : ": " + quoted_piece(answer.text)));
    }
}

void refuse_stray(const Message& answer, const std::string& word, const std::string& client) {
    const bool failed = answer.kind == MessageKind::kError;
    if (answer.dest != client || (!failed && answer.type != word + "_ok")) {
        throw Misbehaved(Misbehaviour::kNonsense, quoted_piece(answer.type, 40) + " to " +
                                                      quoted_piece(answer.dest, 40) + " where " +
                                                      word + "_ok to \"" + client + "\" was due");
    }
}

Told told_by(const Message& answer, Verb verb) {
    using Kind = Told::Kind;
    if (answer.kind != MessageKind::kError) {
        const bool is_done = answer.done && verb == Verb::kRelease;
        return {.kind = is_done ? Kind::kDone : Kind::kOk,
                .until = answer.until,
                .token = answer.token,
                .count = answer.count};
    }
    const Kind kind = !is_definite_error(answer.code)                          ? Kind::kUnknown
                      : verb == Verb::kAcquire && is_refusal(answer.code)      ? Kind::kRefused
                      : verb != Verb::kAcquire && answer.code == kErrorNotHeld ? Kind::kLost
                                                                               : Kind::kFailed;
    return {.kind = kind, .error = "error " + std::to_string(answer.code)};
}

CallEnd call_end(const Told& told, Verb verb, bool ends) {
    CallEnd end{"", verb, told, ends && verb == Verb::kCall};
    if (told.kind == Told::Kind::kRefused) {
        end.text = "full";
    } else if (told.kind == Told::Kind::kDone) {
        end.text = "done";
    } else if (told.kind != Told::Kind::kOk) {
        end.text = told.error + (end.ends_belief ? ", lost" : "");
    } else if (verb == Verb::kRelease) {
        end.text = "released";
    } else {
        const bool is_acquire = verb == Verb::kAcquire;
        end.text = is_acquire ? "acquired" : "ok";
        end.text += is_acquire && told.count ? ", count " + std::to_string(*told.count) : "";
        end.text += told.until ? ", until " + std::to_string(*told.until) : "";
    }
    return end;
}

}  // namespace lockkeeper
