%% SPDX-License-Identifier: Apache-2.0

%% The program's side of Lockkeeper's protocol (docs/reference/protocol.md), to be copied into a
%% project.
%%
%% serve(#{operations => #{acquire => fun acquire/1, release => fun release/1}}) runs the
%% operations. Each gets the message's body as a map, with the caller as `client`, and runs in a
%% process of its own. {answer, Map} as its result adds to the answer, throw(refused) says full,
%% throw(not_held) not (any more) the caller's, throw({error, Code, Text}) another error. These are
%% answers of the lock. An error of the runtime system, as a badmatch, is a mistake in the script: it
%% ends the command without a verdict. Every other exception ends the program, which counts against
%% the lock (docs/reference/program_rules.md).
%%
%% The functions below ask before each access. At the stepped level the harness owns what is stored,
%% and decides whose turn it is: one process runs at a time, up to its next question. At the
%% black-box level this file keeps the store, in `data_dir` where `durable`, and processes run as
%% they like.
%%
%% Also in the map of serve(): `background`, functions without arguments by name; `stateless`;
%% `durable`; and the hooks on_start(Init), on_reset() and on_crash(Client). parameters() are the
%% scenario's numbers. A script needs the line `%%! -noinput`: stdin belongs to this file.
%%
%% JSON: objects are maps with binaries as keys, texts are binaries. Atoms are written as texts.
-module(lockkeeper_client).
-export([serve/1, parameters/0, read/1, write/2, write/3, insert_new/2, insert_new/3, cas/3, cas/4,
         delete/1, delete/2, expire/2, expire/3, update_counter/2, update_counter/3, await/2,
         wait_while/2, wait_until/2, clock/0, access/1, send/2, receive_from/1, receive_from/2,
         monitor_client/3, together/1, named/2, atomic/2]).

-define(LINE_BYTES_MAX, 65536).
-define(DEPTH_MAX, 32).

%% --- What an operation may ask. Ttl: vanishes so many ticks later. Old: if that is stored. ---

read(Key) -> value(read, #{key => Key}).
write(Key, Value) -> write(Key, Value, #{}).
write(Key, Value, Ttl) -> value(write, ending(Ttl, #{key => Key, value => Value})).
%% True when it was stored, removed, or its end set.
insert_new(Key, Value) -> insert_new(Key, Value, #{}).
insert_new(Key, Value, Ttl) -> did(insert_new, ending(Ttl, #{key => Key, value => Value})).
delete(Key) -> did(delete, #{key => Key}).
delete(Key, Old) -> did(delete, #{key => Key, from => Old}).
expire(Key, Ttl) -> did(expire, #{key => Key, ttl => Ttl}).
expire(Key, Ttl, Old) -> did(expire, #{key => Key, ttl => Ttl, from => Old}).
%% Old: `absent` where nothing may be stored.
cas(Key, Old, New) -> cas(Key, Old, New, #{}).
cas(Key, absent, New, Ttl) ->
    did(cas, ending(Ttl, #{key => Key, from => null, to => New, create_if_not_exists => true}));
cas(Key, Old, New, Ttl) -> did(cas, ending(Ttl, #{key => Key, from => Old, to => New})).
%% The new number, or `absent`. Limits: least, most, create_if_not_exists.
update_counter(Key, Add) -> update_counter(Key, Add, #{}).
update_counter(Key, Add, Limits) -> value(update_counter, Limits#{key => Key, add => Add}).
await(Key, Value) -> value(await, #{key => Key, value => Value}).
%% While Value is stored (`absent`: nothing is): then what is stored instead.
wait_while(Key, absent) -> await(Key, null);
wait_while(Key, Value) ->
    case await(Key, Value) of null -> absent; Stored -> Stored end.
%% Looks at what is stored, and again when that has changed, until Condition(Value).
wait_until(Key, Condition) -> wait_until(Key, Condition, read(Key)).
wait_until(Key, Condition, Value) ->
    case Condition(Value) of
        true -> Value;
        false -> wait_until(Key, Condition, wait_while(Key, Value))
    end.
clock() -> value(now, #{}).
access(What) -> value(access, #{what => What}).
send(To, Message) -> value(send, #{to => To, message => Message}).
receive_from(Mailbox) -> value('receive', #{mailbox => Mailbox}).
%% Local: everything else that decides how the process goes on.
receive_from(Mailbox, Local) -> value('receive', #{mailbox => Mailbox, local => Local}).
%% Once the client is dead the message comes from it.
monitor_client(Client, Mailbox, Message) ->
    value(monitor, #{client => Client, mailbox => Mailbox, message => Message}).

%% Runs these functions at once, each in a process: their results.
together([]) -> [];
together(Functions) ->
    Name = get({?MODULE, name}),
    ?MODULE ! {together, self(), [fun() -> put({?MODULE, name}, Name), F() end || F <- Functions]},
    receive
        {answer, {failed, Thrown}} -> throw(Thrown);
        {answer, Results} -> Results
    end.

%% What Function asks has this name in reports: named("is it free?", fun() -> read(Key) end).
named(Name, Function) ->
    Text = if is_list(Name); is_binary(Name) -> unicode:characters_to_binary(Name); true -> none end,
    is_binary(Text) andalso byte_size(Text) > 0 andalso byte_size(Text) =< 256
        orelse error({badarg, "the name of a step is no text of 1 to 256 bytes"}),
    Before = put({?MODULE, name}, Text),
    try Function() after put({?MODULE, name}, Before) end.

%% One step: Function(State), or Function(State, Now), gets what is stored under the keys, as a map
%% (`absent`: nothing is), and returns {Result, State}, or {Result, State, #{Key => Ttl}} for what
%% vanishes Ttl ticks later. Gives Result. What it throws undoes its changes.
atomic(Keys, Function) ->
    Clock = is_function(Function, 2),
    Answer = ask(atomic, maps:from_list([{keys, Keys} | [{clock, true} || Clock]])),
    Values = maps:get(<<"values">>, Answer),
    Seen = maps:from_list([{Key, maps:get(Key, Values, absent)} || Key <- Keys]),
    put({?MODULE, atomic}, true),
    {Outcome, Steps} =
        try apply(Function, [Seen | [maps:get(<<"now">>, Answer) || Clock]]) of
            {Result, State} -> {{ok, Result}, changes(Seen, State, #{})};
            {Result, State, Ttls} -> {{ok, Result}, changes(Seen, State, Ttls)};
            _ -> error({badarg, "the function of an atomic step returns no {Result, State}"})
        catch throw:Thrown -> {{thrown, Thrown}, []}
        after erase({?MODULE, atomic})
        end,
    ?MODULE ! {commit, self(), Steps},
    case Outcome of {ok, Value} -> Value; {thrown, Reason} -> throw(Reason) end.

changes(Seen, State, Ttls) ->
    case (maps:keys(State) ++ maps:keys(Ttls)) -- (maps:keys(Seen) ++ maps:keys(Seen)) of
        [] -> ok;
        [Key | _] -> error({badkey, {"no key of this atomic step", Key}})
    end,
    Steps = maps:fold(fun(Key, Old, Before) ->
        Ttl = case Ttls of #{Key := Ticks} -> #{ttl => Ticks}; #{} -> #{} end,
        Before ++ case maps:get(Key, State, absent) of
            Old when Ttl =:= #{} -> [];
            Old -> [Ttl#{type => expire, key => Key}];
            absent -> [#{type => delete, key => Key}];
            New -> [Ttl#{type => write, key => Key, value => New}]
        end
    end, [], Seen),
    _ = to_json(Steps),  % what cannot be written fails here
    Steps.

parameters() -> persistent_term:get({?MODULE, parameters}, #{}).

ending(Ttl, Body) when is_integer(Ttl) -> Body#{ttl => Ttl};
ending(#{}, Body) -> Body.

did(Kind, Body) -> value(Kind, Body) =/= absent.

value(Kind, Body) ->
    case ask(Kind, Body) of
        #{<<"type">> := <<"error">>, <<"code">> := Code} when Code >= 20, Code =< 22 -> absent;
        #{<<"type">> := <<"error">>, <<"code">> := Code} = Answer ->
            throw({error, Code, maps:get(<<"text">>, Answer, <<>>)});
        #{<<"message">> := Message} -> Message;
        Answer -> maps:get(<<"value">>, Answer, true)
    end.

ask(Kind, Body) ->
    get({?MODULE, atomic}) =:= undefined
        orelse error({badarg, {"inside of an atomic step, which has only its state", Kind}}),
    _ = to_json(Body),  % what cannot be written fails here, where it is asked
    Named = case get({?MODULE, name}) of undefined -> Body; Name -> Body#{name => Name} end,
    ?MODULE ! {ask, self(), Named#{type => Kind}},
    receive
        {answer, later} -> timer:sleep(1), ask(Kind, Body);
        {answer, Answer} -> Answer
    end.

%% --- The server: lines in, lines out. `tasks`: the processes of operations, by pid; `asked`: who
%% --- waits for which answer; `parts`: who waits for parts, how many are missing, their results.

serve(Given) ->
    init:get_argument(noinput) =/= error orelse stop("a script needs the line: %%! -noinput", []),
    register(?MODULE, self()),
    Options = maps:merge(#{operations => #{}, background => #{}, stateless => false,
                           durable => false, on_start => fun(_) -> ok end,
                           on_reset => fun() -> ok end, on_crash => fun(_) -> ok end}, Given),
    Port = open_port({fd, 0, 1}, [binary, eof, {line, ?LINE_BYTES_MAX + 1}]),
    State = #{port => Port, operations => by_text(operations, Options),
              background => by_text(background, Options), options => Options, is_stepped => true,
              tasks => #{}, asked => #{}, parts => #{}, count => 0, lines => [], store => #{},
              file => none},
    try loop(State) catch Class:Reason:Stack -> fail({Class, Reason, Stack}, <<>>, State) end.

by_text(Name, Options) ->
    maps:from_list([{atom_to_binary(Key), F} || {Key, F} <- maps:to_list(maps:get(Name, Options))]).

loop(#{port := Port} = State) ->
    receive
        {Port, {data, {eol, Line}}} -> loop(obey(Line, State));
        {Port, {data, {noeol, Part}}} when byte_size(Part) > ?LINE_BYTES_MAX ->
            stop("a line is longer than ~b bytes", [?LINE_BYTES_MAX]);
        {Port, {data, {noeol, _}}} -> loop(State);  % stdin ends in the middle of a line
        {Port, eof} -> halt(0, [{flush, false}]);
        Event -> loop(flush(none, happened(Event, State)))  % at the black-box level
    end.

stop(Format, Arguments) ->
    io:format(standard_error, "lockkeeper_client: " ++ Format ++ "~n", Arguments),
    halt(1).

%% The program's own code has raised what is no answer: it ends. If that is a mistake, it says what
%% and where: the newest call that is neither in this file nor in OTP, and not a last call, or else
%% the operation.
fail({Class, Reason, Stack}, Operation, #{port := Port}) ->
    io:format(standard_error, "lockkeeper_client: ~tp: ~tp~n~tp~n", [Class, Reason, Stack]),
    is_mistake(Class, Reason) andalso
        (catch port_command(Port, [to_json(#{src => n1, dest => harness, body => #{
            type => failed, text => printed("~w: ~0tp", [Class, Reason], 1000),
            where => where(Stack, Operation)}}), $\n])),
    halt(1).

is_mistake(error, {Kind, _}) -> is_mistake(error, Kind);
is_mistake(error, Kind) ->
    lists:member(Kind, [badarg, badarith, badarity, badfun, badkey, badmap, badmatch, badrecord,
                        case_clause, else_clause, function_clause, if_clause, nocatch, noproc,
                        system_limit, timeout_value, try_clause, undef]);
is_mistake(_, _) -> false.

where(Stack, Operation) ->
    case [Call || {Module, _, _, Place} = Call <- Stack, lists:keymember(line, 1, Place),
                  Module =/= ?MODULE, not is_of_otp(code:which(Module))] of
        [{_, Name, Arity, Place} | _] ->
            printed("~ts:~b in ~tw/~w", [proplists:get_value(file, Place),
                                         proplists:get_value(line, Place), Name, arity(Arity)], 250);
        [] -> Operation
    end.

is_of_otp(Path) -> Path =:= preloaded orelse is_list(Path) andalso lists:prefix(code:root_dir(), Path).

arity(Arguments) when is_list(Arguments) -> length(Arguments);
arity(Arity) -> Arity.

printed(Format, Arguments, Most) ->
    unicode:characters_to_binary(string:slice(io_lib:format(Format, Arguments), 0, Most)).

obey(Line, State) ->
    try from_json(Line) of
        #{<<"body">> := #{<<"in_reply_to">> := Number, <<"type">> := _} = Body} ->
            answered(maps:take(Number, maps:get(asked, State)), Body, State);
        #{<<"src">> := From, <<"body">> := #{<<"type">> := Type} = Body} when is_binary(From) ->
            flush(none, handle(Type, From, Body, State));
        _ -> stop("no message: ~ts", [Line])
    catch
        throw:{bad_json, Why} -> stop("no JSON: ~s in ~ts", [Why, Line]);
        error:badarg -> stop("no JSON: a number that is none, or too large, in ~ts", [Line])
    end.

handle(<<"init">>, _, #{<<"msg_id">> := Number, <<"level">> := Level} = Body, State) ->
    #{options := #{stateless := Stateless, on_start := OnStart}, background := Background} = State,
    persistent_term:put({?MODULE, parameters}, maps:get(<<"parameters">>, Body, #{})),
    OnStart(Body),
    Stepped = Level =:= <<"stepped">>,
    Names = lists:sort([Name || Stepped, Name <- maps:keys(Background)]),
    say(<<"harness">>, #{type => init_ok, in_reply_to => Number, stateless => Stateless,
                         background => Names}, load(Body, State#{is_stepped := Stepped}));
handle(<<"reset">>, _, #{<<"msg_id">> := Number}, #{options := #{on_reset := OnReset}} = State) ->
    Left = end_tasks(fun(_) -> true end, State),
    OnReset(),
    say(<<"harness">>, #{type => reset_ok, in_reply_to => Number}, Left);
handle(<<"crash">>, _, #{<<"client">> := Client}, #{options := #{on_crash := OnCrash}} = State) ->
    Left = end_tasks(fun(#{client := Of}) -> Of =:= Client end, State),
    OnCrash(Client),
    Left;
handle(<<"background">>, _, #{<<"name">> := Name, <<"msg_id">> := Number},
       #{background := Background} = State) when is_map_key(Name, Background) ->
    start(maps:get(Name, Background), #{client => {background, Name}, number => Number}, State);
handle(Type, From, #{<<"msg_id">> := Number} = Body, #{operations := Operations} = State) ->
    case Operations of
        #{Type := Function} ->
            Op = maps:from_list([{key_of(Key), Each} || {Key, Each} <- maps:to_list(Body)]),
            start(fun() -> Function(Op#{client => From}) end,
                  #{client => From, type => Type, number => Number}, State);
        #{} ->
            say(From, #{type => error, in_reply_to => Number, code => 10, text => Type}, State)
    end;
handle(_, _, Body, _) ->
    stop("a message lacks what it needs: ~ts", [to_json(Body)]).

answered(error, Body, _) -> stop("nobody has asked for this: ~ts", [to_json(Body)]);
answered({Pid, Asked}, Body, #{tasks := Tasks} = State) ->
    #{number := Op} = maps:get(Pid, Tasks),
    Pid ! {answer, Body},
    flush(Op, turn(Pid, State#{asked := Asked})).

%% The protocol's own words are atoms; what nobody has named stays a text.
key_of(Text) -> try binary_to_existing_atom(Text) catch error:badarg -> Text end.

start(Function, Task, #{tasks := Tasks} = State) ->
    Pid = spawn(fun() ->
        group_leader(whereis(standard_error), self()),  % what it prints is no answer
        ?MODULE ! {done, self(), result_of(fun() -> writable(Function()) end)}
    end),
    turn(Pid, State#{tasks := Tasks#{Pid => Task}}).

%% An answer that cannot be written fails in the operation.
writable({answer, Map} = Answer) -> _ = to_json(Map), Answer;
writable(Result) -> Result.

result_of(Function) ->
    try {ok, Function()}
    catch
        throw:refused -> {failed, {error, 1000, full}};
        throw:not_held -> {failed, {error, 22, <<"not held">>}};
        throw:{error, Code, Text} -> {failed, {error, Code, Text}};
        Class:Reason:Stack -> {ended, {Class, Reason, Stack}}
    end.

end_tasks(IsOver, #{tasks := Tasks, asked := Asked, parts := Parts} = State) ->
    Left = maps:filter(fun(Pid, Task) -> not (IsOver(Task) andalso exit(Pid, kill)) end, Tasks),
    State#{tasks := Left, parts := maps:with(maps:keys(Left), Parts),
           asked := maps:filter(fun(_, Pid) -> is_map_key(Pid, Left) end, Asked)}.

%% One process goes on up to its next question, or its end.
turn(_, #{is_stepped := false} = State) -> State;
turn(Pid, State) ->
    receive {_, Pid, _} = Event -> happened(Event, State) end.

happened({ask, Pid, Body}, #{is_stepped := false} = State) ->
    {Answer, Next} = access_store(maps:remove(name, Body), State),
    Pid ! {answer, Answer},
    case Body of
        #{type := atomic} -> receive {_, Pid, _} = Event -> happened(Event, Next) end;
        #{} -> Next
    end;
happened({commit, _, Steps}, #{is_stepped := false} = State) ->
    lists:foldl(fun(Step, Before) ->
        {_, After} = access_store(Step, Before),
        After
    end, State, Steps);
happened({commit, Pid, Steps}, #{tasks := Tasks} = State) ->  % belongs to the step before
    #{number := Op} = maps:get(Pid, Tasks),
    turn(Pid, say(<<"harness">>, #{type => commit, op => Op, steps => Steps, more => true}, State));
happened({ask, Pid, Body}, #{count := Count, asked := Asked, tasks := Tasks} = State) ->
    #{number := Op} = maps:get(Pid, Tasks),
    say(<<"harness">>, Body#{msg_id => Count + 1, op => Op},
        State#{count := Count + 1, asked := Asked#{Count + 1 => Pid}});
happened({together, Pid, Functions}, #{tasks := Tasks, parts := Parts} = State) ->
    Task = maps:get(Pid, Tasks),
    Waits = State#{parts := Parts#{Pid => {length(Functions), #{}}}},
    Numbered = lists:zip(lists:seq(1, length(Functions)), Functions),
    lists:foldl(fun({Place, Function}, Before) ->
        start(Function, Task#{part_of => {Pid, Place}}, Before)
    end, Waits, Numbered);
happened({done, Pid, Result}, #{tasks := Tasks} = State) ->
    {Task, Left} = maps:take(Pid, Tasks),
    ended(Task, Result, State#{tasks := Left}).

ended(#{client := {background, Name}}, {ended, Raised}, State) -> fail(Raised, Name, State);
ended(#{client := Client, type := Type}, {ended, Raised}, State) ->
    fail(Raised, <<Type/binary, " of ", Client/binary>>, State);
ended(#{part_of := {Parent, Place}}, Result, #{parts := Parts} = State) ->
    case Parts of
        #{Parent := {1, Results}} ->
            Parent ! {answer, joined(maps:values(Results#{Place => Result}))},
            turn(Parent, State#{parts := maps:remove(Parent, Parts)});
        #{Parent := {Missing, Results}} ->
            State#{parts := Parts#{Parent := {Missing - 1, Results#{Place => Result}}}}
    end;
ended(#{client := {background, Name}}, Result, _) ->
    stop("the background ~ts has ended: ~tp", [Name, Result]);
ended(#{client := Client, number := Number}, {failed, {error, Code, Text}}, State) ->
    say(Client, #{type => error, in_reply_to => Number, code => Code, text => Text}, State);
ended(#{client := Client, number := Number, type := Type}, {ok, Result}, State) ->
    Answer = case Result of {answer, Map} -> Map; _ -> #{} end,
    say(Client, Answer#{type => <<Type/binary, "_ok">>, in_reply_to => Number}, State).

joined(Results) ->
    case [Failed || {failed, Failed} <- Results] of
        [First | _] -> {failed, First};
        [] -> [Result || {ok, Result} <- Results]
    end.

say(To, Body, #{lines := Lines} = State) -> State#{lines := [{To, Body} | Lines]}.

%% Ends the turn: all lines but the last say that more follow. Op: an operation that may have
%% nothing new to say, because it waits for the answers to its other questions.
flush(Op, #{lines := Lines, is_stepped := true} = State) when Op =/= none ->
    IsCommit = fun({_, #{type := Type}}) -> Type =:= commit end,
    flush(none, case lists:all(IsCommit, Lines) of
        true -> say(<<"harness">>, #{type => wait, op => Op}, State);
        false -> State
    end);
flush(_, #{lines := []} = State) -> State;
flush(_, #{lines := [Last | Before], is_stepped := Stepped, port := Port} = State) ->
    More = [{To, case Stepped of true -> Body#{more => true}; false -> Body end}
            || {To, Body} <- Before],
    Text = [[to_json(#{src => n1, dest => To, body => Body}), $\n]
            || {To, Body} <- lists:reverse([Last | More])],
    true = port_command(Port, Text),
    State#{lines := []}.

%% --- The store of the black-box level: #{Key => {Value, End}}. No end: null, greater than numbers.

access_store(#{type := Kind} = Given, #{store := Store} = State) ->
    Now = os:perf_counter(millisecond),  % CLOCK_MONOTONIC
    Fresh = maps:filter(fun(_, {_, End}) -> End > Now end, Store),
    shown_or_stored(Kind, Given, Fresh, Now, State).

shown_or_stored(atomic, #{keys := Keys}, Fresh, Now, State) ->
    Values = maps:map(fun(_, {Value, _}) -> Value end, maps:with(Keys, Fresh)),
    {#{<<"values">> => Values, <<"now">> => Now}, State#{store := Fresh}};
shown_or_stored(Kind, Given, Fresh, Now, State) ->
    Body = maps:map(fun(_, Value) -> from_json(to_json(Value)) end, Given),
    Key = maps:get(key, Body, none),
    case stored(Kind, Body, maps:get(Key, Fresh, absent), Now) of
        {error, Code} -> {#{<<"type">> => <<"error">>, <<"code">> => Code}, State#{store := Fresh}};
        {same, Answer} -> {Answer, State#{store := Fresh}};
        {gone, Answer} -> {Answer, keep(State#{store := maps:remove(Key, Fresh)})};
        {Item, Answer} -> {Answer, keep(State#{store := Fresh#{Key => Item}})}
    end.

stored(now, _, _, Now) -> {same, #{<<"value">> => Now}};
stored(Kind, _, _, _) when Kind =:= access; Kind =:= monitor -> {same, #{}};  % nobody dies here
stored(Kind, _, _, _) when Kind =:= send; Kind =:= 'receive' -> {error, 10};
stored(await, #{value := null}, absent, _) -> {same, later};
stored(await, #{value := Value}, {Value, _}, _) -> {same, later};
stored(await, _, absent, _) -> {same, #{<<"value">> => null}};
stored(await, _, {Value, _}, _) -> {same, #{<<"value">> => Value}};
stored(insert_new, _, {_, _}, _) -> {error, 21};
stored(Kind, #{value := Value} = Body, _, Now) when Kind =:= write; Kind =:= insert_new ->
    {{Value, end_of(Body, Now)}, #{}};
stored(cas, #{create_if_not_exists := true, to := To} = Body, absent, Now) ->
    {{To, end_of(Body, Now)}, #{}};
stored(update_counter, #{create_if_not_exists := true} = Body, absent, Now) ->
    stored(update_counter, Body, {0, null}, Now);
stored(_, _, absent, _) -> {error, 20};
stored(read, _, {Value, _}, _) -> {same, #{<<"value">> => Value}};
stored(_, #{from := From}, {Value, _}, _) when From =/= Value -> {error, 22};
stored(cas, #{to := To} = Body, _, Now) -> {{To, end_of(Body, Now)}, #{}};
stored(delete, _, _, _) -> {gone, #{}};
stored(expire, Body, {Value, _}, Now) -> {{Value, end_of(Body, Now)}, #{}};
stored(update_counter, #{add := Add} = Body, {Value, End}, _) ->
    New = min(max(Value + Add, maps:get(least, Body, Value + Add)), maps:get(most, Body, null)),
    {{New, End}, #{<<"value">> => New}}.

end_of(#{ttl := Ttl}, Now) -> Now + Ttl;
end_of(_, _) -> null.

load(#{<<"data_dir">> := Directory}, #{options := #{durable := true}} = State) ->
    File = filename:join(Directory, "store.json"),
    Kept = case file:read_file(File) of {ok, Text} -> from_json(Text); {error, enoent} -> [] end,
    Store = maps:from_list([{Key, {Value, End}} || [Key, Value, End] <- Kept]),
    State#{file := File, store := Store};
load(_, State) -> State.

%% Written beside and renamed: a crash leaves the old one or the new one.
keep(#{file := none} = State) -> State;
keep(#{file := File, store := Store} = State) ->
    Rows = [[Key, Value, End] || {Key, {Value, End}} <- maps:to_list(Store)],
    ok = file:write_file(<<File/binary, ".new">>, to_json(Rows)),
    ok = file:rename(<<File/binary, ".new">>, File),
    State.

%% --- JSON. ---

to_json(Atom) when is_boolean(Atom); Atom =:= null -> atom_to_binary(Atom);
to_json(Atom) when is_atom(Atom) -> to_json(atom_to_binary(Atom));
to_json(Number) when is_integer(Number) -> integer_to_binary(Number);
to_json(Number) when is_float(Number) -> iolist_to_binary(io_lib:format("~w", [Number]));
to_json(Text) when is_binary(Text) ->
    Escaped = << <<(escaped(Byte))/binary>> || <<Byte>> <= Text >>,
    <<$", Escaped/binary, $">>;
to_json(List) when is_list(List) ->
    iolist_to_binary([$[, lists:join($,, [to_json(Each) || Each <- List]), $]]);
to_json(Map) when is_map(Map) ->
    Members = [[to_json(Key), $:, to_json(Value)] || {Key, Value} <- maps:to_list(Map)],
    iolist_to_binary([${, lists:join($,, lists:sort(Members)), $}]).

escaped(Byte) when Byte =:= $"; Byte =:= $\\ -> <<$\\, Byte>>;
escaped(Byte) when Byte < 32 -> iolist_to_binary(io_lib:format("\\u~4.16.0b", [Byte]));
escaped(Byte) -> <<Byte>>.

%% Throws {bad_json, Why}; badarg, where a number is the reason.
from_json(Text) ->
    {Value, Rest} = value_at(blank(Text), 0),
    blank(Rest) =:= <<>> orelse throw({bad_json, "something behind the value"}),
    Value.

value_at(_, Depth) when Depth > ?DEPTH_MAX -> throw({bad_json, "too many levels"});
value_at(<<"null", Rest/binary>>, _) -> {null, Rest};
value_at(<<"true", Rest/binary>>, _) -> {true, Rest};
value_at(<<"false", Rest/binary>>, _) -> {false, Rest};
value_at(<<$", Rest/binary>>, _) -> text_at(Rest, []);
value_at(<<$[, Rest/binary>>, Depth) ->
    items_at(blank(Rest), $], fun(At) -> value_at(At, Depth + 1) end);
value_at(<<${, Rest/binary>>, Depth) ->
    {Members, Left} = items_at(blank(Rest), $}, fun(At) -> member_at(At, Depth + 1) end),
    {maps:from_list(Members), Left};
value_at(Text, _) ->
    Number = "^(-?(?:0|[1-9][0-9]*))(\\.[0-9]+)?([eE][-+]?[0-9]+)?",
    case re:run(Text, Number, [{capture, all, binary}]) of
        {match, [All | Parts]} -> {number(Parts), behind(byte_size(All), Text)};
        nomatch -> throw({bad_json, "no value"})
    end.

behind(Bytes, Text) -> binary:part(Text, Bytes, byte_size(Text) - Bytes).

number([Whole]) -> binary_to_integer(Whole);
number([Whole, <<>>, Power]) -> number([Whole, <<".0">>, Power]);
number(Parts) -> binary_to_float(iolist_to_binary(Parts)).

items_at(<<Close, Rest/binary>>, Close, _) -> {[], Rest};
items_at(Text, Close, ItemAt) ->
    {Item, Rest} = ItemAt(Text),
    case blank(Rest) of
        <<Close, Left/binary>> -> {[Item], Left};
        <<$,, Left/binary>> ->
            case items_at(blank(Left), Close, ItemAt) of
                {[], _} -> throw({bad_json, "a comma before the end"});
                {Items, End} -> {[Item | Items], End}
            end;
        _ -> throw({bad_json, "no end of a list or an object"})
    end.

member_at(<<$", Rest/binary>>, Depth) ->
    {Key, Behind} = text_at(Rest, []),
    case blank(Behind) of
        <<$:, Left/binary>> ->
            {Value, End} = value_at(blank(Left), Depth),
            {{Key, Value}, End};
        _ -> throw({bad_json, "no colon"})
    end;
member_at(_, _) -> throw({bad_json, "no key"}).

text_at(<<$", Rest/binary>>, Done) -> {unicode:characters_to_binary(lists:reverse(Done)), Rest};
text_at(<<"\\u", High:4/binary, "\\u", Low:4/binary, Rest/binary>> = Text, Done) ->
    case {binary_to_integer(High, 16), binary_to_integer(Low, 16)} of
        {H, L} when H >= 16#D800, H < 16#DC00, L >= 16#DC00, L < 16#E000 ->
            text_at(Rest, [16#10000 + ((H - 16#D800) bsl 10) + (L - 16#DC00) | Done]);
        {H, _} -> text_at(behind(6, Text), [letter(H) | Done])
    end;
text_at(<<"\\u", Code:4/binary, Rest/binary>>, Done) ->
    text_at(Rest, [letter(binary_to_integer(Code, 16)) | Done]);
text_at(<<$\\, Letter, Rest/binary>>, Done) ->
    case #{$" => $", $\\ => $\\, $/ => $/, $b => 8, $f => 12, $n => 10, $r => 13, $t => 9} of
        #{Letter := Meant} -> text_at(Rest, [Meant | Done]);
        #{} -> throw({bad_json, "no such escape"})
    end;
text_at(<<Letter/utf8, Rest/binary>>, Done) when Letter >= 32 -> text_at(Rest, [Letter | Done]);
text_at(_, _) -> throw({bad_json, "a text without its end, or no UTF-8"}).

letter(Code) when Code < 0; Code >= 16#D800, Code < 16#E000 -> throw({bad_json, "half a letter"});
letter(Code) -> Code.

blank(<<B, Rest/binary>>) when B =:= $\s; B =:= $\t; B =:= $\r; B =:= $\n -> blank(Rest);
blank(Rest) -> Rest.
