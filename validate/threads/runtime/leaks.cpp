// SPDX-License-Identifier: Apache-2.0

// Memory that a run has allocated, has not given back, and that nobody can reach at its end: no
// variable of the program and no block that is reachable has an address within it.
#include <algorithm>
#include <cstring>

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {
namespace {

struct Block {
    std::uint64_t at;
    std::uint64_t size;
    bool is_reached;
};

class Reach {
  public:
    explicit Reach(const Hosted& host) {
        for (const auto& [at, block] : host.blocks) {
            blocks_.push_back({at, std::max<std::uint64_t>(block.size, 1), false});
        }
        std::sort(blocks_.begin(), blocks_.end(),
                  [](const Block& one, const Block& other) { return one.at < other.at; });
    }
    void from(const std::byte* begin, std::size_t size) {
        look(begin, size);
        while (!found_.empty()) {
            const Block next = blocks_[found_.back()];
            found_.pop_back();
            look(reinterpret_cast<const std::byte*>(next.at), next.size);
        }
    }
    // Null: all are reached.
    [[nodiscard]] const Block* lost() const {
        const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                        [](const Block& one) { return !one.is_reached; });
        return found == blocks_.end() ? nullptr : &*found;
    }

  private:
    void look(const std::byte* begin, std::size_t size) {
        for (std::size_t at = 0; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, begin + at, sizeof(word));
            const auto behind = std::upper_bound(
                blocks_.begin(), blocks_.end(), word,
                [](std::uint64_t value, const Block& one) { return value < one.at; });
            if (behind == blocks_.begin()) {
                continue;
            }
            Block& block = *std::prev(behind);
            if (word < block.at + block.size && !block.is_reached) {
                block.is_reached = true;
                found_.push_back(static_cast<std::size_t>(&block - blocks_.data()));
            }
        }
    }
    std::vector<Block> blocks_;
    std::vector<std::size_t> found_;
};

}  // namespace

bool find_leak(Hosted& host) {
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        if (host.search.is_known(thread) && !host.search.has_ended(thread)) {
            return false;
        }
    }
    if (host.blocks.empty()) {
        return false;
    }
    Reach reach(host);
    for (const std::vector<Image>* images : {&host.images, &host.thread_images}) {
        for (const Image& image : *images) {
            reach.from(image.at, image.size);
        }
    }
    const Block* lost = reach.lost();
    if (lost == nullptr) {
        return false;
    }
    const AllocatedBlock& block = host.blocks.at(lost->at);
    host.found = {};
    host.found.kind = "memory leak";
    host.found.text =
        std::to_string(block.size) + " bytes are not given back, and nobody has their address";
    host.found.thread = block.thread;
    host.found.site = block.site;
    host.found.address = lost->at;
    return true;
}

}  // namespace lockkeeper::threads
