// SPDX-License-Identifier: Apache-2.0
import {render} from 'preact';

import './explorer.css';
import lanesStyle from './lanes.css?inline';
import {Playground} from './playground';
import {PlaygroundClient} from './playground_client';
import './picture_first.css';
import './playground.css';
import {useClient} from './serve_client';
import './style.css';
import {useCodeEditor} from './text_editor';

const style = document.createElement('style');
style.textContent = lanesStyle;
document.head.append(style);

const client = new PlaygroundClient();
useClient(client);
useCodeEditor(() => import('./code_editor'));
const root = document.getElementById('page')!;
root.replaceChildren();
render(<Playground client={client} />, root);

// Where the page is part of another: lockkeeper_run.ts.
if (parent !== window) {
    parent.postMessage({lockkeeper: 'ready'}, '*');
}

// Without a network from then on: after what the visitor came for.
const kKeepMilliseconds = 5_000;
setTimeout(() => navigator.serviceWorker?.register('service_worker.js').catch(() => {}), kKeepMilliseconds);
