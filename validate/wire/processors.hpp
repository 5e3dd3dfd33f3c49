// SPDX-License-Identifier: Apache-2.0

// To watch for what another process does is the quickest way to hear of it, as long as there is a
// processor for both.
#pragma once

namespace lockkeeper::wire {

// More threads of the machine can run than it has processors: one of them waits. Does not know of
// a container's share. False where /proc does not say.
[[nodiscard]] bool are_processors_short();

}  // namespace lockkeeper::wire
