// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/command/results.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "model/json.hpp"
#include "scheduler/base/interrupt.hpp"
#include "validate/threads/command/start_program.hpp"

extern char** environ;

namespace lockkeeper::threads {
namespace {

using Json = nlohmann::json;

constexpr int kRefusedProgram = 65;
constexpr std::size_t kDocumentBytesMax = std::size_t{1} << 28;

ProgramResult failed(const std::string& why) {
    ProgramResult result;
    result.error = why;
    return result;
}

ResultStep step_of(const Json& json) {
    ResultStep step;
    step.thread = json.at("thread").get<std::string>();
    step.where = json.at("where").get<std::string>();
    step.file = json.at("file").get<std::string>();
    step.what = json.at("what").get<std::string>();
    step.result = json.at("result").get<std::string>();
    step.mark = json.at("mark").get<std::string>();
    step.object = json.at("object").get<std::string>();
    step.reads = json.at("reads").get<std::uint64_t>();
    step.waits = json.at("waits").get<bool>();
    return step;
}

// A child that is asked to end has this long for what it has found.
constexpr int kLookMilliseconds = 50;
constexpr int kLooksAfterInterrupt = 15;

// False: it was interrupted, and has said nothing since.
bool wait_for_text(int from, pid_t child, int& looks_after_interrupt) {
    while (true) {
        pollfd look{from, POLLIN, 0};
        const int found = ::poll(&look, 1, kLookMilliseconds);
        if (found > 0) {
            return true;
        }
        if (interrupt_requested() && looks_after_interrupt++ == 0) {
            ::kill(child, SIGINT);
        }
        if (looks_after_interrupt > kLooksAfterInterrupt) {
            ::kill(child, SIGKILL);
            return false;
        }
    }
}

// Empty: more than a document may have, or nothing after a signal.
std::string read_all(int from, pid_t child) {
    std::string text;
    char buffer[65536];
    int looks_after_interrupt = 0;
    while (true) {
        if (!wait_for_text(from, child, looks_after_interrupt)) {
            return "";
        }
        const ssize_t size = read(from, buffer, sizeof(buffer));
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            return text;
        }
        text.append(buffer, static_cast<std::size_t>(size));
        if (text.size() > kDocumentBytesMax) {
            return "";
        }
    }
}

// Signals wait until the runtime takes them.
int start(pid_t& child, const std::vector<char*>& arguments) {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&held, signal);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &held);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int problem =
        posix_spawn(&child, arguments.front(), nullptr, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    return problem;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

ProgramResult parse_result(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || json.value("threads_result", 0) != 1) {
        return failed("the program has said nothing that can be read");
    }
    try {
        ProgramResult result;
        result.verdict = json.at("verdict").get<std::string>();
        result.exit_code = json.at("exit_code").get<int>();
        result.detail = json.at("detail").get<std::string>();
        result.scope = json.at("scope").get<std::string>();
        result.is_complete = json.at("complete").get<bool>();
        result.model = json.at("model").get<std::string>();
        result.strategy = json.at("strategy").get<std::string>();
        result.seed = json.at("seed").get<std::uint64_t>();
        result.kind = json.at("kind").get<std::string>();
        result.text = json.at("text").get<std::string>();
        result.property = json.at("property").get<int>();
        result.judged = json.at("judged").get<std::vector<int>>();
        result.lines = json.at("lines").get<std::vector<std::string>>();
        for (const Json& step : json.at("steps")) {
            result.steps.push_back(step_of(step));
        }
        result.executions = json.at("executions").get<std::uint64_t>();
        result.events = json.at("events").get<std::uint64_t>();
        result.seconds = json.at("microseconds").get<double>() * 1e-6;
        result.replay = json.at("replay").get<std::string>();
        result.printed = json.at("printed").get<std::string>();
        return result;
    } catch (const Json::exception& error) {
        return failed(std::string("what the program has said cannot be read: ") + error.what());
    }
}

ProgramResult run_for_results(const Asked& asked, const std::vector<std::string>& program) {
    if (const std::string wrong = what_is_wrong_with(program.front()); !wrong.empty()) {
        ProgramResult result;
        result.verdict = "refused";
        result.exit_code = kRefusedProgram;
        result.detail = wrong;
        return result;
    }
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) {
        return failed(std::string("no pipe: ") + std::strerror(errno));
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    const std::string settings = settings_of(asked) + ",results=" + std::to_string(ends[1]);
    setenv("LOCKKEEPER_THREADS", settings.c_str(), 1);
    std::vector<char*> arguments = arguments_of(program);
    pid_t child = -1;
    const int problem = start(child, arguments);
    unsetenv("LOCKKEEPER_THREADS");
    close(ends[1]);
    if (problem != 0) {
        close(ends[0]);
        return failed(program.front() + " cannot be started: " + std::strerror(problem));
    }
    const std::string text = read_all(ends[0], child);
    close(ends[0]);
    const int status = wait_for(child);
    if (WIFSIGNALED(status) && interrupt_requested()) {
        ProgramResult result;
        result.verdict = "inconclusive";
        result.detail = "interrupted";
        return result;
    }
    if (WIFSIGNALED(status)) {
        return failed("the program has ended by signal " + std::to_string(WTERMSIG(status)));
    }
    return parse_result(text);
}

}  // namespace lockkeeper::threads
