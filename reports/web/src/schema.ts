// SPDX-License-Identifier: Apache-2.0

// What a JSON schema has at a place of a document: the keys there, and the values. As much of JSON Schema as the schema
// of scenarios uses (scenarios/schema/scenario.schema.json).
import {keysNamed, valuesNamed, type Names} from './schema_names';

export type Path = (string | number)[];

type Schema = Record<string, unknown>;
export interface Loaded {
    root: Schema;
    names: Names;
}

export interface Known {
    name: string; // of the key, or the value
    type: string;
    about: string;
    stub: string; // as it is written; ‸: where one goes on
}

export const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

async function fetched(file: string): Promise<unknown> {
    const response = await fetch(file);
    if (!response.ok) {
        throw new Error(`${file}: ${response.status}`);
    }
    return response.json();
}
let loaded: Promise<Loaded> | undefined;
export function loadedSchema(): Promise<Loaded> {
    loaded ??= Promise.all([fetched('scenario.schema.json'), fetched('names.json')]).then(([root, names]) => ({root: root as Schema, names: names as Names}));
    loaded.catch(() => { loaded = undefined; }); // the next who asks tries again
    return loaded;
}

function referred(root: Schema, reference: string): Schema[] {
    let at: unknown = root;
    for (const name of reference.replace(/^#\/?/, '').split('/').filter(part => part !== '')) {
        at = isObject(at) ? at[name] : undefined;
    }
    return isObject(at) ? [at] : [];
}

// The schema itself, and what it says by others.
function expanded(root: Schema, schema: Schema, depth = 0): Schema[] {
    if (depth > 20) {
        return [];
    }
    const others = ['oneOf', 'anyOf', 'allOf'].flatMap(name => Array.isArray(schema[name]) ? schema[name].filter(isObject) : []);
    return [schema, ...others, ...(isObject(schema['then']) ? [schema['then']] : []), ...(typeof schema['$ref'] === 'string' ? referred(root, schema['$ref']) : [])]
        .flatMap((other, i) => i === 0 ? [other] : expanded(root, other, depth + 1));
}

function schemasAt({root}: Loaded, path: Path): Schema[] {
    let here = expanded(root, root);
    for (const part of path) {
        here = here.flatMap(schema => {
            const {properties, additionalProperties, items} = schema;
            if (typeof part === 'number') {
                return isObject(items) ? [items] : [];
            }
            const own = isObject(properties) ? properties[part] : undefined;
            return isObject(own) ? [own] : isObject(additionalProperties) ? [additionalProperties] : [];
        }).flatMap(schema => expanded(root, schema));
    }
    return here;
}

const typeOf = (schemas: Schema[]): string => [...new Set(schemas.map(({type}) => type).filter(type => typeof type === 'string'))].join(' or ');

function stubOf(schemas: Schema[]): string {
    const type = schemas.find(schema => typeof schema['type'] === 'string')?.['type'];
    const least = schemas.find(schema => typeof schema['minimum'] === 'number')?.['minimum'];
    switch (type) {
        case 'object': return '{‸}';
        case 'array': return '[‸]';
        case 'string': return '"‸"';
        case 'boolean': return 'true';
        case 'integer': case 'number': return String(Math.max(1, Number(least ?? 1)));
        default: return '‸';
    }
}

const aboutOf = (schemas: Schema[]): string => String(schemas.find(({description}) => typeof description === 'string')?.['description'] ?? '');

// Each name once.
const distinct = (found: Known[]): Known[] => [...new Map(found.map(known => [known.name, known])).values()];

// `text`: the document, whose system has names of its own.
export function keysAt(loaded: Loaded, path: Path, text: string): Known[] {
    const own = schemasAt(loaded, path).flatMap(({properties}) => isObject(properties) ? Object.entries(properties) : [])
        .filter((entry): entry is [string, Schema] => isObject(entry[1]))
        .map(([name, schema]) => {
            const schemas = expanded(loaded.root, schema);
            return {name, type: typeOf(schemas), about: aboutOf(schemas), stub: stubOf(schemas)};
        });
    return distinct([...own, ...keysNamed(loaded.names, path, text)]);
}

export function valuesAt(loaded: Loaded, path: Path, text: string): Known[] {
    const schemas = schemasAt(loaded, path);
    const values = schemas.flatMap(schema => [
        ...(Array.isArray(schema['enum']) ? schema['enum'] as unknown[] : []),
        ...('const' in schema ? [schema['const']] : []),
        ...(schema['type'] === 'boolean' ? [true, false] : []),
    ]);
    const about = aboutOf(schemas);
    return distinct([...values.map(value => ({name: String(value), type: '', about, stub: JSON.stringify(value)})), ...valuesNamed(loaded.names, path, text)]);
}
