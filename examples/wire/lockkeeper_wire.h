// SPDX-License-Identifier: Apache-2.0

// Puts a lock's own C or C++ client under `lockkeeper validate --wire` (docs/reference/wire.md).
//
//   static void *open_lock(const char *key) { ... }                      // a fresh client, or NULL
//   static struct lockkeeper_said operate(void *lock, const char *word, long number) { ... }
//   static void close_lock(void *lock) { ... }                           // ends what it has opened
//   int main(void) {
//       const struct lockkeeper_driver driver = {open_lock, operate, close_lock, NULL};
//       return lockkeeper_serve(&driver);
//   }
//
// `word` is "acquire", "release", "renew" or another word of the script, `number` the one behind
// it, or 0; lockkeeper_weight() is the weight of the call (3 of 10 permits), 1 where the script
// says none. An acquire that is granted a weight above 1 without having asked for it is answered
// "unsupported". A client for a call that asks for several keys at once is opened with "a,b".
// `prepare`, if there is one, is called once, on an empty server: what it makes is there whenever a
// run begins. lockkeeper_lost(key), with what the client was opened with, may be called at any time
// and in any thread: a watchdog has seen that the lock is lost.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum lockkeeper_kind {
    LOCKKEEPER_OK,
    LOCKKEEPER_REFUSED,      // of a release or a renewal: the lock is lost
    LOCKKEEPER_DONE,         // a release that does not say whether it was in time
    LOCKKEEPER_UNSUPPORTED,  // no such operation
    LOCKKEEPER_ERROR         // `text` says which
};

// What is 0 is not said. `until`: the lock's end as the wall clock has it, in seconds since 1970;
// `lasts`: the seconds for which it is held from now on, by CLOCK_MONOTONIC.
struct lockkeeper_said {
    enum lockkeeper_kind kind;
    double until;
    double lasts;
    long long token;
    const char* text;
};

struct lockkeeper_driver {
    void* (*open_lock)(const char* key);
    struct lockkeeper_said (*operate)(void* lock, const char* word, long number);
    void (*close_lock)(void* lock);
    struct lockkeeper_said (*prepare)(void);
};

enum { LOCKKEEPER_KEYS = 16, LOCKKEEPER_LINE = 1024 };

struct lockkeeper_state {
    const struct lockkeeper_driver* driver;
    char keys[LOCKKEEPER_KEYS][LOCKKEEPER_LINE];
    void* locks[LOCKKEEPER_KEYS];
    int used;
    int out;
    long weight;  // of the operation under way
    int weight_is_read;
};

static struct lockkeeper_state lockkeeper_now;

static inline long lockkeeper_weight(void) {
    lockkeeper_now.weight_is_read = 1;
    return lockkeeper_now.weight;
}

// A line in one piece, so that those of threads do not mix.
static void lockkeeper_say(const char* line) {
    char text[2 * LOCKKEEPER_LINE];
    const int length = snprintf(text, sizeof text, "%s\n", line);
    if (length <= 0 || (size_t)length >= sizeof text ||
        write(lockkeeper_now.out, text, (size_t)length) != length) {
        _exit(1);
    }
}

// "a,b": said of the first key, and true of all.
static inline void lockkeeper_lost(const char* key) {
    char line[LOCKKEEPER_LINE + 16];
    snprintf(line, sizeof line, "! lost %.*s", (int)strcspn(key, ","), key);
    lockkeeper_say(line);
}

static void lockkeeper_answer(const char* word, struct lockkeeper_said said) {
    char line[LOCKKEEPER_LINE];
    int length = 0;
    switch (said.kind) {
        case LOCKKEEPER_OK:
            length = snprintf(line, sizeof line, "ok");
            if (said.until != 0) {
                length += snprintf(line + length, sizeof line - (size_t)length, " until=%.6f",
                                   said.until);
            }
            if (said.lasts != 0) {
                length +=
                    snprintf(line + length, sizeof line - (size_t)length, " for=%.6f", said.lasts);
            }
            if (said.token != 0) {
                snprintf(line + length, sizeof line - (size_t)length, " token=%lld", said.token);
            }
            break;
        case LOCKKEEPER_REFUSED:
            snprintf(line, sizeof line, "%s", strcmp(word, "acquire") == 0 ? "refused" : "lost");
            break;
        case LOCKKEEPER_DONE: snprintf(line, sizeof line, "done"); break;
        case LOCKKEEPER_UNSUPPORTED: snprintf(line, sizeof line, "unsupported"); break;
        case LOCKKEEPER_ERROR:
            snprintf(line, sizeof line, "error %s", said.text ? said.text : "");
            break;
    }
    for (char* end = strchr(line, '\n'); end; end = strchr(end, '\n')) {
        *end = ' ';
    }
    lockkeeper_say(line);
}

// The client of this key; a fresh one where there is none.
static void* lockkeeper_lock(const char* key) {
    for (int i = 0; i < lockkeeper_now.used; ++i) {
        if (strcmp(lockkeeper_now.keys[i], key) == 0) {
            return lockkeeper_now.locks[i];
        }
    }
    if (lockkeeper_now.used == LOCKKEEPER_KEYS) {
        return NULL;
    }
    void* const lock = lockkeeper_now.driver->open_lock(key);
    if (lock) {
        strcpy(lockkeeper_now.keys[lockkeeper_now.used], key);
        lockkeeper_now.locks[lockkeeper_now.used++] = lock;
    }
    return lock;
}

static void lockkeeper_reset(void) {
    for (int i = 0; i < lockkeeper_now.used; ++i) {
        if (lockkeeper_now.driver->close_lock) {
            lockkeeper_now.driver->close_lock(lockkeeper_now.locks[i]);
        }
    }
    lockkeeper_now.used = 0;
    srand(1);
    lockkeeper_say("ready");
}

static void lockkeeper_operation(const char* word, const char* key, long number) {
    const struct lockkeeper_driver* const driver = lockkeeper_now.driver;
    struct lockkeeper_said said = {LOCKKEEPER_ERROR, 0, 0, 0,
                                   "no client: it cannot connect, or has too many keys"};
    if (strcmp(word, "prepare") == 0 && driver->prepare) {
        lockkeeper_answer(word, driver->prepare());
        return;
    }
    void* const lock = lockkeeper_lock(key);
    if (lock) {
        said = driver->operate(lock, word, number);
    }
    const int drops_weight = lockkeeper_now.weight > 1 && !lockkeeper_now.weight_is_read;
    if (said.kind == LOCKKEEPER_OK && strcmp(word, "acquire") == 0 && drops_weight) {
        said.kind = LOCKKEEPER_UNSUPPORTED;
    }
    lockkeeper_answer(word, said);
}

// "acquire a 5 with=b,c weight=3": the number, the other keys and the weight are there or not.
static void lockkeeper_read_call(char* line, char* key, long* number) {
    char* rest = NULL;
    strtok_r(line, " ", &rest);
    const char* part = strtok_r(NULL, " ", &rest);
    size_t length = 0;
    lockkeeper_now.weight = 1;
    lockkeeper_now.weight_is_read = 0;
    *number = 0;
    for (int i = 0; part; part = strtok_r(NULL, " ", &rest), ++i) {
        if (i > 0 && strncmp(part, "weight=", 7) == 0) {
            lockkeeper_now.weight = strtol(part + 7, NULL, 10);
        } else if (i == 0 || strncmp(part, "with=", 5) == 0) {
            length += (size_t)snprintf(key + length, LOCKKEEPER_LINE - length, "%s%s",
                                       i == 0 ? "" : ",", i == 0 ? part : part + 5);
        } else {
            *number = strtol(part, NULL, 10);
        }
    }
}

// The next line of the harness, without reading beyond it: a forked child reads on. 0: there is
// none.
static int lockkeeper_read(char* line) {
    for (size_t length = 0; length + 1 < LOCKKEEPER_LINE; ++length) {
        if (read(STDIN_FILENO, line + length, 1) != 1) {
            return 0;
        }
        if (line[length] == '\n') {
            line[length] = '\0';
            return 1;
        }
    }
    return 0;
}

static inline int lockkeeper_serve(const struct lockkeeper_driver* driver) {
    lockkeeper_now.driver = driver;
    lockkeeper_now.out = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // what the client prints is not an answer
    lockkeeper_say(driver->prepare ? "ready reset fork prepare" : "ready reset fork");
    char line[LOCKKEEPER_LINE];
    while (lockkeeper_read(line)) {
        char word[LOCKKEEPER_LINE] = "";
        char key[LOCKKEEPER_LINE] = "";
        long number = 0;
        sscanf(line, "%1023s", word);
        lockkeeper_read_call(line, key, &number);
        if (strcmp(word, "reset") == 0) {
            lockkeeper_reset();
        } else if (strcmp(word, "fork") == 0) {
            const pid_t child = fork();
            if (child == 0) {
                lockkeeper_reset();
            } else if (child < 0 || waitpid(child, NULL, 0) != child) {
                return 1;
            }
        } else {
            lockkeeper_operation(word, key, number);
        }
    }
    return 0;
}
