// SPDX-License-Identifier: Apache-2.0

// A recorded history: operations as bars on a canvas, so that 100,000 stay usable; the order that
// was found, the operation that has no place in it, the ladder of contracts.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import type {HistoryDetail} from './data';
import {counted} from './figures';
import {StepTable} from './order_table';
import {drawHistory, kAxis, kRow, operationAt, prepared, rangeOf, type Range} from './history_canvas';

const kRowsMax = 60; // seen at once

export function HistoryView({history}: {history: HistoryDetail}) {
    const canvas = useRef<HTMLCanvasElement>(null);
    const whole = useMemo(() => rangeOf(history), [history]);
    const [range, setRange] = useState<Range>(whole);
    const [key, setKey] = useState<number | undefined>(history.explanations[0]?.key);
    const explanation = history.explanations.find(row => row.key === key);
    const [selected, setSelected] = useState<number>(explanation?.unplaced ?? -1);
    const [width, setWidth] = useState(900);
    const [firstRow, setFirstRow] = useState(0);
    const [themed, setThemed] = useState(0);
    const data = useMemo(() => prepared(history, key), [history, key]);
    const rows = Math.min(kRowsMax, data.rows.length);
    useEffect(() => {
        const observer = new ResizeObserver(() => setWidth(canvas.current?.clientWidth ?? 900));
        observer.observe(canvas.current!);
        const themes = new MutationObserver(() => setThemed(value => value + 1));
        themes.observe(document.documentElement, {attributes: true});
        return () => { observer.disconnect(); themes.disconnect(); };
    }, []);
    useEffect(() => drawHistory(canvas.current!, history, data, range, firstRow, rows, selected, explanation), [history, data, range, firstRow, width, selected, themed, explanation]);
    const zoomAt = (share: number, factor: number) => setRange(now => {
        const length = Math.max((now.to - now.from) * factor, (whole.to - whole.from) * 1e-9);
        const middle = now.from + (now.to - now.from) * share;
        const from = Math.max(whole.from, middle - length * share);
        return {from, to: Math.min(whole.to, from + length)};
    });
    const show = (operation: number) => {
        setSelected(operation);
        const call = history.call[operation]!;
        const end = history.return[operation] ?? call;
        if (call < range.from || end > range.to || range === whole) {
            const length = Math.max(end - call, 1) * 30;
            setRange({from: Math.max(whole.from, call - length / 2), to: Math.min(whole.to, end + length / 2)});
        }
    };
    const drag = useRef<{x: number; range: Range} | null>(null);
    const wheel = (event: WheelEvent) => {
        if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            zoomAt(event.offsetX / width, event.deltaY > 0 ? 1.3 : 1 / 1.3);
        }
    };
    return (
        <section class="history" aria-label="The history">
            <h2>{counted(history.call.length, 'operation')}, {counted(history.processes.length, 'process', 'processes')} <small>model {history.model}{history.tightest ? `; tightest contract: ${history.tightest}` : ''}</small></h2>
            <div class="filters">
                <label>key <select aria-label="Key" value={key ?? ''} onChange={event => { const value = event.currentTarget.value; setKey(value === '' ? undefined : Number(value)); }}>
                    <option value="">all</option>{history.keys.map((name, i) => <option key={i} value={i}>{name || '(no key)'}</option>)}</select></label>
                <button onClick={() => zoomAt(0.5, 0.5)} aria-label="Zoom in">+</button><button onClick={() => zoomAt(0.5, 2)} aria-label="Zoom out">−</button><button onClick={() => setRange(whole)}>fit</button>
                {explanation?.unplaced !== undefined && <button onClick={() => show(explanation.unplaced!)}>▼ the operation without a place</button>}
                <span class="count">ok blue, fail grey, nobody knows pale; in the order found: underlined</span>
                {data.rows.length > rows && <label>first row <input type="range" min={0} max={data.rows.length - rows} value={firstRow} onInput={event => setFirstRow(Number(event.currentTarget.value))} /></label>}
            </div>
            <canvas ref={canvas} class="history-canvas" height={kAxis + rows * kRow} style={{height: `${kAxis + rows * kRow}px`}} role="img"
                aria-label={`${history.call.length} operations as bars. The table below has the order that was found.`}
                onWheel={wheel}
                onPointerDown={event => { drag.current = {x: event.offsetX, range}; event.currentTarget.setPointerCapture(event.pointerId); }}
                onPointerMove={event => {
                    if (drag.current && event.buttons) {
                        const {from, to} = drag.current.range;
                        const by = ((drag.current.x - event.offsetX) / width) * (to - from);
                        const moved = Math.max(whole.from - from, Math.min(whole.to - to, by));
                        setRange({from: from + moved, to: to + moved});
                    }
                }}
                onPointerUp={event => {
                    if (drag.current && Math.abs(drag.current.x - event.offsetX) < 3) {
                        setSelected(operationAt(history, data, range, firstRow, width, event.offsetX, event.offsetY));
                    }
                    drag.current = null;
                }} />
            <OperationWords history={history} at={selected} />
            {explanation && <>
                <h3>{explanation.verdict === 'passed' ? 'An order that explains the operations' : 'The longest prefix that can be explained'} <small>{counted(explanation.order.length, 'operation')}</small></h3>
                {explanation.reason && <p class="violates">{explanation.unplaced !== undefined && <b>▼ {operationWords(history, explanation.unplaced)}: </b>}{explanation.reason} {explanation.holders && `Holders then: ${explanation.holders}`}</p>}
                <StepTable history={history} order={explanation.order} unplaced={explanation.unplaced} selected={selected} select={show} />
            </>}
            {history.ladder.length > 0 && <table class="ladder"><thead><tr><th>contract</th><th>what it says</th><th>verdict</th><th>detail</th></tr></thead>
                <tbody>{history.ladder.map(rung => <tr key={rung.name}><th scope="row">{rung.name}</th><td>{rung.contract}</td><td>{rung.verdict === 'satisfied' ? <span class="met">✓ satisfied</span> : rung.verdict === 'violated' ? <span class="unmet">✕ violated</span> : rung.verdict}</td><td>{rung.detail}</td></tr>)}</tbody></table>}
        </section>
    );
}

export function operationWords(history: HistoryDetail, at: number): string {
    const key = history.keys[history.key[at]!];
    return `${history.processes[history.process[at]!]} ${history.functions[history.f[at]!]}${key ? ` ${key}` : ''}`;
}

const kOutcomes: Record<string, string> = {o: 'ok', f: 'fail', i: 'info: nobody knows', '-': 'no return'};

function OperationWords({history, at}: {history: HistoryDetail; at: number}) {
    if (at < 0) {
        return <p class="note">Click an operation to see it. Ctrl and the wheel zoom, dragging pans.</p>;
    }
    const end = history.return[at];
    return (
        <p class="step-words" role="status">record {history.record[at]}: {operationWords(history, at)}, {kOutcomes[history.outcome[at]!] ?? ''}
            <span class="result"> from {history.call[at]!.toLocaleString('en')} to {end === null || end === undefined ? 'the end' : end.toLocaleString('en')} {history.unit}{history.value?.[at] ? `, value ${history.value[at]}` : ''}{history.error?.[at] ? `, error ${history.error[at]}` : ''}</span></p>
    );
}
