/* SPDX-License-Identifier: Apache-2.0 */

/* Of monglock_write.pml: time, and what happens to the document. */

/* --- time ---------------------------------------------------------------------------------- */

/* When the clock of client i shows that a lock of `taken` is free. */
#define OLD(taken, i)       ((taken) + LOCKTIMEOUT - JUMPED(i))
#define IS_TO_COME(taken, i) (OLD(taken, i) + 1 > now)
#define WRITES(unused, j)   (reading[j] != 0 && ANY_READING(reading[j]))

/* cpp expands no macro within itself: the inner quantifier once more. */
#if N == 1
#define ANY_READING(x) (IS_TO_COME(x, 0))
#elif N == 2
#define ANY_READING(x) (IS_TO_COME(x, 0) || IS_TO_COME(x, 1))
#elif N == 3
#define ANY_READING(x) (IS_TO_COME(x, 0) || IS_TO_COME(x, 1) || IS_TO_COME(x, 2))
#else
#define ANY_READING(x) (IS_TO_COME(x, 0) || IS_TO_COME(x, 1) || IS_TO_COME(x, 2) || IS_TO_COME(x, 3))
#endif

inline around(instant) {
	if
	:: instant - 1 > now && instant - 1 < next -> next = instant - 1
	:: instant - 1 <= now && instant > now && instant < next -> next = instant
	:: instant <= now && instant + 1 > now && instant + 1 < next -> next = instant + 1
	:: else
	fi
}

inline stop_when_old(taken) {
	around(OLD(taken, 0));
#if N > 1
	around(OLD(taken, 1));
#endif
#if N > 2
	around(OLD(taken, 2));
#endif
#if N > 3
	around(OLD(taken, 3));
#endif
}

inline stop_when_written_is_old(j) {
	if
	:: reading[j] != 0 -> stop_when_old(reading[j])
	:: else
	fi
}

inline time() {
	d_step {
	((lock == ACTIVE && ANY(IS_TO_COME, timestamp)) || ANY(WRITES, 0)
#if LATE_REQUESTS || DUPLICATES
	 || (stray == TAKES && ANY(IS_TO_COME, stray_timestamp))
#endif
	);
	next = NEVER;
#if LATE_REQUESTS || DUPLICATES
	if
	:: stray == TAKES -> stop_when_old(stray_timestamp)
	:: else
	fi;
#endif
	if
	:: lock == ACTIVE -> stop_when_old(timestamp)
	:: else
	fi;
	stop_when_written_is_old(0);
#if N > 1
	stop_when_written_is_old(1);
#endif
#if N > 2
	stop_when_written_is_old(2);
#endif
#if N > 3
	stop_when_written_is_old(3);
#endif
	now = next; next = 0
	}
}

/* --- the document -------------------------------------------------------------------------- */

#if TAKES_ACTIVE
#define MAY_BE_TAKEN(at_instant) (exists)
#else
#define MAY_BE_TAKEN(at_instant) \
	(exists && (lock != ACTIVE || timestamp <= (at_instant) - LOCKTIMEOUT))
#endif
#define MAY_BE_RELEASED(by) (exists && timestamp != 0 && timestamp == (by))
#define MAY_TAKE(i)    MAY_BE_TAKEN(reading[i])
#define MAY_RELEASE(i) MAY_BE_RELEASED(token[i])
#define BELIEVES(unused, i) (at[i] == HOLDING)

/* Before every write. */
inline keep_older() {
#if FAILOVERS || SAVE_BACKS
	if
	:: KEEPS_TWO ->
		older_timestamp[1] = older_timestamp[0];
		older_lock[1] = older_lock[0];
		older_generation[1] = older_generation[0]
	:: else
	fi;
	if
	:: KEEPS_ONE ->
		older_timestamp[0] = timestamp; older_lock[0] = lock; older_generation[0] = generation
	:: else
	fi;
#endif
	skip
}

/* What has come is of interest as long as it stands.  After everything that changes the lock. */
inline look_at_stray() {
#if LATE_REQUESTS || DUPLICATES
	if
	:: stray == HAS_COME && (lock != ACTIVE || generation != stray_id) -> forget_stray()
	:: else
	fi;
#endif
	skip
}

#if LATE_REQUESTS || DUPLICATES
inline forget_stray() {
	stray = NO_STRAY; stray_timestamp = 0; stray_id = 0;
	has_sent[0] = 0;
#if N > 1
	has_sent[1] = 0;
#endif
#if N > 2
	has_sent[2] = 0;
#endif
#if N > 3
	has_sent[3] = 0;
#endif
}
#endif

#if FAILOVERS || SAVE_BACKS
/* What nobody can undo any more. */
inline forget_older() {
	if
	:: !KEEPS_TWO -> older_timestamp[1] = 0; older_lock[1] = 0; older_generation[1] = 0
	:: else
	fi;
	if
	:: !KEEPS_ONE -> older_timestamp[0] = 0; older_lock[0] = 0; older_generation[0] = 0
	:: else
	fi
}
#endif

inline set_inactive() {
	keep_older();
	lock = INACTIVE;
	look_at_stray()
}

/* The generation of the acquire's update. */
inline number(i) {
#if LATE_REQUESTS || DUPLICATES || RESENDS
	if
	:: call_id[i] == 0 -> generations++; call_id[i] = generations
	:: else
	fi
#else
	generations++
#endif
}

/* The update matches. */
inline take(i) {
	number(i);
	keep_older();
	lock = ACTIVE; timestamp = reading[i];
#if LATE_REQUESTS || DUPLICATES || RESENDS
	generation = call_id[i]; call_token[i] = timestamp;
#else
	generation = generations;
#endif
	look_at_stray()
}
