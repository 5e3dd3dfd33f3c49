// SPDX-License-Identifier: Apache-2.0

// The files that are open, a file of the reader's, and saving.
import {useRef, useState} from 'preact/hooks';

import {download} from './copy';
import {ask} from './serve_client';
import type {OpenFile, SaveAnswer, SaveRequest} from './serve_data';

interface FilesProps {
    files: OpenFile[];
    current: number;
    open: (file: OpenFile) => void;
    loaded: (file: OpenFile) => void;
    fail: (error: unknown) => void;
}

const kFileBytesMax = 4 << 20;

export function FilePicker({files, current, open, loaded, fail}: FilesProps) {
    const chosen = useRef<HTMLInputElement>(null);
    const load = async (file: File | undefined) => {
        if (!file) {
            return;
        }
        try {
            if (file.size > kFileBytesMax) {
                throw new Error(`${file.name} is larger than 4 MiB`);
            }
            loaded(await ask<OpenFile>('open', {name: file.name, text: await file.text()}));
        } catch (error) {
            fail(error);
        }
        chosen.current!.value = '';
    };
    return (
        <>
            <select aria-label="File" value={current} onChange={event => open(files[Number(event.currentTarget.value)]!)}>
                {files.map(file => <option key={file.number} value={file.number}>{`${file.name}${file.changed}`}</option>)}
            </select>
            <button onClick={() => chosen.current!.click()} title="A scenario or a trace">load…</button>
            <input ref={chosen} type="file" accept=".json,application/json" hidden aria-label="File to load" onChange={event => void load(event.currentTarget.files?.[0])} />
        </>
    );
}

interface SaveProps {
    place: Omit<SaveRequest, 'as' | 'name'>;
    out: string | null;
    isOutside: boolean;
}

export function SaveMenu({place, out, isOutside}: SaveProps) {
    const [told, setTold] = useState('');
    const [name, setName] = useState('');
    const save = async (as: SaveRequest['as'], isHere: boolean) => {
        try {
            const answer = await ask<SaveAnswer>('save', {...place, as, ...(isHere ? {} : {name})});
            if ('path' in answer) {
                setTold(`written: ${answer.path}`);
            } else {
                download(answer.name, new Blob([answer.text], {type: 'application/json'}));
                setTold(`${answer.name} is saved by the browser`);
            }
        } catch (error) {
            setTold((error as Error).message);
        }
    };
    return (
        <span class="group copies">
            <details class="menu save">
                <summary>save</summary>
                <div>
                    <button onClick={() => void save('trace', true)}>as trace, by the browser</button>
                    {!isOutside && <button onClick={() => void save('scenario', true)}>as scenario with what it expects, by the browser</button>}
                    {out !== null && <>
                        <input aria-label="Name of the file" placeholder="its own name" value={name} onInput={event => setName(event.currentTarget.value)} />
                        <button onClick={() => void save('trace', false)}>as trace in {out}</button>
                        {!isOutside && <button onClick={() => void save('scenario', false)}>as scenario in {out}</button>}
                    </>}
                </div>
            </details>
            <span role="status" class="told">{told}</span>
        </span>
    );
}
