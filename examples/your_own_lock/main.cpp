// The lockkeeper command with one more system: `your_own_lock list` shows it, `your_own_lock run
// wrong.json right.json` tests it.
#include "app/command_line.hpp"
#include "app/own_lock.hpp"
#include "connection_limiter.hpp"

int main(int argc, char** argv) {
    using namespace my_service;
    Registry registry = shipped_systems();
    register_lock(registry, {"connection_limiter", "wrong", "writes what it has read, plus 1"},
                  ConnectionLimiter(Write::kBlindly));
    register_lock(registry, {"connection_limiter", "right", "writes if the row is unchanged"},
                  ConnectionLimiter(Write::kIfUnchanged));
    return lockkeeper_main(argc, argv, registry);
}
