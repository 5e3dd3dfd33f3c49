// SPDX-License-Identifier: Apache-2.0

// The strip of a property: whether it holds at every step.
import type {Row} from './lane_layout';
import {centerX, type View} from './view';

// Where properties at rest are judged: in states in which nothing is in flight.
function restSpans(view: View) {
    const field = view.model.fieldsOf('at rest')[0];
    return field === undefined ? undefined : view.model.spans(field);
}

export function PropertyStrip({view, row}: {view: View; row: Row}) {
    const property = view.model.run.properties[row.index]!;
    const y = row.top + 6;
    const broken = view.model.brokenFrom(property.name);
    const end = view.x(view.positions.length);
    const from = broken === 0 ? end : view.x(view.positions.left(broken));
    const rest = property.kind === 'at rest' ? restSpans(view) : undefined;
    const begin = Math.max(0, view.x(0));
    return (
        <g class={`property ${broken ? 'broken' : 'holds'}`}>
            {rest === undefined
                ? <rect class="strip-holds" x={begin} y={y + 2} width={Math.max(0, from - begin)} height={6} rx={2} />
                : <>
                    <line class="strip-not-judged" x1={begin} x2={Math.max(begin, from)} y1={y + 5} y2={y + 5} />
                    {rest.filter(span => span.from < (broken || Infinity)).map(span => {
                        const left = centerX(view, span.from);
                        const right = Math.min(from, span.open ? end : centerX(view, span.to));
                        return <rect key={span.from} class="strip-holds" x={left} y={y + 2} width={Math.max(2, right - left)} height={6} rx={2} />;
                    })}
                </>}
            {broken > 0 && <rect class="strip-broken" x={from} y={y} width={Math.max(3, end - from)} height={10} rx={1} />}
            <title>{broken ? `${property.name} is violated at step ${broken}` : `${property.name} holds`}{rest && '; judged only at rest, not where the line is dotted'}</title>
        </g>
    );
}
