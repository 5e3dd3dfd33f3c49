/* SPDX-License-Identifier: Apache-2.0 */

/* The parameters of monglock_write.pml, unless given, and its state. */

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
#ifndef LATE_REQUESTS
#define LATE_REQUESTS 0
#endif
#ifndef DUPLICATES
#define DUPLICATES 0
#endif
#ifndef RESENDS
#define RESENDS 0
#endif
#ifndef FAILOVERS
#define FAILOVERS 0
#endif
#ifndef SAVE_BACKS
#define SAVE_BACKS 0
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
#define RELEASE_AGAIN 7	/* the release was applied, and is sent again */
#define DONE          8
#define DEAD          9

#define LOOKS(i)    (at[i] == LOOK_TAKE || at[i] == LOOK_RELEASE)
#define RELEASES(i) (at[i] == HOLDING || at[i] == RELEASE_AGAIN)
#define UPDATES(i)  (at[i] == TAKE || RELEASES(i))

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

/* Budgets: what is left of each fault that is possible. */
#if NOT_APPLIED
byte not_applied = NOT_APPLIED;
#endif
#if ACK_LOST
byte ack_lost = ACK_LOST;
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
#if READ_FAILS
byte read_fails = READ_FAILS;
#endif
#if READ_LAGS
byte read_lags = READ_LAGS;
#endif
#if DELETIONS
byte deletions = DELETIONS;
#endif
#if CLOCK_JUMPS
byte clock_jumps = CLOCK_JUMPS;
#endif
#if CRASHES
byte crashes = CRASHES;
#endif
#if CLIENT_RESTARTS
byte restarts = CLIENT_RESTARTS;
#endif
#if FAILOVERS || SAVE_BACKS
byte failovers = FAILOVERS;
byte save_backs = SAVE_BACKS;
#endif

/* Of each client. */
byte at[N];
short reading[N];	/* what its clock showed, while it is to be written; 0: none */
short token[N];		/* the timestamp of its acquisition */
byte own[N];		/* the generation of its acquisition, until it has released that */
byte failed[N];		/* the generation of one whose acquire said an error */
#if CLOCK_JUMPS
short ahead[N];		/* sum of the jumps of its clock */
#define JUMPED(i) ahead[i]
#else
#define JUMPED(i) 0
#endif

/* What an update has brought so far that is sent, or travels, more than once. */
#if LATE_REQUESTS || DUPLICATES || RESENDS
byte call_id[N];	/* the generation of the acquire's update; 0: none yet */
short call_token[N];	/* what it has written */
#endif
#if RESENDS
byte sent[N];		/* SENT_...: what became of it when it was sent before */
#define SENT_NOT     1	/* did not match */
#define SENT_MATCHED 2
#define SENT_LOST    3	/* matched a lock that was no longer its own */
#endif

/* An update that is under way although its client does not wait for it, or what it has brought. */
#define NO_STRAY 0
#define TAKES    1
#define LETS_GO  2
#define HAS_COME 3
#if LATE_REQUESTS || DUPLICATES
byte stray;
short stray_timestamp;
byte stray_id;
byte has_sent[N];
#define HAS_SENT(i)  has_sent[i]
#define IS_UNDER_WAY (stray == TAKES || stray == LETS_GO)
#else
#define HAS_SENT(i)  0
#define IS_UNDER_WAY false
#endif

/* What the lock was before its newest write, and before the one before: as long as somebody may
   undo so many. */
#if FAILOVERS || SAVE_BACKS
#define KEEPS_ONE (failovers + save_backs > 0)
#define KEEPS_TWO (failovers + save_backs > 1)
short older_timestamp[2];
byte older_lock[2];
byte older_generation[2];
#endif

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
