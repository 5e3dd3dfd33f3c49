// SPDX-License-Identifier: Apache-2.0

// The picture of a run: axis, lanes, resources, properties, one below the other on one axis.
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';

import {whenLettersCome} from './label';
import {kGutter, type Layout, type Row} from './lane_layout';
import {Holdings, Operations, StepBoxes} from './lane_row';
import {ArrowHeads, Messages, messagesSeen} from './messages';
import type {Positions} from './positions';
import {PropertyStrip} from './property_row';
import {keySeries, ResourceRow, type KeySeries} from './resource_row';
import type {RunModel} from './run_model';
import {centerX, cutText, viewOf, type View} from './view';
import {useZoom, type ZoomHandle} from './zoom';

interface Props {
    model: RunModel;
    positions: Positions;
    layout: Layout;
    selected: number;
    label: string;
    select: (at: number) => void;
    zoom?: (handle: ZoomHandle) => void; // tells who wants to steer it
}

export function Lanes({model, positions, layout, selected, label, select, zoom}: Props) {
    const frame = useRef<HTMLDivElement>(null);
    const svg = useRef<SVGSVGElement>(null);
    const [width, setWidth] = useState(0);
    const [hovered, setHovered] = useState(0);
    const [, setLetters] = useState({});
    useEffect(() => whenLettersCome(() => setLetters({})), []);
    useLayoutEffect(() => { // the picture is there as soon as the page is
        const observer = new ResizeObserver(() => setWidth(frame.current?.clientWidth ?? 0));
        observer.observe(frame.current!);
        setWidth(frame.current!.clientWidth);
        return () => observer.disconnect();
    }, []);
    const content = Math.max(50, width - kGutter - 8);
    const {domain, handle} = useZoom(svg, content, positions.length, width > 0);
    useLayoutEffect(() => { if (width > 0) zoom?.(handle); }, [handle]);
    const view = viewOf(model, positions, content, domain[0], domain[1]);
    const series = useMemo(() => new Map(model.run.keys.map((_, key) => [key, keySeries(model, key)])), [model]);

    const stepAt = (event: MouseEvent) => {
        const x = event.clientX - svg.current!.getBoundingClientRect().left - kGutter;
        return x < 0 ? 0 : positions.at(domain[0] + (x / content) * (domain[1] - domain[0]));
    };
    return (
        <div class="lanes-frame" ref={frame}>
            {width > 0 && (
                <svg ref={svg} class="lanes" width={width} height={layout.height} role="img" aria-label={label}
                    onClick={event => { const at = stepAt(event); if (at > 0) select(at); }}
                    onMouseMove={event => setHovered(stepAt(event))} onMouseLeave={() => setHovered(0)}>
                    <ArrowHeads />
                    <clipPath id="content"><rect x={0} y={0} width={content} height={layout.height} /></clipPath>
                    <Gutter model={model} layout={layout} series={series} width={width} />
                    <g transform={`translate(${kGutter},0)`} clip-path="url(#content)">
                        <Ground view={view} layout={layout} selected={selected} hovered={hovered} />
                        {layout.rows.map(row => <RowContent key={`${row.kind}${row.index}`} view={view} row={row} selected={selected} series={series} />)}
                        <Messages view={view} layout={layout} selected={selected} />
                        <Axis view={view} />
                        <Cursor view={view} layout={layout} selected={selected} />
                    </g>
                    {messagesSeen(view).length > 400 &&
                        <text class="note" x={width - 8} y={layout.height - 4}>{`${messagesSeen(view).length.toLocaleString('en')} messages: zoom in to see their arrows`}</text>}
                </svg>
            )}
        </div>
    );
}

function RowContent({view, row, selected, series}: {view: View; row: Row; selected: number; series: Map<number, KeySeries>}) {
    switch (row.kind) {
        case 'lane':
            return <g><Operations view={view} row={row} /><Holdings view={view} row={row} /><StepBoxes view={view} row={row} selected={selected} /></g>;
        case 'resource':
            return <ResourceRow view={view} row={row} series={series.get(row.index)!} />;
        case 'property':
            return <PropertyStrip view={view} row={row} />;
    }
}

function Gutter({model, layout, series, width}: {model: RunModel; layout: Layout; series: Map<number, KeySeries>; width: number}) {
    return (
        <g class="gutter">
            {layout.rows.map(row => {
                const run = model.run;
                const line = <line class="row-line" x1={0} x2={width} y1={row.top + 0.5} y2={row.top + 0.5} />;
                const at = `${row.kind}${row.index}`;
                if (row.kind === 'property') {
                    const property = run.properties[row.index]!;
                    const broken = model.brokenFrom(property.name) > 0;
                    const words = `${broken ? '✕' : '✓'} P${property.number} ${property.name}`;
                    return <g key={at}>{line}<text class={`name property-name${broken ? ' broken' : ''}`} x={8} y={row.top + 15}>{cutText(words, kGutter - 12, broken ? 7 : 6.2)}<title>{property.definition}</title></text></g>;
                }
                const name = row.kind === 'lane' ? run.parties[row.index]!.name : run.keys[row.index]!;
                const kind = row.kind === 'lane' ? run.parties[row.index]!.kind : 'resource';
                return (
                    <g key={at}>
                        {line}
                        <text class="name" x={8} y={row.top + 18}>{cutText(name, kGutter - 16, 7.4)}<title>{name}</title></text>
                        {row.height > 50 && <text class="kind" x={8} y={row.top + 32}>{kind}</text>}
                        {row.kind === 'resource' && <Legend series={series.get(row.index)!} top={row.top + 46} />}
                    </g>
                );
            })}
        </g>
    );
}

function Legend({series, top}: {series: KeySeries; top: number}) {
    const rows: [string, string][] = [
        [series.counters.length > 0 ? 'swatch area-0' : 'swatch area-0', series.counters.length > 0 ? 'counters' : 'granted'],
        ['swatch believed-line', 'believed'],
        ...(series.capacity ? [['swatch capacity', 'capacity'] as [string, string]] : []),
    ];
    return (
        <g class="legend">
            {rows.map(([name, words], i) => (
                <g key={words} transform={`translate(8,${top + i * 12})`}>
                    {name.includes('area') ? <rect class={name} x={0} y={-7} width={12} height={7} /> : <line class={name} x1={0} x2={12} y1={-3} y2={-3} />}
                    <text x={17} y={0}>{words}</text>
                </g>
            ))}
        </g>
    );
}

// Behind everything: the loop of a livelock, overlaps, the cells of the selected step and of the
// one under the pointer.
function Ground({view, layout, selected, hovered}: {view: View; layout: Layout; selected: number; hovered: number}) {
    const run = view.model.run;
    const cell = (at: number, name: string) => at > 0 && at <= view.model.count && (
        <rect class={name} x={view.x(view.positions.left(at))} y={0} height={layout.height}
            width={Math.max(1, view.x(view.positions.right(at)) - view.x(view.positions.left(at)))} />
    );
    const end = view.x(view.positions.length);
    const lanesEnd = layout.rows.find(row => row.kind === 'property')?.top ?? layout.height;
    return (
        <g>
            {(run.overlaps ?? []).filter(overlap => overlap.of === 'beliefs').map((overlap, i) => {
                const left = centerX(view, overlap.first_step);
                const right = overlap.ended ? centerX(view, overlap.last_step + 1) : end;
                return <rect key={i} class="overlap" x={left} y={30} width={Math.max(2, right - left)} height={lanesEnd - 30}><title>callers who exclude each other believe to hold</title></rect>;
            })}
            {run.cycle_from !== undefined && <rect class="loop" x={view.x(view.positions.left(run.cycle_from))} y={16}
                width={Math.max(2, end - view.x(view.positions.left(run.cycle_from)))} height={layout.height - 16} />}
            {cell(hovered, 'hovered-cell')}
            {cell(selected, 'selected-cell')}
        </g>
    );
}

function Cursor({view, layout, selected}: {view: View; layout: Layout; selected: number}) {
    if (selected < 1) {
        return null;
    }
    const x = centerX(view, selected);
    return <g class="cursor"><path d={`M${x - 5},0h10v6l-5,6l-5,-6z`} /><line x1={x} x2={x} y1={31} y2={layout.height} /></g>;
}

const kTickPixels = 44;

export function tickEvery(cell: number): number {
    for (let decade = 1; ; decade *= 10) {
        for (const factor of [1, 2, 5]) {
            if (decade * factor * cell >= kTickPixels || decade > 1e9) {
                return decade * factor;
            }
        }
    }
}

function Axis({view}: {view: View}) {
    const run = view.model.run;
    const every = tickEvery(view.cell);
    const ticks: number[] = [];
    let previous = -Infinity;
    for (let at = Math.ceil(view.first / every) * every; at <= view.last; at += every) {
        if (at > 0 && centerX(view, at) - previous >= kTickPixels * 0.6) {
            previous = centerX(view, at);
            ticks.push(at);
        }
    }
    const marked = view.model.violating.filter(at => at >= view.first && at <= view.last).slice(0, 100);
    return (
        <g class="axis">
            {ticks.filter(at => !marked.some(other => Math.abs(centerX(view, other) - centerX(view, at)) < kTickPixels / 2)).map(at => <text key={at} x={centerX(view, at)} y={27}>{at.toLocaleString('en')}</text>)}
            {marked.map(at => <text key={at} class="violating" x={Math.min(centerX(view, at), view.width - String(at).length * 4)} y={27}>{at.toLocaleString('en')}</text>)}
            {run.cycle_from !== undefined && <Loop view={view} from={run.cycle_from} />}
        </g>
    );
}

function Loop({view, from}: {view: View; from: number}) {
    const left = Math.max(4, view.x(view.positions.left(from)) + 3);
    const right = Math.min(view.width - 4, view.x(view.positions.length) - 3);
    return (
        <g class="loop-mark">
            <path d={`M${right},12V4H${left}V12m-4,-5l4,5l4,-5`} />
            <text x={right - 4} y={16}>{cutText('↻ repeats for ever', right - left - 12, 7)}</text>
        </g>
    );
}
