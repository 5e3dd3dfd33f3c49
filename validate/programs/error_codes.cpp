// What the codes of errors mean (docs/PROTOCOL.md has the table).
#include <algorithm>
#include <iterator>

#include "validate/programs/message.hpp"

namespace lockkeeper {

bool is_definite_error(std::int64_t code) {
    constexpr std::int64_t kDefinite[] = {10, 11, 12, 14, 20, 21, 22, 30, 1000};
    return std::find(std::begin(kDefinite), std::end(kDefinite), code) != std::end(kDefinite);
}

bool is_refusal(std::int64_t code) {
    constexpr std::int64_t kRefusals[] = {11, 20, 21, 22, 30, 1000};
    return std::find(std::begin(kRefusals), std::end(kRefusals), code) != std::end(kRefusals);
}

}  // namespace lockkeeper
