#include "impl/ticket/ticket_lock.hpp"
#include "scenarios/registry/register_lock.hpp"

namespace lockkeeper {

void register_ticket(Registry& registry) {
    register_lock(registry, {"ticket", "faithful", "a ticket lock: first come, first served"},
                  ticket::TicketLock(), {.buckets = 1, .max_per = 1, .locks = 1});
}

}  // namespace lockkeeper
