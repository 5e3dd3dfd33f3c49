// SPDX-License-Identifier: Apache-2.0
// Functions that the runtime has in the place of a library's read and write by a pointer, too. The
// argument says which of them has it while another thread writes there. Without one nobody does.
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <threads.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

namespace {

union {
    timespec time;
    timeval value;
    time_t seconds;
    int number;
    pthread_t thread;
    void* pointer;
    pthread_key_t key;
} shared;
std::atomic<int> flag{0};
std::thread joined;
sem_t semaphore;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

void* nothing(void* given) { return given; }
int no_number(void*) { return 1; }

const struct {
    const char* name;
    void (*call)();
} kCalls[] = {
    {"expected", [] { flag.compare_exchange_strong(shared.number, 1); }},
    {"clock_gettime", [] { clock_gettime(CLOCK_MONOTONIC, &shared.time); }},
    {"gettimeofday", [] { gettimeofday(&shared.value, nullptr); }},
    {"time", [] { time(&shared.seconds); }},
    {"timespec_get", [] { timespec_get(&shared.time, TIME_UTC); }},
    {"nanosleep", [] { nanosleep(&shared.time, nullptr); }},
    {"sem_getvalue", [] { sem_getvalue(&semaphore, &shared.number); }},
    {"sem_timedwait", [] { sem_timedwait(&semaphore, &shared.time); }},
    {"mutex_timedlock",
     [] {
         pthread_mutex_timedlock(&mutex, &shared.time);
         pthread_mutex_unlock(&mutex);
     }},
    {"cond_timedwait",
     [] {
         pthread_mutex_lock(&mutex);
         pthread_cond_timedwait(&condition, &mutex, &shared.time);
         pthread_mutex_unlock(&mutex);
     }},
    {"create", [] { pthread_create(&shared.thread, nullptr, nothing, nullptr); }},
    {"join",
     [] {
         pthread_t other{};
         pthread_create(&other, nullptr, nothing, nullptr);
         pthread_join(other, &shared.pointer);
     }},
    {"thrd_join",
     [] {
         thrd_t other{};
         thrd_create(&other, no_number, nullptr);
         thrd_join(other, &shared.number);
     }},
    {"posix_memalign", [] { static_cast<void>(posix_memalign(&shared.pointer, 16, 16)); }},
    {"key_create", [] { pthread_key_create(&shared.key, nullptr); }},
};

}  // namespace

int main(int count, char** arguments) {
    sem_init(&semaphore, 0, 1);
    const char* name = count > 1 ? arguments[1] : "";
    if (std::strcmp(name, "joinable") == 0) {  // the id of a thread that is joined meanwhile
        joined = std::thread([] {});
        std::thread looks([] { flag = joined.joinable() ? 1 : 0; });
        joined.join();
        looks.join();
        return 0;
    }
    if (std::strcmp(name, "argument") == 0) {
        std::thread writes([&] { arguments[1][0] = 'A'; });
        arguments[1][0] = 'a';
        writes.join();
        return 0;
    }
    for (const auto& one : kCalls) {
        if (count > 1 && std::strcmp(name, one.name) != 0) {
            continue;
        }
        if (count > 1) {
            std::thread writes([] { reinterpret_cast<volatile char&>(shared) = 0; });
            one.call();
            writes.join();
            return 0;
        }
        one.call();
    }
}
