// The chain in PRISM's explicit format, so that other tools can check the figures. Called by the
// verb `measure`. docs/RATES_METHOD.md shows the command.
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
// Errors: a file that cannot be written gives its name and the reason; nothing is thrown for it.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "measure/chain.hpp"
#include "measure/measure.hpp"
#include "model/erased_system.hpp"

namespace lockkeeper {

struct PrismStreams {
    std::ostream& states;
    std::ostream& transitions;
    std::ostream& labels;
};

// `properties` by their bits in the chain's labels. Rates, where the chain has exit rates.
void write_prism(const Chain& chain, const std::vector<const Property*>& properties,
                 const PrismStreams& out);

// Explores the system and writes the three files. Returns what went wrong, in one line: a file, or
// the limit that cut the graph (then nothing is written).
[[nodiscard]] std::optional<std::string> export_to_prism(const ErasedSystem& system,
                                                         const MeasureOptions& options,
                                                         const std::string& prefix);

}  // namespace lockkeeper
