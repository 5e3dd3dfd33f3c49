// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/command.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "model/printable.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/units.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/logs/around.hpp"
#include "validate/logs/document.hpp"
#include "validate/logs/words.hpp"

namespace lockkeeper::logs {
namespace {

constexpr double kClockErrorMax = 86'400;

// Also "0", "0ms": the clocks are right. Other times of the command line are above 0.
std::optional<double> clock_seconds(const std::string& text) {
    const bool is_zero =
        text.find_first_not_of("0.") >= std::min(text.find_first_of("hms"), text.size());
    const bool has_number = text.starts_with('0');
    return is_zero && has_number && parse_duration("1" + text) ? std::optional(0.0)
                                                               : parse_duration(text);
}

std::int64_t nanoseconds_of(const std::string& text) {
    const auto seconds = clock_seconds(text);
    if (!seconds || *seconds > kClockErrorMax) {
        throw UsageError("--clock-error: " + text +
                         ": a time of at most a day (5ms), or SOURCE=TIME (w1=5ms)");
    }
    return static_cast<std::int64_t>(*seconds * 1e9);
}

// By source; empty: nobody has said.
std::vector<std::int64_t> clock_errors_of(const std::vector<std::string>& asked,
                                          const std::vector<Source>& sources) {
    std::vector<std::int64_t> errors(asked.empty() ? 0 : sources.size(), 0);
    for (const std::string& text : asked) {
        const std::size_t equals = text.rfind('=');
        const std::int64_t error =
            nanoseconds_of(equals == std::string::npos ? text : text.substr(equals + 1));
        bool is_there = equals == std::string::npos;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const std::string name = text.substr(0, equals);
            if (equals == std::string::npos || sources[i].name == name || sources[i].file == name) {
                errors[i] = error;
                is_there = true;
            }
        }
        if (!is_there) {
            throw UsageError("--clock-error: " + text.substr(0, equals) +
                             ": there is no source of this name");
        }
    }
    return errors;
}

int exit_of(Answer answer) {
    switch (answer) {
        case Answer::kExplained: return 0;
        case Answer::kBroken:
        case Answer::kNotExplained: return 1;
        case Answer::kUndecided: break;
    }
    return 2;
}

// Says each answer as it comes, or all of them in one document at the end.
class Teller {
  public:
    Teller(const Asked& asked, const ReadLogs& read, const std::string& window, std::ostream& out,
           const OnAnswer& on_answer)
        : asked_(asked),
          read_(read),
          out_(out),
          on_answer_(on_answer),
          document_(asked.document.value_or(nullptr)) {
        const std::string& name = asked.shown_model.empty() ? asked.model : asked.shown_model;
        if (asked.document) {
            document_["model"] = name;
            document_["around"] = asked.around ? nlohmann::ordered_json(*asked.around) : nullptr;
            document_["lines"] = lines_document(read.logs);
        } else {
            out << "lockkeeper explain: model " << name << "\n" << lines_text(read.logs) << window;
        }
    }

    void tell(const LockAnswer& answer, const std::vector<Source>& sources,
              const SequentialModel& model, double seconds, bool is_only) {
        const std::string text = answer_text(answer, sources, model, read_.form);
        if (!asked_.document) {
            out_ << (answer.key.empty() ? "" : "lock " + printable(answer.key) + "\n") << text
                 << fmt::format("states: {}, {:.1f} s\n", answer.states, seconds);
        }
        const std::string further =
            on_answer_ ? on_answer_({answer, sources, model, read_.form, text, seconds, is_only})
                       : "";
        if (asked_.document) {
            locks_.push_back(lock_document(answer, sources, read_.form, text));
            locks_.back()["further"] = further;
        } else {
            out_ << further;
        }
    }

    void end(int exit_code, double seconds) {
        if (!asked_.document) {
            return;
        }
        document_["exit_code"] = exit_code;
        document_["seconds"] = seconds;
        document_["locks"] = std::move(locks_);
        out_ << document_.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
             << "\n";
    }

  private:
    const Asked& asked_;
    const ReadLogs& read_;
    std::ostream& out_;
    const OnAnswer& on_answer_;
    nlohmann::ordered_json document_;
    nlohmann::ordered_json::array_t locks_;
};

}  // namespace

int run_command(const Asked& asked, std::ostream& out, const OnAnswer& on_answer) {
    const ModelChoice choice = model_of_logs(asked.model);
    const std::unique_ptr<SequentialModel> model = make_model(choice);
    const Mapping mapping = asked.mapping ? read_mapping(*asked.mapping) : Mapping{};
    LogsReader reader(mapping, paths_of(asked.logs));
    for (const std::string& log : in_order_of_rotation(asked.logs)) {
        reader.read(log_file_of(log));
    }
    ReadLogs read = reader.end();
    std::string window;
    if (asked.around) {
        const auto time = read_log_time(*asked.around, mapping.year);
        if (!time) {
            throw UsageError("--around: " + *asked.around + ": a time as the logs write it");
        }
        window = keep_around(read.logs, *time);
    }
    if (read.logs.has_history && (model->knows_time() || asked.logs.size() > 1)) {
        throw LogError(asked.logs.front(), 0,
                       "a history is explained by its order alone: it goes with no other log, and "
                       "`lockkeeper validate --history` judges leases");
    }
    CheckLimits limits;
    limits.seconds_max = asked.seconds_max;
    limits.bytes_max = asked.bytes_max;
    limits.stop = [] { return interrupt_requested(); };
    const SearchBudget budget(limits);
    Teller teller(asked, read, window, out, on_answer);
    int exit_code = 0;
    const auto locks = by_lock(read.logs);
    for (const auto& [key, sources] : locks) {
        Question question;
        question.lost_max = asked.lost_max;
        question.clock_errors = clock_errors_of(asked.clock_errors, sources);
        question.has_all_callers = read.logs.has_history;
        question.model = model.get();
        question.budget = &budget;
        question.on_progress = asked.on_progress;
        LockAnswer answer = explain(sources, question);
        answer.key = key;
        teller.tell(answer, sources, *model, budget.seconds(), locks.size() == 1);
        if (answer.doubts.is_empty && locks.size() > 1) {
            continue;  // of this lock there are calls alone
        }
        // Violated counts most, then undecided.
        const int exit_here = exit_of(answer.answer);
        exit_code = exit_here == 1 || exit_code == 1 ? 1 : std::max(exit_code, exit_here);
    }
    teller.end(exit_code, budget.seconds());
    return exit_code;
}

}  // namespace lockkeeper::logs
