// SPDX-License-Identifier: Apache-2.0

// What can be taken along: a step as text, a run as a Mermaid sequence diagram, the schedule.
import type {Party, Run, Step} from './data';

export function stepText(run: Run, at: number): string {
    if (at === 0) {
        return `state before the first step: ${run.initial_state}`;
    }
    const step = run.trace[at - 1]!;
    const before = at === 1 ? run.initial_state : run.trace[at - 2]!.state;
    return [
        `step ${at} of ${run.trace.length}${mark(step)}: ${step.text}${step.result ? `  ${step.result}` : ''}`,
        `  before: ${before}`,
        `  after:  ${step.state}`,
        ...(step.violates ?? []).map(name => `  violates ${name}`),
        `  in:     ${run.title} (${run.file})`,
        `  replay: ${run.replay}`,
    ].join('\n');
}

function mark(step: Step): string {
    return (step.cause ? ' (decisive)' : '') + (step.violates?.length ? ' (violating)' : '');
}

// Mermaid takes ; and # as its own, and a line ends a statement.
export function mermaidWord(text: string): string {
    return text.replace(/[#;:<>"\r\n]/g, letter => `#${letter.charCodeAt(0)};`);
}

const kMermaidStepsMax = 400;

// The steps from `first` to `last`.
export function mermaid(run: Run, first: number, last: number): string {
    const end = Math.min(last, first + kMermaidStepsMax - 1);
    const id = (party: number) => `p${party}`;
    const lines = ['sequenceDiagram'];
    run.parties.forEach((party: Party, i) => {
        lines.push(`    participant ${id(i)} as ${mermaidWord(party.name)}`);
    });
    for (let at = Math.max(1, first); at <= end; ++at) {
        const step = run.trace[at - 1]!;
        const words = mermaidWord(`${at}. ${step.text}${step.result ? ` ${step.result}` : ''}`);
        const arrived = (run.messages ?? []).filter(message => message.arrives === at);
        if (at === run.cycle_from) {
            lines.push('    loop for ever');
        }
        for (const message of arrived) {
            lines.push(`    ${id(message.from)}${message.lost ? '--x' : '->>'}${id(message.to)}: ${mermaidWord(message.text)}`);
        }
        lines.push(step.kind === 'step' || step.kind === 'background'
            ? `    ${id(step.party)}->>${id(step.party)}: ${words}`
            : `    Note over ${id(step.party)}: ${words}`);
        if (step.violates?.length) {
            lines.push(`    Note over ${id(step.party)}: violates ${mermaidWord(step.violates.join(', '))}`);
        }
    }
    if (run.cycle_from !== undefined && run.cycle_from <= end) {
        lines.push('    end');
    }
    if (end < last) {
        lines.push(`    %% ${last - end} more steps are left out`);
    }
    return `${lines.join('\n')}\n`;
}

const htmlWord = (text: string): string => text.replace(/[&<>\r\n]/g, letter => `&#${letter.charCodeAt(0)};`);

// For an issue or a review: the run as a diagram that is folded away, and where it can be walked.
export function markdown(run: Run, link: string): string {
    return `<details>
<summary>${htmlWord(`${run.title} (${run.file})`)}</summary>

\`\`\`mermaid
${mermaid(run, 1, run.trace.length)}\`\`\`

</details>

[walk through this run in the browser](<${link}>)
`;
}

export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // Pages from a disk may not have the clipboard.
        const area = document.createElement('textarea');
        area.value = text;
        area.style.position = 'fixed';
        area.style.opacity = '0';
        document.body.append(area);
        area.select();
        const done = document.execCommand('copy');
        area.remove();
        return done;
    }
}

export function download(name: string, content: Blob): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
