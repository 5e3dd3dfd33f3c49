// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/wire_scenario.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "model/json.hpp"
#include "model/json_position.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/recorded_trace.hpp"

namespace lockkeeper::wire {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kFaultsMax = 100;
constexpr std::int64_t kWindowMin = 10;  // of a rate limiter, in milliseconds

std::uint32_t fault(Scenario& scenario, const char* name, std::optional<std::uint32_t> flag,
                    std::uint32_t otherwise) {
    NamedNumbers& faults = scenario.parameters.faults;
    if (flag) {
        if (*flag > kFaultsMax) {
            throw UsageError(fmt::format("{}: at most {}", flag_of(name), kFaultsMax));
        }
        faults[name] = static_cast<std::int32_t>(*flag);
    }
    const std::int32_t number = faults.value_or(name, static_cast<std::int32_t>(otherwise));
    if (number < 0 || number > static_cast<std::int32_t>(kFaultsMax)) {
        refuse(scenario, "/faults/" + std::string(name),
               fmt::format("expected a number from 0 to {}, found {}", kFaultsMax, number));
    }
    return static_cast<std::uint32_t>(number);
}

void refuse_faults(const Scenario& scenario) {
    for (const auto& [name, number] : scenario.parameters.faults) {
        const std::string& fault_name = name;
        std::string all;
        for (const FaultRow& row : kFaultRows) {
            const bool is_last = &row == std::end(kFaultRows) - 1;
            all += fmt::format("{}\"{}\"", all.empty() ? "" : is_last ? " and " : ", ", row.name);
        }
        if (std::none_of(std::begin(kFaultRows), std::end(kFaultRows),
                         [&](const FaultRow& row) { return row.name == fault_name; })) {
            refuse(scenario, "/faults/" + pointer_step(name),
                   "clients at the wire can meet " + all);
        }
    }
}

// The pointer to an acquire's weight of this value in `part`; empty: there is none.
std::string pointer_to_weight(const Json& part, std::uint32_t weight, const std::string& pointer) {
    if (!part.is_structured()) {
        return "";
    }
    if (part.is_object() && part.contains("acquire") && part["acquire"].is_object() &&
        part["acquire"].value("weight", Json()) == weight) {
        return pointer + "/acquire/weight";
    }
    for (const auto& [name, inner] : part.items()) {
        const std::string found =
            pointer_to_weight(inner, weight, pointer + "/" + pointer_step(name));
        if (!found.empty()) {
            return found;
        }
    }
    return "";
}

// Where the script first asks for so much; the script itself where its text does not say.
std::string place_of_weight(const Scenario& scenario, const std::string& script,
                            std::uint32_t weight) {
    if (scenario.source) {
        const Json text = Json::parse(scenario.source->text, nullptr, false);
        const Json::json_pointer place(scenario.source->pointer + script);
        if (!text.is_discarded() && text.contains(place)) {
            const std::string found = pointer_to_weight(text[place], weight, script);
            return found.empty() ? script : found;
        }
    }
    return script;
}

void refuse_several(const Scenario& scenario) {
    for (const CallerConfig& caller : scenario.world.callers) {
        const std::string pointer = fmt::format("/callers/{}/script", caller.group);
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire || !takes_several(operation)) {
                continue;
            }
            if (weight_of(operation) > operation.capacity()) {
                refuse(scenario, place_of_weight(scenario, pointer, weight_of(operation)),
                       fmt::format("the weight {} is more than all {} places: say \"max_per\"",
                                   weight_of(operation), operation.capacity()));
            }
            if (scenario.reentrant.value_or(false)) {
                refuse(scenario, "/reentrant", "does not go with \"with\" and \"weight\"");
            }
            for_each_key(operation, [&](std::uint8_t key) {
                if (operation.signal != 0 &&
                    scenario.world.keys[key].find(',') != std::string::npos) {
                    refuse(scenario, pointer, "a key of several with a comma in it");
                }
            });
        }
    }
}

void refuse_scripts(const Scenario& scenario) {
    refuse_several(scenario);
    if (scenario.world.callers.size() > kWireCallersMax) {
        refuse(scenario, "/callers",
               fmt::format("at most {} clients are held at once", kWireCallersMax));
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kSleep || operation.verb == Verb::kExit) {
                refuse(scenario, "/callers",
                       "a client at the wire does not \"" + std::string(name_of(operation.verb)) +
                           "\": say \"expiries\" or \"crashes\" under faults");
            }
        }
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const auto& [name, number] : caller.settings) {
            const std::string pointer =
                fmt::format("/callers/{}/settings/{}", caller.group, pointer_step(name));
            if (name != kClockSetting && name != kDriftSetting && name != kJumpSetting) {
                refuse(scenario, pointer,
                       "a caller at the wire has \"clock\", \"drift\" and \"jump\"");
            }
            if (std::abs(number) > kOwnNumberMax) {
                refuse(scenario, pointer,
                       fmt::format("expected a number from -{0} to {0}, found {1}", kOwnNumberMax,
                                   number));
            }
        }
    }
    for (const std::string& word : scenario.world.words) {
        if (word == "reset" || word == "fork" || word == "prepare" ||
            word.find_first_of(" \n") != std::string::npos) {
            refuse(scenario, "/callers", "a driver has its own meaning for \"" + word + "\"");
        }
    }
    for (const std::string& key : scenario.world.keys) {
        if (key.find_first_of(" \r\n") != std::string::npos) {
            refuse(scenario, "/callers", "a key with a space or a line's end in it");
        }
    }
}

void take_servers(const Scenario& scenario, WirePlan& plan) {
    plan.replicas = static_cast<std::size_t>(scenario.server.replicas);
    plan.servers = static_cast<std::size_t>(scenario.server.count) + plan.replicas;
    if (plan.replicas > 0 && (scenario.server.count > 1 || plan.server != ServerKind::kRedis)) {
        refuse(scenario, "/server/replicas", "one server has replicas, with --wire redis");
    }
    if (plan.replicas > 0 && plan.scope.server_jumps_max > 0) {
        throw UsageError("--server-jumps: clocks of servers do not jump where one has replicas");
    }
    if (plan.server == ServerKind::kRedis) {
        return;
    }
    if (plan.servers > 1) {
        refuse(scenario, "/server/count", "several servers go with --wire redis");
    }
    const WireScope& scope = plan.scope;
    if (plan.server == ServerKind::kFiles) {
        if (scope.drops_max + scope.failovers_max + scope.server_restarts_max + scope.late_max +
                scope.server_crashes_max + scope.cuts_max >
            0) {
            throw UsageError(
                "--wire files: callers are killed (crashes, restarts), time passes (expiries, "
                "wakes), and clocks jump (jumps, server_jumps); a file system has no connections "
                "and does not fail");
        }
        return;
    }
    if (scope.server_crashes_max + scope.cuts_max + scope.server_jumps_max > 0) {
        throw UsageError(
            "--server-crashes, --cuts and --server-jumps go with --wire redis; with others "
            "--server-restarts and --drops");
    }
}

// The pooler between the callers and PostgreSQL, if there is one.
void take_pool(Scenario& scenario, WirePlan& plan) {
    OutsideServer& server = scenario.server;
    server.command = plan.outside.command.empty() ? server.command : plan.outside.command;
    if (server.command.empty()) {
        return;
    }
    if (!server.framing.empty() || !server.reset.empty() || !server.granted.empty() ||
        !server.expire.empty() || !server.changing.empty()) {
        refuse(scenario, "/server",
               "with --wire postgresql a server has nothing but the command of a pooler");
    }
    if (server.command.find("{dir}") == std::string::npos) {
        refuse(scenario, "/server/command",
               "a command that starts a pooler, with the folder {dir} of its socket in it, is "
               "needed");
    }
    plan.outside.command = server.command;
}

// Writes the flags into the scenario, so that a trace file has them.
void take_outside_server(Scenario& scenario, WirePlan& plan) {
    if (plan.server == ServerKind::kPostgresql && plan.outside.framing.empty()) {
        take_pool(scenario, plan);
        return;
    }
    if (plan.server != ServerKind::kTcp) {
        if (!plan.outside.command.empty() || !plan.outside.framing.empty()) {
            throw UsageError(
                "--server-command and --framing go with --wire tcp; with --wire postgresql "
                "--server-command starts a pooler");
        }
        return;
    }
    if (plan.scope.failovers_max > 0 || plan.scope.late_max > 0) {
        throw UsageError(
            "--wire tcp: a server that is not known does not fail over, and no request of a "
            "killed caller comes late");
    }
    OutsideServer& server = scenario.server;
    server.command = plan.outside.command.empty() ? server.command : plan.outside.command;
    server.framing = plan.outside.framing.empty() ? server.framing : plan.outside.framing;
    const bool is_known =
        server.framing == kFramings[static_cast<std::size_t>(Framing::kZookeeper)] ||
        server.framing == kFramings[static_cast<std::size_t>(Framing::kNats)];
    for (const auto& [text, key] :
         {std::pair(server.reset, "reset"), std::pair(server.expire, "expire")}) {
        if (is_known && !text.empty()) {
            refuse(scenario, fmt::format("/server/{}", key),
                   fmt::format("does not go with framing {}, whose connections begin with "
                               "messages of their own",
                               server.framing));
        }
    }
    plan.outside = server;
}

}  // namespace

OutsideServer outside_server(const std::optional<std::string>& command,
                             std::optional<Framing> framing) {
    OutsideServer server;
    server.command = command.value_or("");
    server.framing = framing ? kFramings[static_cast<std::size_t>(*framing)] : "";
    return server;
}

std::string flag_of(std::string_view fault) {
    std::string flag = "--" + std::string(fault);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

WireScenario for_wire(Scenario scenario, WirePlan plan, const ScopeFlags& flags,
                      bool is_check_of_flag) {
    refuse_scripts(scenario);
    refuse_faults(scenario);
    WireScenario out;
    out.plan = std::move(plan);
    if (flags.crashes && *flags.crashes > kCrashesMax) {
        throw UsageError(fmt::format("--crashes: at most {}", kCrashesMax));
    }
    scenario.world.crashes_max =
        static_cast<std::uint8_t>(flags.crashes.value_or(scenario.world.crashes_max));
    scenario.world.restarts_max =
        static_cast<std::uint8_t>(fault(scenario, "restarts", flags.restarts, 0));
    WireScope& scope = out.plan.scope;
    scope.drops_max = fault(scenario, "drops", flags.drops, 0);
    scope.expiries_max = fault(scenario, "expiries", flags.expiries, 0);
    scope.failovers_max = fault(scenario, "failovers", flags.failovers, 0);
    scope.server_restarts_max = fault(scenario, "server_restarts", flags.server_restarts, 0);
    scope.late_max = fault(scenario, "late", flags.late, 0);
    scope.jumps_max = fault(scenario, "jumps", flags.jumps, 0);
    scope.server_crashes_max = fault(scenario, "server_crashes", flags.server_crashes, 0);
    scope.cuts_max = fault(scenario, "cuts", flags.cuts, 0);
    scope.server_jumps_max = fault(scenario, "server_jumps", flags.server_jumps, 0);
    scope.wakes_max = fault(scenario, "wakes", flags.wakes, scope.wakes_max);
    if (is_database(out.plan.server) && scope.failovers_max > 0) {
        throw UsageError(
            fmt::format("--wire {}: the server does not fail over here", name_of(out.plan.server)));
    }
    if (is_database(out.plan.server) && scope.late_max > 0) {
        throw UsageError(fmt::format(
            "--wire {}: a session ends with its caller, and no request of it comes late",
            name_of(out.plan.server)));
    }
    take_servers(scenario, out.plan);
    take_outside_server(scenario, out.plan);
    scope.splits =
        out.plan.server != ServerKind::kFiles && (scope.drops_max > 0 || scope.expiries_max > 0);
    out.world.world = scenario.world;
    out.world.reentrant = scenario.reentrant;
    if (const std::int64_t within = scenario.rate_limit.within;
        scenario.rate_limit.is_given() && within < kWindowMin) {
        refuse(scenario, "/rate_limit/within",
               fmt::format("at the wire, where servers count milliseconds, expected {} of them or "
                           "more, found {}",
                           kWindowMin, within));
    }
    take_rate_limit(scenario, kMillisecond, out.world);
    out.world.rate_grain = kMillisecond;
    out.world.check = properties_of(scenario, is_check_of_flag, is_judged_at_wire);
    take_asked(scenario, is_check_of_flag, is_judged_at_wire, out.world);
    take_goals(scenario, out);
    // Whether time can pass is asked before a pass counts.
    out.world.ticks_max = scope.expiries_max;
    out.program.keys = scenario.world.keys;
    out.scenario = std::move(scenario);
    return out;
}

Scenario built_in_wire(std::size_t callers, const std::string& script) {
    if (callers == 0 || callers > kWireCallersMax) {
        throw UsageError(fmt::format("--callers: from 1 to {}", kWireCallersMax));
    }
    nlohmann::json::array_t operations;
    std::istringstream words(script);
    for (std::string word; std::getline(words, word, ',');) {
        const bool is_plain =
            !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
                return (letter >= 'a' && letter <= 'z') || letter == '_';
            });
        if (!is_plain) {
            throw UsageError("--script: expected operations as in acquire,renew,release");
        }
        if (word == "acquire" || word == "release") {
            operations.push_back({{word, {{"key", "db"}}}});
        } else {
            operations.push_back({{"call", {{"what", word}, {"key", "db"}}}});
        }
    }
    const nlohmann::json document{
        {"version", 1},
        {"system", "wire"},
        {"about", "Callers that share one lock, each with the same script."},
        {"callers",
         nlohmann::json::array({{{"name", "A"}, {"count", callers}, {"script", operations}}})},
        {"faults", {{"crashes", 1}, {"restarts", 1}, {"drops", 1}, {"expiries", 1}}}};
    auto parsed = value_or_throw(parse_replayable(document.dump(), kBuiltInWire));
    return std::get<Scenario>(std::move(parsed));
}

std::variant<Scenario, RecordedTrace> load_for_wire(const std::string& file, std::size_t callers,
                                                    const std::string& script) {
    if (file == kBuiltInWire) {
        return built_in_wire(callers, script);
    }
    return value_or_throw(load_replayable(file));
}

WireSettings settings_of(const WirePlan& plan, const OutsideWorld& world) {
    WireSettings settings;
    settings.server = plan.server;
    settings.servers = plan.servers;
    settings.replicas = plan.replicas;
    settings.command = plan.command;
    settings.callers = clients_of(world.world);
    settings.freshness = plan.freshness;
    settings.answer_seconds = plan.answer_seconds;
    settings.outside = plan.outside;
    for (const CallerConfig& caller : world.world.callers) {
        settings.clock_offsets.push_back(std::int64_t{caller.settings.value_or(kClockSetting, 0)} *
                                         1'000'000);
        settings.clock_drifts.push_back(caller.settings.value_or(kDriftSetting, 0));
    }
    return settings;
}

}  // namespace lockkeeper::wire
