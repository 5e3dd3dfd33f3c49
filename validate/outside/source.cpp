// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/source.hpp"

#include <utility>

namespace lockkeeper {

std::string shown_step(const std::string& text, const std::string& result) {
    return result.empty() ? text : text + " " + result;
}

void Source::observe(Observation& out) {
    ledger_.observe(out);
    out.quiescent = at_rest();
    out.now = time_shown();
}

void Source::show_in_look(Action action, std::string text, std::string result) {
    steps_of_look_.push_back({action, {}, std::move(text), std::move(result), describe(), {}});
    if (tell_) {
        tell_(steps_of_look_.back());
    }
}

}  // namespace lockkeeper
