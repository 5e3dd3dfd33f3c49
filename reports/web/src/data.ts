// SPDX-License-Identifier: Apache-2.0

// The contract between the command and the page: what stands as JSON in the page's
// <script id="data">. The command writes exactly this; the page reads nothing else.
//
// Conventions:
// - Optional keys (`?`) are left out where they would be empty, false or null: runs can have
//   100,000 steps.
// - Steps are counted from 1. Step 0 is the state before the first step.
// - Parties, keys, fields, runs and operations are named by their index in the list of that name,
//   counted from 0.
// - Every text may contain anything, markup included. The page never uses a text as markup.
// - Texts are for readers. Nothing is decided by the words in them.

export const kPageVersion = 1;

export interface PageData {
    page_version: number;
    version: string; // of Lockkeeper
    commit: string;
    command: string; // "explore", "run", "fuzz", "replay", "measure", "validate", ...
    summary: Summary;
    // What is shown beside the summary. Each part stands alone; a page has those that it needs.
    files?: FileRow[]; // several files: `run DIR`
    runs?: Run[]; // each violation, and each run that was replayed
    measure?: MeasuredFile[]; // as in measure.schema.json: files[]
    history?: HistoryDetail;
    text?: string; // the report as text, as the terminal shows it; may be cut (then says so)
}

export type Verdict =
    | 'passed' | 'violated' | 'stuck' | 'unreached' | 'inconclusive' | 'diverged'
    | 'not deterministic' | 'disagreement' | 'error' | 'measured' | 'exceeded';

// The first screen. The same words stand as plain HTML in the page, for those without script.
export interface Summary {
    verdict: Verdict;
    title: string; // "violated: P2 leak in 22 steps"
    sentence?: string; // what the property says
    scope: string; // "stopped at the first violation: 2 callers, 0 crashes, 361 states"
    seed?: number;
    file?: string; // the scenario, the history
    system?: string; // "canal/faithful"
    about?: string; // the scenario's own words
    replay?: string; // the command that repeats it
    facts?: [string, string][]; // "distinct states", "361": in the order of the text report
    warnings?: string[]; // limits, what was cut, divergences
}

// One file of several.
export interface FileRow {
    file: string;
    system: string;
    variant: string;
    verdict: Verdict;
    met?: boolean; // `run`: the expectation is met
    difference?: string; // the first difference from the expectation
    detail?: string;
    scope: string;
    states?: number;
    transitions?: number;
    schedules?: number;
    seconds: number;
    replay?: string;
    runs?: number[]; // of PageData.runs
}

// ---- a run ---------------------------------------------------------------------------------

export interface Run {
    title: string; // "P2 leak in 22 steps"
    file: string;
    replay: string; // a command
    schedule: string; // "lk1:..."
    property?: string; // the name of the one that is violated; absent: nothing is, or nobody can go on
    properties: PropertyRow[]; // all that were judged in this run
    parties: Party[];
    keys: string[]; // the names of what is locked
    fields: Field[];
    initial: State;
    steps: Step[];
    operations: OperationRow[];
    messages?: Message[];
    overlaps?: Overlap[];
    cycle_from?: number; // livelock: the steps from this one to the last repeat for ever
    divergences?: {step: number; reason: string}[];
    // The nearest run that passes, in PageData.runs, and the step at which the two part.
    nearest?: {run: number; differs_at: number; why?: string};
    cut?: string; // what was left out of this run, and why: "20,000 of 84,112 steps"
}

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

export interface State {
    text: string; // one line: "db [1,0] highest 2  held by A1"
    values: Value[]; // of each field
}

export type StepKind = 'step' | 'background' | 'crash' | 'resize' | 'fault' | 'disturbance' | 'time';

export interface Step {
    action: string; // "s0", as in the schedule
    party: number; // who acts; of a message that arrives: who handles it
    kind: StepKind;
    text: string; // "A1 acquire: update_counter db[1]"
    label?: string; // the same without the party and its operation: "update_counter db[1]"
    result?: string; // "-> 2, full"
    state: string; // the state after it, in one line
    changes?: [number, Value][]; // fields that have another value after it
    events?: EventName[];
    fault?: string; // what went wrong: "the answer is lost"
    token?: number; // of a grant: its fencing token
    violates?: string[]; // names of properties
    decisive?: boolean; // the violation needs this decision
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

// Two hold what exclude each other, from the state after step `first` to that after `last`.
export interface Overlap {
    of: 'beliefs' | 'grants';
    first: number;
    last: number;
    ended: boolean; // false: it is there when the run ends
}

// ---- rates ---------------------------------------------------------------------------------

// null of a figure's parts: infinite.
export interface Figure {
    value: number | null;
    low: number | null;
    high: number | null;
}

export interface MeasuredProperty {
    property: string;
    number: number;
    per_run: Figure;
    count_per_run: Figure;
    per_acquire: Figure | null;
    seconds_to_first: Figure | null;
    fraction_of_time: Figure | null;
    violating_seconds_per_run: Figure | null;
    overlap_lasts_per_run: Figure | null;
    overlap_lasts_if_any: Figure | null;
    extremes: {least: number | null; most: number | null; schedule_least: string | null; schedule_most: string | null} | null;
    hits: number;
}

export interface MeasuredResult {
    method: string;
    complete: boolean;
    limit: string;
    confidence: number | null;
    properties: MeasuredProperty[];
    acquires_per_run: Figure;
    capacity_lost_per_run: Figure | null;
    seconds_to_seizure: Figure | null;
    seconds_per_run: Figure | null;
    served: {contended_per_run: Figure; to_longest: Figure; to_newest: Figure; by_equal_chances: Figure} | null; // --ages
    states: number;
    transitions: number;
    runs: number;
    steps: number;
    cut_runs: number;
    is_below: boolean | null; // sampled: all that was asked for is below its bound
    seconds: number;
}

export interface Forecast {
    acquires_per_second: number;
    capacity: number;
    share: number;
    units_per_acquire: Figure;
    units_per_day: Figure;
    seconds_to_seizure: Figure;
    restart_seconds: Figure;
    events_per_day: Record<string, Figure>;
}

export interface MeasuredPoint {
    system: string;
    variant: string;
    scope: string;
    at: Record<string, number>; // the swept parameters
    capacity: number;
    result: MeasuredResult;
    agreement: {agrees: boolean; figures: number; difference: string; sampled: MeasuredResult} | null;
    not_compared: string | null;
    forecast: Forecast | null;
}

export interface MeasuredFile {
    file: string;
    verdict: Verdict;
    detail: string;
    exit_code: number;
    seed: number;
    scope: string;
    law: {text: string; from: string; kind: string; weights: Record<string, number>};
    warnings: string[];
    measured: string[];
    points: MeasuredPoint[];
    max_rate: {property: string; bound: number; rate: Figure; method: string; met: boolean | null}[];
    files_written: string[];
    repeat: string;
    seconds: number;
}

// ---- a recorded history --------------------------------------------------------------------

// Operations in columns, one entry an operation, in the order of their calls.
export interface HistoryDetail {
    model: string;
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
    // Of each key: the order that was found, or the longest prefix of one.
    explanations: HistoryExplanation[];
    ladder: Rung[];
    tightest: string | null; // the tightest contract that is satisfied
}

export interface HistoryExplanation {
    key: number;
    verdict: 'passed' | 'violated' | 'inconclusive';
    limit?: string;
    order: number[]; // operations, in an order that explains them
    cut?: number; // so many operations of the order are left out before its first
    unplaced?: number; // the operation that cannot be placed behind them
    reason: string;
    holders: string; // who holds after the prefix
}

export interface Rung {
    name: string;
    contract: string;
    verdict: 'satisfied' | 'violated' | 'inconclusive' | 'not applicable';
    detail: string;
    excess: number | null;
    duration: number | null;
}
