#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1 +sbwt none

%% A lock in Erlang, by a socket: SET NX PX, and scripts that compare before they delete or extend.
%% `--release-anybody`: the release deletes whoever's key it is.
-module(set_nx_px).
-mode(compile).
-export([main/1]).

-define(TEN_SECONDS, "10000").

main(Flags) ->
    Directory = filename:dirname(escript:script_name()),
    {ok, Module, Code} = compile:file(filename:join(Directory, "lockkeeper_wire"), [binary, report]),
    {module, Module} = code:load_binary(Module, "lockkeeper_wire.erl", Code),
    lockkeeper_wire:serve(fun(Key) -> lock(Key, lists:member("--release-anybody", Flags)) end).

lock(Key, ReleasesAnybody) ->
    {ok, Host} = inet:parse_address(os:getenv("REDIS_HOST")),
    {ok, Redis} = gen_tcp:connect(Host, list_to_integer(os:getenv("REDIS_PORT")),
                                  [binary, {active, false}, {packet, line}]),
    Token = integer_to_list(rand:uniform(1 bsl 60)),
    Ask = fun(Words) -> ask(Redis, Words) end,
    Release = case ReleasesAnybody of
        true -> fun() -> Ask(["DEL", Key]), true end;
        false -> fun() -> Ask(["EVAL", compare_and("'DEL', KEYS[1]"), "1", Key, Token]) =:= <<":1">> end
    end,
    #{acquire => fun() -> Ask(["SET", Key, Token, "NX", "PX", ?TEN_SECONDS]) =:= <<"+OK">> end,
      release => Release,
      renew => fun() ->
          Ask(["EVAL", compare_and("'PEXPIRE', KEYS[1], " ?TEN_SECONDS), "1", Key, Token]) =:= <<":1">>
      end}.

compare_and(Call) ->
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call(" ++ Call ++ ") else return 0 end".

ask(Redis, Words) ->
    ok = gen_tcp:send(Redis, [io_lib:format("*~b\r\n", [length(Words)]) |
                              [io_lib:format("$~b\r\n~s\r\n", [length(Word), Word]) || Word <- Words]]),
    {ok, Line} = gen_tcp:recv(Redis, 0),
    case string:trim(Line) of
        <<"-", Error/binary>> -> error({redis, Error});
        Answer -> Answer
    end.
