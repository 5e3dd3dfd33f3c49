// validate --server: the scenarios of database locks and of the canal lock, model and private
// server driven by the same schedules (compared_server.hpp).
#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/compared_server.hpp"
#include "app/exit_code.hpp"
#include "app/validate.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"
#include "version.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;
using databases::Comparison;

struct Judged {
    std::string file;
    std::string not_expressible;  // not empty: why there is no comparison
    Comparison comparison;

    [[nodiscard]] const Verdict& verdict() const { return comparison.verdict; }
    [[nodiscard]] std::string_view name() const {
        return not_expressible.empty() ? name_of(verdict(), {"agrees", "differs"})
                                       : "not expressible";
    }
    [[nodiscard]] const std::string& reason() const {
        return not_expressible.empty() ? detail_of(verdict()) : not_expressible;
    }
};

Judged judge(const Session& session, const std::string& file, ComparedServer& server) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    auto compared = server.compare(job, session.options);
    if (const auto* not_expressible = std::get_if<NotExpressible>(&compared)) {
        return {file, not_expressible->because, {}};
    }
    return {file, "", std::get<Comparison>(std::move(compared))};
}

Judged failed(const Session& session, const std::string& file, Verdict verdict) {
    session.complain(detail_of(verdict));
    Judged judged{file, "", {}};
    judged.comparison.verdict = std::move(verdict);
    return judged;
}

Judged judge_file(const Session& session, const InputFile& file, ComparedServer& server) {
    try {
        if (!file.error.empty()) {
            throw BadInput({file.path, "", file.error});
        }
        return judge(session, file.path, server);
    } catch (const BadInput& error) {
        return failed(session, file.path, RefusedFile{error.what()});
    } catch (const UsageError&) {
        throw;
    } catch (const std::exception& error) {
        return failed(session, file.path, Error{file.path + ": internal error: " + error.what()});
    }
}

std::string numbers_text(const Comparison& comparison) {
    return counted(comparison.schedules, "schedule") + ", " + counted(comparison.steps, "step") +
           ", " + counted(comparison.statements, "statement");
}

void print(const Session& session, const Judged& judged) {
    if (!session.prints_text() || !has_answer(judged.verdict())) {
        return;
    }
    std::string line = fmt::format("{}: {}", printable(judged.file), judged.name());
    if (const auto& difference = judged.comparison.difference; difference) {
        line += fmt::format(" at step {}: {}\n  model:  {}\n  server: {}\n", difference->step,
                            printable(difference->text), printable(difference->model),
                            printable(difference->server));
        for (std::size_t at = 0; at < difference->steps.size(); ++at) {
            line += fmt::format("  {:>4}  {}\n", at + 1, printable(difference->steps[at]));
        }
        line += "  sent:\n";
        for (const std::string& statement : difference->statements) {
            line += "        " + printable(statement) + "\n";
        }
        line += "  lockkeeper replay " + shell_quoted(judged.file) + " --schedule " +
                shell_quoted(to_line(difference->schedule)) + "\n";
    } else {
        line += (judged.reason().empty() ? "" : ", because " + judged.reason()) +
                (judged.not_expressible.empty() ? ": " + numbers_text(judged.comparison) : "") +
                "\n";
    }
    session.out << line << std::flush;
}

Json document_of(const Judged& judged) {
    Json json{{"file", judged.file}, {"verdict", judged.name()}};
    if (!judged.reason().empty()) {
        json["reason"] = judged.reason();
    }
    json["schedules"] = judged.comparison.schedules;
    json["steps"] = judged.comparison.steps;
    json["statements"] = judged.comparison.statements;
    if (const auto& difference = judged.comparison.difference; difference) {
        json["difference"] = {{"step", difference->step},
                              {"text", difference->text},
                              {"model", difference->model},
                              {"server", difference->server},
                              {"schedule", to_line(difference->schedule)},
                              {"steps", difference->steps},
                              {"statements", difference->statements}};
    }
    json["exit_code"] = exit_code_of(judged.verdict());
    return json;
}

std::size_t count(const std::vector<Judged>& all, bool (*is_one)(const Judged& judged)) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_one));
}

template <class Kind>
bool is_compared_as(const Judged& judged) {
    return judged.not_expressible.empty() && is<Kind>(judged.verdict());
}

// `server_version`: as the server says it; empty: there was no server.
void print_end(const Session& session, const std::vector<Judged>& all,
               const std::string& server_version, int exit_code) {
    const std::uint64_t seed = session.options.seed.value_or(1);
    if (session.prints_text()) {
        session.out << fmt::format(
            "{}: {} agree, {} differ, {} not expressible, {} inconclusive, {} wrong\nseed {}\n",
            counted(all.size(), "scenario"), count(all, is_compared_as<Passed>),
            count(all, is_compared_as<Violated>),
            count(all, [](const Judged& judged) { return !judged.not_expressible.empty(); }),
            count(all, is_compared_as<Inconclusive>),
            count(all, [](const Judged& judged) { return !has_answer(judged.verdict()); }), seed);
        return;
    }
    Json json{{"$schema", "validate_server.schema.json"},
              {"validate_server_version", 1},
              {"command", "validate"},
              {"lockkeeper", build_text()},
              {"server", *session.options.validate.server},
              {"server_version", server_version},
              {"seed", seed},
              {"scenarios", Json::array()}};
    for (const Judged& judged : all) {
        json["scenarios"].push_back(document_of(judged));
    }
    json["exit_code"] = exit_code;
    session.out << json.dump(2, ' ', true, Json::error_handler_t::replace) << "\n";
}

// Where none are named: all of systems that this kind of server has.
std::vector<InputFile> files_of(const Session& session) {
    const std::string& server = *session.options.validate.server;
    const auto& named = session.options.files;
    if (!named.empty()) {
        return find_files(named, FileKind::kScenarios);
    }
    std::vector<InputFile> files = find_files(default_files(server), FileKind::kScenarios);
    const auto of_no_server = [&](const InputFile& file) {
        const auto scenario = load_scenario(file.path);
        const auto* loaded = std::get_if<Scenario>(&scenario);
        if (loaded == nullptr) {
            return false;
        }
        const auto* system = session.registry.find(loaded->system, loaded->variant);
        return system != nullptr && !is_of_server(server, *system);
    };
    files.erase(std::remove_if(files.begin(), files.end(), of_no_server), files.end());
    return files;
}

}  // namespace

int validate_database(const Session& session) {
    const std::vector<InputFile> files = files_of(session);
    auto started = start_compared_server(*session.options.validate.server);
    if (const auto* none = std::get_if<NoComparedServer>(&started)) {
        session.complain(none->reason);
        const int code = interrupt_requested() ? kExitInterrupted : kExitInternal;
        if (!session.prints_text()) {
            print_end(session, {}, "", code);
        }
        return code;
    }
    ComparedServer& server = *std::get<std::unique_ptr<ComparedServer>>(started);
    if (session.prints_text()) {
        session.out << build_text() << "\nprivate " << server.kind() << ": "
                    << printable(server.version()) << "\n"
                    << std::flush;
    }
    std::vector<Judged> all;
    int exit_code = kExitPassed;
    for (const InputFile& file : files) {
        all.push_back(judge_file(session, file, server));
        print(session, all.back());
        exit_code = worse_exit_code(exit_code, exit_code_of(all.back().verdict()));
        if (interrupt_requested()) {
            exit_code = kExitInterrupted;
            break;
        }
    }
    // To have compared nothing is no agreement.
    const bool is_compared = std::any_of(
        all.begin(), all.end(), [](const Judged& judged) { return judged.comparison.steps > 0; });
    exit_code = is_compared ? exit_code : worse_exit_code(exit_code, kExitInconclusive);
    if (!is_compared && session.prints_text()) {
        session.out << "nothing was compared\n";
    }
    print_end(session, all, server.version(), exit_code);
    return exit_code;
}

}  // namespace lockkeeper
