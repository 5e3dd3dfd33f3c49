// SPDX-License-Identifier: Apache-2.0

// A lock in C, by hiredis: SET NX PX, and scripts that compare before they delete or extend.
// `--release-anybody`: the release deletes whoever's key it is.
//
//   cc -o set_nx_px examples/wire/set_nx_px.c -lhiredis
#include <hiredis/hiredis.h>

#include <sys/random.h>

#include "lockkeeper_wire.h"

static const char *const kRelease =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
static const char *const kExtend =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], 10000) else return 0 end";
static int releases_anybody = 0;

struct lock {
    redisContext *redis;
    char token[33];
    const char *key;
};

static void *open_lock(const char *key) {
    struct lock *const lock = calloc(1, sizeof *lock);
    unsigned char random[16];
    if (!lock || getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        exit(1);
    }
    for (size_t i = 0; i < sizeof random; ++i) {
        snprintf(lock->token + 2 * i, 3, "%02x", random[i]);
    }
    lock->key = strdup(key);
    lock->redis = redisConnect("localhost", 6379);
    return lock;
}

static void close_lock(void *client) {
    struct lock *const lock = client;
    redisFree(lock->redis);
    free((void *)lock->key);
    free(lock);
}

// Granted, or in force until now: a 1 or an OK.
static struct lockkeeper_said said_by(struct lock *lock, redisReply *reply) {
    struct lockkeeper_said said = {LOCKKEEPER_ERROR, 0, 0, 0, lock->redis->errstr};
    if (reply && reply->type != REDIS_REPLY_ERROR) {
        const int is_done = reply->type == REDIS_REPLY_STATUS || reply->integer == 1;
        said.kind = is_done ? LOCKKEEPER_OK : LOCKKEEPER_REFUSED;
    } else if (reply) {
        said.text = "Redis refuses the request";
    }
    freeReplyObject(reply);
    return said;
}

static struct lockkeeper_said operate(void *client, const char *word, long number) {
    struct lock *const lock = client;
    (void)number;
    if (strcmp(word, "acquire") == 0) {
        return said_by(lock, redisCommand(lock->redis, "SET %s %s NX PX 10000", lock->key, lock->token));
    }
    if (strcmp(word, "release") == 0 && releases_anybody) {
        redisReply *const reply = redisCommand(lock->redis, "DEL %s", lock->key);
        const struct lockkeeper_said said = said_by(lock, reply);
        return said.kind == LOCKKEEPER_REFUSED ? (struct lockkeeper_said){.kind = LOCKKEEPER_OK} : said;
    }
    if (strcmp(word, "release") == 0 || strcmp(word, "renew") == 0) {
        const char *const script = word[2] == 'l' ? kRelease : kExtend;
        return said_by(lock, redisCommand(lock->redis, "EVAL %s 1 %s %s", script, lock->key, lock->token));
    }
    return (struct lockkeeper_said){.kind = LOCKKEEPER_UNSUPPORTED};
}

int main(int count, char **arguments) {
    const struct lockkeeper_driver driver = {open_lock, operate, close_lock, NULL};
    releases_anybody = count > 1 && strcmp(arguments[1], "--release-anybody") == 0;
    return lockkeeper_serve(&driver);
}
