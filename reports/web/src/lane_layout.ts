// SPDX-License-Identifier: Apache-2.0

// Which rows a picture of a run has, from top to bottom, and how high they are.
import type {Run} from './data';
import type {RunModel} from './run_model';

export const kGutter = 148; // names, left of the rows
export const kBoxTop = 18; // of the boxes of steps, in their lane
export const kBoxHeight = 28; // two lines
export const kBarHeight = 5; // of each kind of holding
export const kBarsHeight = 3 * (kBarHeight + 2) + 3; // of the holdings of a key

export interface Row {
    kind: 'lane' | 'resource' | 'property';
    index: number; // of the party, the key, the property
    top: number;
    height: number;
}

export interface Layout {
    rows: Row[];
    height: number;
    laneOf: Map<number, Row>; // by party
}

const kAxisHeight = 34;

function laneHeight(model: RunModel, party: number): number {
    switch (model.run.parties[party]!.kind) {
        case 'caller':
            return kBoxTop + kBoxHeight + 6 + Math.max(1, model.holdings[party]!.length) * kBarsHeight + 4;
        case 'clock':
            return 32;
        case 'server':
        case 'world':
            return kBoxHeight + 16;
    }
}

export function hasResource(model: RunModel, key: number): boolean {
    return model.fieldsOf('counter', key).length > 0 || model.fieldsOf('believed', key).length > 0;
}

// Parties of which nothing happens have no row, callers apart.
export function layoutOf(model: RunModel, shown: (party: number) => boolean, keyShown: (key: number) => boolean): Layout {
    const run: Run = model.run;
    const active = new Set(run.trace.map(step => step.party));
    for (const message of run.messages ?? []) {
        active.add(message.from).add(message.to);
    }
    const layout: Layout = {rows: [], height: kAxisHeight, laneOf: new Map()};
    const add = (kind: Row['kind'], index: number, height: number) => {
        const row = {kind, index, top: layout.height, height};
        layout.rows.push(row);
        layout.height += height;
        return row;
    };
    run.parties.forEach((party, i) => {
        if (shown(i) && (party.kind === 'caller' || active.has(i))) {
            layout.laneOf.set(i, add('lane', i, laneHeight(model, i)));
        }
    });
    run.keys.forEach((_, key) => {
        if (keyShown(key) && hasResource(model, key)) {
            add('resource', key, 84);
        }
    });
    run.properties.forEach((_, i) => add('property', i, 22));
    layout.height += 6;
    return layout;
}
