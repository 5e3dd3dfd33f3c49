// SPDX-License-Identifier: Apache-2.0

// A reader's own lock runs in a worker of the sandboxed frame own_lock.html: it has another origin, and no network.
import {EngineWorker, type MakePlace} from './engine_worker';
import type {Told} from './playground_worker';

const textOf = async (file: string): Promise<string> => {
    const response = await fetch(file);
    if (!response.ok) {
        throw new Error(`${file}: ${response.status}`);
    }
    return response.text();
};
let code: Promise<string> | undefined;
let bytes: Promise<ArrayBuffer> | undefined;

// The frame has nothing that the page does not send.
const inFrame: MakePlace = (told, failed) => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.hidden = true;
    frame.title = 'runs your lock';
    frame.src = 'own_lock.html';
    code ??= Promise.all([textOf('engine.js'), textOf('own_lock.js')]).then(parts => parts.join('\n'));
    bytes ??= fetch('engine.wasm').then(response => response.arrayBuffer());
    const hear = ({source, data}: MessageEvent<Told | {frame: true}>) => {
        if (source !== frame.contentWindow) {
            return;
        }
        if ('frame' in data) {
            Promise.all([code!, bytes!]).then(([code, bytes]) => frame.contentWindow?.postMessage({code, bytes}, '*'), failed);
        } else {
            told(data);
        }
    };
    addEventListener('message', hear);
    document.body.append(frame);
    return {
        post: message => frame.contentWindow?.postMessage(message, '*'),
        end: () => { removeEventListener('message', hear); frame.remove(); },
    };
};

export const ownLockWorker = (): EngineWorker => new EngineWorker(inFrame);
