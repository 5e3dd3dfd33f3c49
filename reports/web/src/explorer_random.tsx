// SPDX-License-Identifier: Apache-2.0

// A run that chance goes on with. Each press is another one; its seed is shown. Numbers are taken as they are
// typed: an answer that came before the field was left would put the old one back.
import {useState} from 'preact/hooks';

import {ask} from './serve_client';
import type {PlaceRequest, RandomAnswer} from './serve_data';

interface Props {
    place: PlaceRequest;
    strategies: string[];
    go: (schedule: string) => void;
    fail: (error: unknown) => void;
}

export function RandomRun({place, strategies, go, fail}: Props) {
    const [strategy, setStrategy] = useState(strategies[0] ?? 'random');
    const [seed, setSeed] = useState(1);
    const [steps, setSteps] = useState(200);
    const [told, setTold] = useState('');
    const run = async () => {
        try {
            const answer = await ask<RandomAnswer>('random', {...place, strategy, seed, steps});
            setTold(`${answer.steps} steps with seed ${seed}, ended by ${answer.ended_by === 'end' ? 'the end' : answer.ended_by}`);
            setSeed(seed + 1);
            go(answer.schedule);
        } catch (error) {
            fail(error);
        }
    };
    const whole = (text: string, least: number) => Math.max(least, Math.floor(Number(text)) || least);
    return (
        <span class="random">
            <button onClick={() => void run()} title="From the selected step on">random run</button>
            <select aria-label="Strategy" value={strategy} onChange={event => setStrategy(event.currentTarget.value)}>{strategies.map(name => <option key={name}>{name}</option>)}</select>
            <label>steps <input type="number" aria-label="Steps at most" min={1} max={20000} value={steps} onInput={event => setSteps(Math.min(20000, whole(event.currentTarget.value, 1)))} /></label>
            <label>seed <input type="number" aria-label="Seed" min={0} value={seed} onInput={event => setSeed(whole(event.currentTarget.value, 0))} /></label>
            <span class="told" role="status">{told}</span>
        </span>
    );
}
