// SPDX-License-Identifier: Apache-2.0

// The keys of a scenario that are no plain values. For the tables in scenarios/table_of_*.cpp.
#pragma once

#include "scenarios/fields.hpp"

namespace lockkeeper {

// document.cpp: what frames the rest, and objects of other fields.
extern const Codec kSchemaNameCodec;
extern const Codec kVersionCodec;
extern const Codec kCasesCodec;
extern const Codec kParametersCodec;
extern const Codec kFaultsCodec;
extern const Codec kLimitsCodec;
extern const Codec kRateLimitCodec;
extern const Codec kServerCodec;
extern const Codec kTrafficCodec;
extern const Codec kExpectCodec;

// callers.cpp
extern const Codec kKeysCodec;
extern const Codec kCallersCodec;
extern const Codec kViewCodec;
extern const Codec kResizesCodec;
// Checks what the callers and the resizes say only together, once both are read.
void check_views(const Place& document, const Reading& reading);

// run.cpp
extern const Codec kMethodCodec;
extern const Codec kFindCodec;
extern const Codec kOrderCodec;
extern const Codec kScheduleCodec;
// The method of a document that does not say it.
[[nodiscard]] Method method_without_key(const Place& document);

// law.cpp
extern const Codec kLawCodec;
// The definition "weights".
[[nodiscard]] nlohmann::ordered_json schema_of_weights();

// parameters.cpp
extern const Codec kTableCodec;
extern const Codec kRepairsCodec;
extern const Codec kRelationsCodec;
extern const Codec kCrashTakesCodec;

// expect.cpp
extern const Codec kVerdictCodec;
extern const Codec kInterleavingsCodec;
extern const Codec kValueCodec;
extern const Codec kMaxRateCodec;
extern const Codec kCountersCodec;
extern const Codec kResultsCodec;

}  // namespace lockkeeper
