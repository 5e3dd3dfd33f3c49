#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1

%% A limiter that counts in a shared store, as counter.py. Wrong: it reads, compares, and writes
%% what it read plus one. With --atomic right: one update_counter, which says whether there was
%% room.
-module(counter).
-mode(compile).
-export([main/1]).
-import(lockkeeper_client, [read/1, write/2, update_counter/2, update_counter/3]).

main(Flags) ->
    load(lockkeeper_client),
    Acquire = case lists:member("--atomic", Flags) of
        true -> fun acquire_atomic/1;
        false -> fun acquire/1
    end,
    lockkeeper_client:serve(#{stateless => true,
                              operations => #{acquire => Acquire, release => fun release/1}}).

acquire(#{key := Key, max_per := MaxPer, buckets := Buckets}) ->
    Count = case read(Key) of absent -> 0; Stored -> Stored end,
    Count < MaxPer * Buckets orelse throw(refused),
    write(Key, Count + 1).

acquire_atomic(#{key := Key, max_per := MaxPer, buckets := Buckets}) ->
    Count = update_counter(Key, 1, #{create_if_not_exists => true}),
    Count =< MaxPer * Buckets orelse give_back(Key).

give_back(Key) ->
    update_counter(Key, -1),
    throw(refused).

release(#{key := Key}) ->
    update_counter(Key, -1).

%% The file beside this one, compiled in memory.
load(Module) ->
    File = filename:join(filename:dirname(escript:script_name()), Module),
    {ok, Module, Code} = compile:file(File, [binary]),
    {module, Module} = code:load_binary(Module, File, Code).
