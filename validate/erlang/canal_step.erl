%% SPDX-License-Identifier: Apache-2.0

%% The processes of the lock, and the one place where they wait for the schedule. A process rests
%% in front of each atomic step, and between calls; it tells the node (canal_node.erl) where, what
%% its latest step returned, and the manager its references.
-module(canal_step).
-export([start_caller/1, start_manager/1, atomic/2, log/1]).

%% Waits for {go, Node}, then does the whole operation.
atomic(Label, Operation) ->
    Node = get(node),
    rest({at, Label}),
    receive
        {go, Node} -> ok
    end,
    Result = Operation(),
    put(result, Result),
    Result.

%% What the lock would write to a log.
log(Word) -> put(logged, Word).

%% Asking whether a process lives returns when what was sent to it before has arrived.
rest(Where) ->
    _ = [is_process_alive(Partner) || Partner <- get(partners)],
    get(node) ! {rest, self(), erase(result), erase(logged), Where, get(references)},
    ok.

start_caller(#{manager := Manager} = Lock) ->
    Node = self(),
    spawn_monitor(fun() ->
        put(node, Node),
        put(partners, [Manager]),
        caller(Node, Lock)
    end).

caller(Node, Lock) ->
    receive
        {call, Node, acquire, Key, MaxPer, Buckets} ->
            rest({returned, canal_lock:acquire(Lock, Key, MaxPer, Buckets)});
        {call, Node, release, Key, MaxPer, _} ->
            rest({returned, canal_lock:release(Lock, Key, MaxPer)})
    end,
    caller(Node, Lock).

%% It owns the table, and tells the node which it is.
start_manager(Options) ->
    Node = self(),
    {Manager, _} = spawn_monitor(fun() ->
        put(node, Node),
        Table = canal_lock:new_table(),
        Node ! {table, self(), Table},
        receive
            {callers, Node, Callers} -> put(partners, Callers)
        end,
        manager(Node, Options#{table => Table}, #{})
    end),
    receive
        {table, Manager, Table} -> {Manager, Table}
    end.

%% The schedule says whose message is handled next, because messages of different senders may
%% arrive in any order; which message of that sender it is, the real mailbox says. `Wanted`: of
%% several DOWN of one caller, which the runtime sends in no certain order, the key.
manager(Node, #{max_per := MaxPer} = Lock, References) ->
    put(references, References),
    receive
        {take, Node, Caller, Wanted} ->
            ignore_unknown(References),
            case next_of(Caller, Wanted, References) of
                nothing ->
                    put(result, nothing),
                    rest(idle),
                    manager(Node, Lock, References);
                Message ->
                    put(result, {took, Message, References}),
                    {Left, Then} = canal_lock:handle(Message, References),
                    put(references, Left),
                    case Then of
                        nothing -> ok;
                        {give_back, Key} -> canal_lock:give_back(Lock, Key, MaxPer)
                    end,
                    rest(idle),
                    manager(Node, Lock, Left)
            end
    end.

%% A DOWN whose reference has gone is handled, too, and has no effect.
ignore_unknown(References) ->
    receive
        {'DOWN', Reference, process, _, _} = Message when not is_map_key(Reference, References) ->
            {References, nothing} = canal_lock:handle(Message, References),
            ignore_unknown(References)
    after 0 ->
        ok
    end.

next_of(Caller, Wanted, References) ->
    {messages, Messages} = process_info(self(), messages),
    Own = [Message || Message <- Messages, is_from(Caller, Message)],
    Fits = [Reference || {'DOWN', Reference, _, _, _} <- Own,
                         maps:get(Reference, References) =:= {Caller, Wanted}],
    case {Own, Fits} of
        {[{'DOWN', _, _, _, _} | _], [Reference | _]} ->
            receive
                {'DOWN', Reference, _, _, _} = Message -> Message
            end;
        _ ->
            receive
                {lock, Caller, _} = Message -> Message;
                {unlock, Caller, _, _} = Message -> Message;
                {'DOWN', _, process, Caller, _} = Message -> Message
            after 0 ->
                nothing
            end
    end.

is_from(Caller, {lock, Caller, _}) -> true;
is_from(Caller, {unlock, Caller, _, _}) -> true;
is_from(Caller, {'DOWN', _, process, Caller, _}) -> true;
is_from(_, _) -> false.
