// SPDX-License-Identifier: Apache-2.0

// What the explorer keeps while its window is open, also over a reload: the states that were seen,
// the runs that were walked, bookmarks, watches.
import {useState} from 'preact/hooks';

import {rootOfNames} from './serve_client';
import type {RunAnswer} from './serve_data';

// A value of the session's storage, under this name; what cannot be kept is lost with the page.
export function useKept<T>(name: string, otherwise: T): [T, (value: T) => void] {
    const key = rootOfNames() + name; // a server that starts anew has another token
    const [value, setValue] = useState<T>(() => {
        try {
            return JSON.parse(sessionStorage.getItem(key) ?? '') as T;
        } catch {
            return otherwise;
        }
    });
    return [value, next => {
        setValue(next);
        try {
            sessionStorage.setItem(key, JSON.stringify(next));
        } catch {
            // The storage is full, or there is none.
        }
    }];
}

// A run that was walked, as far as it went.
export interface Branch {
    schedule: string;
    actions: string[];
    title: string;
    violates: boolean;
    cycle_from?: number;
}

const kBranchesMax = 100;

const beginsWith = (actions: string[], other: string[]) =>
    other.length <= actions.length && other.every((action, i) => actions[i] === action);

// With the run of the answer, without those that it goes on with.
export function withBranch(branches: Branch[], answer: RunAnswer): Branch[] {
    const {run, actions} = answer;
    if (branches.some(branch => beginsWith(branch.actions, actions))) {
        return branches;
    }
    const rest = branches.filter(branch => !beginsWith(actions, branch.actions));
    const violates = run.trace.some(step => step.violates?.length);
    const own: Branch = {schedule: run.schedule, actions, title: run.title, violates, ...(run.cycle_from === undefined ? {} : {cycle_from: run.cycle_from})};
    return [...rest, own].slice(-kBranchesMax);
}

// The step, from 0, at which two runs part.
export function partAt(left: string[], right: string[]): number {
    let at = 0;
    while (at < left.length && at < right.length && left[at] === right[at]) {
        ++at;
    }
    return at;
}

// Where each state was seen first, by its id, and by its kind.
export class SeenStates {
    private readonly ids = new Map<string, string>();
    private readonly kinds = new Set<string>();

    add(answer: RunAnswer): void {
        answer.states.forEach((state, i) => {
            if (!this.ids.has(state.id)) {
                this.ids.set(state.id, i === 0 ? 'the beginning' : `step ${i} of ${answer.run.title}`);
            }
            this.kinds.add(state.kind);
        });
    }
    where(id: string): string | undefined {
        return this.ids.get(id);
    }
    hasKind(kind: string): boolean {
        return this.kinds.has(kind);
    }
}
