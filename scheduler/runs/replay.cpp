// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/replay.hpp"

namespace lockkeeper {

std::string label_difference(const TraceStep& step, const std::string& recorded) {
    const std::string label = step.text + " " + step.result;
    return label == recorded ? "" : "recorded \"" + recorded + "\", now \"" + label + "\"";
}

}  // namespace lockkeeper
