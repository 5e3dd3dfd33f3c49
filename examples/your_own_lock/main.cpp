// SPDX-License-Identifier: Apache-2.0

// The lockkeeper command with one more system: `your_own_lock list` shows it, `your_own_lock run
// wrong.json right.json` tests it.
#include "app/command_line.hpp"
#include "connection_limiter.hpp"
#include "lease.hpp"
#include "queue_lock.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "ticket_lock.hpp"

int main(int argc, char** argv) {
    using namespace my_service;
    Registry registry = shipped_systems();
    register_lock(registry, {"connection_limiter", "wrong", "writes what it has read, plus 1"},
                  ConnectionLimiter(Write::kBlindly));
    register_lock(registry, {"connection_limiter", "right", "writes if the row is unchanged"},
                  ConnectionLimiter(Write::kIfUnchanged));
    register_lock(registry, {"ticket_lock", "right", "four tickets, again and again"},
                  TicketLock(4));
    register_lock(registry, {"ticket_lock", "wrong", "two tickets, again and again"},
                  TicketLock(2));
    register_lock(registry, {"ticket_lock", "endless", "a new ticket each time"}, TicketLock(0));
    register_lock(registry, {"queue_lock", "right", "all move up"}, QueueLock(Leave::kMovesAllUp));
    register_lock(registry, {"queue_lock", "wrong", "only the next moves up"},
                  QueueLock(Leave::kMovesOneUp));
    register_lock(registry, {"lease", "right", "gives up in time"}, Lease(12, 3, 2));
    register_lock(registry, {"lease", "wrong", "gives up an instant too late"}, Lease(12, 2, 2));
    return lockkeeper_main(argc, argv, registry);
}
