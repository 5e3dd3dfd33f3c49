%% SPDX-License-Identifier: Apache-2.0

%% Puts a lock's own Erlang client under `lockkeeper validate --wire` (docs/howto/test_unmodified_clients.md).
%%
%%   lockkeeper_wire:serve(fun(Key) -> #{acquire => fun() -> ... end, release => fun() -> ... end} end).
%%   lockkeeper_wire:serve(Setup, fun() -> ... end).   once, on an empty server: what is there when a run begins
%%
%% Setup makes a client of a key, with its operations by name. All are called in one process. Each run
%% has a node of its own: one whose clock goes back ends by itself. An operation that returns false is
%% refused, for a release or a renewal: lost. A number is the moment, in seconds since 1970, until which
%% the lock is held; #{until => _, for => _, token => _} says more, `for` in seconds from now on;
%% {error, Reason} and every exception are errors; whatever else it returns is ok. A release that does
%% not say whether it was in time returns `done`. An operation with a number in the script is given it
%% where it takes an argument; a fun of two arguments is given the weight of the call, too (3 of 10 permits; 1
%% where the script says none). An acquire of fewer arguments is not asked for a weight above 1: the answer is
%% "unsupported". For a call that asks for several keys at once Setup is given a list of them. lost(Key), with
%% what Setup was given, may be called at any time, in any process: a watchdog has seen that the lock is lost.
%% A script needs the line `%%! -noinput +S 1 +sbwt none`: stdin belongs to this file, and a scheduler
%% that waits busily never sleeps. `rand` repeats in each run; `crypto` does not. A node has timers of
%% its own, which wake it for nothing: with `--wakes 0` no wait of a caller ends by time. A host that is
%% given as a text is looked up by a program of its own; give inet:parse_address(Host).
-module(lockkeeper_wire).
-export([serve/1, serve/2, lost/1]).

-define(LINE_BYTES_MAX, 65536).

serve(Setup) -> serve(Setup, none).

serve(Setup, Prepare) ->
    init:get_argument(noinput) =/= error orelse stop("a script needs the line: %%! -noinput +S 1 +sbwt none"),
    os:putenv("ERL_CRASH_DUMP_SECONDS", "0"),  % of a node that ends with its run
    group_leader(whereis(standard_error), self()),  % what the client prints is no answer
    Port = open_port({fd, 0, 1}, [binary, eof, {line, ?LINE_BYTES_MAX}]),
    persistent_term:put(?MODULE, Port),
    say(case Prepare of none -> "ready"; _ -> "ready prepare" end),
    loop(Port, start(Setup, Prepare)).

lost([Key | _]) when is_list(Key) -> lost(Key);  % of one call
lost(Key) -> say(["! lost ", Key]).

say(Line) -> port_command(persistent_term:get(?MODULE), [Line, $\n]).

stop(Text) ->
    io:format(standard_error, "lockkeeper_wire: ~ts~n", [Text]),
    halt(1).

loop(Port, Client) ->
    receive
        {Port, {data, {eol, Line}}} ->
            say(ask(Client, string:lexemes(Line, " "))),
            loop(Port, Client);
        {Port, {data, {noeol, _}}} -> stop("a line has no end");
        {Port, eof} -> halt(0, [{flush, false}])
    end.

start(Setup, Prepare) ->
    spawn(fun() ->
        _ = rand:seed(exsss, {number("LOCKKEEPER_CALLER"), number("LOCKKEEPER_INCARNATION"), 1}),
        client(Setup, Prepare, #{})
    end).

number(Variable) -> list_to_integer(os:getenv(Variable, "0")).

%% What the client was linked to may have ended it.
ask(Client, Words) ->
    Watch = monitor(process, Client),
    Client ! {?MODULE, self(), Words},
    receive
        {?MODULE, Client, Answer} -> demonitor(Watch, [flush]), Answer;
        {'DOWN', Watch, process, Client, Reason} -> failure(Reason)
    end.

client(Setup, Prepare, Locks) ->
    receive
        {?MODULE, From, Words} ->
            {Answer, Next} = try operation(Words, Setup, Prepare, Locks)
                             catch _:Reason -> {failure(Reason), Locks} end,
            From ! {?MODULE, self(), Answer},
            client(Setup, Prepare, Next)
    end.

operation([<<"prepare">> | _], _, Prepare, Locks) when Prepare =/= none -> {answer(prepare, Prepare()), Locks};
operation([Word, First | More], Setup, _, Locks) ->
    Keys = [binary_to_list(First) | lists:append([string:lexemes(binary_to_list(Others), ",") || <<"with=", Others/binary>> <- More])],
    Lock = case Locks of #{Keys := Known} -> Known; #{} -> Setup(case Keys of [Key] -> Key; _ -> Keys end) end,
    Next = Locks#{Keys => Lock},
    case [Run || {Name, Run} <- maps:to_list(Lock), atom_to_binary(Name) =:= Word] of
        [] -> {<<"unsupported">>, Next};
        [Run] -> try {answer(Word, call(Word, Run, number_in(More), weight_in(More))), Next} catch _:Reason -> {failure(Reason), Next} end
    end.

number_in(More) ->
    case [Part || Part <- More, binary:match(Part, <<"=">>) =:= nomatch] of
        [Number | _] -> binary_to_integer(Number);
        [] -> none
    end.

weight_in(More) ->
    case [Weight || <<"weight=", Weight/binary>> <- More] of
        [Weight] -> binary_to_integer(Weight);
        [] -> 1
    end.

call(_, Run, Number, Weight) when is_function(Run, 2) -> Run(Number, Weight);
call(<<"acquire">>, _, _, Weight) when Weight > 1 -> unsupported;
call(_, Run, Number, _) when is_function(Run, 1) -> Run(Number);
call(_, Run, _, _) -> Run().

answer(<<"acquire">>, false) -> <<"refused">>;
answer(_, false) -> <<"lost">>;
answer(_, done) -> <<"done">>;
answer(_, unsupported) -> <<"unsupported">>;
answer(_, {error, Reason}) -> failure(Reason);
answer(_, Until) when is_number(Until) -> granted(#{until => Until});
answer(_, Says) when is_map(Says) -> granted(Says);
answer(_, _) -> <<"ok">>.

granted(Says) ->
    ["ok", [io_lib:format(" ~s=~.6f", [Name, float(maps:get(Name, Says))]) || Name <- [until, for], is_map_key(Name, Says)],
     [io_lib:format(" token=~b", [Token]) || #{token := Token} <- [Says]]].

failure(Reason) ->
    Text = unicode:characters_to_binary(io_lib:format("~0tP", [Reason, 20])),
    [<<"error ">>, binary:replace(binary:part(Text, 0, min(byte_size(Text), 1000)), <<"\n">>, <<" ">>, [global])].
