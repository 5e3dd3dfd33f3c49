#include "app/exit_code.hpp"

namespace lockkeeper {
namespace {

int rank(int code) {
    switch (code) {
        case kExitPassed: return 0;
        case kExitInconclusive: return 1;
        case kExitViolated: return 2;
        case kExitDiverged: return 3;
        case kExitInput: return 4;
        case kExitUsage: return 5;
        case kExitInternal: return 6;
        case kExitInterrupted: return 7;
        default: return 6;
    }
}

}  // namespace

int worse_exit_code(int left, int right) { return rank(right) > rank(left) ? right : left; }

}  // namespace lockkeeper
