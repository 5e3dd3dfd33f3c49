// SPDX-License-Identifier: Apache-2.0

// worker.js: models alone. Its name says which module: "api", the explorer's requests, or "engine", the command as well.
import {serveCalls} from './playground_worker';

declare const importScripts: (file: string) => void;
importScripts(self.name === 'engine' ? 'engine.js' : 'api.js');
serveCalls();
