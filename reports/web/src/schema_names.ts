// SPDX-License-Identifier: Apache-2.0

// Names that the schema leaves open: systems, their variants, faults, parameters and calls, properties, strategies, as
// names.json has them: parts of the document of `lockkeeper list --format json` (wasm/names.mjs).
import type {Known, Path} from './schema';

interface OwnNumber {
    name: string;
    least: number;
    most: number;
    default: number;
    about: string;
}
interface Named {
    name: string;
    definition: string;
}
interface System {
    system: string;
    variant: string;
    about: string;
    vocabulary: {parameters: OwnNumber[]; faults: OwnNumber[]; settings: OwnNumber[]; calls: {name: string; about: string}[]};
}
export interface Names {
    systems: System[];
    properties: Named[];
    goals: Named[];
    strategies: string[];
}

const word = (name: string, about: string): Known => ({name, type: '', about, stub: JSON.stringify(name)});
const number = ({name, least, most, default: usual, about}: OwnNumber): Known =>
    ({name, type: `${least} to ${most}`, about: `${about}. Default: ${usual}.`, stub: String(Math.min(most, Math.max(usual, 1)))});

// The system that a text names, be it finished or not.
export function systemOf({systems}: Names, text: string): System | undefined {
    const said = (name: string) => new RegExp(`"${name}"\\s*:\\s*"([^"]*)"`).exec(text)?.[1];
    const own = systems.filter(({system}) => system === said('system'));
    return own.find(({variant}) => variant === (said('variant') ?? 'faithful')) ?? own[0];
}

// As the path, with * in the place of numbers.
const written = (path: Path): string => path.map(part => typeof part === 'number' ? '*' : part).join('/');

export function keysNamed(names: Names, path: Path, text: string): Known[] {
    const system = systemOf(names, text);
    switch (written(path)) {
        case 'parameters': return (system?.vocabulary.parameters ?? []).map(number);
        case 'faults': return (system?.vocabulary.faults ?? []).map(number);
        case 'callers/*/settings': return (system?.vocabulary.settings ?? []).map(number);
        case 'callers/*/script/*': return (system?.vocabulary.calls ?? []).map(({name, about}) => ({name, type: '', about, stub: '{"key": "‸"}'}));
        default: return [];
    }
}

export function valuesNamed(names: Names, path: Path, text: string): Known[] {
    const own = systemOf(names, text)?.system;
    switch (written(path)) {
        case 'system': return names.systems.map(({system, about}) => word(system, about));
        case 'variant': return names.systems.filter(({system}) => system === own).map(({variant, about}) => word(variant, about));
        case 'check': return [word('all', ''), word('safety', ''), ...names.properties.map(({name, definition}) => word(name, definition))];
        case 'check/*': case 'expect/properties/*': return names.properties.map(({name, definition}) => word(name, definition));
        case 'reach/*': return names.goals.map(({name, definition}) => word(name, definition));
        case 'strategy': return names.strategies.map(name => word(name, ''));
        default: return [];
    }
}
