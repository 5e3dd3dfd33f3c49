// SPDX-License-Identifier: Apache-2.0

// The files that the explorer has open: scenarios and traces, each with its system built. Those of
// the command line come first; the page adds what it loads and what it changes. A file that is open
// stays as it is, so that any number of requests may look at it. The same change of the same file
// is the same file again, and changed files are at most kChangedMax: then the number of the one
// that was changed first is that of the newest. Used by the endpoints; safe with threads.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/erased_system.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/overlay.hpp"

namespace lockkeeper {

class OutsideFile;

// Changes by a person who starts again. Empty: no change.
struct ScenarioChange {
    std::map<std::string, std::int32_t> numbers{};  // as --set has them
    std::vector<std::string> check{};               // as --check
    std::string text{};                             // of the scenario, edited

    bool operator==(const ScenarioChange&) const = default;
};

// How a file came of another that is no changed one itself.
struct ChangedFrom {
    std::size_t root = 0;
    ScenarioChange change{};

    bool operator==(const ChangedFrom&) const = default;
};

struct OpenedFile {
    Job job;
    ErasedSystem system;
    bool is_on_disk = false;  // `replay` finds what `job.file` names, and says the same of it
    // Where the page begins; the schedule of a trace.
    Schedule schedule;
    std::size_t cycle_start = kNoStep;
    std::optional<ChangedFrom> changed{};  // none: of the command line, or loaded
};

class OpenedFiles {
  public:
    static constexpr std::size_t kFilesMax = 1000;
    static constexpr std::size_t kChangedMax = 100;

    // `registry` must outlive this.
    // `states_max`: of the command; what the page loads or edits has it, too.
    explicit OpenedFiles(const Registry& registry, std::optional<std::uint64_t> states_max = {})
        : registry_(registry) {
        limits_.states_max = states_max;
    }

    using Loaded = std::variant<Scenario, RecordedTrace>;
    // Opens a file of the command line and returns its number. Throws BadInput, UsageError.
    std::size_t open(Loaded loaded, const Overlay& overlay) {
        return open(std::move(loaded), overlay, true);
    }
    // Opens the text of a scenario or a trace that the page loads. Throws BadInput.
    std::size_t open_text(const std::string& name, const std::string& text);
    // Opens a program or clients, which only the command line can name.
    std::size_t open(std::shared_ptr<OutsideFile> file);
    // The file with numbers or checks changed; the text of its scenario changed.
    std::size_t open_changed(std::size_t number, const ScenarioChange& change);
    std::size_t open_edited(std::size_t number, const std::string& scenario_text);
    // The scenario of this text with numbers or checks changed, for whoever still writes it: it is
    // no open file. Throws BadInput.
    [[nodiscard]] OpenedFile read(const std::string& name, const std::string& text,
                                  const ScenarioChange& change) const;

    [[nodiscard]] std::size_t size() const;
    // Null: there is none of this number, or it is the other kind.
    [[nodiscard]] std::shared_ptr<const OpenedFile> at(std::size_t number) const;
    [[nodiscard]] std::shared_ptr<OutsideFile> outside_at(std::size_t number) const;
    [[nodiscard]] const Registry& registry() const { return registry_; }

  private:
    using File = std::variant<std::shared_ptr<const OpenedFile>, std::shared_ptr<OutsideFile>>;
    std::size_t add(File file);
    std::size_t add_changed(Job job, ChangedFrom from, bool is_on_disk);
    [[nodiscard]] std::optional<std::size_t> number_of(const ChangedFrom& from) const;
    [[nodiscard]] ChangedFrom changed_from(std::size_t number) const;
    template <class Kind>
    [[nodiscard]] std::shared_ptr<Kind> of_kind(std::size_t number) const;
    std::size_t open(Loaded loaded, const Overlay& overlay, bool is_on_disk);
    std::size_t add(Job job, Schedule schedule, std::size_t cycle_start, bool is_on_disk);
    [[nodiscard]] std::shared_ptr<const OpenedFile> existing(std::size_t number) const;

    const Registry& registry_;
    Overlay limits_;
    mutable std::mutex mutex_;
    std::vector<File> files_;
    std::deque<std::size_t> changed_;  // numbers, the first that was changed at the front
};

}  // namespace lockkeeper
