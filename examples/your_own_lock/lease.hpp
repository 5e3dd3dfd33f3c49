// SPDX-License-Identifier: Apache-2.0

// A lease: a row that runs out after `ttl` units of time, whoever has it.
//
//   acquire   kInsert: there is a row ---------------> refused
//             kInsert: none; a row of ttl units -----> acquired
//   release   kDelete: the row, if it is its own ----> released
//
// A holder gives up by itself: `grace` before its row runs out, and it may notice that `pause` too
// late. Written for any number of callers (Traits::by_record): no function sees two callers, and
// what is left of a time stands in the place of an instant, so that states come again.
#pragma once

#include <string>

#include "model/implementation.hpp"
#include "model/nothing_private.hpp"

namespace my_service {

using namespace lockkeeper;

class Lease : public NothingPrivate<BasicImplementation<>> {
  public:
    static constexpr Traits kTraits{
        .local_background = true, .by_record = true, .waits_for_the_late = true};
    // The row says who holds; a caller may believe something else.
    static constexpr std::uint32_t kFeatures = kShowsGrants;
    enum class At : std::uint8_t { kNowhere, kInsert, kDelete };
    struct Shared {
        std::uint8_t row_left;  // of its time; 0: there is none
    };
    struct Record {
        std::uint8_t has_row;
        std::uint8_t believes;
        std::uint8_t left;  // until it has given up
    };
    struct Call {
        At at;
    };

    Lease(std::uint8_t ttl, std::uint8_t grace, std::uint8_t pause)
        : ttl_(ttl), grace_(grace), pause_(pause) {}

    Shared initial_shared() const { return {}; }

    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kInsert : At::kDelete;
    }

    Outcome step(Shared& shared, Record& record, Call& call, const Operation&, Event&) const {
        if (call.at == At::kDelete) {
            shared.row_left = record.has_row != 0 ? std::uint8_t{0} : shared.row_left;
            record = {};
            return Outcome::kReleased;
        }
        if (shared.row_left != 0) {
            return Outcome::kRefused;
        }
        shared.row_left = ttl_;
        record = {1, 1, static_cast<std::uint8_t>(ttl_ - grace_ + pause_)};
        return Outcome::kAcquired;
    }

    // A caller gives up by itself.
    void background_of(const Shared&, const Record& record, std::size_t, ActionList& out) const {
        if (record.believes != 0 && record.left <= pause_) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    void apply_background(Shared&, Record& record, Action, Event& event) const {
        record.believes = record.left = 0;
        lose(event, 0, 0);
    }

    // Time goes on, but for whoever is as late as can be. Everybody hears of it.
    void background_elsewhere(const Shared&, ActionList& out) const {
        out.add({0, ActionKind::kTime, 1});
    }
    bool acts_elsewhere(const Shared&) const { return true; }
    bool late(const Shared&, const Record& record) const {
        return record.believes != 0 && record.left == 0;
    }
    bool apply_background(Shared& shared, Action, Event&) const {
        shared.row_left = less_one(shared.row_left);
        return true;
    }
    void hear(const Shared& shared, Record& record) const {
        record.left = less_one(record.left);
        record.has_row = shared.row_left == 0 ? std::uint8_t{0} : record.has_row;
    }

    void on_death(Shared&, Record& record) const { record = {}; }  // its row runs out
    bool idle(const Shared&) const { return true; }
    bool idle(const Shared&, const Record&) const { return true; }
    bool holds(const Shared&, const Record& record, std::size_t) const {
        return record.has_row != 0;
    }
    void observe(const Shared& shared, Observation& out) const {
        out.keys[0].granted = shared.row_left == 0 ? 0 : 1;
    }

    std::string describe_step(const Shared&, const Record&, const Call& call,
                              const Operation&) const {
        return call.at == At::kInsert ? "insert the row" : "delete the row";
    }
    std::string describe_background(const Shared&, Records<const Record>, Action action) const {
        return action.kind == ActionKind::kTime ? "time goes on by 1" : "@ gives up";
    }
    std::string show(const Shared& shared) const {
        return shared.row_left == 0 ? "no row" : "a row for " + std::to_string(shared.row_left);
    }

  private:
    static std::uint8_t less_one(std::uint8_t time) {
        return static_cast<std::uint8_t>(time - (time > 0 ? 1 : 0));
    }

    std::uint8_t ttl_;
    std::uint8_t grace_;
    std::uint8_t pause_;
};

}  // namespace my_service
