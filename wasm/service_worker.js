// SPDX-License-Identifier: Apache-2.0

// Keeps the playground for when there is no network. wasm/playground.py puts the names of the files, and a name that
// changes with them, in the place of the two constants. A new one takes the place of an old one at the next load.
'use strict';
const kName = 'lockkeeper-0';
const kFiles = ['./'];

addEventListener('install', event => event.waitUntil(caches.open(kName).then(cache => cache.addAll(kFiles)).then(() => skipWaiting())));
addEventListener('activate', event => event.waitUntil(caches.keys().then(names =>
    Promise.all(names.filter(name => name.startsWith('lockkeeper-') && name !== kName).map(name => caches.delete(name))))));
addEventListener('fetch', event => {
    if (event.request.method === 'GET') {
        event.respondWith(caches.open(kName).then(cache => cache.match(event.request)).then(kept => kept ?? fetch(event.request)));
    }
});
