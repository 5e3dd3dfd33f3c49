#include "outside/script_place.hpp"

#include <algorithm>

namespace lockkeeper {

void ScriptPlace::advance(const CallerConfig& config, std::size_t by) {
    next += by;
    if (next >= config.script.size() && config.repeats_forever) {
        next = 0;
    }
    done = next >= config.script.size();
}

bool ScriptPlace::pass_over_one(const CallerConfig& config) {
    const Operation& passed = upcoming(config);
    const bool holds = std::any_of(held.begin(), held.end(), [&](const BelievedHolding& holding) {
        return holding.operation.key == passed.key;
    });
    if (passed.verb == Verb::kIfHolding) {
        advance(config, holds ? 1 : std::size_t{1} + passed.governs);
        return true;
    }
    const bool needs_holding = passed.verb == Verb::kRelease || passed.verb == Verb::kCall;
    if (needs_holding && !holds && !passed.unchecked) {
        advance(config);
        return true;
    }
    return false;
}

Operation ScriptPlace::resolved(Operation operation, std::uint16_t view) const {
    if (!operation.follows_resizes) {
        return operation;
    }
    operation.buckets = view;
    for (const BelievedHolding& holding : held) {
        if (holding.operation.key == operation.key && operation.verb == Verb::kRelease) {
            operation.buckets = holding.operation.buckets;
        }
    }
    return operation;
}

std::optional<BelievedHolding> ScriptPlace::take_subject(const Operation& operation) {
    const auto youngest = std::find_if(
        held.rbegin(), held.rend(),
        [&](const BelievedHolding& holding) { return holding.operation.key == operation.key; });
    if (operation.verb == Verb::kAcquire || youngest == held.rend()) {
        return std::nullopt;
    }
    BelievedHolding subject = *youngest;
    if (operation.verb == Verb::kRelease) {
        held.erase(std::next(youngest).base());
    }
    return subject;
}

std::string word_of(const WorldConfig& world, const Operation& operation) {
    return operation.verb == Verb::kCall ? world.words[operation.word]
                                         : std::string(name_of(operation.verb));
}

void refuse_unsupported(const Message& answer, const std::string& word) {
    if (answer.kind == MessageKind::kError && answer.code == kErrorNotSupported) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "error 10, it does not support " + quoted_piece(word, 40) +
                             (answer.text.empty() ? "" : ": " + quoted_piece(answer.text)));
    }
}

std::int64_t say_operation(Program& program, const WorldConfig& world, const std::string& client,
                           const Operation& operation,
                           const std::optional<BelievedHolding>& subject) {
    return program.ask(client, word_of(world, operation), [&](MessageWriter& message) {
        message.add_text("key", world.keys[operation.key]);
        if (operation.verb != Verb::kCall) {
            message.add("max_per", operation.max_per).add("buckets", operation.buckets);
        } else if (operation.number != 0) {
            message.add("number", operation.number);
        }
        if (subject && subject->token) {
            message.add("token", *subject->token);
        }
    });
}

}  // namespace lockkeeper
