/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The lease coordinator as published (docs/decisions/models/leases.md, "D"), one scope, whose
 * messages take no time: N clients, each acquires (wait 0), sends HEARTBEATS heartbeats and
 * releases.  Every action of the explorer is exactly one SPIN transition: a call, which is one
 * transaction, one that goes wrong in one way, time going on, the reap task, a holder that gives up
 * at its own deadline, a disturbance, a crash.  No state in the middle of an action is stored.
 *
 * Parameters (cpp macros, pass with spin -D...):
 *   N              number of clients, 1..4
 *   HEARTBEATS     of each, 0..4
 *   TTL, GRACE, REAPER, UNTIL, JUMP   as the explorer's parameters
 *   REAPS          0: there is no reap task
 *   CLOCK0         how far the clock of client 0 is ahead
 *   LOST_REQUESTS, LOST_REPLIES, LATE_REQUESTS, DUPLICATES, RESENDS, HOOK_FAILURES, DELETIONS,
 *   CLOCK_JUMPS, SMALL_TOKENS, CLIENT_CLOCK_JUMPS, CRASHES, CLIENT_RESTARTS
 *                  how often each fault may happen
 *   REAPS_BY_CLIENT_CLOCK   1: the planted bug, the clock of the client that is ahead most says
 *                  which rows have expired
 *   CHECK          1: asserts that nobody believes to hold what somebody else believes to hold;
 *                  for pan -DBFS, too
 *
 * Virtual time: `now` goes on to the next instant that matters, which is one before, at or one
 * after the deadline of the row, on the database's clock, or the deadline of a holder, on its own.
 * It does not go beyond what is due (a holder gives up at its deadline, the reap task comes at most
 * REAPER later) nor beyond UNTIL.  Instants begin at 1000 and stay below 32768, because 0 is none
 * and a short holds them (clock_scope.py refuses more).
 */

#include "lease_coordinator_state.pml"

/* --- time ---------------------------------------------------------------------------------- */

#define DATABASE_TIME (now + database_ahead)
#define ROW_ENDS      (deadline - database_ahead)
#if REAPS_BY_CLIENT_CLOCK
#define IS_EXPIRED    (key != 0 && deadline < DATABASE_TIME + (CLOCK0 > 0 -> CLOCK0 : 0))
#else
#define IS_EXPIRED    (key != 0 && deadline < DATABASE_TIME)
#endif
#define IS_REAPED     (REAPS && IS_EXPIRED)
#define REAPED_BY     (ROW_ENDS + 1 + REAPER)
#define AHEAD(i)      (JUMPED(i) + ((i) == 0 -> CLOCK0 : 0))
/* When a client gives up, in true time: not before, and not later. */
#define DUE(i)        (until[i] - GRACE - AHEAD(i))

#define IS_WITHIN(instant) ((instant) > now && (instant) <= END)
#define GOES_ON(i)         (until[i] == 0 || DUE(i) > now)
#define STOPS(i)           (until[i] != 0 && IS_WITHIN(DUE(i)))
#define ROW_STOPS \
	(key != 0 && (IS_WITHIN(ROW_ENDS - 1) || IS_WITHIN(ROW_ENDS) || IS_WITHIN(ROW_ENDS + 1)))
#define STOPS_BEYOND \
	((key != 0 && ROW_ENDS + 1 > now) || ANY(DUE_LATER))
#define DUE_LATER(i)       (until[i] != 0 && DUE(i) > now)

inline stop_at(instant) {
	if
	:: instant > now && instant < next -> next = instant
	:: else
	fi
}

inline no_later_than(instant) {
	if
	:: instant < latest -> latest = instant
	:: else
	fi
}

inline stop_when_due(i) {
	if
	:: until[i] != 0 -> stop_at(DUE(i)); no_later_than(DUE(i))
	:: else
	fi
}

/* There is an instant to go to, somebody's being late does not forbid it, and the sooner of it and
   of what may not be passed is within the time. */
inline time() {
	d_step {
	((!IS_REAPED || REAPED_BY > now) && EACH(GOES_ON) && EACH(NONE_LATE) && STOPS_BEYOND &&
	 (ROW_STOPS || ANY(STOPS) || (IS_REAPED && REAPED_BY <= END)));
	next = NEVER; latest = NEVER;
	if
	:: key != 0 ->
		stop_at(ROW_ENDS - 1); stop_at(ROW_ENDS); stop_at(ROW_ENDS + 1);
		if
		:: IS_REAPED -> no_later_than(REAPED_BY)
		:: else
		fi
	:: else
	fi;
	stop_when_due(0);
#if N > 1
	stop_when_due(1);
#endif
#if N > 2
	stop_when_due(2);
#endif
#if N > 3
	stop_when_due(3);
#endif
	if
	:: latest < next -> now = latest
	:: else -> now = next
	fi;
	next = 0; latest = 0
	}
}

/* --- rows ---------------------------------------------------------------------------------- */

#define BELIEVES(i) (at[i] >= HOLDING && at[i] <= RELEASE)
#define IS_OWN(i)   (key != 0 && key == own_key[i])

inline note_interrupted(i) {
#if LATE_REQUESTS || DUPLICATES
	late_key[i] = 0;
#endif
	if
	:: own[i] != 0 -> flags[i] = flags[i] | INTERRUPTED
	:: else
	fi
}

/* Whoever still has an acquisition has lost its row, now or before. */
inline delete_row() {
	key = 0; generation = 0; deadline = 0;
	note_interrupted(0);
#if N > 1
	note_interrupted(1);
#endif
#if N > 2
	note_interrupted(2);
#endif
#if N > 3
	note_interrupted(3);
#endif
}

inline add_row(drawn) {
	deadline = DATABASE_TIME + TTL;
	generations++;
	generation = generations;
	key = drawn
}

inline insert(i, drawn) {
	add_row(drawn);
	own_key[i] = key; own[i] = generation; flags[i] = 0
}

/* The call ends. */
inline ends(i) {
#if RESENDS
	returned[i] = 0; was_away[i] = 0;
#endif
	at[i] = DONE
}

inline forget(i) {
	own[i] = 0; flags[i] = 0; own_key[i] = 0; until[i] = 0
}

/* Its answer is there at once. */
inline acquired(i) {
	if
	:: now >= deadline - GRACE - AHEAD(i) -> ends(i)
	:: else ->
#if RESENDS
		returned[i] = 0;
#endif
#if CHECK
		assert(!ANY(BELIEVES));
#endif
		until[i] = deadline;
		at[i] = HOLDING
	fi
}

/* The row, and in the same transaction what the lease guards. */
inline release_row(i) {
	if
	:: own[i] > newest -> newest = own[i]
	:: else
	fi;
	if
	:: IS_OWN(i) -> notified++; delete_row()
	:: else
	fi
}

/* --- clients ------------------------------------------------------------------------------- */

/* A call that has changed nothing, and says an error. */
inline fails(i) {
	if
	:: INSERTS(i) -> ends(i)
	:: HEARTS(i) -> at[i]++
	:: RELEASES(i) -> until[i] = 0; ends(i)
	fi
}

/* The insert reaches the coordinator, with the lease key that it draws. */
inline try_insert(i) {
	if
	:: key != 0 -> ends(i)		/* Conflict */
	:: else -> largest++; insert(i, largest); acquired(i)
	fi
}

inline client(i) {
	if
	:: d_step {
	(at[i] < DONE);
	if
	:: INSERTS(i) -> try_insert(i)
#if HEARTBEATS
	:: HEARTS(i) ->
		if
		:: IS_OWN(i) ->
			deadline = DATABASE_TIME + TTL;
			until[i] = deadline;
			at[i]++
		:: else -> forget(i); at[i] = DONE	/* LeaseLost */
		fi
#endif
	:: RELEASES(i) ->
		release_row(i);
		forget(i); ends(i)
	fi
	}
	:: d_step {	/* its own deadline */
	(until[i] != 0 && now >= DUE(i));
	flags[i] = flags[i] | GAVE_UP;
	if
	:: IS_OWN(i) && deadline > until[i] -> flags[i] = flags[i] | OUTLASTS
	:: else
	fi;
	until[i] = 0; at[i] = DONE
	}
#if LOST_REQUESTS
	:: d_step { (lost_requests > 0 && at[i] < DONE); lost_requests--; fails(i) }
#endif
#if HOOK_FAILURES
	:: d_step {	/* of a transaction that changes a row: all of it is rolled back */
	(hook_failures > 0 && at[i] < DONE && (INSERTS(i) -> key == 0 : IS_OWN(i)));
	hook_failures--;
	fails(i)
	}
#endif
#if LOST_REPLIES
	:: d_step {
	(lost_replies > 0 && at[i] < DONE && (!INSERTS(i) || key == 0));
	lost_replies--;
	if
	:: INSERTS(i) -> largest++; insert(i, largest); ends(i)
	:: HEARTS(i) ->
		if
		:: IS_OWN(i) -> deadline = DATABASE_TIME + TTL
		:: else
		fi;
		at[i]++
	:: RELEASES(i) -> release_row(i); until[i] = 0; ends(i)
	fi
	}
#endif
#if LATE_REQUESTS
	:: d_step {	/* says an error, and comes later */
	(late_requests > 0 && at[i] == IDLE && !HAS_LATE(i));
	late_requests--;
	is_late[i] = 1; at[i] = DONE
	}
#endif
#if DUPLICATES
	:: d_step {	/* comes, and once more later */
	(duplicates > 0 && at[i] == IDLE && !HAS_LATE(i));
	duplicates--;
	is_late[i] = 1;
	try_insert(i)
	}
#endif
#if LATE_REQUESTS || DUPLICATES
	:: d_step {	/* nobody waits for it */
	IS_LATE(i);
	is_late[i] = 0;
	if
	:: key == 0 -> largest++; add_row(largest); late_key[i] = key
	:: else
	fi
	}
#endif
#if RESENDS
	:: d_step {
	(resends > 0 && ((INSERTS(i) && key == 0) || RELEASES(i)));
	resends--;
	if
	:: INSERTS(i) -> largest++; insert(i, largest); returned[i] = deadline; at[i] = AGAIN
	:: else ->
		if
		:: at[i] == RELEASE -> was_away[i] = flags[i] & INTERRUPTED
		:: else
		fi;
		release_row(i);
		until[i] = 0; at[i] = RELEASE_AGAIN
	fi
	}
#endif
#if SMALL_TOKENS
	:: d_step {	/* the first lease key has none before it */
	(small_tokens > 0 && INSERTS(i) && key == 0 && generations > 0);
	small_tokens--;
	smallest--; insert(i, smallest); acquired(i)
	}
#endif
#if CLIENT_CLOCK_JUMPS
	:: d_step { (client_clock_jumps > 0); client_clock_jumps--; ahead[i] = ahead[i] + JUMP }
	:: d_step { (client_clock_jumps > 0); client_clock_jumps--; ahead[i] = ahead[i] - JUMP }
#endif
#if CRASHES
	:: d_step {	/* who has finished and left nothing behind cannot crash with an effect */
	(crashes > 0 && at[i] != DEAD &&
	 (at[i] != DONE || own_key[i] != 0 || own[i] != 0 || flags[i] != 0 || JUMPED(i) != 0 ||
	  HAS_LATE(i)));
	crashes--;
	forget(i); ends(i); at[i] = DEAD
	}
#endif
#if CLIENT_RESTARTS
	:: d_step {	/* once nothing of it is under way */
	(restarts > 0 && at[i] == DEAD && NONE_LATE(i));
	restarts--;
#if LATE_REQUESTS || DUPLICATES
	late_key[i] = 0;
#endif
	at[i] = IDLE
	}
#endif
	fi
}

active proctype coordinator() {
end:	do
	:: time()
	:: client(0)
#if N > 1
	:: client(1)
#endif
#if N > 2
	:: client(2)
#endif
#if N > 3
	:: client(3)
#endif
	:: d_step { IS_REAPED; delete_row() }
#if DELETIONS
	:: d_step { (deletions > 0 && key != 0); deletions--; delete_row() }
#endif
#if CLOCK_JUMPS
	:: d_step { (clock_jumps > 0); clock_jumps--; database_ahead = database_ahead + JUMP }
	:: d_step { (clock_jumps > 0); clock_jumps--; database_ahead = database_ahead - JUMP }
#endif
	od
}
