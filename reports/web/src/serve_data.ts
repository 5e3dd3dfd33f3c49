// SPDX-License-Identifier: Apache-2.0

// The contract between `lockkeeper serve` and the explorer: what is asked with POST /TOKEN/api/NAME,
// and what is answered. Conventions are those of data.ts. A file is named by its number, a place in
// its state space by the schedule that leads there ("lk1:1:s0*3", what `replay` takes).
//
// An answer that is no 2xx is an ErrorAnswer: 400 what was asked is wrong, 403 the token, the host
// or the origin is, 409 the schedule does not fit the file or the file cannot be written, 413 too
// large, 500 the harness is wrong.
import type {Field, PropertyRow, Run, Step, Value, Verdict} from './data';

export interface ErrorAnswer {
    error: {message: string; line?: number; column?: number};
}

// ---- files ---------------------------------------------------------------------------------

export interface OpenFile {
    number: number;
    name: string; // as named on the command line, or by the browser
    system: string; // "canal/faithful"
    about: string;
    scope: string;
    changed: string; // flags that lead here from the file: " --set buckets=3"; may be empty
    properties: PropertyRow[]; // that are judged
    schedule: string; // where the page begins
    cycle_from?: number;
    // The command of outside code, whose states cannot be copied: no scenario, edit, change, ahead or
    // graph, an exploration from the beginning alone, and a run is saved as a trace.
    outside?: string;
}

// files {}
export interface FilesAnswer {
    version: string;
    out: string | null; // the directory where files may be saved
    strategies: string[];
    files: OpenFile[];
}

// scenario {file}
export interface ScenarioAnswer {
    text: string; // of the scenario file
    numbers: SettableNumber[];
    checks: string[]; // names of properties that apply to the system
    judged: string[]; // those that the scenario asks for, by name or by a word for several
}

export interface SettableNumber {
    name: string; // as --set takes it
    value: number | null; // null: it has several
    least: number;
    most: number;
    about: string;
}

// These open a file of their own, and answer with an OpenFile.
export interface OpenRequest { name: string; text: string } // open: a scenario or a trace
export interface EditRequest { file: number; text: string } // edit: of the scenario
export interface ChangeRequest { file: number; numbers: Record<string, number>; check: string[] } // change

// read: the scenario of a text with numbers or checks changed, as somebody writes it. Opens nothing; answers with a
// ScenarioAnswer, or with the line and column of the mistake.
export interface ReadRequest { name: string; text: string; numbers: Record<string, number>; check: string[] }

// ---- a place -------------------------------------------------------------------------------

export interface PlaceRequest { file: number; schedule: string }

export interface StateNames {
    id: string; // equal for equal states
    kind: string; // equal, too, where only interchangeable callers are exchanged
}

// Why nothing more happens by itself; null: something does. Faults may still be possible.
export type EndWord = 'finished' | 'stuck' | 'time is over';

// run {file, schedule, cycle_from?}: as far as the schedule fits; `run.divergences` says where not.
export interface RunAnswer {
    run: Run;
    constants: {field: Field; value: Value}[]; // fields that are left out of the run: they never change
    states: StateNames[]; // before the first step, and after each
    seed: number;
    actions: string[];
    end: EndWord | null;
    look?: string[]; // outside, where no call is under way: what fresh clients would meet
}

// choices PlaceRequest
export interface ChoicesAnswer {
    choices: Choice[];
    state: StateNames;
    text: string;
    end: EndWord | null;
}

export interface Choice {
    step: Step; // as it would be; without `changes`
    changes: {field: Field; before: Value; after: Value}[];
    operation?: string; // that the caller is in, or begins: "acquire"
    state: StateNames; // after it
    end: EndWord | null; // after it
}

// ahead PlaceRequest: of each choice, by small searches behind it.
export interface AheadAnswer {
    choices: Ahead[];
}

export interface Ahead {
    action: string;
    ahead: 'violation' | 'nothing' | 'unknown'; // unknown: so many states do not suffice
    states: number;
    depth?: number; // nothing, unknown: so many steps were looked at
    property?: string; // violation: the nearest
    steps?: number; // from here
    schedule?: string; // the whole
    cycle_from?: number;
}

// graph {file, schedule, states}: breadth first from the end of the schedule, at most so many.
export interface GraphAnswer {
    states: GraphState[];
    transitions: GraphTransition[];
    left_out: number; // transitions that lead to states which are left out
}

export interface GraphState {
    id: string;
    text: string;
    at_rest: boolean;
    finished: boolean;
    stuck: boolean;
    violates: string[];
}

export interface GraphTransition {
    from: number; // in states
    to: number;
    action: string;
    text: string;
    violates: string[];
}

// random
export interface RandomRequest extends PlaceRequest { strategy: string; seed: number; steps: number }
export interface RandomAnswer {
    schedule: string;
    steps: number; // that were added
    ended_by: 'violation' | 'end' | 'steps' | 'time is over';
}

// ---- the exploration -----------------------------------------------------------------------

// explore: ends the one that runs. `check` empty: all that the file judges.
export interface ExploreRequest extends PlaceRequest { check: string[]; stop_at_first: boolean; states?: number }

// explore, exploration {}, cancel {}
export interface ExplorationAnswer {
    phase: 'none' | 'running' | 'ended';
    number?: number;
    file?: number;
    from?: string; // a schedule
    from_steps?: number;
    check?: string[];
    states?: number;
    schedules?: number; // outside, in place of states
    steps?: number; // the same: of all of them
    transitions?: number;
    depth?: number;
    waiting?: number; // states that are not expanded yet
    bytes?: number;
    memory_bytes?: number; // of the worker that searches; the playground alone
    all_memory_bytes?: number; // of all workers; the playground alone
    seconds?: number;
    estimate?: {least: number; most: number} | null; // of the states in all
    text?: string; // the same in one line
    violations?: FoundViolation[]; // a shortest of each property
    verdict?: Verdict; // once it has ended
    detail?: string; // why
    complete?: boolean;
    limit?: string; // what ended it
    error?: string;
}

export interface FoundViolation {
    property?: string; // absent: nobody can go on
    title: string;
    schedule: string;
    steps: number;
    cycle_from?: number;
}

// ---- saving --------------------------------------------------------------------------------

// save. With `name`: into the directory of --out; an empty one is the file's own.
export interface SaveRequest extends PlaceRequest { cycle_from?: number; as: 'trace' | 'scenario'; name?: string }
export type SaveAnswer = {name: string; text: string} | {path: string};

