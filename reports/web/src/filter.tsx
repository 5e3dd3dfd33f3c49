// SPDX-License-Identifier: Apache-2.0

// Which steps are listed: by text, by party, by key.
import type {RefObject} from 'preact';

import type {RunModel} from './run_model';

export interface Filter {
    text: string;
    party?: number;
    key?: number;
}

export const kNoFilter: Filter = {text: ''};

export function listed(model: RunModel, filter: Filter, folded: boolean): number[] {
    const rows: number[] = [];
    const wanted = filter.text.toLowerCase();
    const keys = filter.key === undefined ? undefined : new Set(
        model.run.operations.filter(row => row.key === filter.key).flatMap(row => {
            const steps: number[] = [];
            for (let at = row.call; at <= (row.return ?? model.count); ++at) {
                if (model.step(at)!.party === row.party) {
                    steps.push(at);
                }
            }
            return steps;
        }));
    model.run.trace.forEach((step, i) => {
        const at = i + 1;
        const fits = (filter.party === undefined || step.party === filter.party) &&
            (keys === undefined || keys.has(at) || (step.changes ?? []).some(([field]) => model.run.fields[field]?.key === filter.key)) &&
            (wanted === '' || `${step.text} ${step.result ?? ''} ${step.action}`.toLowerCase().includes(wanted)) &&
            (!folded || model.isKeyStep(at));
        if (fits) {
            rows.push(at);
        }
    });
    return rows;
}

interface Props {
    model: RunModel;
    filter: Filter;
    setFilter: (filter: Filter) => void;
    search: RefObject<HTMLInputElement>;
    count: number;
}

export function Filters({model, filter, setFilter, search, count}: Props) {
    const run = model.run;
    const number = (text: string) => text === '' ? undefined : Number(text);
    return (
        <div class="filters" role="search">
            <input ref={search} type="search" placeholder="search steps" aria-label="Search steps" value={filter.text}
                onInput={event => setFilter({...filter, text: event.currentTarget.value})} />
            <label>party <select value={filter.party ?? ''} onChange={event => setFilter({...filter, party: number(event.currentTarget.value)})}>
                <option value="">all</option>
                {run.parties.map((party, i) => <option key={i} value={i}>{party.name}</option>)}
            </select></label>
            {run.keys.length > 1 && <label>key <select value={filter.key ?? ''} onChange={event => setFilter({...filter, key: number(event.currentTarget.value)})}>
                <option value="">all</option>
                {run.keys.map((key, i) => <option key={i} value={i}>{key}</option>)}
            </select></label>}
            <span class="count" role="status">{count.toLocaleString('en')} of {model.count.toLocaleString('en')} steps</span>
            {run.cut && <span class="cut">{run.cut}</span>}
        </div>
    );
}
