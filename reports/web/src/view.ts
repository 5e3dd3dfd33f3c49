// SPDX-License-Identifier: Apache-2.0

// The part of a run that is seen: from positions of steps to pixels.
import type {Positions} from './positions';
import type {RunModel} from './run_model';

export interface View {
    model: RunModel;
    positions: Positions;
    width: number; // pixels
    x: (position: number) => number;
    first: number; // the first step that is seen
    last: number;
    cell: number; // pixels of a plain step
}

export function viewOf(model: RunModel, positions: Positions, width: number, from: number, to: number): View {
    const factor = width / Math.max(1e-9, to - from);
    return {
        model,
        positions,
        width,
        x: position => (position - from) * factor,
        first: Math.max(1, positions.at(from)), // of a run without steps: none is seen
        last: positions.at(to),
        cell: factor,
    };
}

export const centerX = (view: View, at: number) => view.x(view.positions.center(at));

// One after the other, those that can be told apart: of things that fall on the same pixel the
// first. Bounds what is drawn by the width of the screen.
export function* apart<T>(items: Iterable<T>, pixel: (item: T) => number): Generator<T> {
    let previous = -Infinity;
    for (const item of items) {
        const at = Math.floor(pixel(item));
        if (at > previous) {
            previous = at;
            yield item;
        }
    }
}

export function cutText(text: string, pixels: number, pixelsPerLetter: number): string {
    const letters = Math.floor(pixels / pixelsPerLetter);
    if (text.length <= letters) {
        return text;
    }
    return letters < 3 ? '' : `${text.slice(0, letters - 1)}…`;
}

// Where things are smaller than pixels they are drawn as one path. The pieces [left, right] come in
// order; those that touch are one.
export function denseBars(pieces: Iterable<[number, number]>, y: number, height: number): string {
    let path = '';
    let from = NaN;
    let to = NaN;
    const end = () => { path += Number.isNaN(from) ? '' : `M${from.toFixed(1)},${y}H${Math.max(to, from + 1).toFixed(1)}v${height}H${from.toFixed(1)}z`; };
    for (const [left, right] of pieces) {
        if (left <= to + 0.5) {
            to = Math.max(to, right);
        } else {
            end();
            [from, to] = [left, right];
        }
    }
    end();
    return path;
}

export const isDense = (view: View) => view.cell < 2;
