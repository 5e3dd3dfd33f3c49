// SPDX-License-Identifier: Apache-2.0

// Promises whose reactions run when the program's own loop runs them (program_runner.ts), not when the browser does:
// the browser would wait for the end of the call that the program answers.

export interface Loop {
    soon(task: () => void): void; // before anything else
    rejected(promise: object, reason: unknown): void; // nobody has asked for it yet
    handled(promise: object): void;
}

type Resolve = (value?: unknown) => void;
type Executor = (resolve: Resolve, reject: (reason?: unknown) => void) => void;

// A constructor as Promise is, for one program.
export function makePromise(loop: Loop) {
    return class OwnPromise {
        private state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
        private value: unknown;
        private isHandled = false;
        private reactions: (() => void)[] = [];

        constructor(executor: Executor) {
            const [resolve, reject] = this.resolvers();
            try {
                executor(resolve, reject);
            } catch (error) {
                reject(error);
            }
        }

        then(onFulfilled?: unknown, onRejected?: unknown): OwnPromise {
            return new OwnPromise((resolve, reject) => {
                const react = () => loop.soon(() => {
                    const handler = this.state === 'fulfilled' ? onFulfilled : onRejected;
                    if (typeof handler !== 'function') {
                        (this.state === 'fulfilled' ? resolve : reject)(this.value);
                        return;
                    }
                    try {
                        resolve((handler as (value: unknown) => unknown)(this.value));
                    } catch (error) {
                        reject(error);
                    }
                });
                this.isHandled = true;
                if (this.state === 'pending') {
                    this.reactions.push(react);
                } else {
                    loop.handled(this);
                    react();
                }
            });
        }
        catch(onRejected?: unknown): OwnPromise {
            return this.then(undefined, onRejected);
        }
        finally(last: () => unknown): OwnPromise {
            return this.then((value: unknown) => OwnPromise.resolve(last()).then(() => value),
                (reason: unknown) => OwnPromise.resolve(last()).then(() => { throw reason; }));
        }

        static resolve(value?: unknown): OwnPromise {
            return value instanceof OwnPromise ? value : new OwnPromise(resolve => resolve(value));
        }
        static reject(reason?: unknown): OwnPromise {
            return new OwnPromise((_, reject) => reject(reason));
        }
        static all(values: Iterable<unknown>): OwnPromise {
            return OwnPromise.gathered(values, (value, done, reject) => value.then(done, reject));
        }
        static allSettled(values: Iterable<unknown>): OwnPromise {
            return OwnPromise.gathered(values, (value, done) => value.then(
                (result: unknown) => done({status: 'fulfilled', value: result}), (reason: unknown) => done({status: 'rejected', reason})));
        }
        static race(values: Iterable<unknown>): OwnPromise {
            return new OwnPromise((resolve, reject) => [...values].forEach(value => OwnPromise.resolve(value).then(resolve, reject)));
        }
        static any(values: Iterable<unknown>): OwnPromise {
            return new OwnPromise((resolve, reject) => OwnPromise.gathered([...values].map(value => new OwnPromise((done, failed) => OwnPromise.resolve(value).then(failed, done))),
                (value, done, failed) => value.then(done, failed)).then((reasons: unknown) => reject(new AggregateError(reasons as unknown[], 'All promises were rejected')), resolve));
        }

        private static gathered(values: Iterable<unknown>, wait: (value: OwnPromise, done: Resolve, reject: (reason: unknown) => void) => void): OwnPromise {
            return new OwnPromise((resolve, reject) => {
                const all = [...values];
                const results: unknown[] = Array.from(all, () => undefined);
                let left = all.length;
                if (left === 0) {
                    resolve(results);
                }
                all.forEach((value, i) => wait(OwnPromise.resolve(value), result => {
                    results[i] = result;
                    if (--left === 0) {
                        resolve(results);
                    }
                }, reject));
            });
        }
        private settle(state: 'fulfilled' | 'rejected', value: unknown): void {
            this.state = state;
            this.value = value;
            if (state === 'rejected' && !this.isHandled) {
                loop.rejected(this, value);
            }
            this.reactions.forEach(react => react());
            this.reactions = [];
        }
        private resolvers(): [Resolve, (reason?: unknown) => void] {
            let isDone = false;
            const once = (act: (value: unknown) => void) => (value?: unknown) => {
                if (!isDone) {
                    isDone = true;
                    act(value);
                }
            };
            return [once(value => this.adopt(value)), once(reason => this.settle('rejected', reason))];
        }
        private adopt(value: unknown): void {
            if (value === this) {
                this.settle('rejected', new TypeError('A promise cannot be resolved with itself'));
                return;
            }
            if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
                this.settle('fulfilled', value);
                return;
            }
            let then: unknown;
            try {
                then = (value as {then?: unknown}).then;
            } catch (error) {
                this.settle('rejected', error);
                return;
            }
            if (typeof then !== 'function') {
                this.settle('fulfilled', value);
                return;
            }
            const [resolve, reject] = this.resolvers();
            loop.soon(() => {
                try {
                    (then as (...both: unknown[]) => void).call(value, resolve, reject);
                } catch (error) {
                    reject(error);
                }
            });
        }
    };
}
