// SPDX-License-Identifier: Apache-2.0

// The controls above a run.
import {useState} from 'preact/hooks';

import {copyText, mermaid, stepText} from './copy';
import {downloadPng, downloadSvg} from './picture';
import type {AxisKind} from './positions';
import type {Run} from './data';
import type {RunModel} from './run_model';

export interface Controls {
    selected: number;
    select: (at: number) => void;
    playing: boolean;
    setPlaying: (playing: boolean) => void;
    speed: number;
    setSpeed: (speed: number) => void;
    folded: boolean;
    setFolded: (folded: boolean) => void;
    axis: AxisKind;
    setAxis: (axis: AxisKind) => void;
    zoomBy: (factor: number) => void;
    fit: () => void;
    svg: () => SVGSVGElement | null;
}

export const kSpeeds = [1, 2, 4, 10, 30]; // steps a second

export function Toolbar({model, controls}: {model: RunModel; controls: Controls}) {
    const {selected, select, playing, setPlaying} = controls;
    const marked = [...new Set([...model.decisive, ...model.violating])].sort((a, b) => a - b);
    const next = marked.find(at => at > selected);
    const previous = marked.filter(at => at < selected).pop();
    return (
        <div class="toolbar" role="toolbar" aria-label="The run">
            <span class="group">
                <button title="First (Home)" aria-label="First step" onClick={() => select(0)}>❘◀</button>
                <button title="Back (←)" aria-label="Step back" disabled={selected === 0} onClick={() => select(selected - 1)}>◂</button>
                <button class="play" title="Space" aria-pressed={playing} aria-label={playing ? 'Pause' : 'Play'} onClick={() => setPlaying(!playing)}>{playing ? '❚❚' : '▶'}</button>
                <button title="On (→)" aria-label="Step on" disabled={selected === model.count} onClick={() => select(selected + 1)}>▸</button>
                <button title="Last (End)" aria-label="Last step" onClick={() => select(model.count)}>▶❘</button>
            </span>
            <label class="position">step <input type="number" min={0} max={model.count} value={selected} aria-label="Step number"
                onChange={event => select(Number(event.currentTarget.value))} /> of {model.count.toLocaleString('en')}</label>
            <span class="group">
                <button title="Previous decisive or violating step (p)" disabled={previous === undefined} onClick={() => select(previous!)}>◆ previous</button>
                <button title="Next decisive or violating step (n)" disabled={next === undefined} onClick={() => select(next!)}>next ◆</button>
            </span>
            <label>speed <select value={controls.speed} onChange={event => controls.setSpeed(Number(event.currentTarget.value))}>
                {kSpeeds.map(speed => <option key={speed} value={speed}>{speed}/s</option>)}
            </select></label>
            {model.clock !== undefined && <label>axis <select value={controls.axis} onChange={event => controls.setAxis(event.currentTarget.value as AxisKind)}>
                <option value="steps">steps</option><option value="time">time</option>
            </select></label>}
            <label class="check"><input type="checkbox" checked={controls.folded} onChange={event => controls.setFolded(event.currentTarget.checked)} /> fold other steps</label>
            <span class="group">
                <button title="Zoom out (-)" aria-label="Zoom out" onClick={() => controls.zoomBy(0.5)}>−</button>
                <button title="Zoom in (+)" aria-label="Zoom in" onClick={() => controls.zoomBy(2)}>+</button>
                <button title="All of it (0)" onClick={controls.fit}>fit</button>
            </span>
            <CopyMenu run={model.run} controls={controls} />
        </div>
    );
}

function CopyMenu({run, controls}: {run: Run; controls: Controls}) {
    const [told, setTold] = useState('');
    const {selected} = controls;
    const tell = (words: string) => { setTold(words); setTimeout(() => setTold(''), 2000); };
    const copy = (words: string, text: () => string) => async () => tell(await copyText(text()) ? `${words} copied` : 'the browser does not allow copying');
    const picture = (make: (svg: SVGSVGElement, name: string) => void) => () => { const svg = controls.svg(); if (svg) make(svg, 'lockkeeper-run'); };
    const kWindow = 30;
    return (
        <span class="group copies">
            <details class="menu">
                <summary>copy</summary>
                <div role="menu">
                    <button role="menuitem" onClick={copy('the step is', () => stepText(run, selected))}>step as text <kbd>c</kbd></button>
                    <button role="menuitem" onClick={copy('the command is', () => run.replay)}>replay command</button>
                    <button role="menuitem" onClick={copy('the schedule is', () => run.schedule)}>schedule</button>
                    <button role="menuitem" onClick={copy('the link is', () => location.href)}>link to the step</button>
                    <button role="menuitem" onClick={copy('the diagram is', () => mermaid(run, selected - kWindow, selected + kWindow))}>Mermaid, around the step</button>
                    <button role="menuitem" onClick={copy('the diagram is', () => mermaid(run, 1, run.trace.length))}>Mermaid, the run</button>
                    <button role="menuitem" onClick={picture(downloadSvg)}>picture (SVG)</button>
                    <button role="menuitem" onClick={picture((svg, name) => void downloadPng(svg, name))}>picture (PNG)</button>
                </div>
            </details>
            <span role="status" class="told">{told}</span>
        </span>
    );
}
