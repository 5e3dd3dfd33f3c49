// SPDX-License-Identifier: Apache-2.0

// The states that the search has seen, each with the least cost that leads to it and the step
// before it. Numbers are from 0. Used by search.cpp only.
//
// Without the cost a state that is first met after a lost line would hide that it can be reached
// without one.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <xxhash.h>

#include "validate/logs/walk.hpp"

namespace lockkeeper::logs {

inline constexpr std::uint32_t kNoNode = UINT32_MAX;

struct Node {
    const char* bytes = nullptr;
    std::uint32_t length = 0;
    std::uint32_t parent = kNoNode;
    std::uint64_t cost = 0;
    Step step;
    bool is_done = false;  // its steps were tried
};

class KnownWalks {
  public:
    KnownWalks() : slots_(kSlotsFirst, kNoNode) {}

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] std::uint64_t bytes() const {
        return blocks_.size() * kBlockBytes + nodes_.capacity() * sizeof(Node) +
               slots_.size() * sizeof(std::uint32_t);
    }
    [[nodiscard]] Node& operator[](std::uint32_t number) { return nodes_[number]; }
    [[nodiscard]] const Node& operator[](std::uint32_t number) const { return nodes_[number]; }

    // The node with these bytes, new or known; kNoNode: it is known, and for no more.
    std::uint32_t reach(std::string_view bytes, std::uint64_t cost, std::uint32_t parent,
                        const Step& step) {
        std::size_t slot = slot_of(bytes);
        while (slots_[slot] != kNoNode) {
            Node& node = nodes_[slots_[slot]];
            if (node.length == bytes.size() &&
                std::memcmp(node.bytes, bytes.data(), bytes.size()) == 0) {
                if (node.cost <= cost) {
                    return kNoNode;
                }
                node.cost = cost;
                node.parent = parent;
                node.step = step;
                return slots_[slot];
            }
            slot = (slot + 1) & (slots_.size() - 1);
        }
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        slots_[slot] = number;
        nodes_.push_back(
            {keep(bytes), static_cast<std::uint32_t>(bytes.size()), parent, cost, step, false});
        if (nodes_.size() * 2 > slots_.size()) {
            grow();
        }
        return number;
    }

  private:
    static constexpr std::size_t kSlotsFirst = 1024;
    static constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;

    [[nodiscard]] std::size_t slot_of(std::string_view bytes) const {
        return XXH3_64bits(bytes.data(), bytes.size()) & (slots_.size() - 1);
    }
    // A state has fewer bytes than a block: see kSourcesMax, kCallersMax, kStraysMax.
    const char* keep(std::string_view bytes) {
        if (blocks_.empty() || used_ + bytes.size() > kBlockBytes) {
            blocks_.emplace_back(new char[kBlockBytes]);
            used_ = 0;
        }
        char* place = blocks_.back().get() + used_;
        std::memcpy(place, bytes.data(), bytes.size());
        used_ += bytes.size();
        return place;
    }
    void grow() {
        slots_.assign(slots_.size() * 2, kNoNode);
        for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
            std::size_t slot = slot_of({nodes_[number].bytes, nodes_[number].length});
            while (slots_[slot] != kNoNode) {
                slot = (slot + 1) & (slots_.size() - 1);
            }
            slots_[slot] = number;
        }
    }

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
};

// A state as bytes, and back. Equal states have equal bytes.
void write_state(const WalkState& state, std::string& out);
[[nodiscard]] WalkState read_state(std::string_view bytes, const Problem& problem);

}  // namespace lockkeeper::logs
