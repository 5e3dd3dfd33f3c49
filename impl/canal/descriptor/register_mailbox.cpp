// SPDX-License-Identifier: Apache-2.0
#include "impl/canal/canal_mailbox.hpp"
#include "impl/canal/descriptor/canal_descriptors.hpp"
#include "impl/planted_bug.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using canal::CanalMailbox;
using canal::MailboxOptions;
using canal::MailboxSize;
using MadeMailbox = std::variant<CanalMailbox, InputError>;

constexpr std::int32_t kWaitingMost = 1'000;
constexpr std::int32_t kRestartsMost = 4;
constexpr LockLimits kLimits{.buckets = MailboxSize::kBuckets, .max_per = 100, .locks = 14};

// The bug of the synchronous lock is what the asynchronous one does by intent.
void does_not_wait(MailboxOptions& options) { options.canal.asynchronous_release = true; }

void waits_for_the_next(MailboxOptions& options) { options.waits_for_the_next = true; }

constexpr PlantedBug<void (*)(MailboxOptions&)> kMailboxBugs[] = {
    {"does_not_wait", "long-mailbox", "a release does not wait for the manager's reply",
     does_not_wait},
    {"waits_for_the_next", "deadlock",
     "who waits for a reply when the manager dies waits on, for the one that is started next",
     waits_for_the_next},
};

SystemDescription mailbox_description() {
    SystemDescription description = canal_description();
    description.system = "canal_mailbox";
    description.about = "canal lock with its manager's mailbox and supervisor in view";
    description.server = {};
    description.vocabulary.parameters = {
        {"asynchronous_release", 0, 1, 0, "1: a release does not wait for the manager's reply"},
        {"waiting_at_most", -1, kWaitingMost, -1,
         "long-mailbox: so many messages may wait for the manager; -1: not judged"},
        {"restarts", 0, kRestartsMost, 0, "so often a supervisor starts a dead manager again"},
    };
    description.vocabulary.faults = {
        {"manager_kills", 0, kRestartsMost, 0, "the manager is killed: both tables are gone"},
    };
    return description;
}

MadeMailbox made(const Scenario& scenario, void (*plant)(MailboxOptions&)) {
    if (!scenario.parameters.has_manager) {
        return InputError{scenario.file, "/parameters/manager",
                          "the mailbox is the manager's: leave it out"};
    }
    const NamedNumbers& own = scenario.parameters.own;
    const auto small = [](std::int32_t number) { return static_cast<std::uint8_t>(number); };
    MailboxOptions options;
    options.canal = canal_options(scenario, canal_repairs_of(scenario));
    options.canal.asynchronous_release = own.at("asynchronous_release") != 0;
    options.waiting_at_most = own.at("waiting_at_most");
    options.restarts = small(own.at("restarts"));
    options.manager_kills = small(scenario.parameters.faults.at("manager_kills"));
    if (plant != nullptr) {
        plant(options);
    }
    return CanalMailbox(std::move(options));
}

void add(Registry& registry, SystemDescription description, void (*plant)(MailboxOptions&)) {
    register_lock(
        registry, std::move(description),
        [plant](const Scenario& scenario) { return made(scenario, plant); }, kLimits);
}

}  // namespace

void add_canal_mailbox(Registry& registry) {
    add(registry, mailbox_description(), nullptr);
    add(registry, with_canal_repairs(mailbox_description()), nullptr);
    for (const auto& bug : kMailboxBugs) {
        add(registry, with_bug(mailbox_description(), "canal_mailbox_broken", bug), bug.plant);
    }
}

}  // namespace lockkeeper
