// SPDX-License-Identifier: Apache-2.0

// Pictures of the page against references in test/pictures/. They are the same on every machine: the
// pages get the fonts of an npm package, and the browser is told how to draw them.
import assert from 'node:assert/strict';
import {copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import pixelmatch from 'pixelmatch';
import {PNG} from 'pngjs';

import {drawn, kWaitMilliseconds, launched} from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const kReferences = join(here, 'pictures');
const kOut = join(here, 'out', 'pictures');
// The headless shell of Chromium hints letters unless it is told not to; the whole browser asks the settings below.
const kFlags = ['--disable-lcd-text', '--force-color-profile=srgb', '--hide-scrollbars', '--font-render-hinting=none'];

// How letters are drawn is else a setting of the machine. Chromium does not start without any font,
// so that those of the machine stay where it finds them.
const kFontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${['/usr/share/fonts', '/usr/local/share/fonts'].map(folder => `<dir>${folder}</dir>`).join('\n')}
<cachedir prefix="xdg">fontconfig</cachedir>
${['pattern', 'font'].map(target => `<match target="${target}">
<edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="autohint" mode="assign"><bool>false</bool></edit>
<edit name="hintstyle" mode="assign"><const>hintnone</const></edit>
<edit name="rgba" mode="assign"><const>none</const></edit>
</match>`).join('\n')}
</fontconfig>
`;

// Another Chromium may draw the edges of a letter a little differently. A change of the page fills
// some square of so many pixels with more.
const kSquare = 16;
const kDifferentMax = 12; // pixels in each such square
const kColourDifference = 0.02; // that counts; black and white have 1
const kPatience = 30_000; // milliseconds; a busy machine draws late

export function pictureBrowser() {
    rmSync(kOut, {recursive: true, force: true}); // of the run before
    mkdirSync(kOut, {recursive: true});
    const settings = join(kOut, 'fonts.conf');
    writeFileSync(settings, kFontSettings);
    return launched(kFlags, {FONTCONFIG_FILE: settings});
}

const font = (name, weight) => readFileSync(createRequire(import.meta.url).resolve(`@fontsource/dejavu-${name}/files/dejavu-${name}-latin-${weight}-normal.woff2`), 'base64');
const kFonts = [['sans', '400'], ['sans', '700'], ['mono', '400'], ['mono', '700']].map(([name, weight]) => ({name, weight, data: font(name, weight)}));

// Before the page's own script. Fonts from memory are no request, so that its policy stays in force.
function bring(fonts) {
    for (const {name, weight, data} of fonts) {
        const face = new FontFace(`picture ${name}`, Uint8Array.from(atob(data), letter => letter.charCodeAt(0)).buffer, {weight});
        document.fonts.add(face);
        void face.load();
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':root{--sans:"picture sans"!important;--mono:"picture mono"!important}*{transition:none!important;animation:none!important}');
    document.adoptedStyleSheets.push(sheet);
}

export async function pageFor(browser, {width = 1000, height = 900, scheme = 'light'} = {}) {
    const context = await browser.newContext({viewport: {width, height}, colorScheme: scheme, reducedMotion: 'reduce', deviceScaleFactor: 1, locale: 'en-GB', timezoneId: 'UTC'});
    context.setDefaultTimeout(kWaitMilliseconds);
    await context.addInitScript(bring, kFonts);
    return context.newPage();
}

// After the picture: it ends what the page was told of paper. Every letter is of the fonts that were brought. A canvas is not seen by this.
async function checkFonts(page, selector) {
    const session = await page.context().newCDPSession(page);
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const {root} = await session.send('DOM.getDocument', {depth: 0});
    const {nodeIds} = await session.send('DOM.querySelectorAll', {nodeId: root.nodeId, selector: `${selector} *`});
    const foreign = new Set();
    for (const nodeId of nodeIds) {
        const {fonts} = await session.send('CSS.getPlatformFontsForNode', {nodeId});
        fonts.filter(used => !used.isCustomFont).forEach(used => foreign.add(used.familyName));
    }
    await session.detach();
    assert.deepEqual([...foreign], [], 'fonts of this machine are in the picture');
}

async function settled(page) {
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    await drawn(page);
}

// As large as both; what one lacks is transparent in it.
function grown(picture, width, height) {
    const large = new PNG({width, height, fill: true});
    PNG.bitblt(picture, large, 0, 0, picture.width, picture.height, 0, 0);
    return large;
}

function difference(actual, reference) {
    const width = Math.max(actual.width, reference.width);
    const height = Math.max(actual.height, reference.height);
    const picture = new PNG({width, height});
    const count = pixelmatch(grown(actual, width, height).data, grown(reference, width, height).data, picture.data, width, height,
        {threshold: kColourDifference, windowSize: kSquare});
    const size = ({width: w, height: h}) => `${w} x ${h}`;
    const words = size(actual) !== size(reference) ? `${size(actual)} pixels instead of ${size(reference)}`
        : count > kDifferentMax ? `${count} pixels of a square of ${kSquare} x ${kSquare} differ, at most ${kDifferentMax} may` : '';
    return {picture, words};
}

const isRenewed = process.env.LOCKKEEPER_RENEW_PICTURES !== undefined;
// Without the alpha that no picture has: a quarter less.
const packed = picture => PNG.sync.write(picture, {colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0});

function renew(name, reference, actual) {
    if (existsSync(reference) && difference(actual, PNG.sync.read(readFileSync(reference))).words === '') {
        return; // a picture that is still right stays as it is
    }
    mkdirSync(kReferences, {recursive: true});
    writeFileSync(reference, packed(actual));
    console.log(`renewed: ${name}`);
}

// Fails unless what the selector names looks like test/pictures/NAME.png.
export async function looksLike(page, selector, name) {
    const reference = join(kReferences, `${name}.png`);
    const begin = Date.now();
    await page.mouse.move(0, 0);
    await settled(page);
    const taken = async () => PNG.sync.read(await page.locator(selector).first().screenshot({animations: 'disabled', caret: 'hide', scale: 'css'}));
    if (isRenewed) {
        renew(name, reference, await taken());
        return checkFonts(page, selector);
    }
    assert.ok(existsSync(reference), `${reference} is missing: npm run pictures makes it`);
    const wanted = PNG.sync.read(readFileSync(reference));
    for (;;) {
        const actual = await taken();
        const {words, picture} = difference(actual, wanted);
        if (words === '') {
            return checkFonts(page, selector);
        }
        if (Date.now() - begin > kPatience) {
            const file = kind => join(kOut, `${name}.${kind}.png`);
            writeFileSync(file('actual'), packed(actual));
            copyFileSync(reference, file('reference'));
            writeFileSync(file('difference'), PNG.sync.write(picture));
            assert.fail(`the picture ${name} has changed: ${words}\n  ${file('actual')}\n  ${file('reference')}\n  ${file('difference')}\nWhere it is meant: npm run pictures`);
        }
        await new Promise(done => setTimeout(done, 200));
    }
}
