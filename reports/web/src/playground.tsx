// SPDX-License-Identifier: Apache-2.0

// The playground: where to begin, the explorer of one scenario, and a lock of the reader's own. The address says which.
import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';

import {Explorer} from './explorer';
import type {PlaygroundClient} from './playground_client';
import {inHash, scenarioOf, type InHash} from './playground_link';
import {OwnLock} from './playground_own_lock';
import {PlaceTools} from './playground_tools';
import {Starts, searched} from './playground_starts';
import {ask} from './serve_client';
import type {FilesAnswer} from './serve_data';
import {ThemeSwitch} from './theme';

type View = {kind: 'start'} | {kind: 'own'; packed: string} | {kind: 'explorer'; files: FilesAnswer; count: number} | {kind: 'wait'; progress?: string};

export function Playground({client}: {client: PlaygroundClient}) {
    const [view, setView] = useState<View>({kind: 'wait'});
    const [told, setTold] = useState('');
    const explore = async () => {
        const files = await ask<FilesAnswer>('files');
        setView(before => ({kind: 'explorer', files, count: before.kind === 'explorer' ? before.count + 1 : 0}));
    };
    const show = async () => {
        setTold('');
        const link = inHash(location.hash);
        try {
            if (link?.kind === 's') {
                await openLink(client, link, progress => setView({kind: 'wait', progress}));
                await explore();
            } else {
                setView(link ? {kind: 'own', packed: link.packed} : {kind: 'start'});
                if (!link && location.hash.length > 1 && location.hash !== '#own') {
                    throw new Error('This address has nothing that this version can read.');
                }
            }
        } catch (error) {
            setTold((error as Error).message);
            setView({kind: 'start'});
        }
    };
    useEffect(() => {
        void show();
        // The explorer follows the way within a file; another file, or none, is another view.
        const follow = () => {
            const link = inHash(location.hash);
            if (link?.kind !== 's' || ![...client.links.values()].some(({packed}) => packed === link.packed)) {
                void show();
            }
        };
        addEventListener('popstate', follow);
        return () => removeEventListener('popstate', follow);
    }, []);
    const go = (hash: string) => {
        history.pushState(null, '', hash || location.pathname);
        void show();
    };
    if (view.kind === 'explorer') {
        return <div class="playground"><Explorer key={view.count} {...view.files} tools={(file, place) => <PlaceTools {...{client, file, place}} start={() => go('')} />} /></div>;
    }
    return (
        <div class="playground">
            <Head><button disabled={view.kind === 'start'} onClick={() => go('')}>start</button></Head>
            <main>
                {told !== '' && <p class="warning" role="alert">{told}</p>}
                {view.kind === 'start' && <Starts client={client} opened={address => go(address)} own={hash => go(hash)} />}
                {view.kind === 'own' && <OwnLock key={view.packed} packed={view.packed} />}
                {view.kind === 'wait' && <p role="status" class="searching">{view.progress ?? '…'}{view.progress !== undefined && <> <button onClick={() => client.cancel()}>cancel</button></>}</p>}
            </main>
        </div>
    );
}

function Head({children}: {children: ComponentChildren}) {
    return <nav class="top"><b>Lockkeeper</b> <span>playground</span> {children}<span class="spacer" /><ThemeSwitch /></nav>;
}

// Already open where the page itself wrote the address.
async function openLink(client: PlaygroundClient, {packed, find}: InHash, tell: (progress: string) => void): Promise<void> {
    if (![...client.links.values()].some(link => link.packed === packed)) {
        const {name, text} = await scenarioOf(packed);
        const file = await client.open(name, text, {kind: 's', packed});
        if (find) {
            history.replaceState(null, '', client.addressOf(await searched(file, tell)));
        }
    }
}
