// SPDX-License-Identifier: Apache-2.0

// A proof for every number of callers: each row is a set of states, and how many callers can be where in them.
// Every state that can be reached is in a row.
import type {ProofPicture, ProofRow, ResultFile} from './data';
import {counted} from './figures';

const kCirclesMax = 6;

// The most callers that are in the group in any row; null: any number.
function mostOf({rows}: ProofPicture, group: number): number | null {
    const numbers = rows.map(row => row.most[group] ?? null);
    return numbers.includes(null) ? null : Math.max(...(numbers as number[]));
}

const words = (most: number | null): string => most === null ? 'any number' : most === 0 ? 'nobody' : `at most ${most}`;

function Cell({most}: {most: number | null}) {
    const drawn = most === null ? <span class="any" /> : most <= kCirclesMax && Array.from({length: most}, (_, i) => <span key={i} class="one" />);
    return <td class="callers"><span class="drawn" aria-hidden="true">{drawn}</span> <small>{words(most)}</small></td>;
}

function Row({row}: {row: ProofRow}) {
    return (
        <tr>
            <th scope="row"><code>{row.example}</code>{row.combinations > 1 && <small> and {counted(row.combinations - 1, 'more combination')}</small>}</th>
            {row.most.map((most, i) => <Cell key={i} most={most} />)}
        </tr>
    );
}

export function Proofs({files}: {files: ResultFile[]}) {
    return <>{files.map((file, i) => file.every_number?.picture && <Proof key={i} file={file.file} picture={file.every_number.picture} />)}</>;
}

function Proof({file, picture}: {file: string; picture: ProofPicture}) {
    const {groups, rows, rows_left_out: leftOut} = picture;
    const bounded = leftOut > 0 ? [] : groups.flatMap((group, i) => {
        const most = mostOf(picture, i);
        return most === null ? [] : [`${group}: ${words(most)}`];
    });
    return (
        <section class="proof" aria-label={`The proof of ${file}`}>
            <h2>What the proof says</h2>
            <p>However many callers there are, what can happen stays in these rows.{bounded.length > 0 && <b> In all of them, {bounded.join('; ')}.</b>}</p>
            <div class="table-frame">
                <table>
                    <thead><tr><th scope="col">shared, and who is there for certain</th>{groups.map(group => <th scope="col" key={group}>{group}</th>)}</tr></thead>
                    <tbody>{rows.map((row, i) => <Row key={i} row={row} />)}</tbody>
                </table>
            </div>
            {leftOut > 0 && <p>{counted(leftOut, 'more row')} of the proof left out.</p>}
        </section>
    );
}
