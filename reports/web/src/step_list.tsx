// SPDX-License-Identifier: Apache-2.0

// The steps as a table. Only the rows that are seen are in the document.
import {useEffect, useRef, useState} from 'preact/hooks';

import type {Run} from './data';
import type {RunModel} from './run_model';

export const kRowHeight = 28;
const kRowsBeyond = 8;
// Browsers cannot lay out more pixels than about 33 million; far below it.
const kHeightMax = 8_000_000;

interface Props {
    model: RunModel;
    rows: number[]; // steps that are listed
    selected: number;
    select: (at: number) => void;
    differs?: (at: number) => boolean; // from the run beside it
}

export function StepList({model, rows, selected, select, differs}: Props) {
    const frame = useRef<HTMLDivElement>(null);
    const [top, setTop] = useState(0);
    const [height, setHeight] = useState(400);
    useEffect(() => {
        const observer = new ResizeObserver(() => setHeight(frame.current?.clientHeight ?? 400));
        observer.observe(frame.current!);
        return () => observer.disconnect();
    }, []);
    const total = rows.length * kRowHeight;
    const factor = total > kHeightMax ? total / kHeightMax : 1; // scrolls in larger strides
    const index = rows.indexOf(selected);
    useEffect(() => {
        const element = frame.current!;
        const wanted = index * kRowHeight;
        const seen = element.scrollTop * factor;
        const header = kRowHeight;
        if (index >= 0 && (wanted < seen || wanted > seen + element.clientHeight - header - kRowHeight)) {
            element.scrollTop = Math.max(0, (wanted - element.clientHeight / 2) / factor);
        }
    }, [selected, rows, factor]);
    const first = Math.max(0, Math.floor((top * factor) / kRowHeight) - kRowsBeyond);
    const last = Math.min(rows.length, Math.ceil((top * factor + height) / kRowHeight) + kRowsBeyond);
    const offset = first * kRowHeight - top * factor + top;
    return (
        <div class="step-list" ref={frame} role="grid" aria-label="Steps" aria-rowcount={rows.length + 1} tabIndex={0}
            onScroll={event => setTop(event.currentTarget.scrollTop)}>
            <div class="step-row head" role="row" aria-rowindex={1}>
                <span role="columnheader" class="number">step</span>
                <span role="columnheader">who</span>
                <span role="columnheader">action</span>
                <span role="columnheader">result</span>
            </div>
            <div class="step-space" style={{height: `${Math.min(total, kHeightMax)}px`}}>
                <div style={{transform: `translateY(${factor === 1 ? first * kRowHeight : offset}px)`}}>
                    {rows.slice(first, last).map((at, i) => (
                        <StepRow key={at} run={model.run} at={at} row={first + i + 2} gap={at - (rows[first + i - 1] ?? 0) - 1}
                            isSelected={at === selected} differs={differs?.(at) ?? false} select={select} />
                    ))}
                </div>
            </div>
            {rows.length === 0 && <p class="nothing">No step fits.</p>}
        </div>
    );
}

interface RowProps {
    run: Run;
    at: number;
    row: number;
    gap: number; // steps before it that are not listed
    isSelected: boolean;
    differs: boolean;
    select: (at: number) => void;
}

function StepRow({run, at, row, gap, isSelected, differs, select}: RowProps) {
    const step = run.trace[at - 1]!;
    const marks = [
        step.violates?.length ? 'violating' : '',
        step.cause ? 'decisive' : '',
        isSelected ? 'selected' : '',
        differs ? 'differs' : '',
        gap > 0 ? 'after-gap' : '',
        run.cycle_from !== undefined && at >= run.cycle_from ? 'in-loop' : '',
    ].filter(Boolean).join(' ');
    const party = run.parties[step.party]!;
    return (
        <div class={`step-row ${marks}`} role="row" aria-rowindex={row} aria-selected={isSelected} data-step={at} onClick={() => select(at)}
            title={gap > 0 ? `${gap} steps before it are not listed` : undefined}>
            <span role="gridcell" class="number">{at.toLocaleString('en')}</span>
            <span role="gridcell" class={`who ${party.kind}`}>{party.name}</span>
            <span role="gridcell" class="what">
                {step.violates?.length ? <b class="sign violating" title="violating step">▼<i class="unseen"> violating: </i></b> : null}
                {step.cause ? <b class="sign decisive" title="decisive step">◆<i class="unseen"> decisive: </i></b> : null}
                {step.text}
            </span>
            <span role="gridcell" class="result">{step.result}</span>
        </div>
    );
}
