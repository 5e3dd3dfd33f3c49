// SPDX-License-Identifier: Apache-2.0

// Where steps stand on the axis. A step has a cell; edges[s - 1] and edges[s] are its sides. The
// unit is the width of a plain step.
import {lastAtMost, type RunModel} from './run_model';

export type AxisKind = 'steps' | 'time';

const kFoldedWidth = 0.12;
// On the axis of time a step has this width, and the time that passes the rest.
const kTimelessWidth = 0.4;

export class Positions {
    readonly edges: Float64Array;

    constructor(model: RunModel, axis: AxisKind, isFolded: (at: number) => boolean) {
        this.edges = new Float64Array(model.count + 1);
        const begin = model.time(0) ?? 0;
        const total = Math.max(1, (model.time(model.count) ?? 0) - begin);
        let before = begin;
        for (let at = 1; at <= model.count; ++at) {
            let width = isFolded(at) ? kFoldedWidth : 1;
            if (axis === 'time') {
                const now = model.time(at) ?? 0;
                width = width * kTimelessWidth + ((now - before) / total) * model.count * (1 - kTimelessWidth);
                before = now;
            }
            this.edges[at] = this.edges[at - 1]! + width;
        }
    }

    get length(): number {
        return this.edges[this.edges.length - 1]!;
    }

    left(at: number): number {
        return this.edges[Math.max(0, Math.min(at, this.edges.length) - 1)]!;
    }
    right(at: number): number {
        return this.edges[Math.min(at, this.edges.length - 1)]!;
    }
    // On the axis of time the width of a step is before it: it happens when its time has come.
    center(at: number): number {
        return at === 0 ? 0 : (this.left(at) + this.right(at)) / 2;
    }

    // The step whose cell is there, within 1 and the last.
    at(position: number): number {
        return Math.min(this.edges.length - 1, Math.max(1, lastAtMost(this.edges, position) + 1));
    }
}
