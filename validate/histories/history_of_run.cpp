// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/history_of_run.hpp"

#include <utility>

namespace lockkeeper {
namespace {

class RunRecorder {
  public:
    explicit RunRecorder(const WorldConfig& world) : world_(world), open_(world.callers.size()) {}

    void add(const Event& event) {
        ++step_;
        if (event.caller >= open_.size()) {
            return;
        }
        std::string& open = open_[event.caller];
        if (event.is(kInvoked) && event.invoked != Verb::kExit) {
            open = event.invoked == Verb::kCall ? "" : std::string(name_of(event.invoked));
            Datum value;
            if (event.invoked == Verb::kAcquire) {
                value.set("capacity", Datum::of(std::int64_t{event.capacity}));
            }
            push(event, HistoryType::kInvoke, open, value);
        }
        if (event.is(kAcquired) || event.is(kReleased) || event.is(kDone)) {
            Datum value;
            if (event.is(kAcquired)) {
                value.set("capacity", Datum::of(std::int64_t{event.capacity}));
                if (event.count != Event::kNoValue) {
                    value.set("count", Datum::of(std::int64_t{event.count}));
                }
            }
            push(event, HistoryType::kOk, std::exchange(open, ""), value);
        } else if (event.is(kRefused)) {
            push(event, HistoryType::kFail, std::exchange(open, ""), {});
        } else if (event.is(kFailed)) {
            push(event, HistoryType::kInfo, std::exchange(open, ""), {});
        } else if (event.is(kCallerDied) || event.is(kCrashed)) {
            push(event, HistoryType::kInfo, std::exchange(open, ""), {});
            push(event, HistoryType::kInvoke, "exit", {});
        }
    }
    RecordedHistory take() { return std::move(history_); }

  private:
    void push(const Event& event, HistoryType type, const std::string& f, const Datum& value) {
        if (f.empty()) {
            return;
        }
        Record record;
        record.type = type;
        record.process = world_.callers[event.caller].name;
        record.f = f;
        if (f != "exit" && event.key < world_.keys.size()) {
            record.key = world_.keys[event.key];
        }
        record.value = value;
        record.time = step_;
        record.index = static_cast<std::int64_t>(history_.records.size());
        history_.records.push_back(std::move(record));
    }

    const WorldConfig& world_;
    std::vector<std::string> open_;  // by caller: the call that it is in
    std::int64_t step_ = 0;          // from 1
    RecordedHistory history_;
};

}  // namespace

RecordedHistory history_of_run(const WorldConfig& world, const std::vector<Event>& events) {
    RunRecorder recorder(world);
    for (const Event& event : events) {
        recorder.add(event);
    }
    return recorder.take();
}

}  // namespace lockkeeper
