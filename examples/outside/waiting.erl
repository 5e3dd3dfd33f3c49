#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1

%% A lock that waits, as waiting.py: who finds all places taken asks to be woken, and sleeps. With
%% --lost-wake-up looking and asking are two steps. With --no-flag the row alone is waited for.
-module(waiting).
-mode(compile).
-export([main/1]).
-import(lockkeeper_client, [atomic/2, named/2, wait_until/2, wait_while/2, write/2]).

main(Flags) ->
    load(lockkeeper_client),
    How = case Flags of
        ["--lost-wake-up"] -> loses;
        ["--no-flag"] -> no_flag;
        [] -> right
    end,
    lockkeeper_client:serve(#{stateless => true, durable => true,
                              operations => #{acquire => fun(Op) -> acquire(Op, How) end,
                                              release => fun release/1}}).

acquire(#{key := Key, max_per := MaxPer, buckets := Buckets} = Op, How) ->
    Cap = MaxPer * Buckets,
    Asleep = <<Key/binary, ".asleep">>,
    Take = fun(#{Key := Taken} = State) ->
        case number(Taken) of
            Count when Count < Cap -> {true, State#{Key := Count + 1}};
            _ when How =:= right -> {false, State#{Asleep := true}};
            _ -> {false, State}
        end
    end,
    case named("take a place", fun() -> atomic([Key, Asleep], Take) end) of
        true -> ok;
        false ->
            wait(How, Key, Asleep, Cap),
            acquire(Op, How)
    end.

wait(no_flag, Key, _, Cap) ->
    named("wait for a place", fun() ->
        wait_until(Key, fun(Taken) -> number(Taken) < Cap end)
    end);
wait(How, _, Asleep, _) ->
    How =/= loses orelse named("ask to be woken", fun() -> write(Asleep, true) end),
    named("sleep", fun() -> wait_while(Asleep, true) end).

release(#{key := Key}) ->
    Asleep = <<Key/binary, ".asleep">>,
    named("give back", fun() ->
        atomic([Key, Asleep], fun(#{Key := Taken} = State) ->
            {ok, State#{Key := Taken - 1, Asleep := absent}}
        end)
    end).

number(absent) -> 0;
number(Taken) -> Taken.

%% The file beside this one, compiled in memory.
load(Module) ->
    File = filename:join(filename:dirname(escript:script_name()), Module),
    {ok, Module, Code} = compile:file(File, [binary]),
    {module, Module} = code:load_binary(Module, File, Code).
