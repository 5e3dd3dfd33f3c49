// SPDX-License-Identifier: Apache-2.0

// Builds two pages, each one file with script and style inside, in a run of its own: dist/index.html,
// in which the page writer puts the report in the place of the markers, and dist/serve.html, the
// explorer (--mode serve). The playground (wasm/) is dist/playground: its pages (--mode playground), and the scripts
// of its workers (--mode worker, --mode own_lock), which are no modules, and the element for other pages (--mode
// run_element). Its report.html (--mode report) is one file,
// because a frame of another origin may load no module of this one.
import {defineConfig} from 'vite';

// Scripts and styles go into the document. `</script` cannot appear in a script.
function oneFile(file) {
    return {
        name: 'one-file',
        enforce: 'post',
        generateBundle(_options, bundle) {
            const page = bundle[file];
            let html = page.source;
            for (const [name, chunk] of Object.entries(bundle)) {
                if (chunk.type === 'chunk') {
                    const code = chunk.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
                    html = html.replace(/<script type="module"[^>]*src="[^"]*"[^>]*><\/script>/, '');
                    html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
                    delete bundle[name];
                } else if (name.endsWith('.css')) {
                    html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${chunk.source}</style>`);
                    delete bundle[name];
                }
            }
            page.source = html;
        },
    };
}

// lockkeeper-run-1.js: the element for other pages; the number is its version.
const kElement = {run_element: {input: 'src/lockkeeper_run.ts', output: {format: 'es', entryFileNames: 'lockkeeper-run-1.js'}}};
const kWorkers = {worker: 'src/worker_main.ts', own_lock: 'src/own_lock_worker.ts'};

function playground(mode) {
    const build = {outDir: 'dist/playground', emptyOutDir: mode === 'playground', modulePreload: false, target: 'es2022'};
    if (mode === 'playground') {
        return {base: './', build: {...build, rollupOptions: {input: 'playground.html'}}};
    }
    if (mode === 'report') {
        return {plugins: [oneFile('report.html')], build: {...build, rollupOptions: {input: 'report.html'}, cssCodeSplit: false, assetsInlineLimit: 1 << 20}};
    }
    if (mode in kElement) {
        return {build: {...build, rollupOptions: kElement[mode]}};
    }
    return {build: {...build, rollupOptions: {input: kWorkers[mode], output: {format: 'iife', entryFileNames: `${mode}.js`}}}};
}

export default defineConfig(({mode}) => {
    if (['playground', 'report', ...Object.keys(kElement), ...Object.keys(kWorkers)].includes(mode)) {
        return playground(mode);
    }
    const file = mode === 'serve' ? 'serve.html' : 'index.html';
    return {
        plugins: [oneFile(file)],
        build: {
            rollupOptions: {input: file}, emptyOutDir: mode !== 'serve',
            modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 1 << 20, target: 'es2022',
        },
    };
});
