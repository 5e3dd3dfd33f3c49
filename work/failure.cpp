// SPDX-License-Identifier: Apache-2.0
#include "work/failure.hpp"

#include <new>

#include "model/check.hpp"
#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/cases.hpp"
#include "scheduler/base/checkpoint.hpp"
#include "scheduler/base/output_file.hpp"
#include "scheduler/search/explore.hpp"
#include "work/repository_path.hpp"

namespace lockkeeper {

std::optional<Verdict> failure_of(const std::string& name, const std::function<void()>& run) {
    try {
        run();
        return std::nullopt;
    } catch (const BadInput& error) {
        return RefusedFile{error.what(), error.place().value_or(TextPlace{})};
    } catch (const CheckpointError& error) {
        return RefusedFile{error.what()};
    } catch (const OutputError& error) {
        return RefusedFile{error.what()};
    } catch (const LimitExceeded& error) {
        return RefusedFile{name + ": " + error.what()};
    } catch (const UsageError&) {
        throw;
    } catch (const std::bad_alloc&) {
        return Error{name + ": internal error: out of memory (see --memory)"};
    } catch (const std::exception& error) {
        return Error{name + ": internal error: " + error.what()};
    }
}

RunReport run_one_file(const InputFile& file, const std::string& command,
                       const std::function<RunReport(const std::string& path)>& run,
                       const std::function<void(const std::string&)>& complain) {
    RunReport report;
    const auto failure = failure_of(name_in_messages(file.path), [&] {
        if (!file.error.empty()) {
            throw BadInput({file.path, "", file.error});
        }
        report = run(file.path);
    });
    if (failure) {
        complain(detail_of(*failure));
        report = {};
        report.command = command;
        report.file = file.path;
        if (const auto* refused = std::get_if<RefusedFile>(&*failure)) {
            report.place.at = refused->place;
        }
        report.verdict = *failure;
        report.is_interrupted = interrupt_requested();
    }
    if (!file.stands_for.empty()) {
        report.place.at = {};
    }
    const std::string whole =
        file.stands_for.empty() ? named_case(file.path).file : file.stands_for;
    report.place.path = repository_path(whole);
    report.place.root = repository_root(whole);
    return report;
}

}  // namespace lockkeeper
