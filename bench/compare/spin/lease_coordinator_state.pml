/* SPDX-License-Identifier: Apache-2.0 */

/* The parameters of lease_coordinator.pml, unless given, and its state. */

#ifndef N
#define N 2
#endif
#ifndef HEARTBEATS
#define HEARTBEATS 1
#endif
#ifndef TTL
#define TTL 5000
#endif
#ifndef GRACE
#define GRACE 0
#endif
#ifndef REAPER
#define REAPER 1000
#endif
#ifndef UNTIL
#define UNTIL 15000
#endif
#ifndef JUMP
#define JUMP 1
#endif
#ifndef REAPS
#define REAPS 1
#endif
#ifndef CLOCK0
#define CLOCK0 0
#endif
#ifndef LOST_REQUESTS
#define LOST_REQUESTS 0
#endif
#ifndef LOST_REPLIES
#define LOST_REPLIES 0
#endif
#ifndef LATE_REQUESTS
#define LATE_REQUESTS 0
#endif
#ifndef DUPLICATES
#define DUPLICATES 0
#endif
#ifndef RESENDS
#define RESENDS 0
#endif
#ifndef HOOK_FAILURES
#define HOOK_FAILURES 0
#endif
#ifndef DELETIONS
#define DELETIONS 0
#endif
#ifndef CLOCK_JUMPS
#define CLOCK_JUMPS 0
#endif
#ifndef SMALL_TOKENS
#define SMALL_TOKENS 0
#endif
#ifndef CLIENT_CLOCK_JUMPS
#define CLIENT_CLOCK_JUMPS 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef CLIENT_RESTARTS
#define CLIENT_RESTARTS 0
#endif
#ifndef REAPS_BY_CLIENT_CLOCK
#define REAPS_BY_CLIENT_CLOCK 0
#endif
#ifndef CHECK
#define CHECK 0
#endif

#define NEVER  32767		/* later than every instant */
#define END    (1000 + UNTIL)
#define MIDDLE 128		/* lease keys begin here, and grow, or shrink */

/* What a client does next. */
#define IDLE    0			/* acquire */
#define AGAIN   1			/* its insert was applied, and is sent again */
#define HOLDING 2			/* the first heartbeat, then the others */
#define RELEASE (HOLDING + HEARTBEATS)
#define RELEASE_AGAIN (RELEASE + 1)	/* its release was applied, and is sent again */
#define DONE    (RELEASE + 2)
#define DEAD    (RELEASE + 3)

#define INSERTS(i)    (at[i] <= AGAIN)
#define HEARTS(i)     (at[i] >= HOLDING && at[i] < RELEASE)
#define RELEASES(i)   (at[i] == RELEASE || at[i] == RELEASE_AGAIN)

/* Flags of a client's acquisition. */
#define INTERRUPTED 1		/* its row was away */
#define GAVE_UP     2		/* at its own deadline */
#define OUTLASTS    4		/* a heartbeat without an answer has extended the row beyond that */

short now = 1000;
short deadline;			/* of the row, on the database's clock */
byte key;			/* the lease key of the row; 0: no row */
byte generation;		/* of the acquisition that inserted it */
byte newest;			/* the acquisition that changed last what the lease guards */
byte notified;			/* notifications so far */
short database_ahead;		/* sum of the jumps of the database's clock */
byte generations;		/* acquisitions so far */
byte largest = MIDDLE;		/* lease key so far */
byte smallest = MIDDLE;

/* Budgets: what is left of each fault that is possible. */
#if LOST_REQUESTS
byte lost_requests = LOST_REQUESTS;
#endif
#if LOST_REPLIES
byte lost_replies = LOST_REPLIES;
#endif
#if LATE_REQUESTS
byte late_requests = LATE_REQUESTS;
#endif
#if DUPLICATES
byte duplicates = DUPLICATES;
#endif
#if RESENDS
byte resends = RESENDS;
#endif
#if HOOK_FAILURES
byte hook_failures = HOOK_FAILURES;
#endif
#if DELETIONS
byte deletions = DELETIONS;
#endif
#if CLOCK_JUMPS
byte clock_jumps = CLOCK_JUMPS;
#endif
#if SMALL_TOKENS
byte small_tokens = SMALL_TOKENS;
#endif
#if CLIENT_CLOCK_JUMPS
byte client_clock_jumps = CLIENT_CLOCK_JUMPS;
#endif
#if CRASHES
byte crashes = CRASHES;
#endif
#if CLIENT_RESTARTS
byte restarts = CLIENT_RESTARTS;
#endif

/* Of each client. */
byte at[N];
short until[N];		/* its deadline, as the coordinator said; 0: it does not hold */
byte own_key[N];
byte own[N];		/* the generation of its acquisition */
byte flags[N];
#if CLIENT_CLOCK_JUMPS
short ahead[N];		/* sum of the jumps of its clock */
#define JUMPED(i) ahead[i]
#else
#define JUMPED(i) 0
#endif

#if LATE_REQUESTS || DUPLICATES
byte is_late[N];	/* 1: an insert of it is under way that it does not wait for */
byte late_key[N];	/* of the row that this has inserted */
#define IS_LATE(i)   (is_late[i] != 0)
#define NONE_LATE(i) (is_late[i] == 0)
#define HAS_LATE(i)  (is_late[i] != 0 || late_key[i] != 0)
#else
#define NONE_LATE(i) true
#define HAS_LATE(i)  false
#endif
#if RESENDS
short returned[N];	/* AGAIN: the deadline that was returned, and lost */
byte was_away[N];	/* RELEASE_AGAIN: so was its row, before its release */
#endif

/* Scratch: 0 between actions.  pan knows no breadth-first search with hidden variables. */
#if CHECK
#define SCRATCH int
#else
#define SCRATCH hidden int
#endif
SCRATCH next;
SCRATCH latest;

#if N == 1
#define ANY(P)  (P(0))
#define EACH(P) (P(0))
#elif N == 2
#define ANY(P)  (P(0) || P(1))
#define EACH(P) (P(0) && P(1))
#elif N == 3
#define ANY(P)  (P(0) || P(1) || P(2))
#define EACH(P) (P(0) && P(1) && P(2))
#else
#define ANY(P)  (P(0) || P(1) || P(2) || P(3))
#define EACH(P) (P(0) && P(1) && P(2) && P(3))
#endif
