// SPDX-License-Identifier: Apache-2.0
#include "measure/prism_export.hpp"

#include <map>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "measure/chain_builder.hpp"

namespace lockkeeper {
namespace {

// A state of the chain together with the label of the transition that led to it.
struct Entered {
    StateIndex state = 0;
    std::uint32_t violated = 0;
    bool granted = false;

    // NOLINTNEXTLINE(modernize-use-nullptr): its own 0
    friend auto operator<=>(const Entered&, const Entered&) = default;
};

class PrismChain {
  public:
    explicit PrismChain(const Chain& chain) : chain_(chain) {
        number({0, chain.violated_at_first, false});
        for (std::size_t next = 0; next < entered_.size(); ++next) {
            const StateIndex from = entered_[next].state;
            transitions_ += chain.ends(from) ? 1 : 0;
            for (std::uint64_t i = chain.offsets[from]; i < chain.offsets[from + 1U]; ++i) {
                number(entered_by(i));
            }
            std::map<std::size_t, double> row = row_of(next);
            transitions_ += chain.ends(from) ? 0 : row.size();
        }
    }

    [[nodiscard]] const std::vector<Entered>& entered() const { return entered_; }
    [[nodiscard]] std::size_t transitions() const { return transitions_; }

    // Nature's and the scheduler's transitions with the same target and label are one here.
    [[nodiscard]] std::map<std::size_t, double> row_of(std::size_t place) const {
        const StateIndex from = entered_[place].state;
        const double rate = chain_.exit_rates.empty() ? 1 : chain_.exit_rates[from];
        std::map<std::size_t, double> row;
        for (std::uint64_t i = chain_.offsets[from]; i < chain_.offsets[from + 1U]; ++i) {
            row[numbers_.at(entered_by(i))] += chain_.probabilities[i] * rate;
        }
        if (row.empty()) {
            row[place] = 1;
        }
        return row;
    }

  private:
    [[nodiscard]] Entered entered_by(std::uint64_t transition) const {
        const TransitionLabel& label = chain_.label(transition);
        return {chain_.targets[transition], label.violated, label.grants};
    }
    void number(const Entered& entered) {
        if (numbers_.emplace(entered, entered_.size()).second) {
            entered_.push_back(entered);
        }
    }

    const Chain& chain_;
    std::vector<Entered> entered_;
    std::map<Entered, std::size_t> numbers_;
    std::size_t transitions_ = 0;
};

std::string identifier(std::string_view name) {
    std::string text(name);
    std::replace_if(
        text.begin(), text.end(), [](char one) { return one == '-' || one == ':'; }, '_');
    return text;
}

constexpr const char* kStatesHead = "(state,violated,granted)\n";
constexpr const char* kLabelsHead = R"(0="init" 1="deadlock" 2="end" 3="stuck" 4="granted")";

OutputRule marked(OutputRule rule, const char* mark, const std::string& marked_file = "") {
    rule.mark = mark;
    rule.marked_file = marked_file;
    return rule;
}

void write_states(const PrismChain& prism, std::ostream& out) {
    out << kStatesHead;
    for (std::size_t i = 0; i < prism.entered().size(); ++i) {
        const Entered& one = prism.entered()[i];
        fmt::print(out, "{}:({},{},{})\n", i, one.state, one.violated, one.granted ? 1 : 0);
    }
}

void write_transitions(const PrismChain& prism, std::ostream& out) {
    fmt::print(out, "{} {}\n", prism.entered().size(), prism.transitions());
    for (std::size_t i = 0; i < prism.entered().size(); ++i) {
        for (const auto& [target, value] : prism.row_of(i)) {
            fmt::print(out, "{} {} {:.17g}\n", i, target, value);
        }
    }
}

void write_labels(const Chain& chain, const std::vector<const Property*>& properties,
                  const PrismChain& prism, std::ostream& out) {
    constexpr std::size_t kFirstProperty = 5;
    out << kLabelsHead;
    for (std::size_t p = 0; p < properties.size(); ++p) {
        // `deadlock` is a word of PRISM's own.
        const std::string name = properties[p]->is(PropertyNumber::kDeadlock)
                                     ? "deadlocked"
                                     : identifier(properties[p]->name);
        fmt::print(out, " {}=\"{}\"", p + kFirstProperty, name);
    }
    out << '\n';
    for (std::size_t i = 0; i < prism.entered().size(); ++i) {
        const Entered& one = prism.entered()[i];
        std::string labels;
        const auto add = [&](std::size_t label, bool applies) {
            labels += applies ? " " + std::to_string(label) : "";
        };
        add(0, i == 0);
        add(2, chain.ends(one.state));
        add(3, !chain.deadlocked.empty() && chain.deadlocked[one.state]);
        add(4, one.granted);
        for (std::size_t p = 0; p < properties.size(); ++p) {
            add(p + kFirstProperty, (one.violated >> p & 1U) != 0);
        }
        if (!labels.empty()) {
            fmt::print(out, "{}:{}\n", i, labels);
        }
    }
}

}  // namespace

void write_prism(const Chain& chain, const std::vector<const Property*>& properties,
                 const PrismStreams& out) {
    const PrismChain prism(chain);
    write_states(prism, out.states);
    write_transitions(prism, out.transitions);
    write_labels(chain, properties, prism, out.labels);
}

PrismFiles::PrismFiles(const std::string& prefix, const OutputRule& rule)
    : states(prefix + ".sta", marked(rule, kStatesHead)),
      transitions(prefix + ".tra", marked(rule, kStatesHead, prefix + ".sta")),
      labels(prefix + ".lab", marked(rule, kLabelsHead)) {}

std::optional<std::string> export_to_prism(const ErasedSystem& system,
                                           const MeasureOptions& options, PrismFiles& files) {
    const ChainGraph graph = build_chain(system, options);
    if (!graph.limit.empty()) {
        return "the graph is cut by a limit (" + graph.limit + "): nothing is exported";
    }
    const PrismChain prism(graph.chain);
    // The states first: they vouch for the transitions.
    files.states.write([&](std::ostream& out) { write_states(prism, out); });
    files.transitions.write([&](std::ostream& out) { write_transitions(prism, out); });
    files.labels.write([&](std::ostream& out) {
        write_labels(graph.chain, judged_properties(options), prism, out);
    });
    return std::nullopt;
}

}  // namespace lockkeeper
