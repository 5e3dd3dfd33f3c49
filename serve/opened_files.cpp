// SPDX-License-Identifier: Apache-2.0
#include "serve/opened_files.hpp"

#include <utility>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"

namespace lockkeeper {
namespace {

// Numbers of the command line come first, then those of the page.
std::string flags_of(const ScenarioChange& change) {
    std::string flags;
    for (const auto& [name, number] : change.numbers) {
        flags += " --set " + shell_quoted(name + "=" + std::to_string(number));
    }
    if (!change.check.empty()) {
        std::string names;
        for (const std::string& name : change.check) {
            names += (names.empty() ? "" : ",") + name;
        }
        flags += " --check " + shell_quoted(names);
    }
    return flags;
}

// A long order takes its time, and Ctrl-C may come meanwhile.
Trace run_until_stopped(const Job& job) {
    ReplayOptions options;
    options.describes = false;
    options.stop = interrupt_requested;
    Trace trace = run_as_written(job, options);
    if (trace.is_cut) {
        throw LimitExceeded("interrupted");
    }
    return trace;
}

}  // namespace

std::size_t OpenedFiles::add(Job job, Schedule schedule, std::size_t cycle_start, bool is_on_disk) {
    ErasedSystem system = job.runner->erased();
    return add(std::make_shared<const OpenedFile>(OpenedFile{
        std::move(job), std::move(system), is_on_disk, std::move(schedule), cycle_start}));
}

std::size_t OpenedFiles::open(std::shared_ptr<OutsideFile> file) { return add(std::move(file)); }

std::size_t OpenedFiles::add(File file) {
    const std::lock_guard lock(mutex_);
    if (files_.size() == kFilesMax) {
        throw UsageError(fmt::format("{} files are open, which is the most", kFilesMax));
    }
    files_.push_back(std::move(file));
    return files_.size() - 1;
}

std::size_t OpenedFiles::open(Loaded loaded, const Overlay& overlay, bool is_on_disk) {
    if (auto* trace = std::get_if<RecordedTrace>(&loaded)) {
        refuse_outside_lock(loaded, trace->scenario.file);
        Job job = prepare(registry_, overlay, std::move(trace->scenario));
        return add(std::move(job), std::move(trace->schedule), trace->cycle_start, is_on_disk);
    }
    Job job = prepare(registry_, overlay, std::move(std::get<Scenario>(loaded)));
    Schedule schedule{job.scenario.seed, {}};
    if (const Schedule* own = own_schedule(job)) {
        schedule = *own;
    } else if (job.scenario.method == Method::kOrder) {
        schedule = run_until_stopped(job).schedule(job.scenario.seed);
    }
    return add(std::move(job), std::move(schedule), kNoStep, is_on_disk);
}

std::size_t OpenedFiles::open_text(const std::string& name, const std::string& text) {
    auto parsed = parse_replayable(text, name);
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        throw BadInput(*error);
    }
    const bool is_trace = std::holds_alternative<RecordedTrace>(parsed);
    Loaded loaded = is_trace ? Loaded(std::get<RecordedTrace>(std::move(parsed)))
                             : Loaded(std::get<Scenario>(std::move(parsed)));
    return open(std::move(loaded), limits_, false);
}

// As file number `number` came of its root; itself, where it is one.
ChangedFrom OpenedFiles::changed_from(std::size_t number) const {
    return existing(number)->changed.value_or(ChangedFrom{number});
}

std::optional<std::size_t> OpenedFiles::number_of(const ChangedFrom& from) const {
    const std::lock_guard lock(mutex_);
    for (const std::size_t number : changed_) {
        if (std::get<std::shared_ptr<const OpenedFile>>(files_[number])->changed == from) {
            return number;
        }
    }
    return std::nullopt;
}

std::size_t OpenedFiles::add_changed(Job job, ChangedFrom from, bool is_on_disk) {
    ErasedSystem system = job.runner->erased();
    Schedule nothing_done{job.scenario.seed, {}};
    File file = std::make_shared<const OpenedFile>(OpenedFile{std::move(job), std::move(system),
                                                              is_on_disk, std::move(nothing_done),
                                                              kNoStep, std::move(from)});
    const std::lock_guard lock(mutex_);
    std::size_t number = files_.size();
    if (changed_.size() < kChangedMax && number < kFilesMax) {
        files_.push_back(std::move(file));
    } else if (!changed_.empty()) {
        number = changed_.front();
        changed_.pop_front();
        files_[number] = std::move(file);
    } else {
        throw UsageError(fmt::format("{} files are open, which is the most", kFilesMax));
    }
    changed_.push_back(number);
    return number;
}

std::size_t OpenedFiles::open_changed(std::size_t number, const ScenarioChange& change) {
    ChangedFrom from = changed_from(number);
    for (const auto& [name, value] : change.numbers) {
        from.change.numbers[name] = value;
    }
    from.change.check = change.check.empty() ? from.change.check : change.check;
    if (const auto known = number_of(from)) {
        return *known;
    }
    const auto file = existing(number);
    Overlay overlay;
    overlay.program = file->job.program;
    overlay.numbers = change.numbers;
    overlay.check = from.change.check;
    Job job = prepare(registry_, overlay, file->job.scenario);
    const auto root = at(from.root);
    job.set_flags = (root ? root->job.set_flags : "") + flags_of(from.change);
    return add_changed(std::move(job), std::move(from), file->is_on_disk);
}

std::size_t OpenedFiles::open_edited(std::size_t number, const std::string& scenario_text) {
    ChangedFrom from{changed_from(number).root, {{}, {}, scenario_text}};
    if (const auto known = number_of(from)) {
        return *known;
    }
    const auto file = existing(number);
    Overlay overlay = limits_;
    overlay.program = file->job.program;
    Scenario scenario = value_or_throw(parse_scenario(scenario_text, "the text"));
    Job job = prepare(registry_, overlay, std::move(scenario));
    job.file = file->job.file;
    return add_changed(std::move(job), std::move(from), false);
}

OpenedFile OpenedFiles::read(const std::string& name, const std::string& text,
                             const ScenarioChange& change) const {
    Scenario scenario = value_or_throw(parse_scenario(text, name));
    refuse_outside_lock(scenario, name);
    Overlay overlay = limits_;
    overlay.numbers = change.numbers;
    overlay.check = change.check;
    Job job = prepare(registry_, overlay, std::move(scenario));
    Schedule nothing_done{job.scenario.seed, {}};
    ErasedSystem system = job.runner->erased();
    return {std::move(job), std::move(system), false, std::move(nothing_done), kNoStep};
}

std::size_t OpenedFiles::size() const {
    const std::lock_guard lock(mutex_);
    return files_.size();
}

template <class Kind>
std::shared_ptr<Kind> OpenedFiles::of_kind(std::size_t number) const {
    const std::lock_guard lock(mutex_);
    const auto* file =
        number < files_.size() ? std::get_if<std::shared_ptr<Kind>>(&files_[number]) : nullptr;
    return file == nullptr ? nullptr : *file;
}

std::shared_ptr<const OpenedFile> OpenedFiles::at(std::size_t number) const {
    return of_kind<const OpenedFile>(number);
}

std::shared_ptr<OutsideFile> OpenedFiles::outside_at(std::size_t number) const {
    return of_kind<OutsideFile>(number);
}

std::shared_ptr<const OpenedFile> OpenedFiles::existing(std::size_t number) const {
    auto file = at(number);
    if (file == nullptr) {
        throw UsageError(fmt::format("no file {} is open", number));
    }
    return file;
}

}  // namespace lockkeeper
