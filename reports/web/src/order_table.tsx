// SPDX-License-Identifier: Apache-2.0

// The order that was found, in rows of which only those that are seen are in the document.
import {useEffect, useRef, useState} from 'preact/hooks';

import type {HistoryDetail} from './data';
import {operationWords} from './history_view';
import {kRowHeight} from './step_list';

interface Props {
    history: HistoryDetail;
    order: number[];
    unplaced: number | undefined;
    selected: number;
    select: (operation: number) => void;
}

const kHeight = 300;

export function StepTable({history, order, unplaced, selected, select}: Props) {
    // The end of the prefix is what is looked for first.
    const rows = unplaced === undefined ? order : [...order, unplaced];
    const frame = useRef<HTMLDivElement>(null);
    const [top, setTop] = useState(0);
    useEffect(() => {
        frame.current!.scrollTop = unplaced === undefined ? 0 : rows.length * kRowHeight;
    }, [order]);
    const first = Math.max(0, Math.floor(top / kRowHeight) - 5);
    const last = Math.min(rows.length, first + Math.ceil(kHeight / kRowHeight) + 12);
    return (
        <div class="step-list" ref={frame} style={{height: `${kHeight}px`}} role="grid" aria-rowcount={rows.length} aria-label="The order found" tabIndex={0} onScroll={event => setTop(event.currentTarget.scrollTop)}>
            <div class="step-space" style={{height: `${rows.length * kRowHeight}px`}}><div style={{transform: `translateY(${first * kRowHeight}px)`}}>
                {rows.slice(first, last).map((operation, i) => (
                    <div key={operation} role="row" aria-rowindex={first + i + 1} class={`step-row${operation === selected ? ' selected' : ''}${operation === unplaced ? ' violating' : ''}`} onClick={() => select(operation)}>
                        <span role="gridcell" class="number">{operation === unplaced ? '▼' : (first + i + 1).toLocaleString('en')}</span>
                        <span role="gridcell" class="who">{history.processes[history.process[operation]!]}</span>
                        <span role="gridcell">{operationWords(history, operation)}</span>
                        <span role="gridcell" class="result">record {history.record[operation]}</span>
                    </div>
                ))}
            </div></div>
        </div>
    );
}
