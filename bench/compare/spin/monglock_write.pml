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
 *   NOT_APPLIED, ACK_LOST, READ_FAILS, READ_LAGS, DELETIONS, CLOCK_JUMPS, CRASHES,
 *   CLIENT_RESTARTS   how often each fault may happen
 *   TAKES_ACTIVE   1: the planted bug, takes the lock whether it is active or not
 *   CHECK          1: asserts that nobody believes to hold what somebody else believes to hold;
 *                  for pan -DBFS, too
 *
 * Virtual time: `now` goes on to the next instant that matters, which is one before, at or one
 * after the end of a locktimeout, as each client's clock shows it.  Instants begin at 1000 and stay
 * below 32768, because 0 is none and a short holds them (clock_scope.py refuses more).
 */

#ifndef N
#define N 2
#endif
#ifndef LOCKTIMEOUT
#define LOCKTIMEOUT 10000
#endif
#ifndef JUMP
#define JUMP 1
#endif
#ifndef EXISTS
#define EXISTS 1
#endif
#ifndef NOT_APPLIED
#define NOT_APPLIED 0
#endif
#ifndef ACK_LOST
#define ACK_LOST 0
#endif
#ifndef READ_FAILS
#define READ_FAILS 0
#endif
#ifndef READ_LAGS
#define READ_LAGS 0
#endif
#ifndef DELETIONS
#define DELETIONS 0
#endif
#ifndef CLOCK_JUMPS
#define CLOCK_JUMPS 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef CLIENT_RESTARTS
#define CLIENT_RESTARTS 0
#endif
#ifndef TAKES_ACTIVE
#define TAKES_ACTIVE 0
#endif
#ifndef CHECK
#define CHECK 0
#endif

#define NEVER 32767	/* later than every instant */

/* What a client does next. */
#define IDLE          0	/* call acquire: read the clock */
#define TAKE          1
#define LOOK_TAKE     2	/* the update has not matched: read the document */
#define NEVER_TAKE    3	/* that read failed: the call never returns */
#define HOLDING       4	/* call release: set inactive */
#define LOOK_RELEASE  5
#define NEVER_RELEASE 6
#define DONE          7
#define DEAD          8

/* The lock of the document: absent, active, inactive. */
#define ABSENT   0
#define ACTIVE   1
#define INACTIVE 2

short now = 1000;
short timestamp;	/* of the lock; 0: none */
byte lock = ABSENT;
byte generation;	/* of the acquisition that set it */
byte generations;	/* acquisitions so far */
byte exists = EXISTS;

byte not_applied = NOT_APPLIED;	/* budgets: what is left of each fault */
byte ack_lost = ACK_LOST;
byte read_fails = READ_FAILS;
byte read_lags = READ_LAGS;
byte deletions = DELETIONS;
byte clock_jumps = CLOCK_JUMPS;
byte crashes = CRASHES;
byte restarts = CLIENT_RESTARTS;

/* Of each client. */
byte at[N];
short reading[N];	/* what its clock showed, while it is to be written; 0: none */
short token[N];		/* the timestamp of its acquisition */
byte own[N];		/* the generation of its acquisition, until it has released that */
byte failed[N];		/* the generation of one whose acquire said an error */
short ahead[N];		/* sum of the jumps of its clock */

/* Scratch: 0 between actions.  pan knows no breadth-first search with hidden variables. */
#if CHECK
#define SCRATCH int
#else
#define SCRATCH hidden int
#endif
SCRATCH next;

#if N == 1
#define ANY(P, x) (P(x, 0))
#elif N == 2
#define ANY(P, x) (P(x, 0) || P(x, 1))
#elif N == 3
#define ANY(P, x) (P(x, 0) || P(x, 1) || P(x, 2))
#else
#define ANY(P, x) (P(x, 0) || P(x, 1) || P(x, 2) || P(x, 3))
#endif

/* --- time ---------------------------------------------------------------------------------- */

/* When the clock of client i shows that a lock of `taken` is free. */
#define OLD(taken, i)       ((taken) + LOCKTIMEOUT - ahead[i])
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
	((lock == ACTIVE && ANY(IS_TO_COME, timestamp)) || ANY(WRITES, 0));
	next = NEVER;
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

/* --- clients ------------------------------------------------------------------------------- */

#if TAKES_ACTIVE
#define MAY_TAKE(i) (exists)
#else
#define MAY_TAKE(i) (exists && (lock != ACTIVE || timestamp <= reading[i] - LOCKTIMEOUT))
#endif
#define MAY_RELEASE(i) (exists && timestamp != 0 && timestamp == token[i])
#define BELIEVES(unused, i) (at[i] == HOLDING)

inline take(i) {
	generations++;
	lock = ACTIVE; timestamp = reading[i]; generation = generations
}

/* The options of one client: its step, and what can go wrong with it.  A step that goes wrong ends
   as it would without an answer. */
inline client(i) {
	if
	:: d_step {
	(at[i] != NEVER_TAKE && at[i] != NEVER_RELEASE && at[i] < DONE);
	if
	:: at[i] == IDLE -> reading[i] = now + ahead[i]; at[i] = TAKE	/* 1 */
	:: at[i] == TAKE ->						/* 2 */
		if
		:: MAY_TAKE(i) ->
			take(i);
			token[i] = timestamp; own[i] = generation;
#if CHECK
			assert(!ANY(BELIEVES, 0));
#endif
			at[i] = HOLDING
		:: else -> at[i] = LOOK_TAKE
		fi;
		reading[i] = 0
	:: at[i] == HOLDING ->						/* 4 */
		own[i] = 0;
		if
		:: MAY_RELEASE(i) -> lock = INACTIVE; at[i] = DONE
		:: else -> at[i] = LOOK_RELEASE
		fi
	:: at[i] == LOOK_TAKE || at[i] == LOOK_RELEASE -> at[i] = DONE	/* 3, 5 */
	fi
	}
#if NOT_APPLIED
	:: d_step {
	(not_applied > 0 && (at[i] == TAKE || at[i] == HOLDING));
	not_applied--;
	reading[i] = 0; at[i] = DONE
	}
#endif
#if ACK_LOST
	:: d_step {
	(ack_lost > 0 && (at[i] == TAKE || at[i] == HOLDING));
	ack_lost--;
	if
	:: at[i] == TAKE && MAY_TAKE(i) -> take(i); failed[i] = generation
	:: at[i] == HOLDING && MAY_RELEASE(i) -> lock = INACTIVE
	:: else
	fi;
	reading[i] = 0; at[i] = DONE
	}
#endif
#if READ_FAILS
	:: d_step {
	(read_fails > 0 && (at[i] == LOOK_TAKE || at[i] == LOOK_RELEASE));
	read_fails--;
	at[i]++
	}
#endif
#if READ_LAGS
	:: d_step {	/* of a document that has been deleted */
	(read_lags > 0 && EXISTS && !exists && (at[i] == LOOK_TAKE || at[i] == LOOK_RELEASE));
	read_lags--;
	at[i] = DONE
	}
#endif
#if CLOCK_JUMPS
	:: d_step { (clock_jumps > 0); clock_jumps--; ahead[i] = ahead[i] + JUMP }
	:: d_step { (clock_jumps > 0); clock_jumps--; ahead[i] = ahead[i] - JUMP }
#endif
#if CRASHES
	:: d_step {	/* who has finished and left nothing behind cannot crash with an effect */
	(crashes > 0 && at[i] != DEAD &&
	 (at[i] != DONE || token[i] != 0 || own[i] != 0 || failed[i] != 0 || ahead[i] != 0));
	crashes--;
	reading[i] = 0; token[i] = 0; failed[i] = 0;
	at[i] = DEAD
	}
#endif
#if CLIENT_RESTARTS
	:: d_step {
	(restarts > 0 && at[i] == DEAD);
	restarts--;
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
	timestamp = 0; lock = ABSENT; generation = 0; exists = 0
	}
#endif
	od
}
