#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1

%% Mistakes in a lock's own script, through the client library: mistakes.erl MODE, as mistakes.py.
-module(mistakes).
-mode(compile).
-export([main/1]).
-import(lockkeeper_client, [atomic/2, delete/1, named/2, read/1, write/2]).
-include_lib("stdlib/include/assert.hrl").

main([Mode]) ->
    load(lockkeeper_client),
    lockkeeper_client:serve(#{
        stateless => true,
        operations => #{acquire => fun(_) -> acquire(Mode) end,
                        release => fun(_) -> write(<<"db">>, 0) end},
        on_reset => fun() -> Mode =:= "hook" andalso error(badarg) end}).

load(Module) ->
    File = filename:join([filename:dirname(escript:script_name()), "../../../examples/outside",
                          Module]),
    {ok, Module, Code} = compile:file(File, [binary]),
    {module, Module} = code:load_binary(Module, File, Code).

acquire("type") ->
    absent = read(<<"db">>),
    write(<<"db">>, 1);
acquire(Mode) ->
    write(<<"db">>, 1),
    case then(Mode) of  % no last call: it would not be seen where it came from
        {answer, _} = Answer -> Answer;
        _ -> ok
    end.

then("name") -> no_such_module:no_such_function();
then("answer") -> {answer, #{until => self()}};
then("value") -> write(<<"db">>, {1, 2});
then("step-name") -> named(7, fun() -> read(<<"db">>) end);
then("long-name") -> named(binary:copy(<<"x">>, 10000000), fun() -> read(<<"db">>) end);
then("thrown") -> atomic([<<"db">>], fun(_) -> error({badmatch, "in the middle"}) end);
then("other-key") -> atomic([<<"db">>], fun(State) -> {ok, State#{<<"other">> => 1}} end);
then("awaits") -> atomic([<<"db">>], fun(_) -> no_state end);
then("nested") -> atomic([<<"db">>], fun(State) -> {read(<<"db">>), State} end);
then("assertion") -> ?assertEqual(as_the_lock_promises_itself, read(<<"db">>));
then("purpose") -> error({as_the_lock_promises_itself, false});
then("own-error") -> throw({error, 14, <<"the lock says so">>});
then("dies") -> throw({error, 13, <<"the lock says so">>});
then("undone") ->
    delete(<<"db">>),
    atomic([<<"db">>], fun(_) -> throw(refused) end);
then(_) -> ok.
