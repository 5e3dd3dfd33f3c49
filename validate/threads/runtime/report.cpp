// SPDX-License-Identifier: Apache-2.0

// What has come out, in the words of the other verbs, and the exit code.
#include <algorithm>
#include <cstdio>
#include <map>

#include "model/printable.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/program.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

constexpr int kPassed = 0;
constexpr int kViolated = 1;
constexpr int kInconclusive = 2;
constexpr int kNotDeterministic = 3;
constexpr int kRefused = 65;

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string name_of(Thread thread) {
    return thread == kNobody ? "?" : thread == 0 ? "main" : "T" + number(thread);
}

// A library's header says less than the line that uses it.
bool is_of_a_library(const std::string& file) {
    return file.empty() || file.find("/threads/runtime/") != std::string::npos ||
           file.find("/lockkeeper/marks.hpp:") != std::string::npos || file.starts_with("/usr/") ||
           file.find("/c++/") != std::string::npos || file.starts_with("?");
}

class Places {
  public:
    Places(const Hosted& host) : base_(host.shadow.code) {
        std::vector<std::uint64_t> all;
        for (const Told& told : host.told) {
            all.insert(all.end(), told.calls.begin(), told.calls.end());
        }
        all.push_back(host.found.site);
        all.push_back(host.found.other_site);
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        all.erase(std::remove(all.begin(), all.end(), 0U), all.end());
        if (!all.empty()) {
            const std::vector<std::vector<Line>> lines = lines_of(all, base_);
            for (std::size_t at = 0; at < all.size(); ++at) {
                lines_[all[at]] = lines[at];
            }
        }
    }
    // The first line that is the program's own.
    [[nodiscard]] std::string of(const std::vector<std::uint64_t>& calls) const {
        for (const std::uint64_t call : calls) {
            const auto known = lines_.find(call);
            for (std::size_t at = 0; known != lines_.end() && at < known->second.size(); ++at) {
                if (!is_of_a_library(known->second[at].file)) {
                    return known->second[at].text;
                }
            }
        }
        for (const std::uint64_t call : calls) {  // else the library's line that it calls
            const auto known = lines_.find(call);
            if (known != lines_.end() && !known->second.empty() &&
                known->second.front().file.starts_with("/") &&
                known->second.front().file.find("/threads/runtime/") == std::string::npos) {
                return known->second.front().text;
            }
        }
        return "";
    }
    [[nodiscard]] std::string variable(std::uint64_t address) const {
        const std::string name = variable_at(address, base_);
        char text[32] = {};
        std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
        return name.empty() ? text : name;
    }

  private:
    std::uint64_t base_;
    std::map<std::uint64_t, std::vector<Line>> lines_;
};

class StepTexts {
  public:
    StepTexts(const Hosted& host, const Places& places) : host_(host), places_(places) {}

    [[nodiscard]] std::string line(std::size_t index) {
        const Told& told = host_.told[index];
        const std::string step = number(index + 1);
        std::string text = std::string(step.size() < 5 ? 5 - step.size() : 0, ' ') + step + "  " +
                           name_of(told.thread);
        text.resize(std::max<std::size_t>(text.size() + 1, 13), ' ');
        text += places_.of(told.calls);
        text.resize(std::max<std::size_t>(text.size() + 2, 50), ' ');
        return text + what(told, index) + "\n";
    }

  private:
    [[nodiscard]] std::string what(const Told& told, std::size_t index) {
        if (told.event == kInitial && told.text != nullptr) {
            return std::string(told.text) + " " + places_.variable(told.address);
        }
        if (told.event == kInitial) {
            return std::string("plain ") + (told.is_write ? "write of " : "read of ") +
                   places_.variable(told.address);
        }
        const Graph& graph = host_.search.graph();
        const Event& event = graph.at(told.event);
        const bool modifies = event.kind == Kind::kStore && event.is_rmw;
        step_of_[told.event] = index + 1;
        switch (event.kind) {
            case Kind::kStore:
                return std::string(told.text) + " " + places_.variable(told.address) +
                       (modifies ? ": " +
                                       read(graph, {told.event.thread, static_cast<std::uint16_t>(
                                                                           told.event.index - 1)}) +
                                       ", makes it " + number(event.value)
                                 : " = " + number(event.value));
            case Kind::kLoad:
                return std::string(told.text) + " " + places_.variable(told.address) + ": " +
                       read(graph, told.event) + waits(told);
            case Kind::kSpawn: return "starts " + name_of(static_cast<Thread>(event.value));
            case Kind::kJoin: return "joins " + name_of(static_cast<Thread>(event.value));
            case Kind::kChoice: return "choice " + number(event.value);
            case Kind::kEnd: return "ends";
            default: return told.text == nullptr ? "" : told.text;
        }
    }
    [[nodiscard]] std::string read(const Graph& graph, EventId load) {
        const Event& event = graph.at(load);
        std::string text = "reads " + number(event.value);
        if (event.from == kInitial) {
            text += ", the first value";
        } else {
            text += " of step " + number(step_of_[event.from]);
        }
        const std::span<const EventId> order = graph.stores(event.location);
        for (std::size_t place = graph.place_behind(event.from); place < order.size(); ++place) {
            if (step_of_.contains(order[place]) && order[place].thread != load.thread) {
                return text + ", although step " + number(step_of_[order[place]]) +
                       " is newer (weak memory)";
            }
        }
        return text;
    }
    [[nodiscard]] std::string waits(const Told& told) const {
        return host_.search.waits_at(told.thread) == told.event ? ", and waits" : "";
    }

    const Hosted& host_;
    const Places& places_;
    std::map<EventId, std::size_t> step_of_;
};

std::string stuck_threads(const Hosted& host, const Places& places) {
    std::string text;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        if (!host.search.is_known(thread) || host.search.has_ended(thread)) {
            continue;
        }
        const auto last = std::find_if(host.told.rbegin(), host.told.rend(),
                                       [&](const Told& told) { return told.thread == thread; });
        text += "    " + name_of(thread) + " waits";
        if (host.search.joins(thread) != kNobody && host.search.waits_at(thread) == kInitial) {
            text += " for the end of " + name_of(host.search.joins(thread)) + "\n";
            continue;
        }
        if (last != host.told.rend()) {
            text += " at " + places.of(last->calls) + " for " + places.variable(last->address);
            const std::uint64_t value = host.search.graph().at(last->event).value;
            if (last->text != nullptr && std::string_view(last->text) == "lock" && value != 0) {
                text += ", which " + name_of(static_cast<Thread>((value & 0xff) - 1)) + " has";
            }
        }
        text += "\n";
    }
    return text;
}

std::string finding_text(Hosted& host, const Places& places) {
    const Finding& found = host.found;
    std::string text = "violation: " + found.kind + ": " + found.text + "\n";
    const auto place = [&](Thread thread, std::uint64_t site) {
        const auto told = std::find_if(host.told.rbegin(), host.told.rend(), [&](const Told& one) {
            return one.thread == thread && !one.calls.empty() && one.calls.front() == site;
        });
        return places.of(told == host.told.rend() ? std::vector<std::uint64_t>{site} : told->calls);
    };
    if (found.thread != kNobody && found.site != 0) {
        text += "    " + name_of(found.thread) + " at " + place(found.thread, found.site) + "\n";
    }
    if (found.other_thread != kNobody) {
        text += "    " + name_of(found.other_thread) + " at " +
                place(found.other_thread, found.other_site) + "\n    at " +
                places.variable(found.address) + "\n";
    }
    if (found.kind == "deadlock") {
        text += stuck_threads(host, places);
    }
    text += "\n step  thread where                                what\n";
    StepTexts steps(host, places);
    for (std::size_t index = 0; index < host.told.size(); ++index) {
        text += steps.line(index);
    }
    return text + "\n";
}

// What the run depends on besides.
std::string flags_of(const Settings& settings) {
    const Settings usual;
    std::string text;
    if (settings.spurious_max != usual.spurious_max) {
        text += " --spurious " + number(settings.spurious_max);
    }
    if (settings.timeouts_max != usual.timeouts_max) {
        text += " --time-outs " + number(settings.timeouts_max);
    }
    text += settings.finds_leaks ? " --leaks" : "";
    return text + (settings.trusts_headers ? " --seq-cst-headers" : "");
}

// To be pasted.
std::string replay_of(const Hosted& host) {
    const std::string line = run_line(host.search, host.found.thread);
    if (host.test != nullptr) {
        return "replay: LOCKKEEPER_THREADS=replay=" + line + " and the same test\n";
    }
    std::string text =
        "replay: lockkeeper threads --replay " + line + flags_of(host.settings) + " --";
    for (int index = 0; index < host.argument_count; ++index) {
        text += " " + shell_quoted(host.arguments[index]);
    }
    return text + "\n";
}

// What was looked at.
std::string extent_of(const Hosted& host) {
    const Settings& settings = host.settings;
    return settings.replayed         ? "one run: the line that was replayed"
           : host.choices == nullptr ? "complete: every execution"
           : settings.strategy == "random"
               ? "bounded: " + number(settings.schedules_max) + " random schedules, seed " +
                     number(settings.seed)
               : "bounded: " + number(settings.schedules_max) + " schedules by priorities (" +
                     settings.strategy + "), seed " + number(settings.seed);
}

std::string bounds_of(const Hosted& host) {
    const std::string headers =
        std::string(host.settings.finds_leaks ? ", leaks of memory" : "") +
        (host.settings.trusts_headers ? ", the library's headers as seq_cst" : "");
    return host.was_bounded ? headers + ", at most " + number(host.settings.spurious_max) +
                                  " spurious wake-ups and " + number(host.settings.timeouts_max) +
                                  " time-outs a thread"
                            : headers;
}

std::string counts_of(const Hosted& host, double seconds) {
    const Counts& counts = host.search.counts();
    char time[64] = {};
    std::snprintf(time, sizeof(time), "%.3f s", seconds);
    return "executions  " + number(counts.complete) + " complete, " +
           number(counts.unfinished + counts.stuck) + " in which a thread waits, " +
           number(counts.dropped) + " dropped, " + number(counts.inconsistent) +
           " without an order of seq_cst accesses\nevents      " + number(counts.events) +
           "\ntime        " + time + "\n";
}

void print(const Hosted& host, const std::string& text) {
    write_all(host.settings.out, text.data(), text.size());
}

}  // namespace

int report(Hosted& host, bool is_complete, double seconds) {
    const std::string model = host.settings.model == Model::kSc ? "sc" : "c11";
    if (!host.refused.empty()) {
        std::string where;
        if (host.found.site != 0) {
            where = " at " + Places(host).of({host.found.site});
        }
        print(host, "verdict: refused: " + host.refused + where + "\n");
        return host.is_not_deterministic ? kNotDeterministic : kRefused;
    }
    if (!host.found.kind.empty()) {
        const Places places(host);
        print(host, finding_text(host, places) + counts_of(host, seconds) +
                        "verdict: violated: " + host.found.kind +
                        "\nscope: stopped at the first "
                        "violation, model " +
                        model + "\n" + replay_of(host));
        return kViolated;
    }
    const bool is_bounded =
        !is_complete || host.search.has_too_many() || host.shadow.has_lost_accesses;
    print(host, counts_of(host, seconds));
    if (is_bounded) {
        print(host, std::string("verdict: inconclusive: ") +
                        (!is_complete                 ? "the limit of executions or of time"
                         : host.search.has_too_many() ? "a run has too many threads or events"
                                                      : "a place has too many accesses") +
                        "\nscope: bounded: model " + model + bounds_of(host) + "\n");
        return kInconclusive;
    }
    print(host, "verdict: passed\nscope: " + extent_of(host) + ", model " + model +
                    bounds_of(host) + "\n");
    return kPassed;
}

}  // namespace lockkeeper::threads
