// SPDX-License-Identifier: Apache-2.0

// What the watches say of the selected step and of the choices after it.
import {useMemo} from 'preact/hooks';

import {useKept} from './explorer_keep';
import type {WatchRow} from './explorer_watches';
import type {RunModel} from './run_model';
import type {Choice, RunAnswer} from './serve_data';
import {evaluate, parseWatch, watchText, type Shown} from './watch';

export interface Watching {
    rows: WatchRow[];
    add: (text: string) => string | undefined; // why not
    remove: (index: number) => void;
    changedBy: (choice: Choice) => {text: string; value: string}[];
}

const kWatchesMax = 30;

function shownAt(answer: RunAnswer, model: RunModel, at: number): Shown {
    const {keys, parties, fields} = answer.run;
    return {keys, parties, values: [...fields.map((field, i) => ({field, value: model.value(i, at)})), ...answer.constants]};
}

// A choice may show what the run never showed.
function shownAfter(before: Shown, choice: Choice): Shown {
    const changed = new Map(choice.changes.map(change => [change.field.name, {field: change.field, value: change.after}]));
    const rest = before.values.filter(({field}) => !changed.has(field.name));
    return {...before, values: [...rest, ...changed.values()]};
}

function said(text: string, shown: Shown): {value: string; wrong?: string} {
    try {
        return {value: watchText(evaluate(parseWatch(text), shown))};
    } catch (error) {
        return {value: '', wrong: (error as Error).message};
    }
}

export function useWatches(answer: RunAnswer, model: RunModel, at: number): Watching {
    const [watches, setWatches] = useKept<string[]>('watches', []);
    const now = useMemo(() => shownAt(answer, model, at), [answer, at]);
    const before = useMemo(() => shownAt(answer, model, Math.max(0, at - 1)), [answer, at]);
    return {
        rows: watches.map(text => ({text, ...said(text, now), before: said(text, before).value})),
        add: text => {
            if (watches.length >= kWatchesMax) {
                return `at most ${kWatchesMax}`;
            }
            const {wrong} = said(text, now);
            if (wrong === undefined && !watches.includes(text)) {
                setWatches([...watches, text]);
            }
            return wrong;
        },
        remove: index => setWatches(watches.filter((_, i) => i !== index)),
        changedBy: choice => {
            const after = shownAfter(now, choice);
            return watches.map(text => ({text, before: said(text, now), after: said(text, after)}))
                .filter(watch => watch.after.wrong === undefined && watch.after.value !== watch.before.value)
                .map(watch => ({text: watch.text, value: watch.after.value}));
        },
    };
}
