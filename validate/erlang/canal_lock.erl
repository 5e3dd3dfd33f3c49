%% SPDX-License-Identifier: Apache-2.0

%% The canal lock as published (version 1.0.0), written from its numbered steps and not from the
%% model that it is compared with. It runs on a real ETS table; callers and manager are real
%% processes. Each atomic step stands in atomic(Label, Operation), which waits until the schedule
%% lets it happen (canal_step.erl): the process decides what it does, the schedule only when.
%%
%% Lock: #{table, manager, max_decr_tries, has_manager, returns_count}.
-module(canal_lock).
-export([new_table/0, acquire/4, release/3, give_back/3, handle/2]).
-import(canal_step, [atomic/2, log/1]).

%% Objects: {{Key, Bucket}, Counter} and {{Key, highest}, Bucket}.
new_table() ->
    ets:new(canal_lock, [set, public, {write_concurrency, true}]).

%% Steps 1 to 4.
acquire(Lock, Key, MaxPer, Buckets) ->
    acquire(Lock, Key, MaxPer, Buckets, 1).

acquire(#{table := Table} = Lock, Key, MaxPer, Buckets, Bucket) ->
    Cap = MaxPer + 1,
    case atomic({update_counter, Key, Bucket},
                fun() -> add_capped(Table, {Key, Bucket}, Cap) end) of
        absent -> create(Lock, Key, MaxPer, Buckets, Bucket);
        Cap when Bucket =:= Buckets -> full;
        Cap -> acquire(Lock, Key, MaxPer, Buckets, Bucket + 1);
        Position -> notify(Lock, Key, (Bucket - 1) * MaxPer + Position)
    end.

create(#{table := Table} = Lock, Key, MaxPer, Buckets, Bucket) ->
    case atomic({insert_new, Key, Bucket},
                fun() -> ets:insert_new(Table, {{Key, Bucket}, 1}) end) of
        false ->
            acquire(Lock, Key, MaxPer, Buckets, Bucket);
        true ->
            atomic({register, Key, Bucket}, fun() -> register_bucket(Table, Key, Bucket) end),
            notify(Lock, Key, (Bucket - 1) * MaxPer + 1)
    end.

%% An absent bucket and a table that has vanished are both badarg. Only the first is a step.
add_capped(Table, Object, Cap) ->
    try
        ets:update_counter(Table, Object, {2, 1, Cap, Cap})
    catch
        error:badarg:Stack -> absent = why(Stack)
    end.

why([{ets, _, _, Info} | _]) ->
    case proplists:get_value(error_info, Info) of
        #{cause := badkey} -> absent;
        Other -> Other
    end.

register_bucket(Table, Key, 1) ->
    true = ets:insert(Table, {{Key, highest}, 1}),
    1;
register_bucket(Table, Key, _) ->
    ets:update_counter(Table, {Key, highest}, 1).

notify(#{has_manager := false} = Lock, _, Count) ->
    acquired(Lock, Count);
notify(#{manager := Manager} = Lock, Key, Count) ->
    atomic({notify, Key}, fun() -> Manager ! {lock, self(), Key}, sent end),
    acquired(Lock, Count).

acquired(#{returns_count := true}, Count) -> {acquired, Count};
acquired(_, _) -> acquired.

%% Steps 5 to 10.
release(Lock, Key, MaxPer) ->
    give_back(Lock, Key, MaxPer),
    unlock(Lock, Key).

%% Steps 5 to 9, which the manager runs for the dead.
give_back(#{table := Table} = Lock, Key, MaxPer) ->
    Bucket = atomic({read_highest, Key},
                    fun() -> ets:lookup_element(Table, {Key, highest}, 2) end),
    subtract(Lock, Key, MaxPer, Bucket).

subtract(#{table := Table, max_decr_tries := Tries} = Lock, Key, MaxPer, Bucket) ->
    case atomic({subtract, Key, Bucket},
                fun() -> ets:update_counter(Table, {Key, Bucket}, {2, -1}) end) of
        Count when 0 =< Count, Count < MaxPer -> ok;
        MaxPer -> subtract_mark(Lock, Key, MaxPer, Bucket, Tries);
        Count when Count < 0 -> undo(Lock, Key, MaxPer, Bucket)
    end.

undo(#{table := Table} = Lock, Key, MaxPer, Bucket) ->
    atomic({undo, Key, Bucket},
           fun() ->
               Bucket =:= 1 andalso log(out_of_buckets),
               ets:update_counter(Table, {Key, Bucket}, {2, 1})
           end),
    case Bucket of
        1 -> ok;
        _ -> subtract(Lock, Key, MaxPer, Bucket - 1)
    end.

subtract_mark(#{table := Table}, Key, _, Bucket, 0) ->
    atomic({force, Key, Bucket},
           fun() -> ets:update_counter(Table, {Key, Bucket}, {2, -2, 0, 0}) end),
    ok;
subtract_mark(#{table := Table} = Lock, Key, MaxPer, Bucket, Tries) ->
    case atomic({subtract_mark, Key, Bucket},
                fun() -> ets:update_counter(Table, {Key, Bucket}, {2, -1, 0, 0}) end) of
        MaxPer when Tries =:= infinity -> subtract_mark(Lock, Key, MaxPer, Bucket, infinity);
        MaxPer -> subtract_mark(Lock, Key, MaxPer, Bucket, Tries - 1);
        Count when Count < MaxPer -> ok
    end.

%% As gen_server:call does it: whoever waits dies with the manager.
unlock(#{has_manager := false}, _) ->
    ok;
unlock(#{manager := Manager}, Key) ->
    Call = atomic({send_unlock, Key},
                  fun() ->
                      Reference = monitor(process, Manager),
                      Manager ! {unlock, self(), Reference, Key},
                      {sent, Reference}
                  end),
    {sent, Tag} = Call,
    atomic(receive_reply,
           fun() ->
               receive
                   {Tag, ok} -> demonitor(Tag, [flush]), ok;
                   {'DOWN', Tag, process, Manager, Reason} -> exit(Reason)
               end
           end).

%% The manager and one message of its mailbox. References: #{Reference => {Caller, Key}}.
%% Returns them anew, and the key of which it has to give back a unit.
handle({lock, Caller, Key}, References) ->
    {References#{monitor(process, Caller) => {Caller, Key}}, nothing};
handle({unlock, Caller, Tag, Key}, References) ->
    Own = [Reference || {Reference, Of} <- maps:to_list(References), Of =:= {Caller, Key}],
    Left = case Own of
        [] ->
            log(unexpected_unlock),
            References;
        [Any | _] ->
            demonitor(Any),
            maps:remove(Any, References)
    end,
    Caller ! {Tag, ok},
    {Left, nothing};
handle({'DOWN', Reference, process, _, _}, References) ->
    case maps:take(Reference, References) of
        {{_, Key}, Left} -> {Left, {give_back, Key}};
        error -> {References, nothing}
    end.
