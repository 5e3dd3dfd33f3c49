// SPDX-License-Identifier: Apache-2.0

// The steps of the run that was found, in words.
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "model/property.hpp"
#include "validate/threads/runtime/program.hpp"
#include "validate/threads/runtime/shown.hpp"

namespace lockkeeper::threads {
namespace {

// A library's header says less than the line that uses it.
bool is_of_a_library(const std::string& file) {
    return file.empty() || file.find("/threads/runtime/") != std::string::npos ||
           file.find("/lockkeeper/marks.hpp:") != std::string::npos || file.starts_with("/usr/") ||
           file.find("/c++/") != std::string::npos || file.starts_with("?");
}

// Libraries stand elsewhere in each process: a replay tells the same place.
struct PlaceInLibrary {
    std::uint64_t address;  // from the beginning of the library, if it is in one
    std::string name;       // "libc.so.6+"
};
int find_library(dl_phdr_info* library, std::size_t, void* place) {
    auto& found = *static_cast<PlaceInLibrary*>(place);
    const std::string_view path(library->dlpi_name);
    for (int index = 0; index < library->dlpi_phnum && !path.empty(); ++index) {
        const ElfW(Phdr)& part = library->dlpi_phdr[index];
        const std::uint64_t from = library->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && found.address >= from &&
            found.address < from + part.p_memsz) {
            found.address -= library->dlpi_addr;
            found.name = std::string(path.substr(path.rfind('/') + 1)) + "+";
            return 1;
        }
    }
    return 0;
}

class Places {
  public:
    explicit Places(const Hosted& host) : base_(host.shadow.code) {
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
    // The first line that is the program's own; else the library's line that it calls. Null: none.
    [[nodiscard]] const Line* line_of(const std::vector<std::uint64_t>& calls) const {
        for (const std::uint64_t call : calls) {
            const auto known = lines_.find(call);
            for (std::size_t at = 0; known != lines_.end() && at < known->second.size(); ++at) {
                if (!is_of_a_library(known->second[at].file)) {
                    return &known->second[at];
                }
            }
        }
        for (const std::uint64_t call : calls) {
            const auto known = lines_.find(call);
            if (known != lines_.end() && !known->second.empty() &&
                known->second.front().file.starts_with("/") &&
                known->second.front().file.find("/threads/runtime/") == std::string::npos) {
                return &known->second.front();
            }
        }
        return nullptr;
    }
    [[nodiscard]] std::string of(const std::vector<std::uint64_t>& calls) const {
        const Line* line = line_of(calls);
        return line == nullptr ? "" : line->text;
    }
    // Some of the calls stands in this header.
    [[nodiscard]] bool pass(const std::vector<std::uint64_t>& calls,
                            std::string_view header) const {
        return std::any_of(calls.begin(), calls.end(), [&](std::uint64_t call) {
            const auto known = lines_.find(call);
            return known != lines_.end() &&
                   std::any_of(known->second.begin(), known->second.end(), [&](const Line& line) {
                       return line.file.find(header) != std::string::npos;
                   });
        });
    }
    [[nodiscard]] std::string variable(std::uint64_t address) const {
        const std::string name = variable_at(address, base_);
        PlaceInLibrary place{address, {}};
        dl_iterate_phdr(find_library, &place);
        char text[32] = {};
        std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(place.address));
        return name.empty() ? place.name + text : name;
    }

  private:
    std::uint64_t base_;
    std::map<std::uint64_t, std::vector<Line>> lines_;
};

// "no time-out|the time-out comes": what may be chosen, from 0. Else the text has the number.
std::string choice_text(std::string_view texts, std::uint64_t chosen) {
    if (texts.find('|') == std::string_view::npos) {
        return std::string(texts) + " " + std::to_string(chosen + 1);
    }
    for (; chosen > 0 && texts.find('|') != std::string_view::npos; --chosen) {
        texts.remove_prefix(texts.find('|') + 1);
    }
    return std::string(texts.substr(0, texts.find('|')));
}

class StepTexts {
  public:
    StepTexts(const Hosted& host, const Places& places) : host_(host), places_(places) {}

    [[nodiscard]] ShownStep step(std::size_t index) {
        const Told& told = host_.told[index];
        ShownStep step;
        step.thread = name_of(told.thread);
        if (const Line* line = places_.line_of(told.calls)) {
            step.where = line->text;
            step.file = line->file;
        }
        if (told.address != 0) {
            step.object = places_.variable(told.address);
        }
        if (told.event == kInitial && told.text != nullptr) {
            step.mark = told.is_mark ? told.text : "";
            step.what = std::string(told.text) + " " + step.object;
        } else if (told.event == kInitial) {
            step.what =
                std::string("plain ") + (told.is_write ? "write of " : "read of ") + step.object;
        } else {
            step_of_[told.event] = index + 1;
            tell_event(told, step);
        }
        return step;
    }

  private:
    void tell_event(const Told& told, ShownStep& step) {
        const Event& event = host_.search.graph().at(told.event);
        const std::string access =
            std::string(told.text == nullptr ? "" : told.text) + " " + step.object;
        switch (event.kind) {
            case Kind::kStore:
                step.what = event.is_rmw ? access : access + " = " + std::to_string(event.value);
                if (event.is_rmw) {
                    read({told.event.thread, static_cast<std::uint16_t>(told.event.index - 1)},
                         step);
                    step.result += ", makes it " + std::to_string(event.value);
                }
                break;
            case Kind::kLoad:
                step.what = access;
                read(told.event, step);
                step.waits = host_.search.waits_at(told.thread) == told.event;
                step.result += step.waits ? ", and waits" : "";
                break;
            case Kind::kSpawn:
                step.what = "starts " + name_of(static_cast<Thread>(event.value));
                break;
            case Kind::kJoin:
                step.what = "joins " + name_of(static_cast<Thread>(event.value));
                break;
            case Kind::kChoice: step.what = choice_text(told.text, event.value); break;
            case Kind::kEnd: step.what = "ends"; break;
            default: step.what = told.text == nullptr ? "" : told.text;
        }
    }
    void read(EventId load, ShownStep& step) {
        const Graph& graph = host_.search.graph();
        const Event& event = graph.at(load);
        step.result = "reads " + std::to_string(event.value);
        if (event.from == kInitial) {
            step.result += ", the first value";
        } else {
            step.reads = step_of_[event.from];
            step.result += " of step " + std::to_string(step.reads);
        }
        const std::span<const EventId> order = graph.stores(event.location);
        for (std::size_t place = graph.place_behind(event.from); place < order.size(); ++place) {
            if (step_of_.contains(order[place]) && order[place].thread != load.thread) {
                step.result += ", although step " + std::to_string(step_of_[order[place]]) +
                               " is newer (weak memory)";
                return;
            }
        }
    }

    const Hosted& host_;
    const Places& places_;
    std::map<EventId, std::size_t> step_of_;
};

bool is_stuck(const Finding& found) {
    return found.property == static_cast<int>(PropertyNumber::kDeadlock) ||
           found.property == static_cast<int>(PropertyNumber::kLivelock);
}

// It compares with a value that it has read before it spins.
constexpr const char* kSemaphoreOfTheLibrary =
    "(std::counting_semaphore of libstdc++ 12 can sleep although a permit is free. To judge your "
    "own code, compile with -D_GLIBCXX_USE_POSIX_SEMAPHORE)";

void tell_stuck(const Hosted& host, const Places& places, std::vector<std::string>& lines) {
    bool is_of_a_semaphore = false;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        if (!host.search.is_known(thread) || host.search.has_ended(thread)) {
            continue;
        }
        const auto last = std::find_if(host.told.rbegin(), host.told.rend(),
                                       [&](const Told& told) { return told.thread == thread; });
        std::string text = name_of(thread) + (host.fibers[thread].spins ? " spins" : " waits");
        if (host.search.joins(thread) != kNobody && host.search.waits_at(thread) == kInitial) {
            text += " for the end of " + name_of(host.search.joins(thread));
        } else if (last != host.told.rend()) {
            text += " at " + places.of(last->calls) + " for " + places.variable(last->address);
            const std::uint64_t value = host.search.graph().at(last->event).value;
            if (last->text != nullptr && std::string_view(last->text) == "lock" && value != 0) {
                text += ", which " + name_of(static_cast<Thread>((value & 0xff) - 1)) + " has";
            }
            is_of_a_semaphore =
                is_of_a_semaphore ||
                (last->text != nullptr && std::string_view(last->text).starts_with("futex") &&
                 places.pass(last->calls, "/bits/semaphore_base.h:"));
        }
        lines.push_back(std::move(text));
    }
    if (is_of_a_semaphore) {
        lines.emplace_back(kSemaphoreOfTheLibrary);
    }
}

}  // namespace

std::string name_of(Thread thread) {
    return thread == kNobody ? "?" : thread == 0 ? "main" : "T" + std::to_string(thread);
}

std::string place_of(const Hosted& host, std::uint64_t site) { return Places(host).of({site}); }

ShownFinding shown_finding(const Hosted& host) {
    const Places places(host);
    const Finding& found = host.found;
    ShownFinding shown;
    const auto place = [&](Thread thread, std::uint64_t site) {
        const auto told = std::find_if(host.told.rbegin(), host.told.rend(), [&](const Told& one) {
            return one.thread == thread && !one.calls.empty() && one.calls.front() == site;
        });
        return places.of(told == host.told.rend() ? std::vector<std::uint64_t>{site} : told->calls);
    };
    if (found.thread != kNobody && found.site != 0) {
        shown.lines.push_back(name_of(found.thread) + " at " + place(found.thread, found.site));
    }
    if (found.other_thread != kNobody) {
        shown.lines.push_back(name_of(found.other_thread) +
                              (found.other_site == 0
                                   ? std::string(" in a library, or at its end")
                                   : " at " + place(found.other_thread, found.other_site)));
    }
    if (found.address != 0 && (found.other_thread != kNobody || found.is_of_marks)) {
        shown.lines.push_back("at " + places.variable(found.address));
    }
    if (is_stuck(found)) {
        tell_stuck(host, places, shown.lines);
    }
    StepTexts texts(host, places);
    for (std::size_t index = 0; index < host.told.size(); ++index) {
        shown.steps.push_back(texts.step(index));
    }
    return shown;
}

}  // namespace lockkeeper::threads
