// SPDX-License-Identifier: Apache-2.0
#include "validate/erlang/node.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "scheduler/search/explore.hpp"

namespace lockkeeper::erlang {
namespace {

// A loaded machine is no reason to give up.
constexpr double kSecondsToAnswer = 60;

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char letter : text) {
        out += letter == '\'' ? "'\\''" : std::string(1, letter);
    }
    return out + "'";
}

// HOME: a user's ~/.erlang is not read. Few threads, which do not spin while they wait.
std::string command_in(const std::string& directory) {
    return "cd " + quoted(directory) +
           " && unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS ERL_INETRC"
           " && HOME=\"$PWD\" ERL_CRASH_DUMP_SECONDS=0 exec erl -noinput -boot no_dot_erlang"
           " +S 2 +SDcpu 1 +SDio 1 +A 1 +sbwt none +sbwtdcpu none +sbwtdio none -eval '"
           "Failed = [File || File <- filelib:wildcard(\"*.erl\"),"
           " case compile:file(File, [report_errors]) of {ok, _} -> false; _ -> true end],"
           " case Failed of [] -> canal_node:main(); _ -> halt(1) end.'";
}

std::unique_ptr<WatchedDirectory> directory_with(const std::vector<SourceFile>& files) {
    const char* chosen = std::getenv("TMPDIR");
    const std::string base = chosen == nullptr || *chosen == '\0' ? "/tmp" : chosen;
    auto directory = std::make_unique<WatchedDirectory>(base + "/lockkeeper-");
    for (const SourceFile& file : files) {
        std::ofstream out(directory->path() + "/" + file.name);
        out << file.text << std::flush;
        if (!out) {
            throw std::runtime_error("no file can be written in " + directory->path());
        }
    }
    return directory;
}

std::string one_line(std::string text) {
    for (char& letter : text) {
        letter = letter == '\n' || letter == '\t' ? ' ' : letter;
    }
    return text;
}

}  // namespace

Node::Node(std::unique_ptr<WatchedDirectory> directory)
    : directory_(std::move(directory)), child_(command_in(directory_->path())) {
    version_ = ask("version");
    if (!version_.starts_with("Erlang/OTP ")) {
        throw std::runtime_error("it says " + quoted_piece(version_, 300));
    }
}

std::variant<std::unique_ptr<Node>, NoNode> Node::start(const std::vector<SourceFile>& files) {
    const std::string beginning = "no private Erlang node: ";
    if (databases::find_program("erl").empty()) {
        return NoNode{beginning + "erl is not installed (Debian's package erlang-base)"};
    }
    try {
        return std::unique_ptr<Node>(new Node(directory_with(files)));
    } catch (const Stopped&) {
        return NoNode{beginning + "interrupted while it was being started"};
    } catch (const std::runtime_error& error) {
        return NoNode{beginning + error.what()};
    }
}

std::string Node::ask(std::string_view line) {
    if (has_ended_) {
        throw std::runtime_error("the Erlang node has ended before");
    }
    const auto deadline = moment_after(kSecondsToAnswer);
    std::string answer;
    try {
        child_.write_line(line, deadline);
        while (child_.read_line(answer, deadline) != ChildProcess::Read::kLine) {
            if (SteadyClock::now() >= deadline) {
                child_.kill();
                has_ended_ = true;
                throw std::runtime_error("the Erlang node does not answer");
            }
        }
    } catch (const Misbehaved& error) {
        has_ended_ = true;
        const std::string words = one_line(child_.last_words());
        throw std::runtime_error(std::string("the Erlang node ") + error.what() +
                                 (words.empty() ? "" : ": " + words));
    }
    return answer;
}

}  // namespace lockkeeper::erlang
