// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/tcp_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/processes/processor_wait.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/wire/held_process.hpp"
#include "validate/wire/loopback_inside.hpp"
#include "validate/wire/proxy.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::int32_t kServerPid = 4'900'000;
constexpr auto kBetweenConnects = std::chrono::milliseconds(1);
constexpr off_t kServerLogMax = off_t{64} << 20U;
constexpr std::size_t kServerLogShown = 4096;

std::string with_text(std::string text, const std::string& name, const std::string& value) {
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + value.size())) {
        text.replace(at, name.size(), value);
    }
    return text;
}

Framing framing_named(const OutsideServer& server) {
    for (std::size_t i = 0; i < std::size(kFramings); ++i) {
        if (server.framing == kFramings[i]) {
            return static_cast<Framing>(i);
        }
    }
    throw BadInput({"--wire tcp", "",
                    "a framing of newline, length, http, zookeeper or nats is needed, found " +
                        quoted_piece(server.framing, 40)});
}

LeaseWords lease_words_of(const OutsideServer& server) {
    try {
        return LeaseWords(server);
    } catch (const std::invalid_argument& error) {
        throw BadInput({"--wire tcp", "", std::string("server: ") + error.what()});
    }
}

// Its end in bytes.
std::string end_of_log(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
    const std::size_t shown = std::min(size, kServerLogShown);
    file.seekg(static_cast<std::streamoff>(size - shown));
    std::string text(shown, '\0');
    file.read(text.data(), static_cast<std::streamsize>(shown));
    return text;
}

}  // namespace

TcpServer::TcpServer(SharedMemory& memory, OutsideServer server, double answer_seconds)
    : memory_(memory),
      server_(std::move(server)),
      framing_(framing_named(server_)),
      answer_seconds_(answer_seconds),
      words_(lease_words_of(server_)),
      directory_(memory.directory() + "/server"),
      log_(memory.directory() + "/server.log") {
    if (server_.command.find("{port}") == std::string::npos) {
        throw BadInput(
            {"--wire tcp", "", "a command that starts the server, with {port} in it, is needed"});
    }
    if (!server_.expire.empty() && server_.granted.empty()) {
        throw BadInput({"--wire tcp", "", "\"expire\" needs \"granted\", which names the leases"});
    }
    start();
    is_untouched_ = true;
}

TcpServer::~TcpServer() { stop(); }

std::string TcpServer::last_words() const {
    const std::string line = last_line(end_of_log(log_));
    return line.empty() ? "" : "; it said " + line;
}

void TcpServer::stop() {
    if (!child_) {
        return;
    }
    // A process that has left the group is then a child of the watcher, which kills it at the end.
    for (const pid_t process : tasks_.descendants({child_->id()})) {
        if (process != child_->id()) {
            ::kill(process, SIGKILL);
        }
        tasks_.forget(process);
        free_slots_of(memory_, process);
    }
    child_->kill();
    child_.reset();
}

void TcpServer::start() {
    stop();
    std::filesystem::create_directory(directory_);
    port_ = free_port(port_);
    memory_.set_now(kBeginning);  // before it looks at the clock
    memory_->ports[0] = port_;
    memory_->next_server_pid = kServerPid;
    std::vector<std::string> words{"/usr/bin/env"};
    for (std::string& variable : memory_.variables(LOCKKEEPER_WIRE_SERVER)) {
        words.push_back(std::move(variable));
    }
    const std::string command =
        with_text(with_text(server_.command, "{port}", std::to_string(port_)), "{dir}", directory_);
    words.insert(words.end(), {"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "sh", "-c",
                               replacing_shell(command)});
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    try {
        child_ = std::make_unique<WatchedChild>(
            WatchedChild::Order{std::move(words), {null, out, out}, "", std::nullopt, SIGKILL});
    } catch (const std::system_error& error) {
        close(null);
        close(out);
        throw ServerError(std::string("the server: ") + error.what());
    }
    close(null);
    close(out);
    await_port();
    end_sleeps_of_start();
    const std::vector<pid_t> all = tasks_.descendants({child_->id()});
    runs_on_real_time_ = !std::all_of(all.begin(), all.end(),
                                      [&](pid_t process) { return is_held(memory_, process); });
    time_has_passed_ = false;
    if (framing_ == Framing::kZookeeper) {
        begin_zookeeper();
    }
}

void TcpServer::await_port() {
    const auto deadline = moment_after(answer_seconds_);
    const auto refuse = [&](const std::string& why) {
        const std::string said = last_words();
        stop();
        throw BadInput({server_.command, "", "cannot be started: " + why + said});
    };
    for (;;) {
        if (child_->status()) {
            refuse("the server ended");
        }
        if (const int file = connect_on_loopback(port_); file >= 0) {
            settle(file);
            close(file);
            break;
        }
        if (interrupt_requested()) {
            throw Stopped();
        }
        if (SteadyClock::now() > deadline) {
            refuse(fmt::format("no port is open after {:g} s", answer_seconds_));
        }
        struct stat log {};
        if (::stat(log_.c_str(), &log) == 0 && log.st_size > kServerLogMax) {
            refuse("the server writes more than 64 MiB before it opens its port");
        }
        end_sleep_before_port();
        std::this_thread::sleep_for(kBetweenConnects);
    }
    if (listens_beyond_loopback(port_)) {
        refuse("the server listens beyond the loopback: let it listen at 127.0.0.1");
    }
}

void TcpServer::check_alive() {
    if (broken_) {
        throw Misbehaved(*broken_);
    }
    if (!child_ || tasks_.has_ended(child_->id())) {
        throw Misbehaved(Misbehaviour::kDied, "the server ended" + last_words());
    }
    struct stat log {};
    if (::stat(log_.c_str(), &log) == 0 && log.st_size > kServerLogMax) {
        throw Misbehaved(Misbehaviour::kFlooded, "the server wrote more than 64 MiB of its log");
    }
}

// Asked in this order: what it was sent is there, also what it has sent to itself, then it sleeps,
// then what it has sent before is here, and it has sent itself nothing since.
bool TcpServer::at_rest(int file) {
    if (!child_) {  // it was stopped: what went wrong then is said here
        check_alive();
        return true;
    }
    const auto has_arrived = [&] { return file < 0 || loopback_.has_arrived(file); };
    bool rests = tasks_.all_sleep({child_->id()}) && has_arrived();
    if (rests) {
        const std::vector<pid_t> processes = tasks_.descendants({child_->id()});
        const std::vector<TcpEnd> inside = inside_.of(processes);
        rests = all_have_arrived(inside) && tasks_.all_sleep({child_->id()}) && has_arrived() &&
                inside_.of(processes) == inside;
    }
    check_alive();
    return rests;
}

void TcpServer::settle(int file) {
    AnswerTime time(answer_seconds_);
    while (!at_rest(file)) {
        if (interrupt_requested()) {
            throw Stopped();
        }
        if (time.is_over({child_->id()})) {
            throw Misbehaved(
                Misbehaviour::kHung,
                fmt::format("the server is still at work after {:g} s", answer_seconds_));
        }
        sched_yield();
    }
}

int TcpServer::connect_upstream() {
    is_untouched_ = false;
    const int file = child_ ? connect_on_loopback(port_) : -1;
    if (file < 0) {
        check_alive();
        throw Misbehaved(Misbehaviour::kDeaf, "the server does not take a connection");
    }
    return file;
}

// The server hears of the end, and has done what it does then. It may be closed because something
// is wrong already: what is wrong now is said to whoever needs the server next.
void TcpServer::close_upstream(Connection& connection) {
    shutdown(connection.upstream, SHUT_WR);
    try {
        if (child_ && !tasks_.has_ended(child_->id())) {
            settle(connection.upstream);
        }
    } catch (const Misbehaved& error) {
        stop();
        broken_ = broken_ ? broken_ : error;
    } catch (const Stopped&) {
        stop();
    }
    close(std::exchange(connection.upstream, -1));
}

void TcpServer::upstream_ended(const Connection& /*connection*/) { settle(); }

// On real time it may wake by its own timer: etcd sleeps until it has a leader.
bool TcpServer::waits(const Connection& connection) {
    if (runs_on_real_time_) {
        check_alive();
        return false;
    }
    return at_rest(connection.upstream);
}

bool TcpServer::rests(const Connection& connection) { return at_rest(connection.upstream); }

void TcpServer::reset() {
    broken_.reset();
    const bool lives = child_ && !tasks_.has_ended(child_->id());
    if (lives && !is_untouched_ && !server_.reset.empty()) {
        while (forces_ends() && !words_.leases().empty()) {
            const KnownLease lease = words_.leases().back();
            words_.leases().pop_back();
            if (!lease.is_over) {
                end_lease(lease.name);
            }
        }
        words_.forget();
        const std::string answer = ask(server_.reset);
        if (framing_ == Framing::kHttp && !answer.starts_with("2")) {
            throw ServerError("the server does not forget everything when asked to: " + answer);
        }
        settle();
    } else if (!lives || (!is_untouched_ && !forget_nodes())) {
        words_.forget();
        sessions_.clear();
        stop();
        if (kept_) {
            kept_->put_back();
        } else {
            std::filesystem::remove_all(directory_);
        }
        start();
    }
    is_untouched_ = true;
    memory_.set_now(ready_at_);
}

std::vector<KeyState> TcpServer::keys() {
    std::vector<KeyState> out;
    const auto& leases = words_.leases();
    for (std::size_t i = 0; i < leases.size(); ++i) {
        if (!leases[i].is_over) {
            out.push_back({"lease " + std::to_string(i + 1), "granted", "",
                           leases[i].ends_at / 1'000'000, static_cast<int>(leases[i].caller)});
        }
    }
    return out;
}

void TcpServer::restore(const std::vector<KeyState>& /*keys*/) {
    throw ServerError("a server that is not known does not fail over here");
}

void TcpServer::forget_scripts() {
    start();
    is_untouched_ = false;
}

void TcpServer::end_lease(const std::string& name) {
    static_cast<void>(ask(with_text(server_.expire, "{lease}", name)));
}

// On a connection of its own; the reply as it is shown.
std::string TcpServer::ask(const std::string& message) {
    const bool was_untouched = is_untouched_;
    Connection connection(0, 0, 0, -1);
    connection.upstream = connect_upstream();
    is_untouched_ = was_untouched;
    const std::string reply = answer_to(connection, framed(framing_, message));
    if (reply.empty()) {
        check_alive();
        throw Misbehaved(Misbehaviour::kHung,
                         "the server does not answer " + quoted_piece(message));
    }
    close_upstream(connection);
    return shown_framed(framing_, reply);
}

std::string TcpServer::answer_to(Connection& connection, const std::string& bytes) {
    const auto deadline = moment_after(answer_seconds_);
    std::string got;
    for (std::size_t sent = 0;;) {
        if (sent < bytes.size()) {
            const ssize_t count =
                send(connection.upstream, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            sent += count > 0 ? static_cast<std::size_t>(count) : 0;
        }
        pollfd wait{connection.upstream,
                    static_cast<short>(sent < bytes.size() ? POLLIN | POLLOUT : POLLIN), 0};
        ::poll(&wait, 1, 50);
        std::array<char, 16384> buffer;
        const ssize_t count = recv(connection.upstream, buffer.data(), buffer.size(), 0);
        got.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        std::optional<FramedReply> reply;
        try {
            reply = framed_reply(framing_, got, bytes, count == 0);
        } catch (const BadBytes& error) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             std::string("the server's answer is no protocol: ") + error.what());
        }
        if (reply) {
            return got.substr(0, reply->bytes);
        }
        if (count == 0) {
            return "";
        }
        if (SteadyClock::now() > deadline) {
            check_alive();
            throw Misbehaved(Misbehaviour::kHung,
                             "the server does not answer " + quoted_piece(bytes));
        }
    }
}

std::string TcpServer::steady(MessageKind kind, std::string_view message) const {
    return framing_ == Framing::kZookeeper ? steady_zookeeper(kind, message)
                                           : words_.steady(essence(framing_, message));
}

std::string TcpServer::shown(MessageKind kind, std::string_view message) const {
    return shown_text(framing_ == Framing::kZookeeper ? zookeeper_text(kind, message)
                                                      : steady(kind, message));
}

}  // namespace lockkeeper::wire
