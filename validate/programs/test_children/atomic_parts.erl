#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1

%% A lock on two replicas, each of which is asked by an atomic step, as atomic_parts.py.
-module(atomic_parts).
-mode(compile).
-export([main/1]).
-import(lockkeeper_client, [atomic/2, together/1]).

main([Mode]) ->
    load(lockkeeper_client),
    Needed = case Mode of "any" -> 1; "all" -> 2 end,
    lockkeeper_client:serve(#{stateless => true,
                              operations => #{acquire => fun(Op) -> acquire(Op, Needed) end,
                                              release => fun release/1}}).

load(Module) ->
    File = filename:join([filename:dirname(escript:script_name()), "../../../examples/outside",
                          Module]),
    {ok, Module, Code} = compile:file(File, [binary]),
    {module, Module} = code:load_binary(Module, File, Code).

replicas(Key) -> [<<Key/binary, ".r", Number>> || Number <- "12"].

take(Name, Client) ->
    atomic([Name], fun(#{Name := Owner} = State) ->
        case Owner of
            absent -> {true, State#{Name := Client}};
            _ -> {false, State}
        end
    end).

give_back(Names) ->
    together([fun() -> atomic([Name], fun(State) -> {ok, State#{Name := absent}} end) end
              || Name <- Names]).

acquire(#{key := Key, client := Client}, Needed) ->
    Won = together([fun() -> take(Name, Client) end || Name <- replicas(Key)]),
    case length([true || true <- Won]) >= Needed of
        true -> ok;
        false ->
            give_back([Name || {Name, true} <- lists:zip(replicas(Key), Won)]),
            throw(refused)
    end.

release(#{key := Key}) ->
    give_back(replicas(Key)).
