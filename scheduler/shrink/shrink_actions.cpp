// SPDX-License-Identifier: Apache-2.0
#include "scheduler/shrink/shrink_actions.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lockkeeper {
namespace {

std::size_t switches(const Actions& actions) {
    std::size_t count = 0;
    for (std::size_t i = 1; i < actions.size(); ++i) {
        count += party_of(actions[i]) != party_of(actions[i - 1]) ? 1U : 0U;
    }
    return count;
}

bool is_smaller(const Actions& left, const Actions& right) {
    return left.size() != right.size() ? left.size() < right.size()
                                       : switches(left) < switches(right);
}

class ActionShrinker {
  public:
    ActionShrinker(Actions failing, const Shrinking& shrinking)
        : best_(std::move(failing)), shrinking_(shrinking) {}

    [[nodiscard]] const Actions& best() const { return best_; }

    void run(ShrinkPass pass) {
        switch (pass) {
            case ShrinkPass::kParties: leave_out_parties(); break;
            case ShrinkPass::kRuns: leave_out_runs(1); break;
            case ShrinkPass::kRunsOfEach: leave_out_runs(kEachLengthMax); break;
            case ShrinkPass::kSingleSteps: leave_out_single_steps(); break;
            case ShrinkPass::kJoin: join(); break;
        }
    }

  private:
    bool keep_if_smaller(const Actions& candidate) {
        auto taken = shrinking_.up_to_failure(candidate);
        if (!taken || !is_smaller(*taken, best_)) {
            return false;
        }
        best_ = std::move(*taken);
        return true;
    }

    void leave_out_parties() {
        std::set<std::pair<ActionKind, std::uint8_t>> parties;
        for (const Action action : best_) {
            parties.insert({action.kind, action.actor});
        }
        for (const auto& party : parties) {
            if (!shrinking_.may_go_on()) {
                return;
            }
            Actions candidate = best_;
            std::erase_if(candidate, [&](Action action) {
                return std::pair(action.kind, action.actor) == party;
            });
            keep_if_smaller(candidate);
        }
    }

    void leave_out_runs(std::size_t each_length_max) {
        for (std::size_t length = std::max<std::size_t>(best_.size() / 2, 1); length > 0;
             length -= length > each_length_max ? length - length / 2 : 1) {
            for (std::size_t at = 0; at < best_.size() && shrinking_.may_go_on();) {
                at += keep_if_smaller(without(best_, at, length)) ? 0 : length;
            }
        }
    }

    void leave_out_single_steps() {
        for (std::size_t at = best_.size(); at-- > 0 && shrinking_.may_go_on();) {
            if (at < best_.size()) {
                keep_if_smaller(without(best_, at, 1));
            }
        }
    }

    // Lets a party that was interrupted go on at once where that changes nothing.
    void join() {
        for (std::size_t at = 1; at < best_.size() && shrinking_.may_go_on(); ++at) {
            const Party before = party_of(best_[at - 1]);
            if (party_of(best_[at]) == before) {
                continue;
            }
            const auto candidate = with_moved(best_, at, before);
            if (candidate && switches(*candidate) < switches(best_)) {
                keep_if_smaller(*candidate);
            }
        }
    }

    Actions best_;
    const Shrinking& shrinking_;
};

}  // namespace

Actions shrink_actions(Actions failing, std::span<const ShrinkPass> passes, std::size_t rounds_max,
                       const Shrinking& shrinking) {
    ActionShrinker shrinker(std::move(failing), shrinking);
    for (std::size_t round = 0; round < rounds_max && shrinking.may_go_on(); ++round) {
        const Actions before = shrinker.best();
        for (const ShrinkPass pass : passes) {
            shrinker.run(pass);
        }
        if (!is_smaller(shrinker.best(), before)) {
            break;
        }
    }
    return shrinker.best();
}

Actions without(const Actions& actions, std::size_t at, std::size_t count) {
    Actions out = actions;
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(at);
    out.erase(first, first + static_cast<std::ptrdiff_t>(std::min(count, out.size() - at)));
    return out;
}

std::optional<Actions> with_moved(const Actions& actions, std::size_t at, Party party) {
    for (std::size_t later = at + 1; later < actions.size(); ++later) {
        if (party_of(actions[later]) == party) {
            Actions moved = actions;
            const auto first = moved.begin() + static_cast<std::ptrdiff_t>(at);
            const auto last = moved.begin() + static_cast<std::ptrdiff_t>(later);
            std::rotate(first, last, last + 1);
            return moved;
        }
    }
    return std::nullopt;
}

std::optional<Actions> flipped_at(const Actions& actions, std::size_t at,
                                  std::span<const Action> possible) {
    const Action taken = actions[at];
    if (is_fault(taken)) {
        return without(actions, at, 1);
    }
    if (at == 0 || party_of(taken) == party_of(actions[at - 1])) {
        return std::nullopt;
    }
    for (const Action other : possible) {
        if (party_of(other) != party_of(actions[at - 1]) || is_fault(other)) {
            continue;
        }
        if (auto moved = with_moved(actions, at, party_of(other))) {
            return moved;
        }
        Actions longer = actions;
        longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), other);
        return longer;
    }
    return std::nullopt;
}

}  // namespace lockkeeper
