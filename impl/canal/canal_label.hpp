// SPDX-License-Identifier: Apache-2.0

// Where a caller (or the manager, giving back for the dead) is. One label = one atomic step = one
// line in a report; the numbers are those of the reference.
//
//  acquire   +--------- bucket + 1 (it was full) --------+
//            v                                           |
//        1 update_counter --granted--> 4 notify --> acquired
//            |   ^  \--full, last bucket--> full
//     absent |   | exists by now
//            v   |
//        2 insert_new --created--> 3 register --> 4 notify
//
//  release   5 read highest --> 6 subtract --0..max_per-1--> 10 unlock --> await reply --> ok
//                                 ^  |  \--max_per: took the mark--> 8 subtract mark --> 10
//                   bucket - 1    |  | below 0                         | tries used up
//                                 |  v                                 v
//                               7 undo --bucket 1: give up--> 10     9 force --> 10
//
//            asynchronous (canal_mailbox.hpp): 10 unlock --> ok
//
//  repaired  acquire: announce --> take --> acquired,  or  --> withdraw --> await --> full
//            release: give back --> 10 unlock --> await reply --> ok
#pragma once

#include <cstdint>
#include <string_view>

#include "model/server_step.hpp"

namespace lockkeeper::canal {

enum class At : std::uint8_t {
    kNowhere,        // in no operation; the manager: idle
    kUpdateCounter,  // 1
    kInsertNew,      // 2
    kRegister,       // 3
    kNotify,         // 4
    kReadHighest,    // 5
    kSubtract,       // 6
    kUndo,           // 7
    kSubtractMark,   // 8
    kForce,          // 9
    kSendUnlock,     // 10, the request
    kAwaitReply,     // 10, the reply
    kAnnounce,       // repair kAnnounceFirst
    kTake,           // repair kWholeRowTake
    kWithdraw,       // repair kAnnounceFirst: refused, the announcement is taken back
    kAwaitWithdrawal,
    kGiveBack,     // repair kWholeRowGiveBack
    kReap,         // manager, repair kOwnersInRow: gives back what the row says of the dead caller
    kManagerDead,  // manager only
};

// Arguments of background actions; for a DOWN, eight times the key is added.
enum Background : std::uint16_t {
    kContinue,      // the manager's next step of giving back
    kHandleLock,    // the head of the caller's queue
    kHandleUnlock,  // removes a reference
    kReapEntry,     // of the dead caller that it heard of
    kHandleDown = 4,
    kRestart,  // of a manager that has a supervisor
    kKill,     // the manager; no step of its own
};

[[nodiscard]] constexpr std::string_view name_of(At at) {
    switch (at) {
        case At::kNowhere: return "idle";
        case At::kUpdateCounter: return "update_counter";
        case At::kInsertNew: return "insert_new";
        case At::kRegister: return "register";
        case At::kNotify: return "notify";
        case At::kReadHighest: return "read highest";
        case At::kSubtract: return "subtract";
        case At::kUndo: return "undo";
        case At::kSubtractMark: return "subtract mark";
        case At::kForce: return "force";
        case At::kSendUnlock: return "send unlock";
        case At::kAwaitReply: return "receive reply";
        case At::kAnnounce: return "announce";
        case At::kTake: return "take";
        case At::kWithdraw: return "withdraw";
        case At::kAwaitWithdrawal: return "receive reply";
        case At::kGiveBack: return "give back";
        case At::kReap: return "reap";
        case At::kManagerDead: return "dead";
    }
    return "?";
}

// The step is about one bucket, and not about the whole row.
[[nodiscard]] constexpr bool names_bucket(At at) {
    return at == At::kUpdateCounter || at == At::kInsertNew || at == At::kRegister ||
           at == At::kSubtract || at == At::kUndo || at == At::kSubtractMark || at == At::kForce;
}

// On real tables and processes; those of the repairs have none.
[[nodiscard]] constexpr ServerStep server_step_of(At at) {
    switch (at) {
        case At::kUpdateCounter: return ServerStep::kUpdateCounter;
        case At::kInsertNew: return ServerStep::kInsertNew;
        case At::kRegister: return ServerStep::kRegister;
        case At::kNotify: return ServerStep::kNotify;
        case At::kReadHighest: return ServerStep::kReadHighest;
        case At::kSubtract: return ServerStep::kSubtract;
        case At::kUndo: return ServerStep::kUndo;
        case At::kSubtractMark: return ServerStep::kSubtractMark;
        case At::kForce: return ServerStep::kForce;
        case At::kSendUnlock: return ServerStep::kSendUnlock;
        case At::kAwaitReply: return ServerStep::kReceiveReply;
        default: return ServerStep::kUnknown;
    }
}

}  // namespace lockkeeper::canal
