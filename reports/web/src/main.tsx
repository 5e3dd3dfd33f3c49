// SPDX-License-Identifier: Apache-2.0
import {render} from 'preact';

import {App} from './app';
import lanesStyle from './lanes.css?inline';
import {readPage} from './read';
import './style.css';

const style = document.createElement('style');
style.textContent = lanesStyle;
document.head.append(style);

const page = readPage();
const root = document.getElementById('page')!;
if (typeof page === 'string') {
    // What the command wrote stays.
    const words = document.createElement('p');
    words.className = 'warning';
    words.textContent = page;
    root.append(words);
} else {
    root.replaceChildren();
    render(<App page={page} />, root);
}
