// SPDX-License-Identifier: Apache-2.0
// The thread pool of cpp-httplib: each job that was taken is done once when the pool shuts down.
#include <httplib.h>

#include <cassert>

int done[2] = {};

int main() {
    httplib::ThreadPool pool(WORKERS);
    pool.enqueue([] { ++done[0]; });
    pool.enqueue([] { ++done[1]; });
    pool.shutdown();
    assert(done[0] == 1 && done[1] == 1);
}
