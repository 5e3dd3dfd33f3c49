// SPDX-License-Identifier: Apache-2.0

// The watch expressions, with what they are now and what they were in the run so far.
import {useState} from 'preact/hooks';

import {kWatchWords, watchText} from './watch';

export interface WatchRow {
    text: string;
    value: string;
    wrong?: string;
    before: string; // a step before
}

interface Props {
    rows: WatchRow[];
    add: (text: string) => string | undefined; // why not
    remove: (index: number) => void;
}

export function Watches({rows, add, remove}: Props) {
    const [text, setText] = useState('');
    const [why, setWhy] = useState('');
    const submit = (event: Event) => {
        event.preventDefault();
        const refused = text.trim() === '' ? undefined : add(text.trim());
        setWhy(refused ?? '');
        setText(refused === undefined ? '' : text);
    };
    return (
        <section class="watches" aria-label="Watches">
            <h2>Watches</h2>
            {rows.length > 0 && <table>
                <thead><tr><th scope="col">expression</th><th scope="col">a step before</th><th scope="col">now</th><th /></tr></thead>
                <tbody>{rows.map((row, i) => (
                    <tr key={row.text} class={row.before !== row.value ? 'changed' : ''}>
                        <th scope="row"><code>{row.text}</code></th>
                        {row.wrong === undefined ? <><td>{row.before}</td><td><b>{row.value}</b></td></> : <td colSpan={2} class="warning">{row.wrong}</td>}
                        <td><button aria-label={`Remove ${row.text}`} onClick={() => remove(i)}>×</button></td>
                    </tr>
                ))}</tbody>
            </table>}
            <form onSubmit={submit}>
                <input aria-label="Expression" placeholder={'believed("A") + believed("B")'} value={text} spellcheck={false} onInput={event => setText(event.currentTarget.value)} />
                <button>watch</button>
            </form>
            {why !== '' && <p class="warning" role="alert">{why}</p>}
            <details class="note"><summary>what can be written</summary><p>{kWatchWords.join(', ')}; + − * / %, comparisons, &amp;&amp; || !, a ? b : c</p></details>
        </section>
    );
}

export {watchText};
