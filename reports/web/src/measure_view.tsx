// SPDX-License-Identifier: Apache-2.0

// Rates: each property with its interval, sweeps as lines, forecasts, the figures to download.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {scaleLog} from 'd3-scale';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import {download} from './copy';
import type {Figure, MeasuredFile, MeasuredPoint, MeasuredProperty} from './data';
import {csvField, shownFigure, shownNumber} from './figures';
import {Badge, Copyable} from './summary';

const kMeasures = [['per_run', 'per run'], ['per_acquire', 'per acquire'], ['count_per_run', 'count per run'], ['fraction_of_time', 'fraction of time']] as const;
type Measure = (typeof kMeasures)[number][0];

export function MeasureView({files}: {files: MeasuredFile[]}) {
    return <>{files.map(file => <FileView key={file.file} file={file} />)}</>;
}

function FileView({file}: {file: MeasuredFile}) {
    const [measure, setMeasure] = useState<Measure>('per_run');
    const swept = Object.keys(file.points[0]?.at ?? {});
    return (
        <section class="measure" aria-label="Rates">
            <p class="where"><Badge verdict={file.verdict} /> <span class="file">{file.file}</span></p>
            <p class="scope"><b>scope</b> {file.scope}</p>
            <p class="scope"><b>law</b> {file.law.text} ({file.law.from})</p>
            {file.warnings.map(words => <p key={words} class="warning">{words}</p>)}
            <div class="filters">
                <label>figure <select aria-label="Figure" value={measure} onChange={event => setMeasure(event.currentTarget.value as Measure)}>
                    {kMeasures.map(([name, words]) => <option key={name} value={name}>{words}</option>)}</select></label>
                <button onClick={() => download('rates.csv', new Blob([csvOf(file)], {type: 'text/csv'}))}>download CSV</button>
                <button onClick={() => download('rates.json', new Blob([JSON.stringify(file, null, 1)], {type: 'application/json'}))}>download JSON</button>
            </div>
            {swept.length === 1 && <Sweep file={file} parameter={swept[0]!} measure={measure} />}
            {swept.length === 2 && <HeatMap file={file} parameters={[swept[0]!, swept[1]!]} measure={measure} />}
            <div class="plots">{file.points.slice(0, 60).map((point, i) => <PointView key={i} file={file} point={point} measure={measure} />)}</div>
            {file.points.length > 60 && <p class="note">{file.points.length - 60} more points are in the plot and the download, not listed.</p>}
            {file.max_rate.length > 0 && <table><thead><tr><th>bound</th><th class="figure">at most</th><th class="figure">rate</th><th>method</th><th>met</th></tr></thead>
                <tbody>{file.max_rate.map(row => <tr key={row.property}><th scope="row">{row.property}</th><td class="figure">{shownNumber(row.bound)}</td><td class="figure">{shownFigure(row.rate)}</td><td>{row.method}</td>
                    <td>{row.met === null ? 'not decided' : row.met ? '✓ met' : '✕ exceeded'}</td></tr>)}</tbody></table>}
            <Copyable text={file.repeat} label="Copy the command" />
        </section>
    );
}

function nameOf(point: MeasuredPoint): string {
    return [`${point.system}/${point.variant}`, ...Object.entries(point.at).map(([name, value]) => `${name} ${value}`)].join(', ');
}

function PointView({file, point, measure}: {file: MeasuredFile; point: MeasuredPoint; measure: Measure}) {
    const {result, forecast} = point;
    return (
        <div>
            <h3>{nameOf(point)} <small>{result.method}{result.complete ? '' : ', not complete'}{result.limit && `: ${result.limit}`}</small></h3>
            <Intervals properties={result.properties} measure={measure} bounds={new Map(measure === 'per_run' ? file.max_rate.map(row => [row.property, row.bound]) : [])} />
            <p class="note">acquires per run {shownFigure(result.acquires_per_run)}; {result.states > 0 ? `${result.states.toLocaleString('en')} states` : `${result.runs.toLocaleString('en')} runs`}</p>
            {forecast && <table><tbody>
                <tr><th scope="row">at {forecast.acquires_per_second} acquires/s, units lost per day</th><td class="figure">{shownFigure(forecast.units_per_day)}</td></tr>
                <tr><th scope="row">seconds until nothing is left of {forecast.capacity}</th><td class="figure">{shownFigure(forecast.seconds_to_seizure)}</td></tr>
                <tr><th scope="row">restart each so many seconds to lose at most {forecast.share * 100} %</th><td class="figure">{shownFigure(forecast.restart_seconds)}</td></tr>
                {Object.entries(forecast.events_per_day).map(([name, figure]) => <tr key={name}><th scope="row">{name} per day</th><td class="figure">{shownFigure(figure)}</td></tr>)}
            </tbody></table>}
        </div>
    );
}

const kNames = 170;
const kWidth = 620;

// Dots with whiskers on a logarithmic axis; what is zero stands at its left end.
function Intervals({properties, measure, bounds}: {properties: MeasuredProperty[]; measure: Measure; bounds: Map<string, number>}) {
    const rows = properties.flatMap(property => property[measure] ? [{name: property.property, figure: property[measure]!}] : []);
    const positive = [...rows.flatMap(row => [row.figure.value, row.figure.low, row.figure.high]), ...bounds.values()].filter((value): value is number => value !== null && value > 0);
    const least = positive.length ? Math.min(...positive) / 3 : 1e-3;
    const most = positive.length ? Math.max(...positive) * 3 : 1;
    const x = scaleLog().domain([least, most]).range([kNames + 20, kWidth - 150]).clamp(true);
    const at = (value: number | null) => value === null ? kWidth - 150 : value <= 0 ? kNames + 8 : x(value);
    const height = rows.length * 24 + 26;
    const ticks = x.ticks(4).filter(tick => Math.log10(tick) % 1 === 0);
    return (
        <svg class="interval" viewBox={`0 0 ${kWidth} ${height}`} role="img" aria-label={`${measure} of each property`}>
            {ticks.map(tick => <g key={tick}><line class="grid" x1={x(tick)} x2={x(tick)} y1={0} y2={height - 18} /><text x={x(tick)} y={height - 4} text-anchor="middle">{tick.toExponential(0)}</text></g>)}
            <text x={kNames + 8} y={height - 4} text-anchor="middle">0</text>
            {rows.map((row, i) => {
                const y = i * 24 + 14;
                const bound = bounds.get(row.name);
                return (
                    <g key={row.name}>
                        <title>{`${row.name}: ${shownFigure(row.figure)}${bound === undefined ? '' : `, bound ${shownNumber(bound)}`}`}</title>
                        <rect x={0} y={y - 12} width={kWidth} height={24} fill="transparent" />
                        <text x={0} y={y + 4}>{row.name.length > 26 ? `${row.name.slice(0, 25)}…` : row.name}</text>
                        {bound !== undefined && <line class="bound" x1={at(bound)} x2={at(bound)} y1={y - 9} y2={y + 9} />}
                        <line class="whisker" x1={at(row.figure.low)} x2={Math.max(at(row.figure.high), at(row.figure.low) + 1)} y1={y} y2={y} />
                        <circle class="dot" cx={at(row.figure.value)} cy={y} r={4.5} />
                        <text x={kWidth - 140} y={y + 4}>{shownNumber(row.figure.value)}</text>
                    </g>
                );
            })}
        </svg>
    );
}

const kStrokes = ['believed', 'granted', 'protected', 'decisive', 'violating', 'loop', 'ink-3'];

// uPlot has null where nothing is hovered.
const hoveredValue = (_plot: uPlot, value: number | null) => value === null ? '–' : shownNumber(value);

// Between the marks of an axis, where half a crash is no value.
const kWholeSteps = Array.from({length: 13}, (_, decade) => [1, 2, 5].map(factor => factor * 10 ** decade)).flat();

function figureOf(point: MeasuredPoint, property: string, measure: Measure): Figure | null {
    return point.result.properties.find(row => row.property === property)?.[measure] ?? null;
}

function Sweep({file, parameter, measure}: {file: MeasuredFile; parameter: string; measure: Measure}) {
    const root = useRef<HTMLDivElement>(null);
    const [dark, setDark] = useState(0);
    useEffect(() => {
        const query = matchMedia('(prefers-color-scheme: dark)');
        const changed = () => setDark(value => value + 1);
        query.addEventListener('change', changed);
        const observer = new MutationObserver(changed);
        observer.observe(document.documentElement, {attributes: true});
        return () => { query.removeEventListener('change', changed); observer.disconnect(); };
    }, []);
    const lines = useMemo(() => {
        const variants = [...new Set(file.points.map(point => `${point.system}/${point.variant}`))];
        const xs = [...new Set(file.points.map(point => point.at[parameter]!))].sort((a, b) => a - b);
        const point = (variant: string, x: number) => file.points.find(row => `${row.system}/${row.variant}` === variant && row.at[parameter] === x);
        return {xs, rows: variants.flatMap(variant => file.measured.map(property => ({
            name: variants.length > 1 ? `${property}, ${variant}` : property,
            figures: xs.map(x => { const found = point(variant, x); return found ? figureOf(found, property, measure) : null; }),
        })).filter(row => row.figures.some(figure => figure && (figure.high ?? 1) > 0)))};
    }, [file, parameter, measure]);
    useEffect(() => {
        const computed = getComputedStyle(document.documentElement);
        const colour = (name: string) => computed.getPropertyValue(`--${name}`).trim();
        const data: (number | null)[][] = [lines.xs];
        const series: uPlot.Series[] = [{label: parameter, value: hoveredValue}];
        const bands: uPlot.Band[] = [];
        lines.rows.forEach((row, i) => {
            const stroke = colour(kStrokes[i % kStrokes.length]!);
            data.push(row.figures.map(figure => figure?.value ?? null), row.figures.map(figure => figure?.low ?? null), row.figures.map(figure => figure?.high ?? null));
            series.push({label: row.name, stroke, width: 2, dash: i < kStrokes.length ? [] : [6, 4], points: {show: true}, value: hoveredValue},
                {label: 'low', stroke: 'transparent', points: {show: false}, value: hoveredValue},
                {label: 'high', stroke: 'transparent', points: {show: false}, value: hoveredValue});
            bands.push({series: [i * 3 + 3, i * 3 + 2], fill: `${stroke}33`});
        });
        const axis = {font: `12px ${colour('sans')}`, labelFont: `bold 12px ${colour('sans')}`, stroke: colour('ink-2'), grid: {stroke: colour('line')}, ticks: {stroke: colour('line')}};
        const plot = new uPlot({width: root.current!.clientWidth, height: 320, scales: {x: {time: false}}, axes: [{...axis, label: parameter, ...(lines.xs.every(Number.isInteger) ? {incrs: kWholeSteps} : {})}, {...axis, size: 80, values: (_u, values) => values.map(shownNumber)}], series, bands}, data as uPlot.AlignedData, root.current!);
        const observer = new ResizeObserver(() => plot.setSize({width: root.current!.clientWidth, height: 320}));
        observer.observe(root.current!);
        return () => { observer.disconnect(); plot.destroy(); };
    }, [lines, dark]);
    return <div class="sweep" ref={root} />;
}

// Of two swept parameters: a field for each pair, as dark as its figure; its number stands in it.
function HeatMap({file, parameters, measure}: {file: MeasuredFile; parameters: [string, string]; measure: Measure}) {
    const [property, setProperty] = useState(file.measured[0]!);
    const [first, second] = parameters;
    const values = (name: string) => [...new Set(file.points.map(point => point.at[name]!))].sort((a, b) => a - b);
    const figures = file.points.map(point => figureOf(point, property, measure)?.value ?? 0);
    const most = Math.max(...figures, 1e-300);
    return (
        <div class="heat table-frame">
            <label>property <select value={property} onChange={event => setProperty(event.currentTarget.value)}>{file.measured.map(name => <option key={name}>{name}</option>)}</select></label>
            <table><thead><tr><th>{first} \ {second}</th>{values(second).map(value => <th key={value} class="figure">{value}</th>)}</tr></thead>
                <tbody>{values(first).map(a => <tr key={a}><th scope="row">{a}</th>{values(second).map(b => {
                    const point = file.points.find(row => row.at[first] === a && row.at[second] === b);
                    const figure = point ? figureOf(point, property, measure) : null;
                    const share = Math.round(((figure?.value ?? 0) / most) * 70);
                    return <td key={b} class="figure" title={shownFigure(figure)} style={{background: `color-mix(in srgb, var(--granted) ${share}%, var(--surface))`}}>{figure ? shownNumber(figure.value) : ''}</td>;
                })}</tr>)}</tbody></table>
        </div>
    );
}

export function csvOf(file: MeasuredFile): string {
    const swept = Object.keys(file.points[0]?.at ?? {});
    const lines = [['file', 'system', 'variant', ...swept, 'property', 'figure', 'value', 'low', 'high', 'method'].map(csvField).join(',')];
    for (const point of file.points) {
        for (const property of point.result.properties) {
            for (const [name] of kMeasures) {
                const figure = property[name];
                if (figure) {
                    lines.push([file.file, point.system, point.variant, ...swept.map(parameter => point.at[parameter]!), property.property, name, figure.value, figure.low, figure.high, point.result.method].map(csvField).join(','));
                }
            }
        }
    }
    return `${lines.join('\n')}\n`;
}
