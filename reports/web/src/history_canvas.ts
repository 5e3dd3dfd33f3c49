// SPDX-License-Identifier: Apache-2.0

// Draws the operations of a history that are seen. Bars on the same pixels are drawn once.
import type {HistoryDetail, HistoryExplanation} from './data';
import {lastAtMost} from './run_model';

export interface Range {
    from: number;
    to: number;
}

// Operations by row, in the order of their calls; a process is a row.
export interface Prepared {
    rows: {process: number; operations: number[]; calls: number[]}[];
    end: number;
}

export const kRow = 22;
export const kAxis = 24;
const kNames = 110;

export function rangeOf(history: HistoryDetail): Range {
    let from = Infinity;
    let to = -Infinity;
    history.call.forEach((call, i) => {
        from = Math.min(from, call);
        to = Math.max(to, history.return[i] ?? call);
    });
    return from < to ? {from, to} : {from: from === Infinity ? 0 : from, to: from === Infinity ? 1 : from + 1};
}

export function prepared(history: HistoryDetail, key: number | undefined): Prepared {
    const rows = new Map<number, {process: number; operations: number[]; calls: number[]}>();
    history.process.forEach((process, i) => {
        if (key !== undefined && history.key[i] !== key) {
            return;
        }
        const row = rows.get(process) ?? {process, operations: [], calls: []};
        rows.set(process, row);
        row.operations.push(i);
        row.calls.push(history.call[i]!);
    });
    return {rows: [...rows.values()].sort((a, b) => a.process - b.process), end: rangeOf(history).to};
}

const placedOf = new WeakMap<HistoryExplanation, Set<number>>();
function placed(explanation: HistoryExplanation | undefined): Set<number> {
    if (!explanation) {
        return new Set();
    }
    const known = placedOf.get(explanation) ?? new Set(explanation.order);
    placedOf.set(explanation, known);
    return known;
}

export function drawHistory(canvas: HTMLCanvasElement, history: HistoryDetail, data: Prepared, range: Range, firstRow: number, rows: number, selected: number, explanation?: HistoryExplanation): void {
    const width = canvas.clientWidth;
    const height = kAxis + rows * kRow;
    const ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    const computed = getComputedStyle(document.documentElement);
    const colour = (name: string) => computed.getPropertyValue(`--${name}`);
    const ink = {o: colour('believed'), f: colour('step'), i: colour('granted'), '-': colour('granted'), bad: colour('violating'), line: colour('line'), text: colour('ink-2'), order: colour('protected'), surface: colour('surface'), select: colour('select')};
    context.fillStyle = ink.surface;
    context.fillRect(0, 0, width, height);
    context.font = `11px ${colour('sans')}`;
    const x = (time: number) => kNames + ((time - range.from) / (range.to - range.from)) * (width - kNames);
    context.fillStyle = ink.text;
    for (let i = 0; i <= 4; ++i) {
        const time = range.from + ((range.to - range.from) * i) / 4;
        context.textAlign = i === 4 ? 'right' : i === 0 ? 'left' : 'center';
        context.fillText(`${Math.round(time).toLocaleString('en')}${i === 4 ? ` ${history.unit}` : ''}`, x(time), 15);
    }
    context.textAlign = 'left';
    const isPlaced = placed(explanation);
    data.rows.slice(firstRow, firstRow + rows).forEach((row, r) => {
        const top = kAxis + r * kRow;
        context.fillStyle = ink.line;
        context.fillRect(0, top, width, 1);
        context.fillStyle = ink.text;
        context.fillText(history.processes[row.process]!.slice(0, 16), 6, top + 15);
        let pixel = -1;
        // Processes are sequential: the one before the first call that is seen may reach into it.
        for (let i = Math.max(0, lastAtMost(row.calls, range.from)); i < row.calls.length && row.calls[i]! <= range.to; ++i) {
            const operation = row.operations[i]!;
            const left = Math.max(kNames, x(row.calls[i]!));
            const right = x(history.return[operation] ?? data.end);
            const isMarked = operation === explanation?.unplaced || operation === selected;
            if (Math.floor(right) <= pixel && !isMarked) {
                continue;
            }
            pixel = Math.max(pixel, Math.floor(right));
            const outcome = history.outcome[operation] as 'o' | 'f' | 'i' | '-';
            const bar = Math.max(1, right - left - (right - left > 4 ? 1 : 0));
            context.fillStyle = operation === explanation?.unplaced ? ink.bad : ink[outcome] ?? ink.f;
            context.globalAlpha = outcome === 'i' || outcome === '-' ? 0.45 : 0.85;
            context.fillRect(left, top + 4, bar, 11);
            context.globalAlpha = 1;
            if (isPlaced.has(operation)) {
                context.fillStyle = ink.order;
                context.fillRect(left, top + 16, bar, 3);
            }
            if (isMarked) {
                context.strokeStyle = operation === selected ? ink.select : ink.bad;
                context.lineWidth = 2;
                context.strokeRect(left - 1, top + 2, Math.max(4, bar + 2), 16);
            }
            const name = history.functions[history.f[operation]!]!;
            if (bar > name.length * 6.5 + 6) {
                context.fillStyle = ink.surface;
                context.fillText(name, left + 4, top + 13);
            }
        }
    });
}

export function operationAt(history: HistoryDetail, data: Prepared, range: Range, firstRow: number, width: number, x: number, y: number): number {
    const row = data.rows[firstRow + Math.floor((y - kAxis) / kRow)];
    if (!row || y < kAxis) {
        return -1;
    }
    const time = range.from + ((x - kNames) / (width - kNames)) * (range.to - range.from);
    const slack = ((range.to - range.from) / (width - kNames)) * 3;
    const i = lastAtMost(row.calls, time + slack);
    const found = i < 0 ? -1 : row.operations[i]!;
    return found >= 0 && (history.return[found] ?? data.end) + slack >= time ? found : -1;
}
