#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1

%% What the client in Erlang can do beside canal.erl: parts.erl all or any (replicas.py, and with
%% --any), memory, no-reset or no-crash (hooks.js), prints, raises.
-module(parts).
-mode(compile).
-export([main/1]).
-import(lockkeeper_client, [access/1, insert_new/2, delete/1, clock/0, together/1]).

main([Mode]) ->
    load(lockkeeper_client),
    ets:new(held, [named_table, public]),
    {Acquire, Release} = case Mode of
        "all" -> {fun(Op) -> acquire(Op, 2) end, fun give_back/1};
        "any" -> {fun(Op) -> acquire(Op, 1) end, fun give_back/1};
        "prints" -> {fun(Op) -> io:format("no answer~n"), acquire(Op, 2) end, fun give_back/1};
        "raises" -> {fun(#{key := Key}) -> access(Key), error({nobody_expects, Key}) end,
                     fun give_back/1};
        _ -> {fun acquire_in_memory/1, fun release_in_memory/1}
    end,
    lockkeeper_client:serve(#{
        stateless => Mode =:= "all" orelse Mode =:= "any", durable => true,
        operations => #{acquire => Acquire, release => Release},
        on_reset => fun() -> Mode =:= "no-reset" orelse ets:delete_all_objects(held) end,
        on_crash => fun(Client) ->
            Mode =:= "no-crash" orelse ets:match_delete(held, {'_', Client})
        end}).

load(Module) ->
    File = filename:join([filename:dirname(escript:script_name()), "../../../examples/outside",
                          Module]),
    {ok, Module, Code} = compile:file(File, [binary]),
    {module, Module} = code:load_binary(Module, File, Code).

replicas(Key) -> [<<Key/binary, ".r", Number>> || Number <- "12"].

acquire(#{key := Key, client := Client}, Needed) ->
    Won = together([fun() -> insert_new(Name, Client) end || Name <- replicas(Key)]),
    case length([true || true <- Won]) >= Needed of
        true -> ok;
        false ->
            together([fun() -> delete(Name) end || {Name, true} <- lists:zip(replicas(Key), Won)]),
            throw(refused)
    end.

give_back(#{key := Key}) ->
    together([fun() -> delete(Name) end || Name <- replicas(Key)]).

acquire_in_memory(#{key := Key, client := Client}) ->
    clock(),
    ets:insert_new(held, {Key, Client}) orelse throw(refused),
    access(leaves).

release_in_memory(#{key := Key}) ->
    access(<<"gives back">>),
    case ets:take(held, Key) of
        [] -> throw(not_held);
        _ -> ok
    end.
