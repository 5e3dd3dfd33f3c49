// SPDX-License-Identifier: Apache-2.0

// All files of a command, sortable; each with its run.
import {useMemo, useState} from 'preact/hooks';

import type {FileRow, Run} from './data';
import {Badge, Copyable} from './summary';

type Column = 'file' | 'system' | 'verdict' | 'states' | 'seconds' | 'steps' | 'met';

const kColumns: [Column, string][] = [
    ['file', 'scenario'], ['system', 'system'], ['met', 'expectation'], ['verdict', 'verdict'], ['steps', 'steps'], ['states', 'states'], ['seconds', 'seconds'],
];

interface Props {
    files: FileRow[];
    runs: Run[];
    open: (run: number) => void;
    opened: number;
}

const systemOf = ({system, variant}: FileRow): string => system ? `${system}/${variant}` : '';

function valueOf(row: FileRow, column: Column, runs: Run[]): string | number {
    switch (column) {
        case 'file':
            return row.file;
        case 'system':
            return systemOf(row);
        case 'verdict':
            return row.verdict;
        case 'met':
            return row.met == null ? 1 : row.met ? 2 : 0;
        case 'states':
            return row.states ?? row.schedules ?? -1;
        case 'seconds':
            return row.seconds ?? -1;
        case 'steps':
            return row.runs?.length ? runs[row.runs[0]!]!.trace.length : -1;
    }
}

const kRowsShown = 500;

export function FileTable({files, runs, open, opened}: Props) {
    const [column, setColumn] = useState<Column>('met');
    const [falls, setFalls] = useState(false);
    const [text, setText] = useState('');
    const [all, setAll] = useState(false);
    const [unfolded, setUnfolded] = useState('');
    const rows = useMemo(() => {
        const wanted = text.toLowerCase();
        const fits = files.filter(row => `${row.file} ${systemOf(row)} ${row.verdict} ${row.difference ?? ''}`.toLowerCase().includes(wanted));
        return fits.sort((a, b) => {
            const [x, y] = [valueOf(a, column, runs), valueOf(b, column, runs)];
            const order = x < y ? -1 : x > y ? 1 : a.file < b.file ? -1 : 1;
            return falls ? -order : order;
        });
    }, [files, column, falls, text]);
    const sort = (wanted: Column) => {
        setFalls(wanted === column ? !falls : false);
        setColumn(wanted);
    };
    // Programs of others have schedules only.
    const hasStates = files.some(row => row.states != null);
    const seen = all ? rows : rows.slice(0, kRowsShown);
    return (
        <section class="files" aria-label="Files">
            <div class="filters"><input type="search" placeholder="search scenarios" aria-label="Search scenarios" value={text} onInput={event => setText(event.currentTarget.value)} />
                <span class="count" role="status">{rows.length.toLocaleString('en')} of {files.length.toLocaleString('en')} files</span></div>
            <div class="table-frame"><table class="sortable">
                <thead><tr>{kColumns.map(([name, words]) => (
                    <th key={name} scope="col" class={name === 'states' || name === 'seconds' || name === 'steps' ? 'figure' : ''} aria-sort={column === name ? (falls ? 'descending' : 'ascending') : 'none'}>
                        <button onClick={() => sort(name)}>{name === 'states' && !hasStates ? 'schedules' : words}<span aria-hidden="true">{column === name ? (falls ? ' ▾' : ' ▴') : ''}</span></button>
                    </th>))}</tr></thead>
                <tbody>{seen.map(row => <Rows key={row.file} row={row} runs={runs} open={open} opened={opened} isUnfolded={unfolded === row.file}
                    unfold={() => setUnfolded(unfolded === row.file ? '' : row.file)} />)}</tbody>
            </table></div>
            {seen.length < rows.length && <p class="note">{rows.length - seen.length} more are not shown. <button onClick={() => setAll(true)}>show all</button></p>}
        </section>
    );
}

interface RowsProps {
    row: FileRow;
    runs: Run[];
    open: (run: number) => void;
    opened: number;
    isUnfolded: boolean;
    unfold: () => void;
}

// A long name, that may go on in a second line where a part of it ends.
function Broken({text}: {text: string}) {
    return <>{text.split(/(?<=[/_])/).map(part => <>{part}<wbr /></>)}</>;
}

function Rows({row, runs, open, opened, isUnfolded, unfold}: RowsProps) {
    return (
        <>
            <tr class={row.runs?.includes(opened) ? 'opened' : ''}>
                <th scope="row"><button class="link" aria-expanded={isUnfolded} onClick={unfold}><Broken text={row.file} /></button></th>
                <td><Broken text={systemOf(row)} /></td>
                <td>{row.met == null ? '' : row.met ? <span class="met">✓ met</span> : <span class="unmet">✕ {row.difference ?? 'not met'}</span>}</td>
                <td><Badge verdict={row.verdict} /></td>
                <td class="figure">{row.runs?.map(run => <button key={run} class="link" title={runs[run]!.title} onClick={() => open(run)}>{runs[run]!.property ?? 'run'} in {runs[run]!.trace.length}</button>)}</td>
                <td class="figure">{(row.states ?? row.schedules)?.toLocaleString('en') ?? ''}</td>
                <td class="figure">{row.seconds?.toFixed(3)}</td>
            </tr>
            {isUnfolded && <tr class="unfolded"><td colSpan={kColumns.length}>{row.scope && <p><b>scope</b> {row.scope}</p>}{row.detail && <p>{row.detail}</p>}{row.replay && <Copyable text={row.replay} label="Copy the replay command" />}</td></tr>}
        </>
    );
}
