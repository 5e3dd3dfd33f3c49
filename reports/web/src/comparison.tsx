// SPDX-License-Identifier: Apache-2.0

// Two runs, one above the other, and their steps side by side: what is different.
import {useMemo, useState} from 'preact/hooks';

import type {Run} from './data';
import {Lanes} from './lanes';
import {layoutOf} from './lane_layout';
import {Positions} from './positions';
import {RunModel} from './run_model';
import {useKeys} from './keys';
import {StepList} from './step_list';

// The first step that is not the same in both; the length of the shorter one and one more where
// one is a beginning of the other.
export function partsAt(left: Run, right: Run): number {
    const length = Math.min(left.trace.length, right.trace.length);
    for (let i = 0; i < length; ++i) {
        const [a, b] = [left.trace[i]!, right.trace[i]!];
        if (a.action !== b.action || a.state !== b.state || a.result !== b.result) {
            return i + 1;
        }
    }
    return length + 1;
}

interface Props {
    left: RunModel;
    right: Run;
    selected: number;
    select: (at: number) => void;
}

export function Comparison({left, right, selected, select}: Props) {
    const other = useMemo(() => new RunModel(right), [right]);
    const parts = useMemo(() => partsAt(left.run, right), [left, right]);
    const [isTogether, setTogether] = useState(true);
    const longest = Math.max(left.count, other.count);
    const go = (at: number) => select(Math.max(0, Math.min(left.count, at)));
    useKeys({ArrowRight: () => go(selected + 1), ArrowLeft: () => go(selected - 1), ArrowDown: () => go(selected + 1), ArrowUp: () => go(selected - 1), Home: () => go(0), End: () => go(left.count)});
    const differs = (at: number) => at >= parts;
    return (
        <div class="comparison">
            <p class="parts">{parts > longest ? 'The two runs are the same.' : parts === 1 ? 'The two runs differ from the first step on.' : <>The two runs are the same up to step {parts - 1}; they part at <button class="link" onClick={() => go(parts)}>step {parts}</button>.</>}
                {left.run.nearest?.why ? ` ${left.run.nearest.why}` : ''}
                {' '}<label class="check"><input type="checkbox" checked={isTogether} onChange={event => setTogether(event.currentTarget.checked)} /> step together</label></p>
            <Side model={left} selected={selected} select={go} />
            <Side model={other} selected={isTogether ? Math.min(selected, other.count) : 0} select={at => go(at)} />
            <div class="two">
                <Listed model={left} selected={selected} select={go} differs={differs} />
                <Listed model={other} selected={isTogether ? Math.min(selected, other.count) : 0} select={go} differs={differs} />
            </div>
            <States left={left} right={other} at={selected} />
        </div>
    );
}

function Side({model, selected, select}: {model: RunModel; selected: number; select: (at: number) => void}) {
    const positions = useMemo(() => new Positions(model, 'steps', () => false), [model]);
    const layout = useMemo(() => layoutOf(model, () => true, () => true), [model]);
    return <div class="side"><h3>{model.run.title}</h3><Lanes model={model} positions={positions} layout={layout} selected={selected} select={select} label={model.run.title} /></div>;
}

function Listed({model, selected, select, differs}: {model: RunModel; selected: number; select: (at: number) => void; differs: (at: number) => boolean}) {
    const rows = useMemo(() => model.run.trace.map((_, i) => i + 1), [model]);
    return <div><h3>{model.run.title}</h3><StepList model={model} rows={rows} selected={selected} select={select} differs={differs} /></div>;
}

// The values in which the two states differ.
function States({left, right, at}: {left: RunModel; right: RunModel; at: number}) {
    const indexOf = new Map(right.run.fields.map((field, i) => [field.name, i]));
    const rows = left.run.fields.flatMap((field, i) => {
        const j = indexOf.get(field.name);
        const a = left.value(i, at);
        const b = j === undefined ? null : right.value(j, Math.min(at, right.count));
        return a === b ? [] : [{name: field.name, a, b}];
    });
    return (
        <section class="state-panel" aria-live="polite"><h3>After step {at}: what differs</h3>
            <table class="fields"><thead><tr><th scope="col">state</th><th scope="col">above</th><th scope="col">below</th></tr></thead>
                <tbody>{rows.map(row => <tr key={row.name} class="changed"><th scope="row">{row.name}</th><td>{String(row.a ?? '–')}</td><td>{String(row.b ?? '–')}</td></tr>)}
                    {rows.length === 0 && <tr><td colSpan={3} class="nothing">nothing</td></tr>}</tbody></table></section>
    );
}
