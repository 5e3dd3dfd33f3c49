// SPDX-License-Identifier: Apache-2.0
// Instructions for which the compiler calls no hooks: they stand for functions of its own.
#include <immintrin.h>

#include <cstring>
#include <thread>

alignas(64) int values[16] = {};
int sum = 0;
volatile int all = -1;  // no constant, of which a compiler could make a plain access

__attribute__((target("avx2"))) void store_some() {
    _mm256_maskstore_epi32(values, _mm256_set1_epi32(all), _mm256_set1_epi32(1));
}
__attribute__((target("avx2"))) void load_some() {
    sum = _mm256_extract_epi32(_mm256_maskload_epi32(values, _mm256_set1_epi32(all)), 1);
}
__attribute__((target("avx2"))) void gather() {
    sum = _mm256_extract_epi32(_mm256_i32gather_epi32(values, _mm256_set1_epi32(1), 4), 1);
}
void stream() { _mm_stream_si32(values, 1); }

int main(int count, char** arguments) {
    const char* name = count > 1 ? arguments[1] : "";
    std::thread accesses(std::strcmp(name, "store") == 0    ? store_some
                         : std::strcmp(name, "load") == 0   ? load_some
                         : std::strcmp(name, "gather") == 0 ? gather
                                                            : stream);
    values[1] = 2;
    accesses.join();
}
