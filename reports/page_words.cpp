// SPDX-License-Identifier: Apache-2.0
#include "reports/page_words.hpp"

#include <array>

namespace lockkeeper {
namespace {

struct EventWord {
    std::uint32_t bit;
    std::string_view word;
};
constexpr std::array kEventWords{
    EventWord{kInvoked, "invoked"},
    EventWord{kGranted, "granted"},
    EventWord{kAcquired, "acquired"},
    EventWord{kRefused, "refused"},
    EventWord{kReleased, "released"},
    EventWord{kFailed, "failed"},
    EventWord{kDone, "done"},
    EventWord{kLost, "lost"},
    EventWord{kTookUnit, "took a unit"},
    EventWord{kGaveUnitBack, "gave a unit back"},
    EventWord{kEffect, "effect"},
    EventWord{kEffectRefused, "effect refused"},
    EventWord{kCrashed, "crashed"},
    EventWord{kResized, "resized"},
    EventWord{kWentWrong, "went wrong"},
    EventWord{kOverlap, "overlap"},
    EventWord{kForeignRelease, "foreign release"},
    EventWord{kCallerDied, "caller died"},
    EventWord{kServersDied, "servers died"},
};
constexpr std::array kBreachWords{
    EventWord{Event::bit_of(Breach::kUnprotected), "unprotected effect"},
    EventWord{Event::bit_of(Breach::kForeignRemoval), "foreign removal"},
    EventWord{Event::bit_of(Breach::kFalseOk), "false ok"},
    EventWord{Event::bit_of(Breach::kFalseError), "false error"},
    EventWord{Event::bit_of(Breach::kTokenRepeated), "token repeated"},
    EventWord{Event::bit_of(Breach::kStale), "stale read"},
    EventWord{Event::bit_of(Breach::kToldLate), "told late"},
    EventWord{Event::bit_of(Breach::kFreeLate), "free late"},
    EventWord{Event::bit_of(Breach::kRepeated), "effect repeated"},
    EventWord{Event::bit_of(Breach::kWaitsLong), "long mailbox"},
};

void add_words(const auto& words, std::uint32_t bits, std::vector<std::string_view>& list) {
    for (const EventWord& known : words) {
        if ((bits & known.bit) != 0) {
            list.push_back(known.word);
        }
    }
}

}  // namespace

std::string_view page_word(Action action) {
    switch (action.kind) {
        case ActionKind::kStep: return "step";
        case ActionKind::kBackground: return "background";
        case ActionKind::kCrash: return "crash";
        case ActionKind::kResize: return "resize";
        case ActionKind::kFault: return "fault";
        case ActionKind::kDisturb: return "disturbance";
        case ActionKind::kTime: return "time";
    }
    return "step";
}

std::string_view page_word(Doer doer) {
    switch (doer) {
        case Doer::kCaller: return "caller";
        case Doer::kServers: return "server";
        case Doer::kClock: return "clock";
        case Doer::kWorld: return "world";
    }
    return "world";
}

std::string_view page_word(PropertyKind kind) {
    switch (kind) {
        case PropertyKind::kAtQuiescence: return "at rest";
        case PropertyKind::kEventually: return "eventually";
        case PropertyKind::kHistory: return "history";
        case PropertyKind::kAlways:
        case PropertyKind::kSometimes: break;
    }
    return "always";
}

std::vector<std::string_view> event_words(const Event& event, bool expires) {
    std::vector<std::string_view> list;
    add_words(kEventWords, event.what, list);
    add_words(kBreachWords, event.breaches, list);
    if (expires) {
        list.emplace_back("expired");
    }
    return list;
}

}  // namespace lockkeeper
