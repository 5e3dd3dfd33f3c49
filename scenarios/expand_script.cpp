// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "model/observation.hpp"
#include "scenarios/parse_script.hpp"

namespace lockkeeper {
namespace {

// Operations of the list written out; each level is checked, so that nothing can overflow.
std::size_t expanded_size(const std::vector<ScriptNode>& script) {
    std::size_t sum = 0;
    for (const ScriptNode& node : script) {
        const std::size_t itself = node.operation.verb == Verb::kIfHolding || node.body.empty();
        sum += node.times * (itself + expanded_size(node.body));
        if (sum > kOperationsMax) {
            node.place.refuse(
                fmt::format("the script has more than {} operations from here on, repetitions "
                            "written out",
                            kOperationsMax));
        }
    }
    return sum;
}

class Expander {
  public:
    explicit Expander(std::size_t size) { operations_.reserve(size); }

    void add(const std::vector<ScriptNode>& script) {
        for (const ScriptNode& node : script) {
            for (std::uint32_t i = 0; i < node.times; ++i) {
                if (node.operation.verb == Verb::kIfHolding) {
                    add_condition(node);
                } else if (node.body.empty()) {
                    add(node);
                } else {
                    add(node.body);
                }
            }
        }
    }
    [[nodiscard]] std::vector<Operation> take() { return std::move(operations_); }

  private:
    struct KeyUse {
        bool any = false;
        bool acquired = false;
        Operation latest;  // acquire
    };

    void refuse_after_exit() const {
        if (exit_ != nullptr) {
            exit_->place.refuse("operations that follow an exit never run");
        }
    }

    void add_condition(const ScriptNode& node) {
        refuse_after_exit();
        const std::size_t at = operations_.size();
        operations_.push_back(node.operation);
        add(node.body);
        operations_[at].governs = static_cast<std::uint32_t>(operations_.size() - at - 1);
        exit_ = nullptr;  // it may have been passed over
    }

    void add(const ScriptNode& node) {
        refuse_after_exit();
        if (node.operation.verb == Verb::kExit) {
            exit_ = &node;
            operations_.push_back(node.operation);
            return;
        }
        if (node.operation.uses_signal() || node.operation.verb == Verb::kCall ||
            node.operation.verb == Verb::kSleep) {
            operations_.push_back(node.operation);
            return;
        }
        const Operation operation = node.operation.verb == Verb::kRelease
                                        ? completed(node, uses_[node.operation.key])
                                        : node.operation;
        for_each_key(operation, [&](std::uint8_t key) {
            KeyUse& use = uses_[key];
            check_resizes(node, operation, use);
            if (operation.verb == Verb::kAcquire) {
                use.acquired = true;
                use.latest = operation;
            }
        });
        operations_.push_back(operation);
    }

    // A release with what it left out taken from the latest acquire of its key.
    static Operation completed(const ScriptNode& node, const KeyUse& use) {
        Operation operation = node.operation;
        if ((!node.has_max_per || !node.has_buckets) && !use.acquired) {
            node.place.at("release").refuse(
                "no acquire of this key stands before it: say \"max_per\" and \"buckets\"");
        }
        if (!node.has_max_per) {
            operation.place_capacity = use.latest.place_capacity;
        }
        if (!node.has_buckets) {
            operation.places = use.latest.places;
            operation.follows_resizes = use.latest.follows_resizes;
        }
        return operation;
    }

    // The world remembers the buckets of all locks of a key, or of none.
    static void check_resizes(const ScriptNode& node, const Operation& operation, KeyUse& use) {
        if (operation.follows_resizes && operation.unchecked) {
            node.place.at("release").refuse(
                "\"unchecked\" does not go with \"buckets\": \"current\": a release of "
                "nothing has no acquire whose buckets it could repeat");
        }
        if (use.any && use.latest.follows_resizes != operation.follows_resizes) {
            node.place.at(name_of(operation.verb))
                .refuse(
                    "a script gives the buckets of one key either as numbers or as "
                    "\"current\", not both");
        }
        use.any = true;
        use.latest.follows_resizes = operation.follows_resizes;
    }

    std::vector<Operation> operations_;
    std::array<KeyUse, kKeysMax> uses_{};
    const ScriptNode* exit_ = nullptr;
};

}  // namespace

std::vector<Operation> expand_script(const std::vector<ScriptNode>& script, const Place& place,
                                     std::uint32_t times) {
    const std::size_t size = expanded_size(script);
    if (size * times > kOperationsMax) {
        place.refuse(fmt::format("{} repetitions of {} operations; a script has at most {}", times,
                                 size, kOperationsMax));
    }
    Expander expander(size * times);
    for (std::uint32_t i = 0; i < times; ++i) {
        expander.add(script);
    }
    return expander.take();
}

}  // namespace lockkeeper
