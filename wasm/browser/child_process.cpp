// SPDX-License-Identifier: Apache-2.0

// ChildProcess (validate/programs/child_process.hpp) in a page: the program is JavaScript that the
// page runs in the same worker (reports/web/src/program_runner.ts). It answers a line before the
// line is written: nobody waits, and a program that has nothing more to say has nothing to say for
// ever.
#include "validate/programs/child_process.hpp"

#include <emscripten.h>

#include <cstdlib>

#include "scheduler/search/explore.hpp"

// NOLINTBEGIN: JavaScript
// `Module.programs` is the page's; absent: the page runs none.
EM_JS(int, lockkeeper_program_start, (const char* command),
      { return Module["programs"] ? Module["programs"]["start"](UTF8ToString(command)) : -1; });
EM_JS(void, lockkeeper_program_write, (int id, const char* line),
      { Module["programs"]["write"](id, UTF8ToString(line)); });
// All that it has written since: 1 on stdout, 2 on stderr. The caller frees the text.
EM_JS(char*, lockkeeper_program_read, (int id, int stream), {
    const text = Module["programs"]["read"](id, stream);
    const size = lengthBytesUTF8(text) + 1;
    const at = _malloc(size);
    stringToUTF8(text, at, size);
    return at;
});
// -1: it runs.
EM_JS(int, lockkeeper_program_status, (int id), { return Module["programs"]["status"](id); });
EM_JS(void, lockkeeper_program_end, (int id), { Module["programs"]["end"](id); });
// NOLINTEND

namespace lockkeeper {
namespace {

std::string read_from(int id, int stream) {
    char* const text = lockkeeper_program_read(id, stream);
    std::string read = text;
    std::free(text);
    return read;
}

}  // namespace

std::string replacing_shell(const std::string& command) { return command; }

void ChildProcess::check_time(const StopRule& rule) {
    if ((rule.at_interrupt && interrupt_requested()) || SteadyClock::now() >= rule.at) {
        throw Stopped();
    }
}

// pipes_[kIn] is the program's number.
ChildProcess::ChildProcess(const std::string& command) {
    const int id = lockkeeper_program_start(command.c_str());
    if (id < 0) {
        throw Misbehaved(Misbehaviour::kCannotStart,
                         "needs the command: a page runs no other program than its own JavaScript");
    }
    pipes_ = {id, id, id};
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::kill() {
    if (is_running_) {
        lockkeeper_program_end(pipes_[kIn]);
    }
    is_running_ = false;
}

void ChildProcess::read_output() {
    const std::string out = read_from(pipes_[kOut], 1);
    pending_ += out;
    stdout_bytes_ += out.size();
    if (pending_.size() > kPendingBytesMax) {
        throw Misbehaved(Misbehaviour::kFlooded, "more than 1 MiB that nobody asked for");
    }
    const std::string err = read_from(pipes_[kErr], 2);
    stderr_ += err;
    stderr_bytes_ += err.size();
    if (stderr_.size() > kStderrBytesKept) {
        stderr_.erase(0, stderr_.size() - kStderrBytesKept);
    }
    quiet_until_ = SteadyClock::now();
}

std::string ChildProcess::how_it_ended() {
    const int status = lockkeeper_program_status(pipes_[kIn]);
    return status < 0 ? "" : "ended with exit status " + std::to_string(status);
}

void ChildProcess::write_line(std::string_view line, Moment) {
    check_time(stop_);
    const std::string end = how_it_ended();
    if (end.empty()) {
        lockkeeper_program_write(pipes_[kIn], std::string(line).c_str());
        read_output();
        return;
    }
    read_output();
    throw Misbehaved(Misbehaviour::kDied, end);
}

bool ChildProcess::take_line(std::string& line) {
    const std::size_t end = pending_.find('\n');
    if (end > kLineBytesMax && (end != std::string::npos || pending_.size() > kLineBytesMax)) {
        throw Misbehaved(Misbehaviour::kFlooded,
                         "a line of more than 64 KiB, which begins " + quoted_piece(pending_, 40));
    }
    if (end == std::string::npos) {
        return false;
    }
    line.assign(pending_, 0, end);
    pending_.erase(0, end + 1);
    return true;
}

ChildProcess::Read ChildProcess::read_line(std::string& line, Moment) {
    if (take_line(line)) {
        return Read::kLine;
    }
    check_time(stop_);
    read_output();
    if (take_line(line)) {
        return Read::kLine;
    }
    if (const std::string end = how_it_ended(); !end.empty()) {
        throw Misbehaved(Misbehaviour::kDied, end);
    }
    return Read::kNothingYet;
}

void ChildProcess::wait_for_any(const std::vector<ChildProcess*>& children, Moment) {
    for (const ChildProcess* child : children) {
        check_time(child->stop_);
    }
}

}  // namespace lockkeeper
