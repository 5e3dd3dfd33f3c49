// SPDX-License-Identifier: Apache-2.0

// Runs of outside code by a law, for those who count what they violate (measure/sampled.hpp): a
// Walker on top of the run that a search drives. Each property is a bit of the event of the step
// that broke it first; the look at the end counts as the last step.
//
// Its use:  const auto shown = as_event_bits(world.check);   what measure/ judges by, in that order
//           OutsideWalker walker(search, world.check, law, bad_run);
// Throws LimitExceeded at a time limit or an interrupt, and Misbehaved where the code does wrong.
#pragma once

#include <optional>
#include <vector>

#include "model/law.hpp"
#include "scheduler/runs/walker.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {

[[nodiscard]] std::vector<Property> as_event_bits(const std::vector<const Property*>& check);

class OutsideWalker final : public Walker {
  public:
    // All must outlive it. `bad_run`: the first run that violates something, up to there. `tally`:
    // of all runs.
    OutsideWalker(OutsideSearch& search, const std::vector<const Property*>& check, const Law& law,
                  std::optional<OutsideFinding>& bad_run, OutsideTally& tally);

    void begin() override;
    WalkStop walk(Walk& walk) override;
    void observe(Observation& out) const override { out = {}; }
    [[nodiscard]] bool quiescent() const override { return false; }
    // A process cannot be copied.
    [[nodiscard]] std::size_t state_bytes() const override;
    void save(std::byte* to) const override;
    void load(const std::byte* from) override;

  private:
    [[nodiscard]] std::optional<Action> chosen(const std::vector<Action>& enabled, Walk& walk);
    WalkStop step(Walk& walk);
    // The bits of properties that were not violated before.
    [[nodiscard]] std::uint32_t news(const std::vector<const Property*>& violated);

    Source& source_;
    const std::vector<const Property*>& check_;
    Law law_;
    std::optional<OutsideFinding>& bad_run_;
    OutsideTally& tally_;
    std::vector<Action> actions_;
    std::uint32_t violated_ = 0;
    bool is_over_ = false;
};

}  // namespace lockkeeper
