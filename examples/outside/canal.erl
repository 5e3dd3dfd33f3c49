#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! -noinput +S 1

%% Canal lock over a shared store, as canal.py: the repaired algorithm, or with --faithful the
%% published one without its manager. --monitor-late: the manager hears of a caller after it has
%% taken its place.
%%
%% With --published all of the published one: who acquires notifies the manager, who releases waits
%% for the manager's answer, and the manager gives back what the dead held. Where a row is absent
%% that has to be there, the caller dies, or the manager and the program with it.
-module(canal).
-mode(compile).
-export([main/1]).
-import(lockkeeper_client, [read/1, write/2, insert_new/2, cas/3, update_counter/2,
                            update_counter/3, send/2, receive_from/1, receive_from/2]).

-define(MAX_DECR_TRIES, 15).
-define(DIES, {error, 13, badarg}).

main(Flags) ->
    load(lockkeeper_client),
    {Operations, Background} = case Flags of
        ["--faithful"] ->
            {#{acquire => fun acquire_faithful/1, release => fun release_faithful/1}, #{}};
        ["--published"] ->
            {#{acquire => fun acquire_published/1, release => fun release_published/1},
             #{manager => fun() -> manager_published(#{}) end}};
        ["--monitor-late"] ->
            {#{acquire => fun acquire_late/1, release => fun release/1},
             #{manager => fun manager/0}};
        _ ->
            {#{acquire => fun acquire/1, release => fun release/1}, #{manager => fun manager/0}}
    end,
    lockkeeper_client:serve(#{stateless => true, operations => Operations,
                              background => Background}).

%% The file beside this one, compiled in memory.
load(Module) ->
    File = filename:join(filename:dirname(escript:script_name()), Module),
    {ok, Module, Code} = compile:file(File, [binary]),
    {module, Module} = code:load_binary(Module, File, Code).

%% --- Repaired. A row: #{<<"counts">> => [Count], <<"owners">> => #{Client => Places}}. ---

acquire(Op) ->
    tell_manager(Op),  % before there is something to give back
    take(Op).

acquire_late(Op) ->
    Answer = take(Op),
    tell_manager(Op),
    Answer.

tell_manager(#{client := Client, key := Key}) ->
    lockkeeper_client:monitor_client(Client, manager, #{dead => Client, key => Key}).

take(#{client := Client, key := Key, max_per := MaxPer, buckets := Buckets}) ->
    Row = change(Key, fun(#{<<"counts">> := Counts, <<"owners">> := Owners}) ->
        case lists:sum(Counts) >= MaxPer * Buckets of
            true -> leave;
            false ->
                Grown = Counts ++ lists:duplicate(max(0, Buckets - length(Counts)), 0),
                {Filled, [Free | Others]} = lists:splitwith(fun(Each) -> Each >= MaxPer end, Grown),
                #{<<"counts">> => Filled ++ [Free + 1 | Others],
                  <<"owners">> => Owners#{Client => maps:get(Client, Owners, 0) + 1}}
        end
    end),
    Row =/= leave orelse throw(refused),
    {answer, #{count => lists:sum(maps:get(<<"counts">>, Row))}}.

%% Replaces the row by what Edit makes of it (leave: it stays); what Edit returned.
change(Key, Edit) ->
    Old = read(Key),
    Row = Edit(case Old of absent -> #{<<"counts">> => [], <<"owners">> => #{}}; _ -> Old end),
    case Row =:= leave orelse cas(Key, Old, Row) of
        true -> Row;
        false -> change(Key, Edit)
    end.

release(#{client := Client, key := Key}) ->
    give_back(Key, Client, fun(_) -> 1 end).

manager() ->
    #{<<"dead">> := Client, <<"key">> := Key} = receive_from(manager),
    give_back(Key, Client, fun(Held) -> Held end),
    manager().

give_back(Key, Client, HowMany) ->
    change(Key, fun(#{<<"counts">> := Counts, <<"owners">> := Owners}) ->
        case maps:get(Client, Owners, 0) of
            0 -> leave;
            Held ->
                Left = Held - HowMany(Held),
                #{<<"counts">> => lists:reverse(lower(lists:reverse(Counts), Held - Left)),
                  <<"owners">> => case Left of
                      0 -> maps:remove(Client, Owners);
                      _ -> Owners#{Client := Left}
                  end}
        end
    end).

%% From the right: these counts are in reverse.
lower(Counts, 0) -> Counts;
lower([0 | Others], Times) -> [0 | lower(Others, Times)];
lower([Count | Others], Times) -> lower([Count - 1 | Others], Times - 1).

%% --- Published: counters for each bucket, one step each. ---

acquire_faithful(Op) -> walk(Op, 1).

walk(#{key := Key, max_per := MaxPer, buckets := Buckets} = Op, Bucket) ->
    Cap = MaxPer + 1,
    case update_counter(bucket(Key, Bucket), 1, #{most => Cap}) of
        absent ->
            case insert_new(bucket(Key, Bucket), 1) of
                true ->
                    raise(Key, Bucket) =/= absent orelse throw(?DIES),
                    {answer, #{count => (Bucket - 1) * MaxPer + 1}};
                false -> walk(Op, Bucket)
            end;
        Cap when Bucket =:= Buckets -> throw(refused);
        Cap when Bucket < Buckets -> walk(Op, Bucket + 1);
        Position -> {answer, #{count => (Bucket - 1) * MaxPer + Position}}
    end.

raise(Key, 1) -> write(bucket(Key, highest), 1);
raise(Key, _) -> update_counter(bucket(Key, highest), 1).

bucket(Key, Name) -> iolist_to_binary([Key, $., io_lib:format("~w", [Name])]).

release_faithful(#{key := Key, max_per := MaxPer}) -> subtract(Key, MaxPer).

subtract(Key, MaxPer) ->
    case read(bucket(Key, highest)) of
        absent -> throw(?DIES);
        Highest -> subtract(Key, MaxPer, Highest)
    end.

subtract(Key, MaxPer, Bucket) ->
    case update_counter(bucket(Key, Bucket), -1) of
        absent -> throw(?DIES);
        MaxPer -> subtract_mark(Key, MaxPer, Bucket, ?MAX_DECR_TRIES);
        Count when Count > MaxPer -> throw(?DIES);
        Count when Count >= 0 -> ok;
        _ ->
            update_counter(bucket(Key, Bucket), 1),
            Bucket =:= 1 orelse subtract(Key, MaxPer, Bucket - 1)
    end.

%% The unit was the mark "full": now a real one.
subtract_mark(Key, _, Bucket, 0) ->
    update_counter(bucket(Key, Bucket), -2, #{least => 0});
subtract_mark(Key, MaxPer, Bucket, Tries) ->
    case update_counter(bucket(Key, Bucket), -1, #{least => 0}) of
        Count when Count < MaxPer -> ok;
        MaxPer -> subtract_mark(Key, MaxPer, Bucket, Tries - 1);
        _ -> throw(?DIES)
    end.

%% --- With its manager. Messages of one sender arrive in order, its death behind them. ---

acquire_published(#{client := Client, key := Key, max_per := MaxPer} = Op) ->
    Answer = walk(Op, 1),
    send(manager, #{lock => Key, caller => Client, max_per => MaxPer}),
    Answer.

release_published(#{client := Client, key := Key, max_per := MaxPer}) ->
    subtract(Key, MaxPer),
    send(manager, #{unlock => Key, caller => Client}),
    receive_from(Client).

%% References: how many of each [Caller, Key]; it does not matter which one goes. What the manager
%% knows is told, because it decides how the manager goes on.
manager_published(References) ->
    Local = [Pair ++ [Count] || {Pair, Count} <- lists:sort(maps:to_list(References))],
    manager_published(case receive_from(manager, Local) of
        #{<<"lock">> := Key, <<"caller">> := Client, <<"max_per">> := MaxPer} ->
            lockkeeper_client:monitor_client(Client, manager,
                                             #{down => Key, caller => Client, max_per => MaxPer}),
            References#{[Client, Key] => maps:get([Client, Key], References, 0) + 1};
        #{<<"unlock">> := Key, <<"caller">> := Client} ->
            send(Client, ok),
            without([Client, Key], References);
        #{<<"down">> := Key, <<"caller">> := Client, <<"max_per">> := MaxPer} ->
            is_map_key([Client, Key], References) andalso subtract(Key, MaxPer),
            without([Client, Key], References)
    end).

without(Pair, References) ->
    case References of
        #{Pair := Count} when Count > 1 -> References#{Pair := Count - 1};
        _ -> maps:remove(Pair, References)
    end.
