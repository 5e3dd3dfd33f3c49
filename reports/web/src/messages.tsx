// SPDX-License-Identifier: Apache-2.0

// Messages as arrows from the step that sends to the step at which they arrive.
import type {Message} from './data';
import {kBoxHeight, kBoxTop, type Layout, type Row} from './lane_layout';
import {centerX, type View} from './view';

const kDrawnMax = 400;

export function messagesSeen(view: View): Message[] {
    return (view.model.run.messages ?? []).filter(
        message => message.sent <= view.last && (message.arrives ?? view.model.count) >= view.first);
}

export function Messages({view, layout, selected}: {view: View; layout: Layout; selected: number}) {
    const seen = messagesSeen(view);
    // Where there is no room for arrows there are none, but those of the selected step.
    const drawn = seen.length <= kDrawnMax ? seen
        : seen.filter(message => message.sent === selected || message.arrives === selected);
    return (
        <g>
            {drawn.map((message, i) => {
                const from = layout.laneOf.get(message.from);
                const to = layout.laneOf.get(message.to);
                return from && to ? <Arrow key={i} view={view} message={message} from={from} to={to} selected={selected} /> : null;
            })}
        </g>
    );
}

function side(view: View, row: Row, faces: boolean): number {
    const isCaller = view.model.run.parties[row.index]!.kind === 'caller';
    const top = row.top + (isCaller ? kBoxTop : 7);
    return faces ? top + kBoxHeight : top;
}

function Arrow({view, message, from, to, selected}: {view: View; message: Message; from: Row; to: Row; selected: number}) {
    const x1 = centerX(view, message.sent);
    const x2 = message.arrives === undefined ? view.x(view.positions.length) : centerX(view, message.arrives);
    const isDown = from.top < to.top;
    const y1 = side(view, from, isDown);
    const y2 = side(view, to, !isDown);
    const isNear = message.sent === selected || message.arrives === selected;
    const bend = Math.min(60, Math.abs(y2 - y1) / 2) * (isDown ? 1 : -1);
    const state = message.lost ? ' lost' : message.arrives === undefined ? ' under-way' : '';
    return (
        <g class={`message${state}${message.down ? ' down' : ''}${isNear ? ' near' : ''}`}>
            <path d={`M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`}
                marker-end={message.lost ? 'url(#head-lost)' : 'url(#head)'} />
            <title>{`${message.text}: ${message.lost ? 'lost' : message.arrives === undefined ? 'has not arrived' : 'arrives'}`}</title>
        </g>
    );
}

export function ArrowHeads() {
    return (
        <defs>
            <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                <path class="head" d="M0,0.5L8,4L0,7.5z" />
            </marker>
            <marker id="head-lost" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="9" markerHeight="9">
                <path class="head-lost" d="M1,1L7,7M7,1L1,7" />
            </marker>
            <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="4" height="4" class="hatch-ground" />
                <rect width="1.6" height="4" class="hatch-line" />
            </pattern>
            <pattern id="loop-ground" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
                <rect width="2" height="8" class="loop-line" />
            </pattern>
        </defs>
    );
}
