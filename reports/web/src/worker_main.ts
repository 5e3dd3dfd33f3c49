// SPDX-License-Identifier: Apache-2.0

// worker.js: models alone. engine.js stands beside it.
import {serveCalls} from './playground_worker';

declare const importScripts: (file: string) => void;
importScripts('engine.js');
serveCalls();
