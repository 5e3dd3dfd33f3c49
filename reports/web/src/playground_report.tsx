// SPDX-License-Identifier: Apache-2.0

// The page of results in a frame of the playground, which sends its data.
import {render} from 'preact';

import {App} from './app';
import type {Place} from './link';
import lanesStyle from './lanes.css?inline';
import {readReport} from './read';
import './style.css';
import './picture_first.css';
import './playground_report.css';

const style = document.createElement('style');
style.textContent = lanesStyle;
document.head.append(style);

interface Message {
    theme: string; // of the page around it; empty: as the system has it
    page?: string; // a report; absent: the theme alone is new
    at?: Place;
}

const moved = (place: Place) => parent.postMessage({report: 'at', ...place}, '*');
addEventListener('message', ({data, source}: MessageEvent<Message>) => {
    if (source !== parent || parent === window) {
        return;
    }
    document.documentElement.dataset['theme'] = data.theme;
    if (data.page !== undefined) {
        render(<App page={readReport(data.page)} moved={moved} {...(data.at ? {at: data.at} : {})} />, document.getElementById('page')!);
    }
});
parent.postMessage({report: 'ready'}, '*');
