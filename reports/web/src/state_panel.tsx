// SPDX-License-Identifier: Apache-2.0

// A step in full: what it does, the state before and after it, what changed.
import {useState} from 'preact/hooks';

import type {Field, Run, Value} from './data';
import {safeAddress} from './link';
import type {RunModel} from './run_model';

function shown(value: Value): string {
    return value === null ? '–' : typeof value === 'number' ? value.toLocaleString('en') : value;
}

export function valueOf(field: Field, value: Value): string {
    const isTruth = ['dead', 'calling', 'finished', 'at rest'].includes(field.kind);
    return isTruth ? (value ? 'yes' : 'no') : shown(value);
}

const loopWords = (from: number, to: number) => from === to ? `Step ${from} repeats for ever.` : `Steps ${from} to ${to} repeat for ever.`;

const kRowsMax = 200;

export function StatePanel({model, at}: {model: RunModel; at: number}) {
    const run = model.run;
    const step = model.step(at);
    const [onlyChanges, setOnlyChanges] = useState(false);
    const rows = run.fields
        .map((field, i) => ({field, before: model.value(i, Math.max(0, at - 1)), after: model.value(i, at)}))
        .map(row => ({...row, changed: at > 0 && row.before !== row.after}))
        .filter(row => row.changed || !onlyChanges || at === 0)
        .sort((a, b) => Number(b.changed) - Number(a.changed));
    return (
        <section class="state-panel" aria-label="The selected step" aria-live="polite">
            <h3>{at === 0 ? 'Before the first step' : <>Step {at.toLocaleString('en')} <small>of {model.count.toLocaleString('en')}</small></>}</h3>
            {step && <p class="step-words">{step.text} <span class="result">{step.result}</span></p>}
            {step && <StepFacts run={run} at={at} />}
            <table class="fields">
                <thead><tr><th scope="col">state</th>{at > 0 && <th scope="col">before</th>}<th scope="col">{at > 0 ? 'after' : 'value'}</th></tr></thead>
                <tbody>
                    {rows.slice(0, kRowsMax).map(({field, before, after, changed}, i) => (
                        <tr key={i} class={changed ? 'changed' : ''}>
                            <th scope="row">{field.name}{changed && <span class="unseen"> changed</span>}</th>
                            {at > 0 && <td>{valueOf(field, before)}</td>}
                            <td>{valueOf(field, after)}</td>
                        </tr>
                    ))}
                    {rows.length === 0 && <tr><td colSpan={3} class="nothing">nothing changed</td></tr>}
                </tbody>
            </table>
            {rows.length > kRowsMax && <p class="note">{rows.length - kRowsMax} more fields are not shown.</p>}
            {run.fields.length > 0 && at > 0 && <label class="check"><input type="checkbox" checked={onlyChanges} onChange={event => setOnlyChanges(event.currentTarget.checked)} /> only what changed</label>}
            {at > 0 && <p class="state-line"><small>before</small> <code>{at === 1 ? run.initial_state : run.trace[at - 2]!.state}</code></p>}
            <p class="state-line"><small>{at > 0 ? 'after' : 'state'}</small> <code>{step ? step.state : run.initial_state}</code></p>
        </section>
    );
}

function StepFacts({run, at}: {run: Run; at: number}) {
    const step = run.trace[at - 1]!;
    const address = safeAddress(step.doc);
    const definitions = (step.violates ?? []).map(name => run.properties.find(property => property.name === name) ?? {name, number: 0, definition: ''});
    return (
        <>
            {definitions.map(property => (
                <p key={property.name} class="violates"><b>▼ violates {property.number > 0 ? `P${property.number} ` : ''}{property.name}</b> {property.definition}</p>
            ))}
            {step.cause && <p class="decides"><b>◆ decisive</b> Another choice here, and the violation does not happen.</p>}
            {run.cycle_from !== undefined && at >= run.cycle_from && <p class="loops"><b>↻ in the loop</b> {loopWords(run.cycle_from, run.trace.length)}</p>}
            {(step.events?.length || step.fault || step.token !== undefined) && (
                <p class="chips">
                    {step.events?.map(name => <span key={name} class="chip">{name}</span>)}
                    {step.token !== undefined && <span class="chip">token {step.token}</span>}
                    {step.fault && <span class="chip fault">{step.fault}</span>}
                </p>
            )}
            {(step.source || address) && <p class="sources">{step.source && <code>{step.source}</code>} {address && <a href={address} title="The page of the documentation">{address}</a>}</p>}
        </>
    );
}
