// SPDX-License-Identifier: Apache-2.0

// The first screen. The command writes the same as plain HTML (see page_html.cpp): the classes are
// shared, so that it looks the same before the script runs and without it.
import {useState} from 'preact/hooks';

import {copyText} from './copy';
import type {PageData, Verdict} from './data';

// A sign beside the colour.
const kSigns: Record<Verdict, string> = {
    'passed': '✓', 'measured': '✓', 'violated': '✕', 'exceeded': '✕', 'stuck': '✕', 'unreached': '✕',
    'inconclusive': '?', 'diverged': '≠', 'not deterministic': '≠', 'disagreement': '≠', 'error': '!',
};

export function verdictClass(verdict: Verdict): string {
    switch (verdict) {
        case 'passed':
        case 'measured':
            return 'good';
        case 'inconclusive':
            return 'open';
        case 'violated':
        case 'stuck':
        case 'unreached':
        case 'exceeded':
        case 'disagreement':
            return 'bad';
        case 'diverged':
        case 'not deterministic':
        case 'error':
            return 'broken';
    }
}

export function Badge({verdict}: {verdict: Verdict}) {
    return <span class={`badge ${verdictClass(verdict)}`}><span aria-hidden="true">{kSigns[verdict] ?? '?'}</span> {verdict}</span>;
}

export function Copyable({text, label}: {text: string; label: string}) {
    const [told, setTold] = useState('');
    const copy = async () => {
        setTold((await copyText(text)) ? 'copied' : 'not allowed');
        setTimeout(() => setTold(''), 2000);
    };
    return <div class="copyable"><pre><code>{text}</code></pre><button aria-label={label} onClick={copy}>{told || 'copy'}</button></div>;
}

export function SummaryView({page}: {page: PageData}) {
    const {summary} = page;
    return (
        <header class="summary">
            <p class="where"><Badge verdict={summary.verdict} /> {summary.file && <span class="file">{summary.file}</span>} {summary.system && <span class="system">{summary.system}</span>}</p>
            <h1>{summary.title}</h1>
            {summary.sentence && <p class="sentence">{summary.sentence}</p>}
            <p class="scope"><b>scope</b> {summary.scope}</p>
            {summary.warnings?.map(words => <p key={words} class="warning">{words}</p>)}
            {summary.replay && <div class="replay"><b>replay</b> <Copyable text={summary.replay} label="Copy the replay command" /></div>}
            {summary.about && <p class="about">{summary.about}</p>}
            {summary.facts && summary.facts.length > 0 && (
                <dl class="facts">{summary.facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
            )}
        </header>
    );
}
