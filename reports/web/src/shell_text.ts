// SPDX-License-Identifier: Apache-2.0

// Text for a POSIX shell, of parts that anybody may have written: nothing of them is taken for a command.

// The command that writes the text into the file. `path` has letters, digits, dots and underscores alone.
export function written(path: string, text: string): string {
    const lines = new Set(text.split('\n'));
    let end = 'LOCKKEEPER';
    for (let number = 1; lines.has(end); ++number) {
        end = `LOCKKEEPER_${number}`;
    }
    return `cat > ${path} <<'${end}'\n${text.trimEnd()}\n${end}\n`;
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

// The last part of a path as a name that needs no quotes and is no flag.
export const plainName = (path: string): string => path.replace(/^.*\//, '').replace(/[^\w.]/g, '_').replace(/^\.+/, '') || 'scenario.json';

// The run; before its first step, the search. `cycleFrom`: the step from which on the run repeats for ever.
export const replayCommand = (path: string, scenario: string, schedule: string, cycleFrom?: number): string => {
    const name = plainName(path);
    const asked = /:.*:./.test(schedule)
        ? `replay ${name} --schedule ${quoted(schedule)}${cycleFrom === undefined ? '' : ` --cycle-from ${cycleFrom}`}` : `explore ${name}`;
    return `${written(name, scenario)}lockkeeper ${asked}\n`;
};

// `flags` go to a shell at home: words alone. Throws.
export function validateCommand(file: string, flags: string, program: string, scenario: string): string {
    if (!/^[\w=.:,@%+/ -]*$/.test(flags)) {
        throw new Error('the flags have letters that a shell would not take for words');
    }
    const name = plainName(file);
    return `# beside examples/outside/lockkeeper_client.js; it runs the code of ${name}\n${written(name, program)}${written('callers.json', scenario)}` +
        `lockkeeper validate --program ${quoted(`node ${name} ${flags}`.trim())} callers.json\n`;
}
