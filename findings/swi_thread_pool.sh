#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: swi-prolog-core 9.0.4 (Debian 12; library(thread_pool)), run by swi-prolog-nox.
# Expected: the manual says that a pool limits how many of its threads exist at a time, and that a request's options
#   go to thread_create/3. That one refuses an alias in use (permission_error). A request that is refused makes no
#   thread, so it takes no place.
# Really: the pool takes the place before it calls thread_create/3, and only a thread that ends gives it back. A
#   refused request has no such thread. The pool then says "running 1" without a member and has one place less
#   until it is destroyed. A server that starts a job by its name while it still runs, and handles the error,
#   loses the places one after the other.
# Seen: the lines at the end of this script. Controls: the same calls with two names; a goal that fails.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian swi-prolog-core '9.0.4+*'
debian swi-prolog-nox '9.0.4+*'

cat >"$tmp/pool.pl" <<'PROGRAM'
:- use_module(library(thread_pool)).

% Asks for a thread of that name without waiting. It keeps its place until it is told to end.
ask(Pool, Name) :-
    catch(( thread_create_in_pool(Pool, thread_get_message(end), _, [alias(Name), wait(false)]),
            Answer = granted ),
          error(Error, _),
          kind(Error, Answer)),
    format("~w: ~w~n", [Name, Answer]).

% The pool wraps the error of thread_create/3 once more.
kind(error(Error, _), Answer) :- kind(Error, Answer).
kind(permission_error(_, _, _), 'refused, its name is in use').
kind(resource_error(_), 'refused, the pool is full').

end(Name) :-
    thread_send_message(Name, end),
    thread_join(Name, _).

show(Pool, When) :-
    thread_pool_property(Pool, running(Running)),
    thread_pool_property(Pool, members(Members)),
    length(Members, Count),
    format("~w: running ~w, members ~w~n", [When, Running, Count]).

run(Pool, First, Second) :-
    format("~w~n", [Pool]),
    thread_pool_create(Pool, 2, []),
    ask(Pool, First),
    ask(Pool, Second),
    show(Pool, 'then'),
    end(First),
    ( First == Second -> true ; end(Second) ),
    show(Pool, 'all have ended'),
    ask(Pool, x),
    ask(Pool, y),
    end(x),
    catch(end(y), _, true),
    thread_pool_destroy(Pool).

main :-
    run('one name twice', nightly, nightly),
    run('control: two names', nightly, weekly),
    thread_pool_create(failed, 1, []),
    thread_create_in_pool(failed, fail, Thread, []),
    thread_join(Thread, _),
    show(failed, 'control: a goal that failed').
PROGRAM

as_stated 'one name twice
nightly: granted
nightly: refused, its name is in use
then: running 2, members 1
all have ended: running 1, members 0
x: granted
y: refused, the pool is full
control: two names
nightly: granted
weekly: granted
then: running 2, members 2
all have ended: running 0, members 0
x: granted
y: granted
control: a goal that failed: running 0, members 0' "$(/usr/bin/swipl -q -g main -t halt "$tmp/pool.pl" 2>&1)"
