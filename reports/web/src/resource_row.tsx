// SPDX-License-Identifier: Apache-2.0

// What becomes of a key: its counters as a stacked area, how many callers believe to hold it as a
// line, the capacity as another one. What is above the capacity has a colour of its own.
import {scaleLinear} from 'd3-scale';

import type {Row} from './lane_layout';
import {lastAtMost, type RunModel} from './run_model';
import {centerX, type View} from './view';

export interface Series {
    at: number[]; // steps after which there is another value
    sum: number[];
}

// The sum of fields; null where they are.
export function sumOf(model: RunModel, fields: number[]): Series {
    const steps = new Set<number>([0]);
    for (const field of fields) {
        model.timelines[field]!.at.forEach(at => steps.add(at));
    }
    const at = [...steps].sort((a, b) => a - b);
    const cursor = fields.map(() => 0);
    const sum = at.map(step => fields.reduce((total, field, i) => {
        const timeline = model.timelines[field]!;
        while (cursor[i]! + 1 < timeline.at.length && timeline.at[cursor[i]! + 1]! <= step) {
            ++cursor[i]!;
        }
        return total + Number(timeline.value[cursor[i]!] ?? 0);
    }, 0));
    return {at, sum};
}

// As corners of a staircase within what is seen; no more of them than there are pixels.
function corners(view: View, series: Series): [number, number][] {
    const points: [number, number][] = [];
    let i = Math.max(0, lastAtMost(series.at, view.first - 1));
    let pixel = -Infinity;
    for (; i < series.at.length && series.at[i]! <= view.last; ++i) {
        const x = Math.max(0, centerX(view, series.at[i]!));
        if (Math.floor(x) === pixel && points.length > 0 && view.cell < 1) {
            // Of several on one pixel the largest is what must not be overlooked.
            points[points.length - 1]![1] = Math.max(points[points.length - 1]![1], series.sum[i]!);
            continue;
        }
        pixel = Math.floor(x);
        points.push([x, series.sum[i]!]);
    }
    return points;
}

function stairs(points: [number, number][], end: number, y: (value: number) => number): string {
    return points.map(([x, value], i) => `${i === 0 ? 'M' : 'H'}${x.toFixed(1)}${i === 0 ? ',' : 'V'}${y(value).toFixed(1)}`).join('') + `H${end.toFixed(1)}`;
}

export function largest(series: Series): number {
    return series.sum.reduce((most, value) => Math.max(most, value), 0);
}

export interface KeySeries {
    counters: Series[]; // of the first place, of the first two ...
    believed: Series;
    granted: Series;
    capacity: Series | undefined;
    most: number;
    least: number;
}

export function keySeries(model: RunModel, key: number): KeySeries {
    const counters = model.fieldsOf('counter', key);
    const capacity = model.fieldsOf('capacity', key);
    const stacked = counters.map((_, i) => sumOf(model, counters.slice(0, i + 1)));
    const believed = sumOf(model, model.fieldsOf('believed', key));
    const granted = sumOf(model, model.fieldsOf('granted', key));
    const limit = capacity.length > 0 ? sumOf(model, capacity) : undefined;
    const all = [...stacked, believed, granted, ...(limit ? [limit] : [])];
    return {
        counters: stacked,
        believed,
        granted,
        capacity: limit,
        most: Math.max(1, ...all.map(largest)),
        least: Math.min(0, ...stacked.map(series => series.sum.reduce((least, value) => Math.min(least, value), 0))),
    };
}

export function ResourceRow({view, row, series}: {view: View; row: Row; series: KeySeries}) {
    const bottom = row.top + row.height - 8;
    const y = scaleLinear().domain([series.least, series.most]).range([bottom, row.top + 14]);
    const end = Math.min(view.width, view.x(view.positions.length));
    const area = (of: Series) => {
        const points = corners(view, of);
        return points.length === 0 ? '' : `${stairs(points, end, y)}V${y(0)}H${points[0]![0]}Z`;
    };
    const line = (of: Series) => stairs(corners(view, of), end, y);
    // With counters the area is theirs, without them what is granted.
    const areas = series.counters.length > 0 ? series.counters : [series.granted];
    const clip = `above-${row.index}`;
    const limit = series.capacity && corners(view, series.capacity);
    return (
        <g class="resource">
            <line class="zero" x1={0} x2={end} y1={y(0)} y2={y(0)} />
            {[...areas].reverse().map((of, i) => <path key={i} class={`area area-${(areas.length - 1 - i) % 4}`} d={area(of)} />)}
            {limit && limit.length > 0 && <>
                <clipPath id={clip}><path d={`${stairs(limit, end, y)}V${row.top}H${limit[0]![0]}Z`} /></clipPath>
                <path class="area above" clip-path={`url(#${clip})`} d={area(areas[areas.length - 1]!)} />
                <path class="line capacity" d={stairs(limit, end, y)} />
            </>}
            <path class="line believed-line" d={line(series.believed)} />
            {[...new Set([0, series.most])].map(value => <text key={value} class="scale" x={view.width - 4} y={y(value) - 2}>{value}</text>)}
        </g>
    );
}
