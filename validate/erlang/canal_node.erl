%% SPDX-License-Identifier: Apache-2.0

%% Talks with Lockkeeper, line by line over stdin and stdout, and lets the processes of the lock
%% take their steps. Callers and keys are numbers; in what is shown @0 is a caller, #0 a key.
%%
%%   version                             -> the release and the runtime
%%   begin CALLERS KEYS MAX_PER TRIES HAS_MANAGER RETURNS_COUNT OBJECT...
%%                                       a new table and new processes; OBJECT: KEY:BUCKET=COUNTER
%%   call CALLER acquire|release KEY MAX_PER BUCKETS     the call's first step
%%   step CALLER                         its next step
%%   take CALLER KEY|any                 the manager handles the caller's next message
%%   manager                             its next step for the dead
%%   kill CALLER
%% Each answer but that of `version`: what was done, the table, the callers, the references, the
%% manager; with a tab between them. Ends when stdin does.
-module(canal_node).
-export([main/0]).

-define(PATIENCE, 20000).

main() ->
    logger:set_primary_config(level, none),
    Port = open_port({fd, 0, 1}, [binary, eof, {line, 65536}]),
    loop(Port, #{}).

loop(Port, World) ->
    receive
        {Port, {data, {eol, Line}}} ->
            [Command | Words] = string:lexemes(binary_to_list(Line), " "),
            {Answer, Next} = obey(Command, Words, World),
            true = port_command(Port, [Answer, $\n]),
            loop(Port, Next);
        {Port, eof} ->
            halt(0, [{flush, false}])
    end.

obey("version", [], World) ->
    {["Erlang/OTP ", erlang:system_info(otp_release), ", runtime ",
      erlang:system_info(version)], World};
obey("begin", Words, World) ->
    end_all(World),
    shown("begins", begin_world(Words));
obey("call", [Caller, Verb, Key, MaxPer, Buckets], World) ->
    [At, K, M, B] = [list_to_integer(Word) || Word <- [Caller, Key, MaxPer, Buckets]],
    case where(At, World) of
        idle ->
            pid(At, World) ! {call, self(), list_to_existing_atom(Verb), K, M, B},
            go(At, await(At, World));
        Where ->
            shown([text_of_where(Where), ", not idle"], World)
    end;
obey("step", [Caller], World) ->
    go(list_to_integer(Caller), World);
obey("manager", [], World) ->
    go(manager, World);
obey("take", [Caller, Wanted], #{manager := Manager} = World) ->
    Key = case Wanted of
        "any" -> any;
        _ -> list_to_integer(Wanted)
    end,
    case where(manager, World) of
        idle ->
            settle(World),
            Manager ! {take, self(), pid(list_to_integer(Caller), World), Key},
            shown_step("", await(manager, World));
        Where ->
            shown(["the manager is not idle: ", text_of_where(Where)], World)
    end;
obey("kill", [Caller], World) ->
    At = list_to_integer(Caller),
    exit(pid(At, World), kill),
    shown("killed", await(At, World)).

%% -- beginning and ending --

begin_world([Callers, Keys, MaxPer, Tries, HasManager, ReturnsCount | Objects]) ->
    Options = #{
        max_per => list_to_integer(MaxPer),
        max_decr_tries => number_or_atom(Tries),
        has_manager => HasManager =:= "1",
        returns_count => ReturnsCount =:= "1"
    },
    {Manager, Table} = canal_step:start_manager(Options),
    true = ets:insert(Table, [object(Object) || Object <- Objects]),
    Lock = Options#{manager => Manager, table => Table},
    Pids = [begin {Pid, _} = canal_step:start_caller(Lock), Pid end
            || _ <- lists:seq(1, list_to_integer(Callers))],
    Manager ! {callers, self(), Pids},
    Numbers = lists:seq(0, length(Pids) - 1),
    #{
        manager => Manager, table => Table, keys => list_to_integer(Keys), references => #{},
        pids => maps:from_list(lists:zip(Numbers, Pids)),
        numbers => maps:from_list(lists:zip(Pids, Numbers)),
        where => maps:from_list([{At, idle} || At <- [manager | Numbers]])
    }.

object(Text) ->
    [Key, Bucket, Counter] = string:lexemes(Text, ":="),
    {{list_to_integer(Key), number_or_atom(Bucket)}, list_to_integer(Counter)}.

number_or_atom("infinity") -> infinity;
number_or_atom("highest") -> highest;
number_or_atom(Text) -> list_to_integer(Text).

end_all(#{pids := Pids, manager := Manager, where := Where}) ->
    All = [{manager, Manager} | maps:to_list(Pids)],
    [begin
         exit(Pid, kill),
         receive {'DOWN', _, process, Pid, _} -> ok end
     end || {At, Pid} <- All, maps:get(At, Where) =/= dead],
    drop_rests();
end_all(#{}) ->
    ok.

drop_rests() ->
    receive
        {rest, _, _, _, _, _} -> drop_rests()
    after 0 ->
        ok
    end.

%% -- steps --

pid(manager, #{manager := Manager}) -> Manager;
pid(At, #{pids := Pids}) -> maps:get(At, Pids).

where(At, #{where := Where}) -> maps:get(At, Where).

go(At, World) ->
    Where = where(At, World),
    case Where of
        {at, Label} ->
            case Label =/= receive_reply orelse has_answer(At, World) of
                true ->
                    pid(At, World) ! {go, self()},
                    shown_step(text_of_label(Label), await(At, World));
                false ->
                    shown("it waits for the reply", World)
            end;
        _ ->
            shown([text_of_where(Where), ", in no call"], World)
    end.

%% Until the process rests, or has died. The latest result is kept for what is shown.
await(At, #{where := Where} = World) ->
    Pid = pid(At, World),
    receive
        {rest, Pid, Result, Logged, At2, References} when At =:= manager ->
            World#{where := Where#{At := At2}, references := References,
                   result => {Result, Logged, At2}};
        {rest, Pid, Result, Logged, {returned, _} = At2, _} ->
            World#{where := Where#{At := idle}, result => {Result, Logged, At2}};
        {rest, Pid, Result, Logged, At2, _} ->
            World#{where := Where#{At := At2}, result => {Result, Logged, At2}};
        {'DOWN', _, process, Pid, _} when At =:= manager ->
            World#{where := Where#{At := dead}, references := #{}, result => died};
        {'DOWN', _, process, Pid, _} ->
            World#{where := Where#{At := dead}, result => died}
    after ?PATIENCE ->
        exit({does_not_rest, At})
    end.

%% Deaths are told in signals, which take their time: those that have to arrive are waited for.
settle(#{table := Table, references := References, where := Where} = World) ->
    case maps:get(manager, Where) of
        dead ->
            until(fun() -> ets:info(Table, owner) =:= undefined end),
            [until(fun() -> has_answer(At, World) end) || {At, {at, receive_reply}} <-
                maps:to_list(Where)];
        _ ->
            Dead = [Reference || {Reference, {Pid, _}} <- maps:to_list(References),
                                 not is_process_alive(Pid)],
            until(fun() ->
                Told = [Reference || {'DOWN', Reference, _, _, _} <- mailbox(manager, World)],
                Dead -- Told =:= []
            end)
    end.

until(Holds) -> until(Holds, erlang:monotonic_time(millisecond) + ?PATIENCE).
until(Holds, End) ->
    case Holds() orelse erlang:monotonic_time(millisecond) > End of
        true -> ok;
        false -> erlang:yield(), until(Holds, End)
    end.

mailbox(At, World) ->
    case process_info(pid(At, World), messages) of
        {messages, Messages} -> Messages;
        undefined -> []
    end.

has_answer(At, #{manager := Manager} = World) ->
    lists:any(fun({Tag, ok}) -> is_reference(Tag);
                 ({'DOWN', _, process, Pid, _}) -> Pid =:= Manager;
                 (_) -> false
              end, mailbox(At, World)).

%% -- what is shown --

shown_step(Label, #{result := died} = World) ->
    shown([Label, " -> died"], World);
shown_step(Label, #{result := {Result, Logged, Where}} = World) ->
    shown([Label, text_of_result(Result, World),
           case Logged of undefined -> ""; _ -> [", ", atom_to_list(Logged)] end,
           case Where of {returned, Value} -> [", ", text_of_return(Value)]; _ -> "" end], World).

shown(Done, World) ->
    settle(World),
    {lists:join($\t, [Done, table(World), callers(World), references(World), manager(World)]),
     maps:remove(result, World)}.

table(#{table := Table, keys := Keys}) ->
    case ets:info(Table, owner) of
        undefined -> "gone";
        _ -> lists:join(", ", [row(Table, Key) || Key <- lists:seq(0, Keys - 1)])
    end.

row(Table, Key) ->
    Buckets = [Bucket || [Bucket] <- ets:match(Table, {{Key, '$1'}, '_'}), is_integer(Bucket)],
    Numbers = lists:seq(1, lists:max([0 | Buckets])),
    io_lib:format("#~b [~s] highest ~s",
        [Key, lists:join($,, [counter(Table, {Key, Bucket}) || Bucket <- Numbers]),
         counter(Table, {Key, highest})]).

counter(Table, Object) ->
    case ets:lookup(Table, Object) of
        [{_, Counter}] -> integer_to_list(Counter);
        [] -> "-"
    end.

callers(#{pids := Pids} = World) ->
    lists:join(", ", [[io_lib:format("@~b ", [At]), caller(At, where(At, World), World)]
                      || At <- lists:sort(maps:keys(Pids))]).

caller(At, {at, receive_reply} = Where, World) ->
    case has_answer(At, World) of
        true -> text_of_where(Where);
        false -> "waits for the reply"
    end;
caller(_, Where, _) ->
    text_of_where(Where).

references(#{references := References, numbers := Numbers}) ->
    Each = [{maps:get(Pid, Numbers), Key} || {Pid, Key} <- maps:values(References)],
    lists:join(", ", [io_lib:format("@~b #~b x~b", [At, Key, length([1 || O <- Each, O =:= Of])])
                      || {At, Key} = Of <- lists:usort(Each)]).

%% Idle: what it can handle next, of each caller.
manager(World) ->
    case where(manager, World) of
        idle ->
            Messages = mailbox(manager, World),
            ["idle" | [heads(At, Messages, World) || At <- lists:sort(maps:keys(maps:get(pids, World)))]];
        Where ->
            text_of_where(Where)
    end.

heads(At, Messages, #{references := References} = World) ->
    Pid = pid(At, World),
    Own = [Message || Message <- Messages, is_of(Pid, Message, References)],
    case Own of
        [] -> "";
        [{'DOWN', _, _, _, _} | _] ->
            Keys = [element(2, maps:get(Reference, References)) || {_, Reference, _, _, _} <- Own],
            [io_lib:format(", DOWN of @~b #~b", [At, Key]) || Key <- lists:usort(Keys)];
        [Message | _] -> [", ", text_of_message(Message, World)]
    end.

%% A DOWN whose reference has gone has no effect.
is_of(Pid, {lock, Pid, _}, _) -> true;
is_of(Pid, {unlock, Pid, _, _}, _) -> true;
is_of(Pid, {'DOWN', Reference, process, Pid, _}, References) -> is_map_key(Reference, References);
is_of(_, _, _) -> false.

text_of_message({lock, Pid, Key}, #{numbers := Numbers}) ->
    io_lib:format("lock #~b of @~b", [Key, maps:get(Pid, Numbers)]);
text_of_message({unlock, Pid, _, Key}, #{numbers := Numbers}) ->
    io_lib:format("unlock #~b of @~b", [Key, maps:get(Pid, Numbers)]).

text_of_result(undefined, _) -> "";
text_of_result(ok, _) -> "";
text_of_result(sent, _) -> "";
text_of_result({sent, _}, _) -> "";
text_of_result(nothing, _) -> "nothing to handle";
text_of_result({took, {'DOWN', Reference, _, Pid, _}, References}, #{numbers := Numbers}) ->
    {_, Key} = maps:get(Reference, References),
    io_lib:format("DOWN of @~b #~b", [maps:get(Pid, Numbers), Key]);
text_of_result({took, Message, _}, World) -> text_of_message(Message, World);
text_of_result(Result, _) -> io_lib:format(" -> ~p", [Result]).

text_of_return({acquired, Count}) -> io_lib:format("acquired ~b", [Count]);
text_of_return(ok) -> "released";
text_of_return(Word) -> atom_to_list(Word).

text_of_where(idle) -> "idle";
text_of_where(dead) -> "dead";
text_of_where({at, Label}) -> ["next ", text_of_label(Label)].

text_of_label(receive_reply) -> "receive reply";
text_of_label({Word, Key}) -> io_lib:format("~s #~b", [words(Word), Key]);
text_of_label({Word, Key, Bucket}) -> io_lib:format("~s #~b[~b]", [words(Word), Key, Bucket]).

words(read_highest) -> "read highest";
words(subtract_mark) -> "subtract mark";
words(send_unlock) -> "send unlock";
words(Word) -> atom_to_list(Word).
