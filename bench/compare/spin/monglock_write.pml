/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Monglock's write lock as published (docs/decisions/models/monglock.md, "writeLock"), one
 * document: N clients, each acquires once and, if it was granted, releases once.  Every action of
 * the explorer is exactly one SPIN transition: a step of a client, a step that goes wrong in one
 * way, time going on, a disturbance, a crash.  No state in the middle of an action is stored.
 *
 * Parameters (cpp macros, pass with spin -D...):
 *   N              number of clients, 1..4
 *   LOCKTIMEOUT    of all of them
 *   JUMP           how far a clock jumps
 *   EXISTS         0: the document is not there at the beginning
 *   NOT_APPLIED, ACK_LOST, LATE_REQUESTS, DUPLICATES, RESENDS, READ_FAILS, READ_LAGS, DELETIONS,
 *   FAILOVERS, SAVE_BACKS, CLOCK_JUMPS, CRASHES, CLIENT_RESTARTS
 *                  how often each fault may happen
 *   TAKES_ACTIVE   1: the planted bug, takes the lock whether it is active or not
 *   CHECK          1: asserts that nobody believes to hold what somebody else believes to hold;
 *                  for pan -DBFS, too
 *
 * Virtual time: `now` goes on to the next instant that matters, which is one before, at or one
 * after the end of a locktimeout, as each client's clock shows it.  Instants begin at 1000 and stay
 * below 32768, because 0 is none and a short holds them (clock_scope.py refuses more).
 */

#include "monglock_write_state.pml"
#include "monglock_write_document.pml"

/* --- clients ------------------------------------------------------------------------------- */

/* The answer to an acquire. */
inline answer_take(i, matches) {
	if
	:: matches ->
#if LATE_REQUESTS || DUPLICATES || RESENDS
		token[i] = call_token[i]; own[i] = call_id[i];
#else
		token[i] = timestamp; own[i] = generation;
#endif
#if CHECK
		assert(!ANY(BELIEVES, 0));
#endif
		end_call(i);
		at[i] = HOLDING
	:: else -> begin_look(i); at[i] = LOOK_TAKE
	fi
}

/* The answer to a release. */
inline answer_release(i, matches) {
	own[i] = 0;
	if
	:: matches -> end_call(i); at[i] = DONE
	:: else -> begin_look(i); at[i] = LOOK_RELEASE
	fi
}

inline begin_look(i) {
#if RESENDS
	sent[i] = 0;
#endif
	reading[i] = 0
}

inline end_call(i) {
#if LATE_REQUESTS || DUPLICATES || RESENDS
	call_id[i] = 0; call_token[i] = 0;
#endif
	begin_look(i)
}

/* An error is returned.  What an acquire has brought, or brings yet, it may have left behind. */
inline end_in_error(i) {
#if LATE_REQUESTS || DUPLICATES || RESENDS
	if
	:: call_id[i] != 0 -> failed[i] = call_id[i]
	:: else
	fi;
#endif
	end_call(i);
	at[i] = DONE
}

#if LATE_REQUESTS || DUPLICATES
inline let_travel(i) {
	if
	:: at[i] == TAKE -> number(i); stray = TAKES; stray_timestamp = reading[i]; stray_id = call_id[i]
	:: else -> stray = LETS_GO; stray_timestamp = token[i]; stray_id = own[i]
	fi;
	has_sent[i] = 1
}
#endif

/* The options of one client: its step, and what can go wrong with it.  A step that goes wrong ends
   as it would without an answer. */
inline client(i) {
	if
	:: d_step {
	(at[i] != NEVER_TAKE && at[i] != NEVER_RELEASE && at[i] < DONE);
	if
	:: at[i] == IDLE -> reading[i] = now + JUMPED(i); at[i] = TAKE	/* 1 */
	:: at[i] == TAKE ->						/* 2 */
		if
		:: MAY_TAKE(i) -> take(i); answer_take(i, true)
		:: else -> answer_take(i, false)
		fi
	:: RELEASES(i) ->						/* 4 */
		if
		:: MAY_RELEASE(i) -> set_inactive(); answer_release(i, true)
		:: else -> answer_release(i, false)
		fi
	:: at[i] == LOOK_TAKE -> end_in_error(i)			/* 3 */
	:: at[i] == LOOK_RELEASE -> at[i] = DONE			/* 5 */
	fi
	}
#if NOT_APPLIED
	:: d_step {
	(not_applied > 0 && UPDATES(i));
	not_applied--;
	end_in_error(i)
	}
#endif
#if ACK_LOST
	:: d_step {
	(ack_lost > 0 && UPDATES(i));
	ack_lost--;
	if
	:: at[i] == TAKE && MAY_TAKE(i) ->
		take(i);
		failed[i] = generation
	:: RELEASES(i) && MAY_RELEASE(i) -> set_inactive()
	:: else
	fi;
	end_in_error(i)
	}
#endif
#if LATE_REQUESTS
	:: d_step {	/* says an error, and comes later */
	(late_requests > 0 && stray == NO_STRAY && UPDATES(i));
	late_requests--;
	let_travel(i);
	end_in_error(i)
	}
#endif
#if DUPLICATES
	:: d_step {	/* comes, and once more later */
	(duplicates > 0 && stray == NO_STRAY && UPDATES(i));
	duplicates--;
	if
	:: at[i] == TAKE && MAY_TAKE(i) -> take(i); let_travel(i); answer_take(i, true)
	:: at[i] == TAKE && !MAY_TAKE(i) -> let_travel(i); answer_take(i, false)
	:: RELEASES(i) && MAY_RELEASE(i) -> set_inactive(); let_travel(i); answer_release(i, true)
	:: RELEASES(i) && !MAY_RELEASE(i) -> let_travel(i); answer_release(i, false)
	fi
	}
#endif
#if RESENDS
	:: d_step {	/* its answer is lost */
	(resends > 0 && UPDATES(i));
	resends--;
	if
	:: at[i] == TAKE && MAY_TAKE(i) -> take(i); sent[i] = SENT_MATCHED
	:: at[i] == TAKE && !MAY_TAKE(i) -> sent[i] = SENT_NOT
	:: RELEASES(i) && MAY_RELEASE(i) ->
		if
		:: own[i] != 0 && (lock != ACTIVE || generation != own[i]) && sent[i] != SENT_MATCHED ->
			sent[i] = SENT_LOST
		:: else -> sent[i] = SENT_MATCHED
		fi;
		set_inactive();
		at[i] = RELEASE_AGAIN
	:: RELEASES(i) && !MAY_RELEASE(i) -> sent[i] = SENT_NOT; at[i] = RELEASE_AGAIN
	fi
	}
#endif
#if READ_FAILS
	:: d_step {
	(read_fails > 0 && LOOKS(i));
	read_fails--;
	at[i]++
	}
#endif
#if READ_LAGS
	:: d_step {	/* of a document that has been deleted */
	(read_lags > 0 && EXISTS && !exists && LOOKS(i));
	read_lags--;
	if
	:: at[i] == LOOK_TAKE -> end_in_error(i)
	:: else -> at[i] = DONE
	fi
	}
#endif
#if CLOCK_JUMPS
	:: d_step { (clock_jumps > 0); clock_jumps--; ahead[i] = ahead[i] + JUMP }
	:: d_step { (clock_jumps > 0); clock_jumps--; ahead[i] = ahead[i] - JUMP }
#endif
#if CRASHES
	:: d_step {	/* who has finished and left nothing behind cannot crash with an effect */
	(crashes > 0 && at[i] != DEAD &&
	 (at[i] != DONE || token[i] != 0 || own[i] != 0 || failed[i] != 0 || JUMPED(i) != 0 ||
	  HAS_SENT(i) != 0));
	crashes--;
	end_call(i);
	token[i] = 0; failed[i] = 0;
#if LATE_REQUESTS || DUPLICATES
	if
	:: stray == LETS_GO -> has_sent[i] = 0	/* nobody asks again */
	:: else
	fi;
#endif
	at[i] = DEAD
	}
#endif
#if CLIENT_RESTARTS
	:: d_step {
	(restarts > 0 && at[i] == DEAD && !IS_UNDER_WAY);
	restarts--;
#if LATE_REQUESTS || DUPLICATES
	if
	:: has_sent[i] != 0 -> stray = NO_STRAY; stray_timestamp = 0; stray_id = 0; has_sent[i] = 0
	:: else
	fi;
#endif
	own[i] = 0;
	at[i] = IDLE
	}
#endif
	fi
}

active proctype monglock() {
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
#if DELETIONS
	:: d_step {
	(deletions > 0 && exists);
	deletions--;
	timestamp = 0; lock = ABSENT; generation = 0; exists = 0;
#if FAILOVERS || SAVE_BACKS
	older_timestamp[0] = 0; older_lock[0] = 0; older_generation[0] = 0;
	older_timestamp[1] = 0; older_lock[1] = 0; older_generation[1] = 0;
#endif
	look_at_stray()
	}
#endif
#if LATE_REQUESTS || DUPLICATES
	:: d_step {	/* what nobody waits for arrives */
	IS_UNDER_WAY;
	if
	:: stray == TAKES && MAY_BE_TAKEN(stray_timestamp) ->
		keep_older();
		lock = ACTIVE; timestamp = stray_timestamp; generation = stray_id;
		stray = HAS_COME; stray_timestamp = 0
	:: stray == TAKES && !MAY_BE_TAKEN(stray_timestamp) -> forget_stray()
	:: stray == LETS_GO ->
		if
		:: MAY_BE_RELEASED(stray_timestamp) -> keep_older(); lock = INACTIVE
		:: else
		fi;
		forget_stray()
	fi
	}
#endif
#if FAILOVERS
	:: d_step {	/* forgets the newest write */
	(failovers > 0 && exists && (older_lock[0] != lock || older_generation[0] != generation));
	timestamp = older_timestamp[0]; lock = older_lock[0]; generation = older_generation[0];
	if
	:: KEEPS_TWO ->
		older_timestamp[0] = older_timestamp[1];
		older_lock[0] = older_lock[1];
		older_generation[0] = older_generation[1]
	:: else
	fi;
	failovers--;
	forget_older();
	look_at_stray()
	}
#endif
#if SAVE_BACKS
	:: d_step {	/* the application saves the document as it was */
	(save_backs > 0 && exists && (older_lock[0] != lock || older_generation[0] != generation));
	next = timestamp; timestamp = older_timestamp[0]; older_timestamp[0] = next;
	next = lock; lock = older_lock[0]; older_lock[0] = next;
	next = generation; generation = older_generation[0]; older_generation[0] = next;
	next = 0;
	if
	:: KEEPS_TWO ->
		older_timestamp[1] = timestamp; older_lock[1] = lock; older_generation[1] = generation
	:: else
	fi;
	save_backs--;
	forget_older();
	look_at_stray()
	}
#endif
	od
}
