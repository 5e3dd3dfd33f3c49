/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Canal lock, one key: N callers, each acquires once and, if it was granted, releases once. Every
 * numbered step of the algorithm is exactly one rule that fires, as in ../spin/canal_lock.pml.
 *
 * Murphi has no parameters: run_rumur.sh passes this file through the C preprocessor with
 *   SEEING_1 .. SEEING_4  how many callers see 1 .. 4 buckets
 *   N                     their sum
 *   NB                    the largest number of buckets that anybody sees
 *   MAX_PER               locks per bucket
 *   MAX_DECR_TRIES        0 upward
 *   WARM                  1: all NB buckets are 0 and highest is NB; 0: all absent
 *   MANAGER_FULL          1: notification, unlock and reply, DOWN; 0: counters only
 *   MERGE_IDLE            1: "has not called yet" and "is about to repeat step 1 on bucket 1" are
 *                         one state (they behave alike); 0: two states, as the explorer has them
 *
 * Callers with the same view are one scalarset each: what the explorer sorts, and what Rumur takes
 * for ranges when it runs with --symmetry-reduction off.
 */

/* what(1) .. what(4), for the views that somebody has. */
#if SEEING_1
#define IF_1(what) what(1)
#else
#define IF_1(what)
#endif
#if SEEING_2
#define IF_2(what) what(2)
#else
#define IF_2(what)
#endif
#if SEEING_3
#define IF_3(what) what(3)
#else
#define IF_3(what)
#endif
#if SEEING_4
#define IF_4(what) what(4)
#else
#define IF_4(what)
#endif
#define EACH_VIEW(what) IF_1(what) IF_2(what) IF_3(what) IF_4(what)

const
  /* A counter is 0 when absent, else its value plus ZERO. Each caller's undone subtraction can
     make it smaller than 0 by one, and larger than the cap by one. */
  ABSENT: 0;
  ZERO: N + 1;
  FULL_AT: ZERO + MAX_PER;
  CAP: ZERO + MAX_PER + 1;
  TOP: CAP + N;
#if MANAGER_FULL
  SCRATCH_MAX: TOP + MAX_DECR_TRIES; /* a position, or the tries left */
#else
  SCRATCH_MAX: MAX_DECR_TRIES + 1;   /* the tries left */
#endif

type
  bucket_number: 1 .. NB;
  place: 0 .. NB;                    /* 0: means nothing */
  counter: 0 .. TOP;
  scratch_value: 0 .. SCRATCH_MAX;

  label: enum {
    IDLE,       /* call acquire: its step 1 on bucket 1 */
    UPDATE,     /* 1 */
    INSERT,     /* 2 */
    REGISTER,   /* 3 */
#if MANAGER_FULL
    NOTIFY,     /* 4 */
#endif
    HOLDING,    /* 5: call release, read highest */
    SUBTRACT,   /* 6 */
    GIVE_UP,    /* 7: undo */
    FLOORED,    /* 8 */
    FORCED,     /* 9 */
#if MANAGER_FULL
    UNLOCK,     /* 10 */
    WAITING,    /* its unlock is in the mailbox */
    REPLIED,    /* the reply is there: return ok */
#endif
    DONE,
    DEAD
  };

  /* Whoever gives a unit back, callers and the manager. What means nothing is 0. */
  party: record
    at: label;
    bucket: place;
    scratch: scratch_value;
  end;

  caller: record
    self: party;
#if MANAGER_FULL
    lock_sent: boolean;  /* its notification is in the mailbox */
    referenced: boolean; /* the manager holds a reference for it */
#endif
  end;

#define SEES(view) sees_##view: scalarset(SEEING_##view);
  EACH_VIEW(SEES)

var
  counters: array [bucket_number] of counter;
  highest: place;        /* 0: absent */
#define CALLERS(view) callers_##view: array [sees_##view] of caller;
  EACH_VIEW(CALLERS)
#if MANAGER_FULL
  manager: party;        /* IDLE, or HOLDING .. FORCED of its own release, or DEAD */
#endif

procedure leave(var who: party; to_label: label);
begin
  who.bucket := 0;
  who.scratch := 0;
  who.at := to_label;
end;

/* Steps 5 to 9. A release that is over goes to `finished`. */
procedure give_back(var who: party; finished: label);
begin
  switch who.at
  case HOLDING:
    if highest = 0 then
      leave(who, DEAD);
    else
      who.bucket := highest;
      who.at := SUBTRACT;
    end;
  case SUBTRACT:
    if counters[who.bucket] = ABSENT then
      leave(who, DEAD);
    else
      counters[who.bucket] := counters[who.bucket] - 1;
      if counters[who.bucket] < ZERO then
        who.at := GIVE_UP;
      elsif counters[who.bucket] < FULL_AT then
        leave(who, finished);
      elsif counters[who.bucket] > FULL_AT then
        leave(who, DEAD);
      else
#if MAX_DECR_TRIES > 0
        who.scratch := MAX_DECR_TRIES;
        who.at := FLOORED;
#else
        who.at := FORCED;
#endif
      end;
    end;
  case GIVE_UP:
    counters[who.bucket] := counters[who.bucket] + 1;
    if who.bucket = 1 then
      leave(who, finished);
    else
      who.bucket := who.bucket - 1;
      who.at := SUBTRACT;
    end;
  case FLOORED:
    if counters[who.bucket] > ZERO then
      counters[who.bucket] := counters[who.bucket] - 1;
    else
      counters[who.bucket] := ZERO;
    end;
    if counters[who.bucket] < FULL_AT then
      leave(who, finished);
    elsif counters[who.bucket] > FULL_AT then
      leave(who, DEAD);
    else
      who.scratch := who.scratch - 1;
      if who.scratch = 0 then
        who.at := FORCED;
      end;
    end;
  case FORCED:
    if counters[who.bucket] > ZERO + 1 then
      counters[who.bucket] := counters[who.bucket] - 2;
    else
      counters[who.bucket] := ZERO;
    end;
    leave(who, finished);
  end;
end;

/* Steps 1 to 3, whose outcome is a unit at `position` of the bucket, and then step 4 or the end. */
procedure granted(var who: party; position: counter);
begin
#if MANAGER_FULL
  who.scratch := position;
  who.at := NOTIFY;
#else
  leave(who, HOLDING);
#endif
end;

procedure take(var who: party; view: bucket_number);
begin
  switch who.at
  case IDLE, UPDATE:
    if who.at = IDLE then
      who.bucket := 1;
    end;
    if counters[who.bucket] = ABSENT then
      who.at := INSERT;
    else
      if counters[who.bucket] < CAP then
        counters[who.bucket] := counters[who.bucket] + 1;
      else
        counters[who.bucket] := CAP;
      end;
      if counters[who.bucket] != CAP then
        granted(who, counters[who.bucket]);
      elsif who.bucket < view then
        who.bucket := who.bucket + 1;
        who.at := UPDATE;
      else
        leave(who, DONE);
      end;
    end;
  case INSERT:
    if counters[who.bucket] = ABSENT then
      counters[who.bucket] := ZERO + 1;
      who.at := REGISTER;
#if MERGE_IDLE
    elsif who.bucket = 1 then
      leave(who, IDLE);
#endif
    else
      who.at := UPDATE;
    end;
  case REGISTER:
    if who.bucket = 1 then
      highest := 1;
      granted(who, ZERO + 1);
    elsif highest = 0 then
      leave(who, DEAD);
    else
      highest := highest + 1;
      granted(who, ZERO + 1);
    end;
  end;
end;

#if MANAGER_FULL
/* Nobody gets what is sent, and whatever needs the table or a reply ends in death. */
procedure step_without_manager(var who: party);
begin
  switch who.at
  case NOTIFY: leave(who, HOLDING);
  case UNLOCK: who.at := WAITING;
  case REPLIED: who.at := DONE;
  else leave(who, DEAD);
  end;
end;

function can_step(c: caller): boolean;
begin
  return c.self.at != DONE & c.self.at != DEAD & (c.self.at != WAITING | manager.at = DEAD);
end;
#else
function can_step(c: caller): boolean;
begin
  return c.self.at != DONE & c.self.at != DEAD;
end;
#endif

procedure step(var c: caller; view: bucket_number);
begin
#if MANAGER_FULL
  if manager.at = DEAD then
    step_without_manager(c.self);
    return;
  end;
#endif
  switch c.self.at
  case IDLE, UPDATE, INSERT, REGISTER: take(c.self, view);
#if MANAGER_FULL
  case NOTIFY:
    c.lock_sent := true;
    leave(c.self, HOLDING);
  case UNLOCK: c.self.at := WAITING;
  case REPLIED: c.self.at := DONE;
  else give_back(c.self, UNLOCK);
#else
  else give_back(c.self, DONE);
#endif
  end;
end;

#if MANAGER_FULL
/* The three kinds exclude each other for one caller: it sends its unlock after its lock, and an
   unlock is never followed by its death while the manager lives. */
function has_message(c: caller): boolean;
begin
  return c.lock_sent | c.self.at = WAITING | (c.self.at = DEAD & c.referenced);
end;

procedure handle_message(var c: caller);
begin
  if c.lock_sent then
    c.lock_sent := false;
    c.referenced := true;
  else
    c.referenced := false;
    if c.self.at = WAITING then
      c.self.at := REPLIED;
    else
      manager.at := HOLDING; /* DOWN */
    end;
  end;
end;

procedure forget(var c: caller);
begin
  c.lock_sent := false;
  c.referenced := false;
end;

/* When the manager dies, its tables and its mailbox vanish with it. */
procedure vanish();
begin
  for k: bucket_number do counters[k] := ABSENT; end;
  highest := 0;
#define FORGET(view) for i: sees_##view do forget(callers_##view[i]); end;
  EACH_VIEW(FORGET)
end;

rule "the manager gives back for the dead"
  manager.at != IDLE & manager.at != DEAD
==>
  give_back(manager, IDLE);
  if manager.at = DEAD then
    vanish();
  end;
end;
#endif

#if MANAGER_FULL
#define MESSAGES(view)                                                         \
  rule "message" manager.at = IDLE & has_message(callers_##view[i]) ==>        \
    handle_message(callers_##view[i]);                                         \
  end;
#else
#define MESSAGES(view)
#endif
#define RULES(view)                                                            \
  ruleset i: sees_##view do                                                    \
    rule "step" can_step(callers_##view[i]) ==>                                \
      step(callers_##view[i], view);                                           \
    end;                                                                       \
    MESSAGES(view)                                                             \
  end;
EACH_VIEW(RULES)

startstate begin
  clear counters;
  clear highest;
#if WARM
  for k: bucket_number do counters[k] := ZERO; end;
  highest := NB;
#endif
#define CLEAR(view) clear callers_##view;
  EACH_VIEW(CLEAR)
#if MANAGER_FULL
  clear manager;
#endif
end;
