// SPDX-License-Identifier: Apache-2.0

// The chain in PRISM's explicit format, so that other tools can check the figures. Called by the
// verb `measure`. docs/decisions/methods/exact_rates.md shows the command.
//
//   PREFIX.sta  (state,violated,granted)   one state a line: its number in the chain, and what the
//                                      transition into it has shown (bits of properties)
//   PREFIX.tra  STATES TRANSITIONS     then "from to probability", or with the law kRates "from to
//                                      rate" (a continuous-time chain), 17 digits
//   PREFIX.lab  0="init" 1="deadlock" ...  then "state: labels"
//
// PRISM's labels are on states, violations are shown by transitions: so a state of the chain stands
// once for each label with which it is entered. Labels: `init`; `deadlock` (PRISM's own: a state
// without transition; there is none, and the property of that name is `deadlocked`); `end`, where a
// run ends, and which leads to itself for ever; `stuck`, where it ends with somebody unfinished;
// `granted`, when the transition granted an acquire; and each property with '_' for '-': P=? [ F
// "leak" ] is the figure "per run".
//
// Errors: OutputError. A table of transitions has no room for a mark: what stands there may be
// replaced where the file of states beside it has one.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "measure/chain.hpp"
#include "measure/measure.hpp"
#include "model/erased_system.hpp"
#include "scheduler/base/output_file.hpp"

namespace lockkeeper {

struct PrismStreams {
    std::ostream& states;
    std::ostream& transitions;
    std::ostream& labels;
};

// `properties` by their bits in the chain's labels. Rates, where the chain has exit rates.
void write_prism(const Chain& chain, const std::vector<const Property*>& properties,
                 const PrismStreams& out);

struct PrismFiles {
    // The rule's mark is set for each.
    PrismFiles(const std::string& prefix, const OutputRule& rule);
    OutputClaim states;
    OutputClaim transitions;
    OutputClaim labels;
};

// Explores the system and writes the three files. Returns the limit that cut the graph, in one
// line; then nothing is written. Throws OutputError.
[[nodiscard]] std::optional<std::string> export_to_prism(const ErasedSystem& system,
                                                         const MeasureOptions& options,
                                                         PrismFiles& files);

}  // namespace lockkeeper
