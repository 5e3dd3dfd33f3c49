// SPDX-License-Identifier: Apache-2.0

// The page of results in a frame of the playground, which sends its data.
import {render} from 'preact';

import {App} from './app';
import type {PageData} from './data';
import lanesStyle from './lanes.css?inline';
import './style.css';

const style = document.createElement('style');
style.textContent = lanesStyle;
document.head.append(style);

addEventListener('message', ({data, source}: MessageEvent<{page: string}>) => {
    if (source === parent && parent !== window) {
        render(<App page={JSON.parse(data.page) as PageData} />, document.getElementById('page')!);
    }
});
parent.postMessage({report: 'ready'}, '*');
