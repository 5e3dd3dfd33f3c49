// SPDX-License-Identifier: Apache-2.0

// The states around the selected one as a graph, at most so many: laid out by dagre, moved by d3.
import dagre from '@dagrejs/dagre';
import {select} from 'd3-selection';
import {zoom, zoomIdentity} from 'd3-zoom';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {ask} from './serve_client';
import {counted} from './figures';
import type {GraphAnswer, GraphState} from './serve_data';
import type {SeenStates} from './explorer_keep';

interface Props {
    file: number;
    here: {schedule: string; seed: number; actions: string[]}; // up to the selected step
    seen: SeenStates;
    go: (actions: string[]) => void;
    fail: (error: unknown) => void;
}

const kSizes = [20, 60, 150, 400];

export function GraphPanel({file, here, seen, go, fail}: Props) {
    const [size, setSize] = useState(60);
    const [isWhole, setWhole] = useState(false);
    const [isOpen, setOpen] = useState(false);
    const [graph, setGraph] = useState<GraphAnswer>();
    const root = isWhole ? [] : here.actions;
    const schedule = isWhole ? `lk1:${here.seed}:` : here.schedule;
    useEffect(() => {
        if (!isOpen) {
            return;
        }
        const control = new AbortController();
        ask<GraphAnswer>('graph', {file, schedule, states: size}, control.signal).then(setGraph)
            .catch((error: unknown) => control.signal.aborted || fail(error));
        return () => control.abort();
    }, [isOpen, file, schedule, size]);
    return (
        <details class="graph-panel" onToggle={event => setOpen(event.currentTarget.open)}>
            <summary><h2>States around</h2></summary>
            <p class="search-buttons">
                <label>from <select aria-label="Graph from" value={isWhole ? 'beginning' : 'here'} onChange={event => setWhole(event.currentTarget.value === 'beginning')}>
                    <option value="here">the selected step</option><option value="beginning">the beginning</option>
                </select></label>
                <label>at most <select aria-label="States at most" value={size} onChange={event => setSize(Number(event.currentTarget.value))}>
                    {kSizes.map(most => <option key={most} value={most}>{most}</option>)}
                </select> states</label>
                {graph && <span class="count" data-states={graph.states.length}>{counted(graph.states.length, 'state')}, {counted(graph.transitions.length, 'step')}{graph.left_out > 0 ? `; ${graph.left_out} more steps lead out of the picture` : ': all there are'}</span>}
            </p>
            {isOpen && graph && <Drawing graph={graph} root={root} seen={seen} go={go} />}
        </details>
    );
}

const kManyStates = 100;
const kNode = {width: 22, height: 22};

interface Laid {
    width: number;
    height: number;
    nodes: {x: number; y: number}[];
    edges: {x: number; y: number}[][];
}

function layOut(graph: GraphAnswer): Laid {
    const drawn = new dagre.graphlib.Graph({multigraph: true});
    drawn.setGraph({rankdir: 'TB', nodesep: 10, edgesep: 2, ranksep: graph.states.length > kManyStates ? 120 : 34, marginx: 16, marginy: 16, ranker: 'tight-tree'});
    drawn.setDefaultEdgeLabel(() => ({}));
    graph.states.forEach((_, i) => drawn.setNode(String(i), {...kNode}));
    graph.transitions.forEach(({from, to}, i) => drawn.setEdge(String(from), String(to), {}, String(i)));
    dagre.layout(drawn);
    const {width = 0, height = 0} = drawn.graph() as {width?: number; height?: number};
    const laid = {
        width, height,
        nodes: graph.states.map((_, i) => drawn.node(String(i)) as {x: number; y: number}),
        edges: graph.transitions.map(({from, to}, i) => (drawn.edge(String(from), String(to), String(i)) as {points: {x: number; y: number}[]}).points),
    };
    return width >= height ? laid : onItsSide(laid); // as wide as the frame
}

function onItsSide({width, height, nodes, edges}: Laid): Laid {
    const turned = ({x, y}: {x: number; y: number}) => ({x: y, y: x});
    return {width: height, height: width, nodes: nodes.map(turned), edges: edges.map(points => points.map(turned))};
}

// The actions that lead from the first state to each, by the fewest steps.
function waysOf(graph: GraphAnswer): string[][] {
    const ways: string[][] = [];
    ways[0] = [];
    const outgoing = graph.states.map((_, from) => graph.transitions.filter(transition => transition.from === from));
    for (let from = 0; from < graph.states.length; ++from) {
        for (const {to, action} of outgoing[from] ?? []) {
            if (ways[to] === undefined && ways[from] !== undefined) {
                ways[to] = [...ways[from], action];
            }
        }
    }
    return ways;
}

function nodeName(state: GraphState, i: number, seen: SeenStates): string {
    return ['node', i === 0 ? 'root' : '', state.violates.length > 0 ? 'violating' : '', state.stuck ? 'stuck' : '', state.finished ? 'finished' : '',
        seen.where(state.id) !== undefined ? 'seen' : ''].filter(Boolean).join(' ');
}

function Drawing({graph, root, seen, go}: {graph: GraphAnswer; root: string[]; seen: SeenStates; go: (actions: string[]) => void}) {
    const laid = useMemo(() => layOut(graph), [graph]);
    const ways = useMemo(() => waysOf(graph), [graph]);
    const [told, setTold] = useState('');
    const svg = useRef<SVGSVGElement>(null);
    const moved = useRef<SVGGElement>(null);
    useEffect(() => {
        const behaviour = zoom<SVGSVGElement, unknown>().scaleExtent([0.1, 6]).on('zoom', event => moved.current?.setAttribute('transform', String(event.transform)));
        const frame = select(svg.current!);
        frame.call(behaviour);
        const {clientWidth, clientHeight} = svg.current!;
        const scale = Math.min(1.5, clientWidth / laid.width, clientHeight / laid.height);
        frame.call(behaviour.transform, zoomIdentity.translate((clientWidth - laid.width * scale) / 2, (clientHeight - laid.height * scale) / 2).scale(scale));
        return () => { frame.on('.zoom', null); };
    }, [laid]);
    return (
        <>
            <svg class="state-graph" ref={svg} role="group" aria-label="States and steps">
                <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0,0L8,4L0,8z" /></marker></defs>
                <g ref={moved}>
                    {graph.transitions.map((transition, i) => (
                        <path key={i} class={`edge ${transition.violates.length > 0 ? 'violating' : ''}`} marker-end="url(#arrow)"
                            d={`M${laid.edges[i]!.map(point => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join('L')}`}
                            onPointerEnter={() => setTold(`${transition.text}${transition.violates.length > 0 ? `, violates ${transition.violates.join(', ')}` : ''}`)} />
                    ))}
                    {graph.states.map((state, i) => {
                        const {x, y} = laid.nodes[i]!;
                        const open = () => go([...root, ...(ways[i] ?? [])]);
                        return (
                            <g key={i} class={nodeName(state, i, seen)} transform={`translate(${x.toFixed(1)},${y.toFixed(1)})`} tabIndex={0} role="button"
                                aria-label={`state ${state.text}`} data-state={state.id} onClick={open} onKeyDown={event => event.key === 'Enter' && open()}
                                onPointerEnter={() => setTold(`${state.text}${state.violates.length > 0 ? `  violates ${state.violates.join(', ')}` : ''}${state.stuck ? '  stuck' : state.finished ? '  finished' : ''}`)}>
                                <circle r={kNode.width / 2 - 2} />
                                {state.finished && <circle class="inner" r={5} />}
                                {(state.violates.length > 0 || state.stuck) && <text y={4}>{state.stuck ? '■' : '▼'}</text>}
                            </g>
                        );
                    })}
                </g>
            </svg>
            <p class="told-state"><code>{told || 'A click goes to a state. Drag and wheel move the picture.'}</code></p>
        </>
    );
}
