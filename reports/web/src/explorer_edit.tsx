// SPDX-License-Identifier: Apache-2.0

// Starting again with something changed: numbers, checks, or the whole text of the scenario.
import {useEffect, useRef, useState} from 'preact/hooks';

import {ask} from './serve_client';
import type {ChangeRequest, EditRequest, OpenFile, ScenarioAnswer, SettableNumber} from './serve_data';

interface Props {
    file: OpenFile;
    opened: (file: OpenFile) => void;
    close: () => void;
}

export function EditDialog({file, opened, close}: Props) {
    const dialog = useRef<HTMLDialogElement>(null);
    const [scenario, setScenario] = useState<ScenarioAnswer>();
    const [isText, setIsText] = useState(false);
    const [why, setWhy] = useState('');
    useEffect(() => {
        dialog.current!.showModal();
        ask<ScenarioAnswer>('scenario', {file: file.number}).then(setScenario).catch((error: Error) => setWhy(error.message));
    }, []);
    const send = (name: 'edit' | 'change', body: EditRequest | ChangeRequest) =>
        ask<OpenFile>(name, body).then(opened).catch((error: Error) => setWhy(error.message));
    return (
        <dialog class="edit" ref={dialog} onClose={close} aria-label="Change and start again">
            <div class="run-head">
                <h2>Change and start again</h2>
                <span class="spacer" />
                <button aria-pressed={!isText} onClick={() => setIsText(false)}>numbers and checks</button>
                <button aria-pressed={isText} onClick={() => setIsText(true)}>the scenario’s text</button>
                <button aria-label="Close" onClick={() => dialog.current!.close()}>×</button>
            </div>
            {why !== '' && <p class="warning" role="alert">{why}</p>}
            {scenario && (isText
                ? <TextForm text={scenario.text} send={text => send('edit', {file: file.number, text})} />
                : <NumbersForm file={file} scenario={scenario} send={(numbers, check) => send('change', {file: file.number, numbers, check})} />)}
        </dialog>
    );
}

function TextForm({text, send}: {text: string; send: (text: string) => void}) {
    const area = useRef<HTMLTextAreaElement>(null);
    return (
        <form onSubmit={event => { event.preventDefault(); send(area.current!.value); }}>
            <textarea ref={area} aria-label="Scenario" spellcheck={false} defaultValue={text} />
            <p class="search-buttons"><button>start again with it</button></p>
        </form>
    );
}

interface NumbersProps {
    file: OpenFile;
    scenario: ScenarioAnswer;
    send: (numbers: Record<string, number>, check: string[]) => void;
}

function NumbersForm({file, scenario, send}: NumbersProps) {
    const checked = file.properties.map(property => property.name);
    const [values, setValues] = useState<Record<string, number>>({});
    const [check, setCheck] = useState(checked);
    const submit = (event: Event) => {
        event.preventDefault();
        const isSame = check.length === checked.length && check.every(name => checked.includes(name));
        send(values, isSame ? [] : check);
    };
    const set = (number: SettableNumber, text: string) => {
        const {[number.name]: _, ...rest} = values;
        setValues(text === '' || Number(text) === number.value ? rest : {...rest, [number.name]: Number(text)});
    };
    const names = [...new Set([...scenario.checks, ...checked])];
    return (
        <form onSubmit={submit}>
            <table>
                <tbody>{scenario.numbers.map(number => (
                    <tr key={number.name}>
                        <th scope="row"><label for={`number-${number.name}`}>{number.name}</label></th>
                        <td><input id={`number-${number.name}`} type="number" min={number.least} max={number.most} step={1} placeholder={number.value === null ? 'several' : ''}
                            value={values[number.name] ?? number.value ?? ''} onInput={event => set(number, event.currentTarget.value)} /></td>
                        <td class="note">{number.about} <small>({number.least} to {number.most})</small></td>
                    </tr>
                ))}</tbody>
            </table>
            <fieldset>
                <legend>judged</legend>
                {names.map(name => (
                    <label key={name} class="check"><input type="checkbox" checked={check.includes(name)}
                        onChange={event => setCheck(event.currentTarget.checked ? [...check, name] : check.filter(other => other !== name))} /> {name}</label>
                ))}
            </fieldset>
            <p class="search-buttons"><button disabled={check.length === 0}>start again</button></p>
        </form>
    );
}
