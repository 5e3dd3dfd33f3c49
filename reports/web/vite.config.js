// Builds one file: dist/index.html, with script and style inside. The page writer puts the report
// in the place of the markers (see index.html).
import {defineConfig} from 'vite';

// Scripts and styles go into the document. `</script` cannot appear in a script.
function oneFile() {
    return {
        name: 'one-file',
        enforce: 'post',
        generateBundle(_options, bundle) {
            const page = bundle['index.html'];
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

export default defineConfig({
    plugins: [oneFile()],
    build: {modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 1 << 20, target: 'es2022'},
});
