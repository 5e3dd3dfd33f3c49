// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/program.hpp"

#include <fmt/format.h>

#include "model/check.hpp"
#include "model/json.hpp"

namespace lockkeeper {
std::string answer_time_text(double seconds) { return fmt::format("{:g} s", seconds); }

Moment Program::deadline() const { return moment_after(options_.answer_seconds); }

void Program::start() {
    kill();
    next_id_ = 1;
    try {
        child_ = std::make_unique<ChildProcess>(options_.command);
        child_->stop_by(stop_);
        greet();
    } catch (const Stopped&) {
        kill();
        throw;
    } catch (const Misbehaved& error) {
        const bool gone =
            error.kind() == Misbehaviour::kDied || error.kind() == Misbehaviour::kDeaf;
        kill();
        // A command that ran once can be started; if it ends later, it has died.
        throw Misbehaved(gone && starts_ == 0 ? Misbehaviour::kCannotStart : error.kind(),
                         error.what());
    }
    ++starts_;
}

void Program::greet() {
    nlohmann::ordered_json members = {{"protocol", 1},
                                      {"node_id", kNode},
                                      {"level", options_.is_tasks  ? "tasks"
                                                : options_.stepped ? "stepped"
                                                                   : "black-box"},
                                      {"callers", options_.callers},
                                      {"keys", options_.keys},
                                      {"parameters", options_.parameters}};
    if (!options_.data_dir.empty()) {
        members["data_dir"] = options_.data_dir;
    }
    if (options_.is_tasks) {
        members["promises"] = options_.keeps_promises ? "strict" : "any";
    }
    members["restarts"] = starts_;
    const std::int64_t id = ask(kHarness, "init", members);
    const Message answer = expect(id, "init_ok");
    if (options_.is_tasks && answer.tasks != kTasksVersion) {
        throw Misbehaved(Misbehaviour::kCannotStart,
                         answer.tasks
                             ? "its event loop has version " + std::to_string(*answer.tasks) +
                                   " instead of " + std::to_string(kTasksVersion)
                             : "init_ok without \"tasks\": --tasks needs a driver of "
                               "lockkeeper_tasks, which asyncio and Node.js have");
    }
    stateless_ = answer.stateless;
    crash_takes_ = answer.crash_takes;
    background_ = answer.background;
    if (!options_.stepped && !background_.empty()) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "init_ok: background activities belong to the stepped level");
    }
}

void Program::reset() {
    if (child_ == nullptr) {
        start();
    }
    (void)expect(ask(kHarness, "reset", {}), "reset_ok");
}

Message Program::expect(std::int64_t msg_id, const std::string& type) {
    Message answer = next();
    if (!answer.in_reply_to) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "asks \"" + answer.type + "\" where " + type + " was due");
    }
    if (answer.in_reply_to != msg_id) {
        throw Misbehaved(Misbehaviour::kWrongAnswer,
                         "in_reply_to " + std::to_string(*answer.in_reply_to) + " where " +
                             std::to_string(msg_id) + " was asked (" + type + " was due)");
    }
    if (answer.kind == MessageKind::kError) {
        throw Misbehaved(type == "init_ok" ? Misbehaviour::kCannotStart : Misbehaviour::kNonsense,
                         "error " + std::to_string(answer.code) + " " + quoted_piece(answer.text) +
                             " where " + type + " was due");
    }
    if (answer.type != type) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         quoted_piece(answer.type, 40) + " where " + type + " was due");
    }
    return answer;
}

void Program::kill() {
    if (child_ != nullptr) {
        last_words_ = child_->last_words();
        child_.reset();
    }
}

void Program::stop_by(const StopRule& rule) {
    stop_ = rule;
    if (child_ != nullptr) {
        child_->stop_by(rule);
    }
}

const std::string& Program::last_words() const {
    return child_ != nullptr ? child_->last_words() : last_words_;
}

ChildProcess& Program::child() {
    LOCKKEEPER_CHECK(child_ != nullptr);
    return *child_;
}

Moment Program::quiet_until() const {
    LOCKKEEPER_CHECK(child_ != nullptr);
    return child_->quiet_until();
}

void Program::write(const std::string& line) {
    LOCKKEEPER_CHECK(child_ != nullptr);
    if (options_.on_line) {
        options_.on_line("> " + line);
    }
    try {
        child_->write_line(line, deadline());
    } catch (const Misbehaved& error) {
        std::string left;
        while (error.kind() == Misbehaviour::kDied && child_->line_left(left)) {
            (void)heard(left);  // it may have said why it ends
        }
        throw;
    }
}

std::int64_t Program::ask(const std::string& src, const std::string& type,
                          const nlohmann::ordered_json& members) {
    const std::int64_t id = next_id_++;
    nlohmann::ordered_json with_id;
    with_id["msg_id"] = id;
    for (const auto& [name, value] : members.items()) {  // none, where it is null
        with_id[name] = value;
    }
    write(message_line(src, kNode, type, with_id));
    return id;
}

void Program::tell_crash(const std::string& client) {
    write(message_line(kHarness, kNode, "crash", {{"client", client}}));
}

void Program::answer(const Message& question, const std::string& type, const std::string& more) {
    std::string line = "{\"src\":\"harness\",\"dest\":\"n1\",\"body\":{\"type\":\"" + type +
                       "\",\"in_reply_to\":" + std::to_string(*question.msg_id);
    write(line + (more.empty() ? "" : ",") + more + "}}");
}

Message Program::next() {
    auto message = next_until(deadline());
    if (!message) {
        throw Misbehaved(Misbehaviour::kHung,
                         "no line within " + answer_time_text(options_.answer_seconds));
    }
    return std::move(*message);
}

std::optional<Message> Program::next_until(Moment deadline) {
    LOCKKEEPER_CHECK(child_ != nullptr);
    std::string line;
    if (child_->read_line(line, deadline) == ChildProcess::Read::kNothingYet) {
        return std::nullopt;
    }
    return heard(line);
}

Message Program::heard(const std::string& line) const {
    if (options_.on_line) {
        options_.on_line("< " + line);
    }
    auto parsed = parse_message(line);
    if (const auto* error = std::get_if<std::string>(&parsed)) {
        throw Misbehaved(Misbehaviour::kNonsense, *error + ": " + quoted_piece(line));
    }
    auto& message = std::get<Message>(parsed);
    if (message.src != kNode) {
        throw Misbehaved(Misbehaviour::kNonsense, "\"src\" is not n1: " + quoted_piece(line));
    }
    if (message.kind == MessageKind::kFailed) {
        throw Misbehaved(Misbehaviour::kScriptError,
                         quoted_piece(message.text, 300) +
                             (message.where.empty() ? "" : " at " + quoted_piece(message.where)));
    }
    return std::move(message);
}

}  // namespace lockkeeper
