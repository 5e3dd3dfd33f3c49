#include "measure/components.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

constexpr StateIndex kUnseen = UINT32_MAX;

class Tarjan {
  public:
    Tarjan(const Chain& chain, const Cut& cut)
        : chain_(chain), cut_(cut), number_(chain.size(), kUnseen), low_(chain.size()) {
        result_.component_of.assign(chain.size(), kUnseen);
        result_.members.reserve(chain.size());
    }

    Components run() {
        result_.first.push_back(0);
        for (StateIndex root = 0; root < chain_.size(); ++root) {
            if (number_[root] == kUnseen) {
                enter(root);
                go_on();
            }
        }
        return std::move(result_);
    }

  private:
    struct Work {
        StateIndex state;
        std::uint64_t next;
    };

    void enter(StateIndex state) {
        number_[state] = low_[state] = entered_++;
        stack_.push_back(state);
        work_.push_back(
            {state, cut_.is_fixed(state) ? chain_.offsets[state + 1U] : chain_.offsets[state]});
    }

    void go_on() {
        while (!work_.empty()) {
            Work& top = work_.back();
            const StateIndex state = top.state;
            if (top.next == chain_.offsets[state + 1U]) {
                leave(state);
                continue;
            }
            const std::uint64_t transition = top.next++;
            if (cut_.stops(chain_, transition)) {
                continue;
            }
            const StateIndex target = chain_.targets[transition];
            if (number_[target] == kUnseen) {
                enter(target);
            } else if (result_.component_of[target] == kUnseen) {
                low_[state] = std::min(low_[state], number_[target]);
            }
        }
    }

    void leave(StateIndex state) {
        work_.pop_back();
        if (!work_.empty()) {
            StateIndex& low = low_[work_.back().state];
            low = std::min(low, low_[state]);
        }
        if (low_[state] != number_[state]) {
            return;
        }
        const auto component = static_cast<StateIndex>(result_.size());
        StateIndex member = state;
        do {
            member = stack_.back();
            stack_.pop_back();
            result_.component_of[member] = component;
            result_.members.push_back(member);
        } while (member != state);
        std::sort(result_.members.begin() + result_.first.back(), result_.members.end());
        result_.first.push_back(static_cast<StateIndex>(result_.members.size()));
    }

    const Chain& chain_;
    const Cut& cut_;
    std::vector<StateIndex> number_;
    std::vector<StateIndex> low_;
    std::vector<StateIndex> stack_;
    std::vector<Work> work_;
    StateIndex entered_ = 0;
    Components result_;
};

}  // namespace

Components components_of(const Chain& chain, const Cut& cut) { return Tarjan(chain, cut).run(); }

bool divides(const Chain& chain, const Cut& cut, const Components& components) {
    if (components.all_single() || cut.cuts_nothing()) {
        return false;
    }
    for (StateIndex state = 0; state < chain.size(); ++state) {
        const StateIndex here = components.component_of[state];
        for (std::uint64_t i = chain.offsets[state]; i < chain.offsets[state + 1U]; ++i) {
            if (components.component_of[chain.targets[i]] == here &&
                (cut.stops(chain, i) || cut.is_fixed(state))) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace lockkeeper
