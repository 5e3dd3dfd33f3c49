#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: erlang-poolboy 1.5.2 (Debian 12), Erlang/OTP 25.
# Expected: a worker that works for a caller is not idle, also when that caller has died meanwhile.
# Really: the death of the caller puts the worker back, with what it still does: the next caller is lent it first, before one
#   that has nothing to do, and waits for the work of the dead one.
# Seen: the lines at the end of this script, for a pool of two whose second worker is idle all the time. Controls: the caller
#   lives and gives the worker back when it is done; the strategy fifo.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian erlang-poolboy '1.5.2+dfsg-*'
debian erlang-base '1:25.*'

mkdir "$tmp/src"
cat >"$tmp/src/slow_worker.erl" <<'PROGRAM'
-module(slow_worker).
-behaviour(gen_server).
-behaviour(poolboy_worker).
-export([start_link/1, init/1, handle_call/3, handle_cast/2]).

start_link(Arguments) -> gen_server:start_link(?MODULE, Arguments, []).
init(_) -> {ok, none}.
handle_call({work, Milliseconds}, _From, State) -> timer:sleep(Milliseconds), {reply, done, State}.
handle_cast(_, State) -> {noreply, State}.
PROGRAM
cat >"$tmp/src/dead.erl" <<'PROGRAM'
-module(dead).
-export([main/0]).

run(Title, Strategy, End) ->
    {ok, Pool} = poolboy:start_link([{worker_module, slow_worker}, {size, 2}, {max_overflow, 0}, {strategy, Strategy}], []),
    Caller = spawn(fun() ->
        Worker = poolboy:checkout(Pool),
        gen_server:call(Worker, {work, 2000}, infinity),
        poolboy:checkin(Pool, Worker)
    end),
    timer:sleep(200),
    End(Caller),
    timer:sleep(100),
    {_, Idle, _, _} = poolboy:status(Pool),
    Begin = erlang:monotonic_time(millisecond),
    poolboy:transaction(Pool, fun(Worker) -> gen_server:call(Worker, {work, 0}, infinity) end),
    Wait = erlang:monotonic_time(millisecond) - Begin,
    io:format("~s: ~b of 2 idle, the next caller is served ~s~n",
              [Title, Idle, if Wait < 1000 -> "at once"; true -> "when the work of the first one is done" end]).

main() ->
    run("the caller is killed in its work", lifo, fun(Caller) -> exit(Caller, kill) end),
    run("control, it lives", lifo, fun(_) -> ok end),
    run("control, killed, with fifo", fifo, fun(Caller) -> exit(Caller, kill) end),
    halt(0).
PROGRAM
erlc -o "$tmp" "$tmp"/src/*.erl >"$tmp/log" 2>&1 || true

as_stated 'the caller is killed in its work: 2 of 2 idle, the next caller is served when the work of the first one is done
control, it lives: 1 of 2 idle, the next caller is served at once
control, killed, with fifo: 2 of 2 idle, the next caller is served at once' "$(HOME=$tmp erl -noshell -pa "$tmp" -s dead main 2>>"$tmp/log")"
