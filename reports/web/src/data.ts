// SPDX-License-Identifier: Apache-2.0

// What the page and the explorer read. In the page's <script id="data"> stands the document that
// `--format json` prints (reports/schema/); here are those of its keys that the page uses.
//
// Conventions:
// - Optional keys (`?`) are left out where they would be empty, false or null: runs can have
//   100,000 steps.
// - Steps are counted from 1. Step 0 is the state before the first step.
// - Parties, keys, fields, runs and operations are named by their index in the list of that name,
//   counted from 0.
// - Every text may contain anything, markup included. The page never uses a text as markup.
// - Texts are for readers. Nothing is decided by the words in them.

// Keys that the page does not use.
interface More {
    [key: string]: unknown;
}

export type PageDocument = ResultDocument | MeasureDocument | HistoryDocument | ServerDocument | AgainstDocument;

interface Head extends More {
    command: string; // "explore", "run", "fuzz", "replay", "measure", "validate", ...
    version?: string; // of Lockkeeper
    commit?: string;
}

export interface ResultDocument extends Head {
    result_version: number;
    violations: FoundViolation[];
    files: ResultFile[];
}

export interface MeasureDocument extends Head {
    measure_version: number;
    files: MeasuredFile[];
}

export interface ServerDocument extends Head {
    validate_server_version: number;
    scenarios: (More & {file: string; verdict: Verdict; reason?: string; schedules: number; difference?: More & {text: string}})[];
}

// A lock beside a reference. `run`: of the worst difference, if there is one.
export interface AgainstDocument extends Head {
    validate_against_version: number;
    compared: (More & {file: string; error?: string; verdict?: Verdict; schedules?: number; difference?: string; replay?: string; schedule?: string; run?: RunParts})[];
}

export type Verdict =
    | 'passed' | 'violated' | 'stuck' | 'unreached' | 'inconclusive' | 'diverged'
    | 'not deterministic' | 'disagreement' | 'error' | 'measured' | 'exceeded'
    | 'agrees' | 'differs' | 'not expressible' | 'equal' | 'undecided' | 'stricter' | 'looser' | 'wrong';

// One file of several; null and absent mean the same.
export interface FileRow {
    file: string;
    system?: string | undefined;
    variant?: string | undefined;
    verdict: Verdict;
    met?: boolean | null; // `run`: the expectation is met
    difference?: string | null; // the first difference from the expectation
    detail?: string;
    scope?: string;
    states?: number | null;
    schedules?: number | null;
    seconds?: number;
    replay?: string | undefined;
    runs?: number[];
}

// `most`: of callers in each group; null: any number.
export interface ProofRow {
    example: string;
    combinations: number;
    most: (number | null)[];
}

export interface ProofPicture {
    groups: string[];
    rows: ProofRow[];
    rows_left_out: number;
}

export interface ResultFile extends FileRow, Partial<Omit<RunParts, 'trace' | 'overlaps'>>, More {
    every_number?: More & {picture?: ProofPicture | null} | null; // of `prove`
    trace: Step[] | null; // of `replay`, and so are the other keys of a run
    overlaps: Overlap[] | null;
    schedule?: string;
    repeat?: string;
}

export interface FoundViolation extends RunParts, More {
    file: string;
    property: string | null;
    number: number | null;
    steps: number;
    replay: string;
    schedule: string;
    difference?: string;
    nearest?: RunParts & {differs_at: number; ends: boolean; replay: string; schedule: string};
}

// ---- a run ---------------------------------------------------------------------------------

// A run as documents have it. Without `parties` it was replayed without words, and is not shown.
export interface RunParts {
    properties?: PropertyRow[]; // all that were judged in this run
    parties?: Party[];
    keys?: string[]; // the names of what is locked
    fields?: Field[];
    initial_state: string; // in one line: "db [1,0] highest 2  held by A1"
    initial_values?: Value[]; // of each field
    trace: Step[];
    operations?: OperationRow[];
    messages?: Message[];
    overlaps: Overlap[];
    cycle_from?: number | null; // livelock: the steps from this one to the last repeat for ever
    divergences?: {step: number; reason: string}[];
}

// A run that is shown.
export type Run = Required<Omit<RunParts, 'cycle_from' | 'divergences'>> & Pick<RunParts, 'divergences'> & {
    title: string; // "P2 leak in 22 steps"
    file: string;
    replay: string; // a command
    schedule: string; // "lk1:..."
    property?: string; // the name of the one that is violated; absent: nothing is, or nobody can go on
    cycle_from?: number;
    // The nearest run that passes, among the runs shown, and the step at which the two part.
    nearest?: {run: number; differs_at: number; why?: string};
    cut?: string; // what was left out of this run, and why: "20,000 of 84,112 steps"
};

export interface PropertyRow {
    name: string; // "leak"
    number: number; // 2; 100 and more: a promise that a goal is never reached
    severity: 'notice' | 'warning' | 'error' | 'fatal';
    kind: 'always' | 'at rest' | 'eventually' | 'history';
    definition: string;
    doc?: string; // an address of its page in the documentation
}

export interface Party {
    name: string; // "A1", "manager", "clock"
    // `server`: whatever answers the callers. `world`: what is nobody's step: faults, resizes.
    kind: 'caller' | 'server' | 'clock' | 'world';
}

// What a state shows, as named values. A field is one of:
//   believed    caller `party` believes to hold so many locks of `key`
//   granted     the servers' records grant so many locks of `key`; with `party`: to that caller
//   protected   so many of the locks that `party` believes to hold of `key` are his alone: an
//               effect under them is safe now
//   counter     the counter of place number `place` (from 1) of `key`; null: there is none
//   capacity    so many locks of `key` may be held at once; null: not known
//   counted     units of `key` that are in use by the counters, cap marks apart
//   references  what the servers would free of `key` if `party` died
//   clock       virtual time in the scenario's units
//   dead, calling, finished    of `party`: 0 or 1
//   at rest     nothing is in flight: properties at rest are judged; 0 or 1
//   in flight   messages from `party` that have not arrived
//   other       anything that only this system has: "highest", "lease until"
export type FieldKind =
    | 'believed' | 'granted' | 'protected' | 'counter' | 'capacity' | 'counted' | 'references' | 'clock'
    | 'dead' | 'calling' | 'finished' | 'at rest' | 'in flight' | 'other';

export interface Field {
    name: string; // "A1 believes to hold db", "db[1]"
    kind: FieldKind;
    party?: number;
    key?: number;
    place?: number;
}

export type Value = number | string | null;

export type StepKind = 'step' | 'background' | 'crash' | 'resize' | 'fault' | 'disturbance' | 'time';

export interface Step {
    action: string; // "s0", as in the schedule
    text: string; // "A1 acquire: update_counter db[1]"
    result: string; // "-> 2, full"
    state: string; // the state after it, in one line
    violates: string[]; // names of properties
    cause: boolean; // decisive: the violation needs this decision
    party: number; // who acts; of a message that arrives: who handles it
    kind: StepKind;
    label?: string; // `text` without the party and its operation: "update_counter db[1]"
    changes?: [number, Value][]; // fields that have another value after it
    events?: EventName[];
    fault?: string; // what went wrong: "the answer is lost"
    token?: number; // of a grant: its fencing token
    also_violates?: string[]; // others that were judged
    source?: string; // "impl/canal/acquire.hpp:112"
    doc?: string; // an address of its page in the documentation
}

export type EventName =
    | 'invoked' | 'acquired' | 'refused' | 'released' | 'failed' | 'done' | 'granted' | 'lost'
    | 'took a unit' | 'gave a unit back' | 'effect' | 'effect refused' | 'crashed' | 'resized'
    | 'expired' | 'went wrong' | 'overlap' | 'unprotected effect' | 'foreign removal' | 'false ok'
    | 'false error' | 'token repeated' | 'stale read' | 'told late' | 'free late' | 'effect repeated'
    | 'foreign release' | 'caller died' | 'servers died';

export interface OperationRow {
    party: number;
    name: string; // "acquire"
    key?: number;
    call: number; // the step that calls
    return?: number; // the step that returns; absent: it never does
    // info: the caller died inside, nobody knows. open: the run ends first.
    outcome: 'ok' | 'fail' | 'info' | 'open';
    detail?: string; // "count 1", "full"
}

export interface Message {
    from: number; // a party
    to: number; // a party
    sent: number; // a step
    arrives?: number; // a step; absent: still under way at the end
    lost?: boolean; // at `arrives`
    down?: boolean; // word of a death
    text: string; // "lock db"
}

// Two hold what exclude each other, from the state after step `first_step` to that after `last_step`.
export interface Overlap {
    of: 'beliefs' | 'grants';
    first_step: number;
    last_step: number;
    from?: number; // virtual time
    until?: number;
    ended: boolean; // false: it is there when the run ends
}

// ---- rates ---------------------------------------------------------------------------------

// null of a figure's parts: infinite.
export interface Figure {
    value: number | null;
    low: number | null;
    high: number | null;
}

export interface MeasuredProperty extends More {
    property: string;
    per_run: Figure;
    count_per_run: Figure;
    per_acquire: Figure | null;
    fraction_of_time: Figure | null;
}

export interface MeasuredResult extends More {
    method: string;
    complete: boolean;
    limit: string;
    properties: MeasuredProperty[];
    acquires_per_run: Figure;
    states: number;
    runs: number;
}

export interface Forecast extends More {
    acquires_per_second: number;
    capacity: number;
    share: number;
    units_per_day: Figure;
    seconds_to_seizure: Figure;
    restart_seconds: Figure;
    events_per_day: Record<string, Figure>;
}

export interface MeasuredPoint extends More {
    system: string;
    variant: string;
    at: Record<string, number>; // the swept parameters
    result: MeasuredResult;
    forecast: Forecast | null;
}

export interface MeasuredFile extends More {
    file: string;
    verdict: Verdict;
    detail: string;
    scope: string;
    law: More & {text: string; from: string};
    warnings: string[];
    measured: string[];
    points: MeasuredPoint[];
    max_rate: {property: string; bound: number; rate: Figure; method: string; met: boolean | null}[];
    repeat: string;
    seconds: number;
}

// ---- a recorded history --------------------------------------------------------------------

export interface HistoryDocument extends Head {
    history_version: number;
    model: string;
    calls: HistoryCalls;
    explanations: ({
        key: string | null;
        verdict: 'passed' | 'violated' | 'inconclusive';
        prefix: Invocation[];
        unplaced: Invocation | null;
        reason: string;
        holders: string; // who holds after the prefix
    } & More)[];
    ladder: Rung[];
    tightest: string | null; // the tightest contract that is satisfied
}

interface Invocation extends More {
    record: number;
}

// Operations in columns, one entry an operation, in the order of their calls.
export interface HistoryCalls {
    unit: string; // of the times: "ns", "ms"; "records": the order of the file alone is known
    processes: string[];
    functions: string[]; // "acquire"
    keys: string[]; // "": the history has no keys
    process: number[];
    f: number[];
    key: number[];
    call: number[]; // a time
    return: (number | null)[]; // null: no return was recorded
    // One letter each. o: ok, f: fail, i: info (nobody knows), -: no return.
    outcome: string;
    record: number[]; // where the call stands in the file, from 1
    value?: (string | null)[];
    error?: (string | null)[];
}

// A history that is shown: operations by their place in the columns.
export interface HistoryDetail extends HistoryCalls {
    model: string;
    // Of each key: the order that was found, or the longest prefix of one.
    explanations: HistoryExplanation[];
    ladder: Rung[];
    tightest: string | null;
}

export interface HistoryExplanation {
    key: number;
    verdict: 'passed' | 'violated' | 'inconclusive';
    order: number[]; // operations, in an order that explains them
    unplaced?: number; // the operation that cannot be placed behind them
    reason: string;
    holders: string;
}

export interface Rung extends More {
    name: string;
    contract: string;
    verdict: 'satisfied' | 'violated' | 'inconclusive' | 'not applicable';
    detail: string;
}
