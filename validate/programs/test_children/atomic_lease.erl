#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1

%% A lease that is taken in one step, as atomic_lease.py.
-module(atomic_lease).
-mode(compile).
-export([main/1]).
-import(lockkeeper_client, [atomic/2]).
-define(TTL, 2).

main([Mode]) ->
    load(lockkeeper_client),
    lockkeeper_client:serve(#{stateless => true,
                              operations => #{acquire => fun(Op) -> acquire(Op, Mode) end,
                                              release => fun release/1}}).

load(Module) ->
    File = filename:join([filename:dirname(escript:script_name()), "../../../examples/outside",
                          Module]),
    {ok, Module, Code} = compile:file(File, [binary]),
    {module, Module} = code:load_binary(Module, File, Code).

acquire(#{client := Client}, Mode) ->
    Take = fun
        (#{<<"db">> := absent} = State, Now) when Mode =:= "right" ->
            {Now + ?TTL, State#{<<"db">> := Client}, #{<<"db">> => ?TTL}};
        (#{<<"db">> := absent} = State, Now) -> {Now + ?TTL, State#{<<"db">> := Client}};
        (_, _) -> throw(refused)
    end,
    {answer, #{until => atomic([<<"db">>], Take)}}.

release(#{client := Client}) ->
    atomic([<<"db">>], fun
        (#{<<"db">> := Owner} = State) when Owner =:= Client -> {ok, State#{<<"db">> := absent}};
        (_) -> throw(not_held)
    end).
