// SPDX-License-Identifier: Apache-2.0

// The lane of a party: its operations, the boxes of its steps, what it holds.
import type {OperationRow, Step} from './data';
import {labelIn, type Label} from './label';
import {kBarHeight, kBarsHeight, kBoxHeight, kBoxTop, type Row} from './lane_layout';
import {verbKey, type Holding, type Span} from './run_model';
import {apart, centerX, cutText, denseBars, isDense, type View} from './view';

const kLetter = 6.1;
const kLine = 11;
const kMarkedWidth = 56; // a box that has room for its mark beside its label
const kCornerWidth = 26;
const kMarkedMax = 200; // boxes of marked steps among too many to draw

function boxClass(step: Step): string {
    return `step ${step.kind}${step.cause ? ' decisive' : ''}${step.violates?.length ? ' violating' : ''}`;
}

export function StepBoxes({view, row, selected}: {view: View; row: Row; selected: number}) {
    const run = view.model.run;
    const kind = run.parties[row.index]!.kind;
    const top = row.top + (kind === 'caller' ? kBoxTop : 7);
    const steps: number[] = [];
    for (let at = view.first; at <= view.last; ++at) {
        if (run.trace[at - 1]!.party === row.index) {
            steps.push(at);
        }
    }
    const isMarked = (at: number) => run.trace[at - 1]!.cause || run.trace[at - 1]!.violates?.length;
    // Where there is no room for boxes, marked steps have theirs all the same.
    const drawn = isDense(view) ? steps.filter(isMarked).slice(0, kMarkedMax) : steps;
    const rest = isDense(view) ? denseBars(steps.map(at => [view.x(view.positions.left(at)), view.x(view.positions.right(at))]), top, kBoxHeight) : '';
    return <g>{rest && <path class="dense-steps" d={rest} />}{drawn.map(at => <StepBox key={at} view={view} at={at} top={top} isSelected={at === selected} />)}</g>;
}

function StepBox({view, at, top, isSelected}: {view: View; at: number; top: number; isSelected: boolean}) {
    const step = view.model.step(at)!;
    const left = view.x(view.positions.left(at));
    const right = view.x(view.positions.right(at));
    const gap = Math.min(1.5, (right - left) * 0.15);
    const width = Math.max(1.5, right - left - 2 * gap);
    // The mark stands in the box where it has room, else at its corner; above it where it is as wide as the mark.
    const indent = width > kMarkedWidth && isMarkedStep(step) ? 14 : 0;
    const [markX, markY] = indent > 0 ? [left + gap + 9, top + 7 + kBoxHeight / 2]
        : width > kCornerWidth ? [right - gap - 5, top + 5] : [(left + right) / 2, top];
    const words = step.kind === 'time' ? String(view.model.time(at) ?? '') : step.label ?? step.text;
    return (
        <g class={boxClass(step)} data-step={at}>
            <rect x={left + gap} y={top} width={width} height={kBoxHeight} rx={Math.min(3, width / 3)}
                class={isSelected ? 'selected' : ''} />
            <StepLabel label={labelIn(words, width - 4 - indent)} x={left + gap + 2.5 + indent} y={top + kBoxHeight / 2} />
            <StepMark step={step} x={markX} y={markY} />
            <title>{`${at}. ${step.text} ${step.result ?? ''}`}</title>
        </g>
    );
}

// Around a height, one line or two.
function StepLabel({label: {lines, size}, x, y}: {label: Label; x: number; y: number}) {
    const first = y + 3.7 - (lines.length - 1) * kLine / 2;
    return <text style={`font-size:${size}px`}>{lines.map((line, i) => <tspan key={i} x={x} y={first + i * kLine}>{line}</tspan>)}</text>;
}

const kMarkedEvents = ['crashed', 'caller died', 'servers died', 'went wrong', 'expired'] as const;

function isMarkedStep(step: Step): boolean {
    return (step.violates?.length ?? 0) > 0 || step.cause || ['crash', 'fault', 'disturbance', 'resize'].includes(step.kind) ||
        kMarkedEvents.some(name => step.events?.includes(name));
}

// What is more than a step has a shape of its own: colour alone says nothing.
function StepMark({step, x, y}: {step: Step; x: number; y: number}) {
    const events = step.events ?? [];
    if (step.violates?.length) {
        return <path class="mark violating" d={`M${x - 6},${y - 12}h12l-6,10z`} />;
    }
    if (step.kind === 'crash' || events.includes('crashed') || events.includes('caller died') || events.includes('servers died')) {
        return <path class="mark crash" d={`M${x - 4},${y - 11}l8,8m0,-8l-8,8`} />;
    }
    if (step.cause) {
        return <path class="mark decisive" d={`M${x},${y - 12}l5,5l-5,5l-5,-5z`} />;
    }
    if (step.kind === 'fault' || step.kind === 'disturbance' || events.includes('went wrong')) {
        return <path class="mark fault" d={`M${x + 2},${y - 13}l-5,6h4l-2,5l6,-7h-4z`} />;
    }
    if (events.includes('expired')) {
        return <path class="mark expired" d={`M${x - 4},${y - 12}h8l-8,10h8z`} />;
    }
    if (step.kind === 'resize') {
        return <path class="mark resize" d={`M${x - 7},${y - 7}l4,-3v6zm14,0l-4,-3v6zm-11,0h8`} />;
    }
    return null;
}

export function Operations({view, row}: {view: View; row: Row}) {
    const rows = view.model.operations[row.index]!;
    const begin = (operation: OperationRow) => view.x(view.positions.left(operation.call));
    const end = (operation: OperationRow) => view.x(view.positions.right(operation.return ?? view.model.count));
    const seen = rows.filter(operation => end(operation) >= 0 && begin(operation) <= view.width);
    if (isDense(view)) {
        return <path class="dense-operations" d={denseBars(seen.map(operation => [begin(operation), end(operation)]), row.top + 3, kBoxTop + kBoxHeight)} />;
    }
    return (
        <g>
            {seen.map(operation => {
                const left = begin(operation) + 1;
                const width = Math.max(1, end(operation) - begin(operation) - 2);
                const words = verbKey(view.model.run, operation) + (operation.detail ? ` → ${operation.detail}` : '');
                const visibleLeft = Math.max(left, 0);
                return (
                    <g key={operation.call} class={`operation ${operation.outcome}`} data-operation={operation.call}>
                        <rect x={left} y={row.top + 3} width={width} height={kBoxTop + kBoxHeight} rx={4} />
                        <text x={visibleLeft + 5} y={row.top + 14}>{cutText(words, left + width - visibleLeft - 8, kLetter + 0.7)}</text>
                        <title>{`${words} (${operation.outcome}), steps ${operation.call} to ${operation.return ?? 'the end'}`}</title>
                    </g>
                );
            })}
        </g>
    );
}

const kKinds = ['believed', 'granted', 'protected'] as const;

export function Holdings({view, row}: {view: View; row: Row}) {
    return <g>{view.model.holdings[row.index]!.map((holding, i) =>
        <HoldingBars key={holding.key} view={view} holding={holding} top={row.top + kBoxTop + kBoxHeight + 6 + i * kBarsHeight} />)}</g>;
}

function HoldingBars({view, holding, top}: {view: View; holding: Holding; top: number}) {
    const name = view.model.run.keys[holding.key] ?? '';
    return (
        <g>
            {kKinds.map((kind, i) => {
                const y = top + i * (kBarHeight + 2);
                const end = (span: Span) => span.open ? view.x(view.positions.length) : centerX(view, span.to);
                const seen = holding[kind].filter(span => end(span) >= 0 && centerX(view, span.from) <= view.width);
                if (isDense(view)) {
                    const pieces = [...apart(seen, end)].map((span): [number, number] => [Math.max(0, centerX(view, span.from)), end(span)]);
                    return <g key={kind} class={`holding ${kind}`}><path d={denseBars(pieces, y, kBarHeight)} /></g>;
                }
                return seen.map(span => {
                    const left = centerX(view, span.from);
                    const width = Math.max(1.5, end(span) - left);
                    return (
                        <g key={`${kind}${span.from}`} class={`holding ${kind}${span.open ? ' open' : ''}`}>
                            <rect x={left} y={y} width={width} height={kBarHeight} rx={kind === 'protected' ? 0 : 2} />
                            <title>{`${kind}: ${name}${span.value > 1 ? ` ×${span.value}` : ''}, from step ${span.from} ${span.open ? 'to the end' : `to step ${span.to}`}`}</title>
                        </g>
                    );
                });
            })}
        </g>
    );
}
