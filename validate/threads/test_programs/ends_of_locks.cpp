// SPDX-License-Identifier: Apache-2.0
// Mutexes, semaphores and barriers that begin, end, and begin again; reader-writer locks that have
// other readers; threads that are joined. Without an argument all of it is right.
#include <pthread.h>
#include <semaphore.h>

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <thread>

struct Shared {
    pthread_mutex_t mutex;
    int users;
};

void give_back(Shared* shared) {
    pthread_mutex_lock(&shared->mutex);
    const bool is_last = --shared->users == 0;
    pthread_mutex_unlock(&shared->mutex);
    if (is_last) {
        pthread_mutex_destroy(&shared->mutex);
        delete shared;
    }
}

void destroyed_by_the_last_user() {
    auto* shared = new Shared;
    pthread_mutex_init(&shared->mutex, nullptr);
    shared->users = 2;
    std::thread other(give_back, shared);
    give_back(shared);
    other.join();
}

pthread_barrier_t* barrier;

void pass() {
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        delete barrier;
    }
}

void barrier_of_the_last() {
    barrier = new pthread_barrier_t;
    pthread_barrier_init(barrier, nullptr, 2);
    std::thread other(pass);
    pass();
    other.join();
}

sem_t semaphore;

void semaphore_again() {
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore);
    sem_destroy(&semaphore);
    sem_init(&semaphore, 0, 2);
    std::thread other([] { sem_wait(&semaphore); });
    sem_wait(&semaphore);
    other.join();
    int value = 0;
    sem_getvalue(&semaphore, &value);
    assert(value == 0);
    sem_destroy(&semaphore);
}

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
void read() {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
}
void two_readers() {
    std::thread other([] {
        read();
        read();
    });
    read();
    other.join();
}

pthread_mutex_t mutex;
void lock_and_unlock() {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
void* nothing(void* given) { return given; }

struct Case {
    const char* name;
    void (*run)();
};
const Case kWrong[] = {
    {"unlock_of_other_readers",
     [] {
         pthread_rwlock_rdlock(&lock);
         std::thread other([] { pthread_rwlock_unlock(&lock); });
         other.join();
     }},
    {"begins_too_late",
     [] {
         std::thread other(lock_and_unlock);
         pthread_mutex_init(&mutex, nullptr);
         other.join();
     }},
    {"ends_too_early",
     [] {
         std::thread other(lock_and_unlock);
         pthread_mutex_destroy(&mutex);
         other.join();
     }},
    {"ends_while_held",
     [] {
         std::thread other([] { pthread_mutex_lock(&mutex); });
         other.join();
         pthread_mutex_destroy(&mutex);
     }},
    {"barrier_ends_too_early",
     [] {
         pthread_barrier_t early;
         pthread_barrier_init(&early, nullptr, 2);
         std::thread one([&] { pthread_barrier_wait(&early); });
         std::thread other([&] { pthread_barrier_wait(&early); });
         pthread_barrier_destroy(&early);
         one.join();
         other.join();
     }},
    {"semaphore_begins_with_none",
     [] {
         sem_init(&semaphore, 0, 2);
         sem_wait(&semaphore);
         sem_init(&semaphore, 0, 0);
         sem_wait(&semaphore);
     }},
    {"joined_twice",
     [] {
         pthread_t thread{};
         pthread_create(&thread, nullptr, nothing, nullptr);
         pthread_join(thread, nullptr);
         pthread_join(thread, nullptr);
     }},
    {"joined_when_detached",
     [] {
         pthread_t thread{};
         pthread_create(&thread, nullptr, nothing, nullptr);
         pthread_detach(thread);
         pthread_join(thread, nullptr);
     }},
};

int main(int count, char** arguments) {
    if (count < 2) {
        destroyed_by_the_last_user();
        barrier_of_the_last();
        semaphore_again();
        two_readers();
        return 0;
    }
    for (const Case& one : kWrong) {
        if (std::strcmp(one.name, arguments[1]) == 0) {
            one.run();
            return 0;
        }
    }
    return 1;
}
