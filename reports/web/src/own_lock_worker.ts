// SPDX-License-Identifier: Apache-2.0

// own_lock.js: the same with the page's own programs. It runs in the sandboxed frame of own_lock.html only, which puts
// engine.js before it.
import {serveCalls} from './playground_worker';
import {Programs} from './program_runner';

serveCalls(new Programs());
