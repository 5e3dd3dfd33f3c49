// SPDX-License-Identifier: Apache-2.0

// A run: controls, lanes, the list of its steps, the selected step.
import type {ComponentChildren} from 'preact';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {copyText, stepText} from './copy';
import {Filters, kNoFilter, listed, type Filter} from './filter';
import {useKeys} from './keys';
import {Lanes} from './lanes';
import {layoutOf} from './lane_layout';
import {Positions, type AxisKind} from './positions';
import type {RunModel} from './run_model';
import {StatePanel} from './state_panel';
import {StepList} from './step_list';
import {Toolbar} from './toolbar';
import type {ZoomHandle} from './zoom';

interface Props {
    model: RunModel;
    selected: number;
    select: (at: number) => void;
    children?: ComponentChildren; // below the lanes
}

// Longer runs begin zoomed in on the selected step.
const kWholeStepsMax = 150;
const kWindow = 40;

export function RunView({model, selected, select, children}: Props) {
    const [axis, setAxis] = useState<AxisKind>('steps');
    const [folded, setFolded] = useState(false);
    const [playing, setPlaying] = useState(false);
    const [speed, setSpeed] = useState(2);
    const [filter, setFilter] = useState<Filter>(kNoFilter);
    const zoom = useRef<ZoomHandle | null>(null);
    const frame = useRef<HTMLDivElement>(null);
    const search = useRef<HTMLInputElement>(null);
    const go = (at: number) => select(Math.max(0, Math.min(model.count, Math.round(at) || 0)));

    const rows = useMemo(() => listed(model, filter, folded), [model, filter, folded]);
    const folds = useMemo(() => new Set(rows), [rows]);
    const positions = useMemo(
        () => new Positions(model, axis, at => (folded || filter.text !== '') && !folds.has(at)),
        [model, axis, folded, folds, filter.text]);
    const layout = useMemo(
        () => layoutOf(model, party => filter.party === undefined || filter.party === party || model.run.parties[party]!.kind !== 'caller',
            key => filter.key === undefined || filter.key === key),
        [model, filter.party, filter.key]);

    useEffect(() => {
        if (!playing) {
            return;
        }
        const timer = setInterval(() => selected >= model.count ? setPlaying(false) : go(selected + 1), 1000 / speed);
        return () => clearInterval(timer);
    }, [playing, speed, selected]);
    useEffect(() => {
        if (selected > 0) {
            zoom.current?.show(positions.left(selected), positions.right(selected));
        }
    }, [selected]);
    const takeZoom = (handle: ZoomHandle) => {
        zoom.current = handle;
        if (positions.length > kWholeStepsMax) {
            const middle = positions.center(selected || 1);
            handle.frame(middle - kWindow, middle + kWindow);
        }
    };
    const move = (by: number) => {
        // Along what is listed.
        const next = by > 0 ? rows.find(at => at > selected) : rows.filter(at => at < selected).pop();
        go(next ?? (by > 0 ? model.count : 0));
    };
    const marked = () => [...new Set([...model.decisive, ...model.violating])].sort((a, b) => a - b);
    useKeys({
        ArrowRight: () => move(1), j: () => move(1), ArrowDown: () => move(1),
        ArrowLeft: () => move(-1), k: () => move(-1), ArrowUp: () => move(-1),
        Home: () => go(0), End: () => go(model.count),
        PageDown: () => go(selected + 20), PageUp: () => go(selected - 20),
        n: () => go(marked().find(at => at > selected) ?? selected),
        p: () => go(marked().filter(at => at < selected).pop() ?? selected),
        ' ': () => setPlaying(!playing),
        f: () => setFolded(!folded),
        c: () => void copyText(stepText(model.run, selected)),
        '+': () => zoom.current?.by(2), '=': () => zoom.current?.by(2), '-': () => zoom.current?.by(0.5), '0': () => zoom.current?.fit(),
        '/': () => search.current?.focus(),
    });
    const controls = {
        selected, select: go, playing, setPlaying, speed, setSpeed, folded, setFolded, axis, setAxis,
        zoomBy: (factor: number) => zoom.current?.by(factor),
        fit: () => zoom.current?.fit(),
        svg: () => frame.current?.querySelector<SVGSVGElement>('svg.lanes') ?? null,
    };
    return (
        <div class="run" ref={frame}>
            <Toolbar model={model} controls={controls} />
            <Filters model={model} filter={filter} setFilter={setFilter} search={search} count={rows.length} />
            <Lanes model={model} positions={positions} layout={layout} selected={selected} select={go} zoom={takeZoom}
                label={`${model.run.title}: ${model.count} steps of ${model.run.parties.map(party => party.name).join(', ')}. The table below has the same steps.`} />
            <LaneLegend />
            {children}
            <div class="details">
                <StepList model={model} rows={rows} selected={selected} select={go} />
                <StatePanel model={model} at={selected} />
            </div>
        </div>
    );
}

function LaneLegend() {
    return (
        <p class="lane-legend" aria-label="Signs">
            <span><svg class="lanes" width="26" height="10"><rect class="holding believed" y="2" width="26" height="5" rx="2" /></svg> believed</span>
            <span><svg class="lanes" width="26" height="10"><g class="holding granted"><rect x=".5" y="2" width="25" height="5" rx="2" /></g></svg> granted</span>
            <span><svg class="lanes" width="26" height="10"><g class="holding protected"><rect y="2" width="26" height="5" /></g></svg> protected</span>
            <span><b class="sign decisive">◆</b> decisive</span>
            <span><b class="sign violating">▼</b> violating</span>
            <span class="spacer" />
            <span class="keys"><kbd>←</kbd> <kbd>→</kbd> step</span><span class="keys"><kbd>n</kbd> <kbd>p</kbd> decisive</span><span class="keys"><kbd>space</kbd> play</span>
            <span class="keys"><kbd>/</kbd> search</span><span class="keys"><kbd>f</kbd> fold</span><span class="keys"><kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom</span>
        </p>
    );
}
