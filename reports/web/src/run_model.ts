// SPDX-License-Identifier: Apache-2.0

// A run, prepared for drawing: how each field goes through the steps, and who holds what when.
// Nothing is kept for each step and field, so that 100,000 steps fit.
import type {FieldKind, OperationRow, Run, Step, Value} from './data';

// A field has `value` in the states after the steps `from` to `to` - 1; `open`: to the end.
export interface Span {
    from: number;
    to: number;
    value: number;
    open: boolean;
}

// The steps after which a field has another value; at[0] is 0.
export interface Timeline {
    at: number[];
    value: Value[];
}

export interface Holding {
    key: number;
    believed: Span[];
    granted: Span[];
    protected: Span[];
}

// The index of the last entry that is not larger than `wanted`; -1: there is none.
export function lastAtMost(sorted: ArrayLike<number>, wanted: number): number {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle]! <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

export class RunModel {
    readonly count: number;
    readonly timelines: Timeline[];
    readonly operations: OperationRow[][]; // by party
    readonly holdings: Holding[][]; // by party
    readonly violating: number[]; // steps
    readonly decisive: number[];
    readonly clock: number | undefined; // the field

    constructor(readonly run: Run) {
        this.count = run.trace.length;
        this.timelines = run.fields.map((_, i) => ({at: [0], value: [run.initial_values[i] ?? null]}));
        this.violating = [];
        this.decisive = [];
        run.trace.forEach((step, i) => {
            for (const [field, value] of step.changes ?? []) {
                this.timelines[field]?.at.push(i + 1);
                this.timelines[field]?.value.push(value);
            }
            if (step.violates?.length) {
                this.violating.push(i + 1);
            }
            if (step.cause) {
                this.decisive.push(i + 1);
            }
        });
        this.operations = run.parties.map((_, party) => run.operations.filter(row => row.party === party));
        this.holdings = run.parties.map((_, party) => this.holdingsOf(party));
        const clock = run.fields.findIndex(field => field.kind === 'clock');
        this.clock = clock < 0 ? undefined : clock;
    }

    step(at: number): Step | undefined {
        return this.run.trace[at - 1];
    }

    // After the step.
    value(field: number, at: number): Value {
        const timeline = this.timelines[field]!;
        return timeline.value[lastAtMost(timeline.at, at)] ?? null;
    }

    fieldsOf(kind: FieldKind, key?: number, party?: number): number[] {
        const found: number[] = [];
        this.run.fields.forEach((field, i) => {
            if (field.kind === kind && (key === undefined || field.key === key) &&
                (party === undefined || field.party === party)) {
                found.push(i);
            }
        });
        return found;
    }

    time(at: number): number | null {
        return this.clock === undefined ? null : Number(this.value(this.clock, at));
    }

    // Where the numbers of a field are above zero.
    spans(field: number): Span[] {
        const {at, value} = this.timelines[field]!;
        const spans: Span[] = [];
        at.forEach((from, i) => {
            const number = Number(value[i] ?? 0);
            if (number > 0) {
                const open = i + 1 === at.length;
                spans.push({from, to: open ? this.count : at[i + 1]!, value: number, open});
            }
        });
        return spans;
    }

    private holdingsOf(party: number): Holding[] {
        const spansOf = (kind: FieldKind, key: number) =>
            this.fieldsOf(kind, key, party).flatMap(field => this.spans(field));
        return this.run.keys
            .map((_, key) => ({
                key,
                believed: spansOf('believed', key),
                granted: spansOf('granted', key),
                protected: spansOf('protected', key),
            }))
            .filter(holding => holding.believed.length + holding.granted.length + holding.protected.length > 0);
    }

    // From which step on a property does not hold; 0: never.
    brokenFrom(property: string): number {
        return this.violating.find(at => this.step(at)?.violates?.includes(property)) ?? 0;
    }

    // What a reader who has little time looks at: decisions, violations, calls and ends.
    isKeyStep(at: number): boolean {
        const step = this.step(at)!;
        return step.cause || (step.violates?.length ?? 0) > 0 || at === this.count || at === this.run.cycle_from;
    }
}

export function verbKey(run: Run, row: OperationRow): string {
    const key = row.key === undefined ? '' : run.keys[row.key] ?? '';
    return key === '' ? row.name : `${row.name} ${key}`;
}
