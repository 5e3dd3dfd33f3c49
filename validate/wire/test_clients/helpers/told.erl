#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1 +sbwt none

%% Says what its operations are given: keys, number, weight. Those of "plain" know no weight.
-module(told).
-mode(compile).
-export([main/1]).

main(_) ->
    {ok, _, Helper} = compile:file(filename:join([filename:dirname(escript:script_name()), "../../../../examples/wire/lockkeeper_wire.erl"]), [binary]),
    {module, _} = code:load_binary(lockkeeper_wire, "lockkeeper_wire.erl", Helper),
    lockkeeper_wire:serve(fun setup/1).

setup("plain") -> #{acquire => fun() -> true end, release => fun() -> true end};
setup(Keys) ->
    Told = fun(Given) -> {error, list_to_atom(lists:flatten(lists:join(" ", [joined(Keys) | [io_lib:format("~p", [One]) || One <- Given]])))} end,
    #{acquire => fun(Number, Weight) -> Told([Number, Weight]) end,
      release => fun(_, Weight) -> Told([Weight]) end,
      look => fun() -> Told([]) end,
      watch => fun() -> lockkeeper_wire:lost(Keys), Told([]) end}.

joined([First | _] = Keys) when is_list(First) -> lists:join("+", Keys);
joined(Key) -> Key.
