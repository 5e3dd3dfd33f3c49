// SPDX-License-Identifier: Apache-2.0

// The seam: what a page has not. Each function stands in the place of one that needs processes,
// sockets, servers, Erlang or threads, and refuses with a sentence. A new call across the seam is
// an error of the linker.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "scenarios/bad_input.hpp"
#include "serve/serve.hpp"
#include "validate/erlang/conformance.hpp"
#include "validate/processes/processor_wait.hpp"
#include "validate/processes/watched_child.hpp"
#include "validate/servers/compared_server.hpp"
#include "validate/servers/private_server.hpp"
#include "validate/threads/command/command.hpp"
#include "validate/threads/command/results.hpp"
#include "validate/wire/client.hpp"
#include "validate/wire/wire_choices.hpp"
#include "validate/wire/wire_scenario.hpp"

namespace lockkeeper {
namespace {

[[noreturn]] void needs_command(const std::string& what) {
    throw UsageError("needs the command: a page has no " + what);
}

}  // namespace

// ---- validate --wire

namespace wire {

std::string flag_of(std::string_view fault) {
    std::string flag = "--" + std::string(fault);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}
WireScenario for_wire(Scenario, WirePlan, const ScopeFlags&, bool) {
    needs_command("clients at the wire");
}
std::variant<Scenario, RecordedTrace> load_for_wire(const std::string&, std::size_t,
                                                    const std::string&) {
    needs_command("clients at the wire");
}
OutsideServer outside_server(const std::optional<std::string>&, std::optional<Framing>) {
    return {};
}
std::string faults_text(const WireScope&, const WorldConfig&) {
    needs_command("clients at the wire");
}
WireSettings settings_of(const WirePlan&, const OutsideWorld&) {
    needs_command("clients at the wire");
}
const std::string& Client::last_words() const { return last_words_; }

}  // namespace wire

// Never reached, for nothing has the settings. By their names, because real ones would need all
// that they hold.
extern "C" {
void* lockkeeper_wire_begins(void*, void*) asm("_ZN10lockkeeper4wire4WireC1ENS0_12WireSettingsE");
void* lockkeeper_wire_begins(void*, void*) { needs_command("clients at the wire"); }
void* lockkeeper_wire_ends(void* wire) asm("_ZN10lockkeeper4wire4WireD1Ev");
void* lockkeeper_wire_ends(void* wire) { return wire; }
void* lockkeeper_wire_run(void*, void*, void*, void*) asm(
    "_ZN10lockkeeper4wire7WireRunC1ERNS0_4WireERKNS_12OutsideWorldERKNS0_9WireScopeE");
void* lockkeeper_wire_run(void*, void*, void*, void*) { needs_command("clients at the wire"); }
}

// ---- validate --server

namespace databases {

std::string find_program(const std::string&) { return ""; }
Comparison compare(ComparedServer&, const Understood&, const Runner&, const std::vector<Schedule>&,
                   const ComparisonLimits&) {
    needs_command("servers");
}
std::vector<Schedule> own_schedules(const Scenario&, const Runner&,
                                    const std::vector<const Property*>&, double) {
    needs_command("servers");
}

}  // namespace databases

namespace erlang {

std::variant<std::unique_ptr<databases::ComparedServer>, databases::NoServer> start_server(
    const std::string&, int) {
    needs_command("servers");
}
std::vector<InputFile> shipped_scenarios(const Registry&, const std::string&) {
    needs_command("servers");
}

}  // namespace erlang

// ---- threads

namespace threads {

int run_command(const Asked&, const std::vector<std::string>&, std::ostream&) {
    needs_command("programs with threads");
}
ProgramResult run_for_results(const Asked&, const std::vector<std::string>&) {
    needs_command("programs with threads");
}

}  // namespace threads

// ---- processes

WatchedChild::WatchedChild(const Order&) { needs_command("processes"); }
WatchedChild::~WatchedChild() = default;
std::optional<int> WatchedChild::status() { return std::nullopt; }
int WatchedChild::kill() noexcept { return 0; }
WatchedDirectory::WatchedDirectory(const std::string&) { needs_command("processes"); }
WatchedDirectory::~WatchedDirectory() = default;
ProcessorWaits processor_waits(const std::vector<pid_t>&) { return {}; }
std::chrono::nanoseconds longest_wait(const ProcessorWaits&, const ProcessorWaits&) { return {}; }

// ---- serve

int serve(const Registry&, ServeRequest, std::ostream&,
          const std::function<void(const std::string&)>&) {
    needs_command("server: the explorer is the page itself");
}
int serve_playground(const PlaygroundRequest&, std::ostream&,
                     const std::function<void(const std::string&)>&) {
    needs_command("server: this is the playground");
}

}  // namespace lockkeeper

// ---- the kernel's calls that emscripten lacks

extern "C" ssize_t getrandom(void* bytes, size_t count, unsigned) {
    return getentropy(bytes, count) == 0 ? static_cast<ssize_t>(count) : -1;
}
// --disk: the only caller tells that there is no room.
extern "C" int fallocate(int, int, off_t, off_t) {
    errno = ENOSPC;
    return -1;
}

// ---- workers: std::thread starts none

extern "C" int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) {
    lockkeeper::needs_command("threads (--jobs 1)");
}
