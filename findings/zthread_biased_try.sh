#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libzthread-dev 2.3.2 (Debian 12; ZThread), with g++ 12.2.
# Expected: Lockable.h says that tryAcquire() returns true if the lock was acquired and false otherwise, and that it
#   gives up when the time is over. BiasedReadWriteLock.h says nothing else.
# Really: on a free BiasedReadWriteLock it says false and takes the lock all the same, because the answer is the one of
#   the last wait, and there was none. Nobody gives back what was refused, so the lock is lost: no writer gets in
#   beside a reader who believes to be none. On a lock that is not free the time-out ends one turn of a loop, and
#   the caller waits on until it has the lock.
# Seen: the lines at the end of this script. Control: FairReadWriteLock, asked the same.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libzthread-dev '2.3.2-*'
debian g++ '4:12.2.*'

cat >"$tmp/try.cpp" <<'PROGRAM'
#include <zthread/BiasedReadWriteLock.h>
#include <zthread/FairReadWriteLock.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

static void say(const char* who, bool yes) { std::printf("%s: %s\n", who, yes ? "yes" : "no"); }

// A thread that asks for the lock without a time. Says whether it has it within a second.
class Asker {
public:
    explicit Asker(ZThread::Lockable& lock)
        : thread_([&] {
              lock.acquire();
              has_ = true;
              lock.release();
          })
    {
    }
    ~Asker() { thread_.join(); }
    bool has_it_soon() const
    {
        for (int i = 0; i < 100 && !has_; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return has_;
    }

private:
    std::atomic<bool> has_{false};
    std::thread thread_;
};

template <class Lock> static void run(const char* title)
{
    std::puts(title);
    Lock lock;
    const bool granted = lock.getReadLock().tryAcquire(100);
    say("the lock is free, a reader tries", granted);
    if (granted)
        lock.getReadLock().release();
    Asker writer(lock.getWriteLock());
    const bool writes = writer.has_it_soon();
    say("nobody holds it, a writer gets it within 1 s", writes);
    if (!writes)
        lock.getReadLock().release();
    say("what was refused is given back, the writer gets it", writer.has_it_soon());
    lock.getWriteLock().acquire();
    const auto asked = std::chrono::steady_clock::now();
    bool in_time = false;
    std::thread reader([&] {
        const bool late = lock.getReadLock().tryAcquire(100);
        in_time = std::chrono::steady_clock::now() - asked < std::chrono::milliseconds(700);
        if (late)
            lock.getReadLock().release();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    lock.getWriteLock().release();
    reader.join();
    say("a writer holds it for 1 s, a reader who gives it 0.1 s is answered in time", in_time);
}

int main()
{
    run<ZThread::BiasedReadWriteLock>("BiasedReadWriteLock");
    run<ZThread::FairReadWriteLock>("control: FairReadWriteLock");
}
PROGRAM
/usr/bin/g++ -std=c++11 -o "$tmp/try" "$tmp/try.cpp" -lZThread -pthread 2>"$tmp/log" || { cat "$tmp/log"; exit 1; }

as_stated 'BiasedReadWriteLock
the lock is free, a reader tries: no
nobody holds it, a writer gets it within 1 s: no
what was refused is given back, the writer gets it: yes
a writer holds it for 1 s, a reader who gives it 0.1 s is answered in time: no
control: FairReadWriteLock
the lock is free, a reader tries: yes
nobody holds it, a writer gets it within 1 s: yes
what was refused is given back, the writer gets it: yes
a writer holds it for 1 s, a reader who gives it 0.1 s is answered in time: yes' "$("$tmp/try")"
