// SPDX-License-Identifier: Apache-2.0

// The marks of one lock, in one order, as a source like any other outside code: the calls and
// answers go to the ledger, which judges (validate/outside). An action is the next mark of a
// thread.
//
// A call for several units is as many callers of one unit each, which call and return together.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "validate/outside/source.hpp"
#include "validate/threads/marked/mark.hpp"

namespace lockkeeper::threads {

// The callers of these marks, and what they are judged by.
[[nodiscard]] OutsideWorld world_of(const std::vector<Mark>& marks,
                                    const std::vector<const Property*>& check);

class MarkedRun final : public Source {
  public:
    // All must outlive it.
    MarkedRun(const OutsideWorld& world, const std::vector<Mark>& marks);

    // Takes the marks by their indices until a promise is broken, and looks at rest where the test
    // has. The order keeps that of each thread. How many were taken.
    std::size_t run(const std::vector<std::size_t>& order);
    // The steps, from 1, that show the violation; empty: what was found at rest does.
    [[nodiscard]] const std::vector<std::uint32_t>& steps_of(const Property& violated) const {
        return ledger_.steps_of(violated);
    }

    void begin() override;
    [[nodiscard]] std::vector<Action> enabled() override;
    OutsideStep take(Action action) override;
    [[nodiscard]] bool finished() override { return enabled().empty(); }
    [[nodiscard]] bool at_rest() override { return open_calls_ == 0; }
    [[nodiscard]] bool is_deadlock(const std::vector<Action>&) override { return false; }
    [[nodiscard]] std::string describe() override { return "held by " + ledger_.holders(); }
    [[nodiscard]] std::string questions() override { return ""; }
    [[nodiscard]] std::string_view servers() const override { return "threads"; }
    [[nodiscard]] std::int32_t time_shown() const override { return 0; }
    [[nodiscard]] ActionClass class_of(Action) override { return ActionClass::kStep; }
    [[nodiscard]] bool same_party(Action left, Action right) override {
        return left.actor == right.actor;
    }
    void stop_by(const StopRule&) override {}
    void give_up() override {}

  private:
    // Time counts where locks expire. Else it stands: equal histories are then judged once.
    [[nodiscard]] std::int64_t now() const override { return has_time_ ? now_ : 0; }
    [[nodiscard]] bool is_over(std::size_t, const BelievedHolding& holding) const override {
        return holding.until && *holding.until <= now();
    }
    [[nodiscard]] std::int64_t time_left(std::size_t,
                                         const BelievedHolding& holding) const override {
        return *holding.until - now();
    }
    [[nodiscard]] Asked ask_fresh(const Operation& view, const Asking& asking, Look how) override;
    void pass_ends(Look) override {}
    void pass_until(std::int64_t, Look) override {}
    [[nodiscard]] std::size_t still_held(const LookedAt& key) override {
        return static_cast<std::size_t>(key.at_once.granted);
    }
    void tell(const Mark& mark);
    void answer(Thread thread, std::uint32_t units, const Told& told);
    void expire(std::size_t caller);

    const std::vector<Mark>& marks_;
    std::array<std::vector<std::size_t>, kThreadsMax> of_thread_;
    std::array<std::size_t, kThreadsMax> next_{};
    std::array<std::size_t, kThreadsMax> first_caller_{};  // of each thread
    std::vector<Account> accounts_;
    // By thread: the units of each section, the oldest first, and of the call under way.
    std::array<std::vector<std::uint32_t>, kThreadsMax> held_;
    std::array<std::uint32_t, kThreadsMax> calling_{};
    // Units that the test has got beyond those of the lock, if nobody did anything since.
    std::optional<std::int64_t> at_rest_;
    bool is_looking_ = false;
    bool has_time_ = false;
    std::int64_t now_ = 0;  // marks taken
    std::size_t open_calls_ = 0;
};

}  // namespace lockkeeper::threads
