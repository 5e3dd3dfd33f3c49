// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/client.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "validate/wire/processors.hpp"

namespace lockkeeper::wire {
namespace {

std::string shell_word(const std::string& text) {
    std::string out = "'";
    for (const char letter : text) {
        out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return out + "'";
}

std::optional<double> real_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && std::isfinite(number) && std::abs(number) < 5e9 ? std::optional(number)
                                                                       : std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

[[noreturn]] void refuse_line(const std::string& line) {
    throw Misbehaved(Misbehaviour::kNonsense,
                     "answered " + quoted_piece(line) +
                         " where ok, refused, lost, unsupported or error was due");
}

}  // namespace

ClientAnswer parse_answer(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    ClientAnswer answer;
    using Kind = ClientAnswer::Kind;
    if (word == "refused" || word == "lost" || word == "error" || word == "unsupported") {
        answer.kind = word == "refused" ? Kind::kRefused
                      : word == "lost"  ? Kind::kLost
                      : word == "error" ? Kind::kError
                                        : Kind::kUnsupported;
        answer.text = line.substr(std::min(line.size(), word.size() + 1));
        return answer;
    }
    if (word == "done") {
        answer.kind = Kind::kDone;
        return answer;
    }
    if (word != "ok") {
        refuse_line(line);
    }
    while (words >> word) {
        const std::size_t equal = word.find('=');
        const std::string value = equal == std::string::npos ? "" : word.substr(equal + 1);
        if (const auto seconds = real_number(value); word.starts_with("until=") && seconds) {
            // Milliseconds: of a number of so many digits no more is exact.
            answer.until = std::llround(*seconds * 1e3) * 1'000'000;
        } else if (word.starts_with("for=") && seconds) {
            answer.lasts = std::llround(*seconds * 1e3) * 1'000'000;
        } else if (const auto number = whole_number(value); word.starts_with("token=") && number) {
            answer.token = number;
        } else {
            refuse_line(line);
        }
    }
    return answer;
}

Client::Client(SharedMemory& memory, Settings settings)
    : memory_(memory), settings_(std::move(settings)) {}

// Children of it are those of the watcher then, which kills them at the latest at the end.
Client::~Client() { end_all(); }

void Client::end_all() {
    if (!child_) {
        return;
    }
    last_words_ = child_->last_words();
    for (const pid_t process : tasks_.descendants({child_->id()})) {
        if (process != child_->id()) {
            ::kill(process, SIGKILL);
        }
        tasks_.forget(process);
        free_slots(process);
    }
    child_->kill();
    child_.reset();
    can_reset_ = can_fork_ = forked_ = false;
    idle_.clear();
    children_.clear();
}

void Client::stop_by(const StopRule& rule) {
    stop_ = rule;
    if (child_) {
        child_->stop_by(rule);
    }
}

const std::string& Client::last_words() const {
    return child_ ? child_->last_words() : last_words_;
}

void Client::start() {
    end_all();
    born_as_ = incarnation_;
    std::string command = "exec env";
    for (const std::string& variable : memory_.variables(static_cast<unsigned>(settings_.number))) {
        command += " " + shell_word(variable);
    }
    for (const std::string& variable : settings_.variables) {
        command += " " + shell_word(variable);
    }
    // Beside those of the user.
    command +=
        " NODE_OPTIONS=\"${NODE_OPTIONS:+$NODE_OPTIONS }--require=" + memory_.script_path() + "\"";
    command += " LOCKKEEPER_INCARNATION=" + std::to_string(incarnation_);
    // Hashes with a seed of their own, and files that nobody asked for, are Python's.
    command += " PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 sh -c " +
               shell_word(replacing_shell(settings_.command));
    child_ = std::make_unique<ChildProcess>(command);
    child_->stop_by(stop_);
    can_reset_ = can_fork_ = can_close_ = false;
}

void Client::begin(std::uint64_t incarnation) {
    incarnation_ = incarnation;
    memory_.begin_random(settings_.number, incarnation);
    // A process knows its own number, which says which start of its caller it is.
    const bool keeps = is_kept() && born_as_ == incarnation;
    spoiled_ = false;
    running_ = true;
    if (keeps) {
        say("reset");
        used_ = Freshness::kKept;
    } else if (child_ && can_fork_ && settings_.freshness != Freshness::kStarted) {
        fork();
    } else {
        start();
        forked_ = false;
        used_ = Freshness::kStarted;
    }
}

void Client::begin_unkept() {
    kill();
    never_kept_ = true;
    begin(incarnation_);
}

void Client::fork() {
    if (forked_) {
        kill_children();
    } else {
        idle_ = tasks_.descendants({child_->id()});
    }
    memory_.begin_random(settings_.number, incarnation_);
    say("fork");
    forked_ = true;
    born_as_ = incarnation_;
    used_ = Freshness::kForked;
}

bool Client::take_ready(const std::optional<std::string>& line,
                        const std::function<void()>& before_fork) {
    if (!line) {
        throw Misbehaved(Misbehaviour::kCannotStart,
                         "it waits, and has not said \"ready\" on stdout");
    }
    std::istringstream words(*line);
    std::string word;
    words >> word;
    if (word != "ready") {
        throw Misbehaved(Misbehaviour::kCannotStart,
                         "its first line is " + quoted_piece(*line) + " and not \"ready\"");
    }
    while (words >> word) {
        can_reset_ = can_reset_ || word == "reset";
        can_fork_ = can_fork_ || word == "fork";
        can_prepare_ = can_prepare_ || word == "prepare";
        can_close_ = can_close_ || word == "close";
    }
    // A driver that forks does nothing else itself.
    const bool has_to_fork = can_fork_ && !forked_ && settings_.freshness != Freshness::kStarted;
    if (has_to_fork) {
        before_fork();
        fork();
    } else {
        // The random numbers drawn until now depend on how the client became fresh.
        memory_.begin_random(settings_.number, incarnation_);
    }
    return !has_to_fork;
}

void Client::kill() {
    if (!child_ || !running_) {
        return;
    }
    running_ = false;
    if (!forked_) {
        end_all();
        return;
    }
    try {
        kill_children();
    } catch (const std::runtime_error&) {  // the one that forks is stuck, or nobody has time for it
        end_all();
    }
}

// True: there was nothing of it any more.
bool Client::kill_forked() {
    const std::vector<pid_t> living = tasks_.descendants({child_->id()});
    for (const pid_t process : living) {
        if (std::find(idle_.begin(), idle_.end(), process) == idle_.end()) {
            ::kill(process, SIGKILL);
            tasks_.forget(process);
            free_slots(process);
        }
    }
    return living.size() <= idle_.size();
}

// A client connects again as soon as it loses a connection. It ends before its connections do: else
// the next process would seem to have opened one more.
void Client::let_go() {
    const bool is_for_next_run = is_kept() && born_as_ == 0;
    if (!child_ || !running_ || is_for_next_run) {
        return;
    }
    if (!can_fork_ || settings_.freshness == Freshness::kStarted) {
        end_all();
    } else if (forked_) {
        static_cast<void>(kill_forked());
    } else {
        return;
    }
    running_ = false;
}

// Everything that began with the last fork.
void Client::kill_children() {
    // The parent has to have seen the end of each, and one may begin meanwhile: where a run is
    // ended while the parent forks.
    const auto deadline = moment_after(settings_.answer_seconds);
    children_.clear();
    listen();
    static_cast<void>(kill_forked());
    while (!tasks_.all_sleep({child_->id()}) || !kill_forked()) {
        if (SteadyClock::now() > deadline) {
            throw Misbehaved(Misbehaviour::kHung, "it does not wait for the end of its child");
        }
        wait_for_bell();
    }
    tasks_.forget_all_but(idle_);
    // Nobody needs the lines that it wrote before.
    while (hear()) {
    }
}

void Client::free_slots(pid_t process) { free_slots_of(memory_, process); }

void Client::say(const std::string& line) {
    listen();
    child_->write_line(line, moment_after(settings_.answer_seconds));
}

std::optional<std::string> Client::hear() {
    std::string line;
    return child_->read_line(line, SteadyClock::now()) == ChildProcess::Read::kLine
               ? std::optional(line)
               : std::nullopt;
}

// Leaves out processes that only wait for the end of the child: asking them only costs time.
std::vector<pid_t> Client::roots() {
    if (forked_ && children_.empty()) {
        children_ = tasks_.descendants({child_->id()});
        std::erase_if(children_, [&](pid_t process) {
            return std::find(idle_.begin(), idle_.end(), process) != idle_.end();
        });
    }
    return children_.empty() ? std::vector<pid_t>{child_->id()} : children_;
}

void Client::listen() {
    heard_bell_ = __atomic_load_n(&memory_->callers[settings_.number].bell, __ATOMIC_SEQ_CST);
    looks_left_ = 0;
}

// A thread rings before it waits: a few more looks, and it does. Most of what a client is given
// takes less time than to be put to sleep and woken, so that its bell is watched for a while, but
// not while others wait for a processor. Under sanitizers all of that takes longer.
void Client::wait_for_bell() {
    constexpr timespec kSoon{0, 400'000};
    constexpr unsigned kLooksAfterRing = 8;
#ifdef LOCKKEEPER_SANITIZED
    constexpr auto kWatches = std::chrono::microseconds(0);
#else
    constexpr auto kWatches = std::chrono::microseconds(1'000);
#endif
    lockkeeper_wire_caller& own = memory_->callers[settings_.number];
    if (looks_left_ > 0) {
        --looks_left_;
        sched_yield();
        return;
    }
    const auto rang = [&] { return __atomic_load_n(&own.bell, __ATOMIC_SEQ_CST) != heard_bell_; };
    for (const auto end = std::chrono::steady_clock::now() + kWatches;
         !rang() && !are_processors_short() && std::chrono::steady_clock::now() < end;) {
        sched_yield();
    }
    if (!rang()) {
        __atomic_store_n(&own.listens, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &own.bell, FUTEX_WAIT, heard_bell_, &kSoon, nullptr, 0);
        __atomic_store_n(&own.listens, 0, __ATOMIC_SEQ_CST);
    }
    looks_left_ = rang() ? kLooksAfterRing : 0;
    heard_bell_ = __atomic_load_n(&own.bell, __ATOMIC_SEQ_CST);
}

bool Client::sleeps() {
    if (!child_) {
        return true;
    }
    const std::vector<pid_t> asked = roots();
    if (!tasks_.all_sleep(asked)) {
        return false;
    }
    const char* const refused = memory_->callers[settings_.number].refused;
    if (__atomic_load_n(refused, __ATOMIC_ACQUIRE) == '!') {
        throw Misbehaved(
            Misbehaviour::kNotSupported,
            "on its folder of files it uses what is not held: " +
                quoted_piece(std::string_view(
                    refused + 1, strnlen(refused + 1, LOCKKEEPER_WIRE_REFUSED_MAX - 1))));
    }
    if (__atomic_load_n(refused, __ATOMIC_ACQUIRE) != 0) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "it waits with a time limit that cannot be given a clock: " +
                             quoted_piece(std::string_view(
                                 refused, strnlen(refused, LOCKKEEPER_WIRE_REFUSED_MAX))));
    }
    // Nobody sees the end of a child at the pipes, which its parent has, too.
    if (running_ && !children_.empty() && tasks_.has_ended(children_.front())) {
        throw Misbehaved(Misbehaviour::kDied, "the process of the caller ended");
    }
    return true;
}

std::vector<Sleeper> Client::sleepers() const { return memory_.sleepers_of(settings_.number); }

void Client::wake(const Sleeper& sleeper) {
    listen();
    memory_.fire(sleeper.slot);
}

bool Client::is_held() {
    const std::vector<pid_t> all = tasks_.descendants({child_->id()});
    return std::all_of(all.begin(), all.end(),
                       [&](pid_t process) { return wire::is_held(memory_, process); });
}

}  // namespace lockkeeper::wire
