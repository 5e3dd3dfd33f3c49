// SPDX-License-Identifier: Apache-2.0

// The runs that were walked, and bookmarks.
import {useState} from 'preact/hooks';

import {partAt, type Branch} from './explorer_keep';

export interface Bookmark {
    name: string;
    schedule: string;
    at: number;
    cycle_from?: number;
}

interface Props {
    branches: Branch[];
    actions: string[]; // of the run
    openBranch: (branch: Branch) => void;
    bookmarks: Bookmark[];
    openBookmark: (bookmark: Bookmark) => void;
    addBookmark: (name: string) => void;
    removeBookmark: (index: number) => void;
    suggested: string;
}

export function Branches(props: Props) {
    const {branches, actions, bookmarks} = props;
    const [name, setName] = useState('');
    const submit = (event: Event) => {
        event.preventDefault();
        props.addBookmark(name.trim() === '' ? props.suggested : name.trim());
        setName('');
    };
    return (
        <section class="branches" aria-label="Branches and bookmarks">
            <h2>Branches</h2>
            <ul>
                {branches.map(branch => {
                    const at = partAt(branch.actions, actions);
                    const isOwn = at === actions.length && at <= branch.actions.length;
                    return (
                        <li key={branch.schedule} class={isOwn ? 'own' : ''}>
                            <button class="link" onClick={() => props.openBranch(branch)}>{branch.violates ? '▼ ' : ''}{branch.title}</button>
                            <small> {isOwn ? 'here' : at === 0 ? 'from the beginning' : `parts after step ${at}`}</small>
                        </li>
                    );
                })}
            </ul>
            <h2>Bookmarks</h2>
            <ul>
                {bookmarks.map((bookmark, i) => (
                    <li key={i}>
                        <button class="link" onClick={() => props.openBookmark(bookmark)}>{bookmark.name}</button>{' '}
                        <button aria-label={`Remove bookmark ${bookmark.name}`} onClick={() => props.removeBookmark(i)}>×</button>
                    </li>
                ))}
            </ul>
            <form onSubmit={submit}>
                <input aria-label="Name of the bookmark" placeholder={props.suggested} value={name} onInput={event => setName(event.currentTarget.value)} />
                <button title="Bookmark this place (b)">bookmark</button>
            </form>
        </section>
    );
}
