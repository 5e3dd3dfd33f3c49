// SPDX-License-Identifier: Apache-2.0

// Where the explorer is: a file, a run, a step of it. The address is the file and the schedule; the
// browser's history is undo and redo.
import {useEffect, useRef, useState} from 'preact/hooks';

import {addressOf, placeInAddress, rootOfNames} from './serve_client';

export interface Place {
    file: number;
    schedule: string;
    cycle_from?: number;
    at?: number; // a step; absent: the end
}

// What an entry of the browser's history keeps beside the address.
interface Kept {
    at?: number;
    cycle_from?: number;
    index: number; // of the entry, from 0
}

const last = (): string => `${rootOfNames()}last`; // the index of the last entry, for redo

const kept = (): Kept => (history.state as Kept | null) ?? {index: 0};
const lastIndex = (): number => Number(sessionStorage.getItem(last()) ?? 0);

function placeOfAddress(): Place {
    const {at, cycle_from} = kept();
    return {...placeInAddress(), ...(at === undefined ? {} : {at}), ...(cycle_from === undefined ? {} : {cycle_from})};
}

export interface Journey {
    place: Place;
    go: (place: Place) => void; // a new entry: undo comes back
    adjust: (place: Place) => void; // the same entry
    settle: (asked: string, schedule: string) => void; // the schedule that was asked for is written so
    undo?: () => void; // absent: there is nothing to undo
    redo?: () => void;
}

export function useJourney(): Journey {
    const [place, setPlace] = useState<Place>(placeOfAddress);
    const [, setDrawn] = useState(0);
    const current = useRef(place);
    const write = (next: Place, isNew: boolean) => {
        const index = kept().index + (isNew ? 1 : 0);
        const state: Kept = {index, ...(next.at === undefined ? {} : {at: next.at}), ...(next.cycle_from === undefined ? {} : {cycle_from: next.cycle_from})};
        const address = addressOf(next);
        if (isNew) {
            history.pushState(state, '', address);
            sessionStorage.setItem(last(), String(index));
        } else {
            history.replaceState(state, '', address);
        }
        current.current = next;
        setPlace(next);
    };
    useEffect(() => {
        const follow = () => {
            const next = placeOfAddress();
            if (history.state === null) { // an address that somebody wrote
                history.replaceState({index: lastIndex() + 1}, '');
                sessionStorage.setItem(last(), String(lastIndex() + 1));
            }
            current.current = next;
            setPlace(next);
            setDrawn(count => count + 1);
        };
        addEventListener('popstate', follow);
        return () => removeEventListener('popstate', follow);
    }, []);
    const {index} = kept();
    return {
        place,
        go: next => write(next, true),
        adjust: next => write(next, false),
        settle: (asked, schedule) => {
            if (current.current.schedule === asked && asked !== schedule) {
                write({...current.current, schedule}, false);
            }
        },
        ...(index > 0 ? {undo: () => history.back()} : {}),
        ...(index < lastIndex() ? {redo: () => history.forward()} : {}),
    };
}

// "lk1:1:s0,s1"
export const scheduleOf = (seed: number, actions: string[]): string => `lk1:${seed}:${actions.join(',')}`;
