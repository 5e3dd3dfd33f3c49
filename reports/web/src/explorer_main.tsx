// SPDX-License-Identifier: Apache-2.0
import {render} from 'preact';

import {Explorer} from './explorer';
import './explorer.css';
import lanesStyle from './lanes.css?inline';
import {ask} from './serve_client';
import type {FilesAnswer} from './serve_data';
import './style.css';

const style = document.createElement('style');
style.textContent = lanesStyle;
document.head.append(style);

const root = document.getElementById('page')!;
ask<FilesAnswer>('files').then(
    answer => { root.replaceChildren(); render(<Explorer {...answer} />, root); },
    (error: Error) => { root.textContent = error.message; });
