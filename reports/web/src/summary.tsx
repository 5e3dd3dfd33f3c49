// SPDX-License-Identifier: Apache-2.0

// The first screen, as the command wrote it, and what it shares with other parts. A sign beside the
// colour of a verdict is the style's.
import {render} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';

import {copyText} from './copy';
import type {Verdict} from './data';

export function verdictClass(verdict: Verdict): string {
    switch (verdict) {
        case 'passed':
        case 'measured':
        case 'agrees':
        case 'equal':
            return 'good';
        case 'inconclusive':
        case 'not expressible':
        case 'undecided':
            return 'open';
        case 'violated':
        case 'stuck':
        case 'unreached':
        case 'exceeded':
        case 'disagreement':
        case 'differs':
        case 'stricter':
        case 'looser':
        case 'wrong':
            return 'bad';
        case 'diverged':
        case 'not deterministic':
        case 'error':
            return 'broken';
        default: // of a later version
            return 'open';
    }
}

export function Badge({verdict}: {verdict: Verdict}) {
    return <span class={`badge signed ${verdictClass(verdict)}`}>{verdict}</span>;
}

function CopyButton({text, label}: {text: string; label: string}) {
    const [told, setTold] = useState('');
    const copy = async () => {
        setTold((await copyText(text)) ? 'copied' : 'not allowed');
        setTimeout(() => setTold(''), 2000);
    };
    return <button aria-label={label} onClick={copy}>{told || 'copy'}</button>;
}

export function Copyable({text, label}: {text: string; label: string}) {
    return <div class="copyable"><pre><code>{text}</code></pre><CopyButton text={text} label={label} /></div>;
}

// HTML that the command wrote. What can be copied gets a button.
export function Written({html}: {html: string}) {
    const root = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => root.current!.querySelectorAll('.copyable').forEach(place => {
        const button = place.appendChild(document.createElement('span'));
        render(<CopyButton text={place.querySelector('code')!.textContent!} label="Copy the replay command" />, button);
    }), [html]);
    return <div ref={root} dangerouslySetInnerHTML={{__html: html}} />;
}
