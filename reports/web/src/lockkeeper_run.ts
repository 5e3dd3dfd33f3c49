// SPDX-License-Identifier: Apache-2.0

// <lockkeeper-run>: a run in anybody's page or talk, live in the playground, or recorded. wasm/README.md says how it is
// used. It stands alone: lockkeeper-run-1.js, where 1 is the version of what is written here; a later one that would
// break a page has another name.
const kBase = new URL('.', import.meta.url);
const kAnswerMilliseconds = 8_000; // after its page has come: then there is no playground
const kLoadMilliseconds = 30_000; // no page comes
const kHeightDefault = 560; // pixels
const kHeightMax = 4_000;

const kStyle = `
:host { display: block; margin: 1em 0; }
div { border: 1px solid #8886; border-radius: 8px; overflow: hidden; font: 15px/1.4 system-ui, sans-serif; }
p { display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: center; margin: 0; padding: .5em .8em; }
button { font: inherit; font-weight: bold; padding: .3em .9em; border-radius: 6px; border: 1px solid #8889; background: none; color: inherit; cursor: pointer; }
iframe { display: block; width: 100%; border: 0; border-top: 1px solid #8886; background: Canvas; }
a { color: inherit; }
`;

// The fragment of a link of the playground, from the link or alone.
const fragmentOf = (link: string): string | undefined => /#1[sj]\/[\w-]+(?:\/[^\s#]*)?$/.exec(link)?.[0];

// Of the page's own kind of address, and no other: not javascript:, not data:.
function addressOf(text: string | null, base: string | URL): URL | undefined {
    try {
        const address = new URL(text ?? '', base);
        return text !== null && ['http:', 'https:', location.protocol].includes(address.protocol) ? address : undefined;
    } catch {
        return undefined;
    }
}

class LockkeeperRun extends HTMLElement {
    static readonly observedAttributes = ['link', 'recorded', 'playground', 'now', 'height'];
    private frame: HTMLIFrameElement | undefined;
    private forget: () => void = () => {};

    connectedCallback(): void {
        if (!this.shadowRoot) {
            this.attachShadow({mode: 'open'});
        }
        this.draw();
    }
    disconnectedCallback(): void {
        this.forget();
    }
    attributeChangedCallback(): void {
        if (this.shadowRoot && this.isConnected) {
            this.draw();
        }
    }

    // Where the run is live; undefined: it is not.
    private get live(): URL | undefined {
        const fragment = fragmentOf(this.getAttribute('link') ?? '');
        const folder = addressOf(this.getAttribute('playground'), document.baseURI) ?? kBase;
        return fragment === undefined ? undefined : new URL(`index.html${fragment}`, folder);
    }
    private get recorded(): URL | undefined {
        return addressOf(this.getAttribute('recorded'), document.baseURI);
    }

    private draw(): void {
        this.forget();
        const {live, recorded} = this;
        const box = document.createElement('div');
        const bar = box.appendChild(document.createElement('p'));
        const style = document.createElement('style');
        style.textContent = kStyle;
        this.shadowRoot!.replaceChildren(style, box);
        this.frame = undefined;
        if (!live && !recorded) {
            bar.textContent = 'lockkeeper-run: neither "link" nor "recorded" is an address that can be shown';
            return;
        }
        const told = document.createElement('span');
        told.setAttribute('role', 'status');
        if (live) {
            const button = bar.appendChild(document.createElement('button'));
            button.textContent = '▶ run it here';
            button.onclick = () => { button.remove(); this.run(box, live, told); };
            if (this.hasAttribute('now')) {
                button.click();
            }
            bar.append(told, linkTo(live, 'open in the playground'));
        }
        if (recorded) {
            bar.append(linkTo(recorded, 'the recorded run'));
            if (!this.frame) {
                this.show(box, recorded, false);
            }
        }
    }
    // Live; where no playground answers, what was recorded.
    private run(box: HTMLElement, live: URL, told: HTMLElement): void {
        const frame = this.show(box, live, true);
        told.textContent = 'loading…';
        const end = (words: string) => { this.forget(); told.textContent = words; };
        const hear = ({source, data}: MessageEvent<unknown>) => {
            if (source === frame.contentWindow && (data as {lockkeeper?: unknown} | null)?.lockkeeper === 'ready') {
                end('');
            }
        };
        const giveUp = () => {
            end('no playground answers');
            if (this.recorded) {
                this.show(box, this.recorded, false);
            } else {
                frame.remove();
            }
        };
        let timer = setTimeout(giveUp, kLoadMilliseconds);
        const wait = () => { clearTimeout(timer); timer = setTimeout(giveUp, kAnswerMilliseconds); };
        frame.addEventListener('load', wait);
        addEventListener('message', hear);
        this.forget = () => { clearTimeout(timer); frame.removeEventListener('load', wait); removeEventListener('message', hear); this.forget = () => {}; };
    }
    private show(box: HTMLElement, address: URL, isLive: boolean): HTMLIFrameElement {
        const frame = document.createElement('iframe');
        const height = Number(this.getAttribute('height') ?? kHeightDefault);
        frame.style.height = `${Math.min(kHeightMax, height > 0 ? height : kHeightDefault)}px`;
        frame.title = this.getAttribute('title') ?? (isLive ? 'A run in the Lockkeeper playground' : 'A recorded run');
        frame.allow = 'clipboard-write';
        if (!isLive) { // a file that anybody may have written
            frame.setAttribute('sandbox', 'allow-scripts allow-downloads');
        }
        frame.src = address.href;
        this.frame?.remove();
        this.frame = frame;
        box.append(frame);
        return frame;
    }
}

function linkTo(address: URL, words: string): HTMLAnchorElement {
    const link = document.createElement('a');
    link.href = address.href;
    link.target = '_blank';
    link.rel = 'noopener';
    link.textContent = words;
    return link;
}

if (!customElements.get('lockkeeper-run')) {
    customElements.define('lockkeeper-run', LockkeeperRun);
}
