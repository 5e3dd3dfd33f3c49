/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Canal lock, one key: N callers, each acquires once and, if it was granted,
 * releases once.  Every numbered step of the algorithm is exactly one SPIN
 * transition, and no state in the middle of a step is stored.
 *
 * Parameters (cpp macros, pass with spin -D...):
 *   N               number of callers, 1..8
 *   B0 .. B7        buckets seen by caller 0 .. 7 (default 1)
 *   NB              the largest of them
 *   MAX_PER         locks per bucket
 *   MAX_DECR_TRIES  0 upward
 *   WARM            1: all NB buckets are 0 and highest is NB; 0: all absent
 *   MANAGER_FULL    1: notification, unlock and reply, DOWN; 0: counters only
 *   MERGE_IDLE      1: "has not called yet" and "is about to repeat step 1 on
 *                   bucket 1" are one state (they behave alike); 0: two states
 *
 * A single process holds one option per caller and, with the manager, one
 * option per caller for the manager's mailbox plus one for the manager's own
 * run of steps 5..9.  Each option is one d_step that returns to the same
 * control point, so the program counter of the process never changes and the
 * state is exactly the set of global variables below.
 */

#ifndef N
#define N 4
#endif
#ifndef B0
#define B0 1
#endif
#ifndef B1
#define B1 1
#endif
#ifndef B2
#define B2 1
#endif
#ifndef B3
#define B3 1
#endif
#ifndef B4
#define B4 1
#endif
#ifndef B5
#define B5 1
#endif
#ifndef B6
#define B6 1
#endif
#ifndef B7
#define B7 1
#endif
#ifndef NB
#define NB 2
#endif
#ifndef MAX_PER
#define MAX_PER 2
#endif
#ifndef MAX_DECR_TRIES
#define MAX_DECR_TRIES 2
#endif
#ifndef WARM
#define WARM 0
#endif
#ifndef MANAGER_FULL
#define MANAGER_FULL 1
#endif
#ifndef MERGE_IDLE
#define MERGE_IDLE 0
#endif

/* A bucket is 0 when absent, else its value plus ZERO (values can be < 0). */
#define ABSENT 0
#define ZERO   32
#define FULLAT (ZERO + MAX_PER)		/* n == max_per */
#define CAP    (ZERO + MAX_PER + 1)

/* What a caller does next. */
#define IDLE     0	/* call acquire: its step 1 on bucket 1 */
#define UPDATE   1
#define INSERT   2
#define REGISTER 3
#define NOTIFY   4
#define HOLDING  5	/* call release: its step 5 */
#define SUBTRACT 6
#define UNDO     7
#define FLOORSUB 8
#define FORCED   9
#define UNLOCK   10
#define WAITING  11	/* its unlock is in the mailbox */
#define REPLIED  12	/* the reply is there: return ok */
#define DONE     13
#define DEAD     14
/* The manager: IDLE, or 5..9 of its own release, or DEAD. */

#if WARM
byte bucket[NB] = ZERO;
byte highest = NB;
#else
byte bucket[NB] = ABSENT;
byte highest = 0;			/* 0: absent */
#endif

byte pc[N];
byte b[N];		/* current bucket, 1..NB; 0 when it means nothing */
byte x[N];		/* at NOTIFY the position (plus ZERO), at FLOORSUB the tries left */

#if MANAGER_FULL
byte mpc;
byte mb;
byte mx;
byte lock_msg;		/* bit i: a lock notification of caller i is in the mailbox */
byte refs;		/* bit i: the manager holds a reference for caller i */
#define AFTER_RELEASE UNLOCK
#define MANAGER_DEAD  (mpc == DEAD)
#else
#define AFTER_RELEASE DONE
#define MANAGER_DEAD  false
#endif

#define V(k) bucket[(k) - 1]

inline go(PC, B, X, label) {		/* leave the bucket behind */
	B = 0; X = 0; PC = label
}

inline granted(i) {
#if MANAGER_FULL
	x[i] = V(b[i]); pc[i] = NOTIFY
#else
	go(pc[i], b[i], x[i], HOLDING)
#endif
}

inline tables_vanish() {
#if MANAGER_FULL
	bucket[0] = ABSENT;
#if NB > 1
	bucket[1] = ABSENT;
#endif
#if NB > 2
	bucket[2] = ABSENT;
#endif
#if NB > 3
	bucket[3] = ABSENT;
#endif
#if NB > 4
#error NB must be 1..4
#endif
	highest = 0; lock_msg = 0; refs = 0
#else
	skip
#endif
}

/* Steps 5..9.  On failure the process (caller or manager) goes to DEAD; the
   caller of this macro does what else a death means.  END is where a finished
   release goes. */
inline release_step(PC, B, X, END) {
	if
	:: PC == HOLDING ->			/* 5 */
		if
		:: highest == 0 -> go(PC, B, X, DEAD)
		:: else -> B = highest; PC = SUBTRACT
		fi
	:: PC == SUBTRACT ->			/* 6 */
		if
		:: V(B) == ABSENT -> go(PC, B, X, DEAD)
		:: else ->
			V(B)--;
			if
			:: V(B) < ZERO -> PC = UNDO
			:: V(B) >= ZERO && V(B) < FULLAT -> go(PC, B, X, END)
			:: V(B) == FULLAT ->
#if MAX_DECR_TRIES > 0
				X = MAX_DECR_TRIES; PC = FLOORSUB
#else
				PC = FORCED
#endif
			:: V(B) > FULLAT -> go(PC, B, X, DEAD)
			fi
		fi
	:: PC == UNDO ->			/* 7 */
		V(B)++;
		if
		:: B == 1 -> go(PC, B, X, END)
		:: else -> B--; PC = SUBTRACT
		fi
	:: PC == FLOORSUB ->			/* 8 */
		if
		:: V(B) > ZERO -> V(B)--
		:: else -> V(B) = ZERO
		fi;
		if
		:: V(B) < FULLAT -> go(PC, B, X, END)
		:: V(B) == FULLAT ->
			X--;
			if
			:: X == 0 -> PC = FORCED
			:: else
			fi
		:: V(B) > FULLAT -> go(PC, B, X, DEAD)
		fi
	:: PC == FORCED ->			/* 9 */
		if
		:: V(B) > ZERO + 1 -> V(B) = V(B) - 2
		:: else -> V(B) = ZERO
		fi;
		go(PC, B, X, END)
	fi
}

inline caller(i, buckets) {
	d_step {
	(pc[i] < DONE && (pc[i] != WAITING || MANAGER_DEAD));
	if
#if MANAGER_FULL
	:: mpc == DEAD ->
		if
		:: pc[i] == NOTIFY -> go(pc[i], b[i], x[i], HOLDING)	/* nobody gets it */
		:: pc[i] == UNLOCK -> pc[i] = WAITING
		:: pc[i] == REPLIED -> pc[i] = DONE
		:: else -> go(pc[i], b[i], x[i], DEAD)	/* no table, or no reply ever */
		fi
	:: else ->
		if
#endif
		:: pc[i] <= UPDATE ->			/* 1 */
			if
			:: pc[i] == IDLE -> b[i] = 1
			:: else
			fi;
			if
			:: V(b[i]) == ABSENT -> pc[i] = INSERT
			:: else ->
				if
				:: V(b[i]) < CAP -> V(b[i])++
				:: else -> V(b[i]) = CAP
				fi;
				if
				:: V(b[i]) != CAP -> granted(i)
				:: V(b[i]) == CAP && b[i] < buckets -> b[i]++; pc[i] = UPDATE
				:: V(b[i]) == CAP && b[i] >= buckets -> go(pc[i], b[i], x[i], DONE)
				fi
			fi
		:: pc[i] == INSERT ->			/* 2 */
			if
			:: V(b[i]) == ABSENT -> V(b[i]) = ZERO + 1; pc[i] = REGISTER
#if MERGE_IDLE
			:: V(b[i]) != ABSENT && b[i] == 1 -> b[i] = 0; pc[i] = IDLE
			:: V(b[i]) != ABSENT && b[i] > 1 -> pc[i] = UPDATE
#else
			:: else -> pc[i] = UPDATE
#endif
			fi
		:: pc[i] == REGISTER ->			/* 3 */
			if
			:: b[i] == 1 -> highest = 1
			:: b[i] > 1 && highest > 0 -> highest++
			:: b[i] > 1 && highest == 0 -> pc[i] = DEAD
			fi;
			if
			:: pc[i] == DEAD -> b[i] = 0
			:: else ->
#if MANAGER_FULL
				x[i] = ZERO + 1; pc[i] = NOTIFY
#else
				go(pc[i], b[i], x[i], HOLDING)
#endif
			fi
#if MANAGER_FULL
		:: pc[i] == NOTIFY ->			/* 4 */
			lock_msg = lock_msg | (1 << i);
			go(pc[i], b[i], x[i], HOLDING)
		:: pc[i] == UNLOCK -> pc[i] = WAITING	/* 10 */
		:: pc[i] == REPLIED -> pc[i] = DONE
#endif
		:: pc[i] >= HOLDING && pc[i] <= FORCED ->
			release_step(pc[i], b[i], x[i], AFTER_RELEASE)
		fi
#if MANAGER_FULL
	fi
#endif
	}
}

/* One message.  The three kinds exclude each other for one caller: it sends
   its unlock after its lock, and an unlock is never followed by its death
   while the manager lives. */
inline mailbox(i) {
	d_step {
	(mpc == IDLE && ((lock_msg & (1 << i)) || pc[i] == WAITING || (pc[i] == DEAD && (refs & (1 << i)))));
	if
	:: (lock_msg & (1 << i)) ->		/* lock */
		lock_msg = lock_msg & (255 - (1 << i));
		refs = refs | (1 << i)
	:: else ->
		refs = refs & (255 - (1 << i));
		if
		:: pc[i] == WAITING -> pc[i] = REPLIED	/* unlock */
		:: else -> mpc = HOLDING		/* DOWN */
		fi
	fi
	}
}

inline manager_release() {
	d_step {
	(mpc >= HOLDING && mpc <= FORCED);
	release_step(mpc, mb, mx, IDLE);
	if
	:: mpc == DEAD -> tables_vanish()
	:: else
	fi
	}
}

active proctype canal() {
end:	do
	:: caller(0, B0)
#if N > 1
	:: caller(1, B1)
#endif
#if N > 2
	:: caller(2, B2)
#endif
#if N > 3
	:: caller(3, B3)
#endif
#if N > 4
	:: caller(4, B4)
#endif
#if N > 5
	:: caller(5, B5)
#endif
#if N > 6
	:: caller(6, B6)
#endif
#if N > 7
	:: caller(7, B7)
#endif
#if MANAGER_FULL
	:: mailbox(0)
#if N > 1
	:: mailbox(1)
#endif
#if N > 2
	:: mailbox(2)
#endif
#if N > 3
	:: mailbox(3)
#endif
#if N > 4
	:: mailbox(4)
#endif
#if N > 5
	:: mailbox(5)
#endif
#if N > 6
	:: mailbox(6)
#endif
#if N > 7
	:: mailbox(7)
#endif
	:: manager_release()
#endif
	od
}
