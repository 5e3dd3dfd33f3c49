// SPDX-License-Identifier: Apache-2.0

// All graphs that RC11's axioms allow, made in every order of their events and judged as the axioms
// are written: relations as matrices, nothing incremental. C++20's release sequences: only
// read-modify-writes go on with them.
#include <algorithm>
#include <set>

#include "validate/threads/graph/small_program_test.hpp"

namespace lockkeeper::threads {
namespace {

struct NaiveEvent {
    int thread = -1;
    int step = 0;
    Kind kind = Kind::kStore;
    Order order = Order::kRelaxed;
    Location location = 0;
    std::uint64_t value = 0;
    int from = -1;    // loads: index of the store
    int paired = -1;  // the store of a read-modify-write: index of its load
};

struct NaiveGraph {
    std::vector<NaiveEvent> events;
    std::map<Location, std::vector<int>> stores;  // in modification order, the initial one first
    std::vector<std::size_t> at;
    std::vector<std::uint64_t> last;  // value read last + 1; 0: none

    [[nodiscard]] std::string key(const SmallProgram& program, bool whole) const {
        GraphKey key;
        for (std::size_t thread = 0; thread < program.size(); ++thread) {
            for (std::size_t step = 0; step < program[thread].size(); ++step) {
                for (const NaiveEvent& event : events) {
                    if (event.kind == Kind::kLoad && event.thread == static_cast<int>(thread) &&
                        event.step == static_cast<int>(step)) {
                        const NaiveEvent& from = events[static_cast<std::size_t>(event.from)];
                        key.read(event.thread, event.step, from.thread, from.step);
                    }
                }
            }
        }
        for (const auto& [location, order] : stores) {
            for (std::size_t place = 1; place < order.size(); ++place) {
                const NaiveEvent& store = events[static_cast<std::size_t>(order[place])];
                key.write(location, store.thread, store.step);
            }
        }
        std::string text = key.text();
        for (std::size_t thread = 0; whole && thread < at.size(); ++thread) {
            text += "@" + std::to_string(at[thread]);
        }
        return text;
    }
};

// Rows of bits: at most 64 events.
struct Matrix {
    std::vector<std::uint64_t> rows;

    explicit Matrix(std::size_t size) : rows(size) {}
    void add(std::size_t from, std::size_t to) { rows[from] |= std::uint64_t{1} << to; }
    [[nodiscard]] bool has(std::size_t from, std::size_t to) const {
        return (rows[from] >> to & 1) != 0;
    }
    [[nodiscard]] Matrix operator|(const Matrix& other) const {
        Matrix sum = *this;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            sum.rows[row] |= other.rows[row];
        }
        return sum;
    }
    [[nodiscard]] Matrix operator*(const Matrix& next) const {
        Matrix product(rows.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            for (std::size_t middle = 0; middle < rows.size(); ++middle) {
                product.rows[row] |= has(row, middle) ? next.rows[middle] : 0;
            }
        }
        return product;
    }
    [[nodiscard]] Matrix closed() const {
        Matrix sum = *this;
        for (std::size_t round = 1; round < rows.size(); round *= 2) {
            sum = sum | sum * sum;
        }
        return sum;
    }
    [[nodiscard]] bool is_irreflexive() const {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (has(row, row)) {
                return false;
            }
        }
        return true;
    }
    template <class Where>
    [[nodiscard]] Matrix where(Where keeps) const {
        Matrix part(rows.size());
        for (std::size_t from = 0; from < rows.size(); ++from) {
            for (std::size_t to = 0; to < rows.size(); ++to) {
                if (has(from, to) && keeps(from, to)) {
                    part.add(from, to);
                }
            }
        }
        return part;
    }
};

class Axioms {
  public:
    explicit Axioms(const NaiveGraph& graph)
        : graph_(graph),
          size_(graph.events.size()),
          sb_(size_),
          rf_(size_),
          mo_(size_),
          rmw_(size_),
          same_(size_) {
        for (std::size_t one = 0; one < size_; ++one) {
            same_.add(one, one);
            for (std::size_t other = 0; other < size_; ++other) {
                const bool inits = at(one).thread < 0 && at(other).thread >= 0;
                if (inits ||
                    (at(one).thread >= 0 && at(one).thread == at(other).thread && one < other)) {
                    sb_.add(one, other);
                }
            }
            if (at(one).kind == Kind::kLoad) {
                rf_.add(static_cast<std::size_t>(at(one).from), one);
            }
            if (at(one).paired >= 0) {
                rmw_.add(static_cast<std::size_t>(at(one).paired), one);
            }
        }
        for (const auto& [location, order] : graph.stores) {
            for (std::size_t first = 0; first < order.size(); ++first) {
                for (std::size_t second = first + 1; second < order.size(); ++second) {
                    mo_.add(static_cast<std::size_t>(order[first]),
                            static_cast<std::size_t>(order[second]));
                }
            }
        }
    }

    [[nodiscard]] bool hold() const {
        const Matrix rb = inverse(rf_) * mo_;
        const Matrix eco = (rf_ | mo_ | rb).closed();
        const Matrix hb = (sb_ | synchronizes()).closed();
        if (!hb.is_irreflexive() || !(hb * eco).is_irreflexive()) {
            return false;
        }
        const Matrix between = rb * mo_;
        const Matrix broken =
            rmw_.where([&](std::size_t from, std::size_t to) { return between.has(from, to); });
        if (std::any_of(broken.rows.begin(), broken.rows.end(),
                        [](std::uint64_t row) { return row != 0; })) {
            return false;
        }
        return psc(rb, eco, hb).closed().is_irreflexive();
    }

  private:
    [[nodiscard]] const NaiveEvent& at(std::size_t index) const { return graph_.events[index]; }
    [[nodiscard]] Matrix inverse(const Matrix& relation) const {
        Matrix turned(size_);
        for (std::size_t from = 0; from < size_; ++from) {
            for (std::size_t to = 0; to < size_; ++to) {
                if (relation.has(from, to)) {
                    turned.add(to, from);
                }
            }
        }
        return turned;
    }
    template <class Which>
    [[nodiscard]] Matrix those(Which which) const {
        return same_.where([&](std::size_t one, std::size_t) { return which(at(one)); });
    }
    [[nodiscard]] Matrix synchronizes() const {
        const Matrix stores = those([](const NaiveEvent& event) {
            return event.kind == Kind::kStore && event.thread >= 0;
        });
        const Matrix fences =
            those([](const NaiveEvent& event) { return event.kind == Kind::kFence; });
        const Matrix releasing = those([](const NaiveEvent& e) { return releases(e.order); });
        const Matrix acquiring = those([](const NaiveEvent& e) { return acquires(e.order); });
        const Matrix sequence = stores * (same_ | (rf_ * rmw_).closed());
        return releasing * (same_ | fences * sb_) * sequence * rf_ * (same_ | sb_ * fences) *
               acquiring;
    }
    [[nodiscard]] Matrix psc(const Matrix& rb, const Matrix& eco, const Matrix& hb) const {
        const auto same_location = [&](std::size_t one, std::size_t other) {
            return at(one).kind != Kind::kFence && at(other).kind != Kind::kFence &&
                   at(one).location == at(other).location;
        };
        const Matrix sb_other = sb_.where(
            [&](std::size_t one, std::size_t other) { return !same_location(one, other); });
        const Matrix scb = sb_ | sb_other * hb * sb_other | hb.where(same_location) | mo_ | rb;
        const Matrix sc =
            those([](const NaiveEvent& event) { return event.order == Order::kSeqCst; });
        const Matrix sc_fence = those([](const NaiveEvent& event) {
            return event.order == Order::kSeqCst && event.kind == Kind::kFence;
        });
        const Matrix base = (sc | sc_fence * (same_ | hb)) * scb * (sc | (same_ | hb) * sc_fence);
        return base | sc_fence * (hb | hb * eco * hb) * sc_fence;
    }

    const NaiveGraph& graph_;
    std::size_t size_;
    Matrix sb_, rf_, mo_, rmw_, same_;
};

class AllGraphs {
  public:
    AllGraphs(const SmallProgram& program, SmallResult& result)
        : program_(program), result_(result) {}

    void go_on(const NaiveGraph& graph) {
        std::vector<NaiveGraph> next;
        for (std::size_t thread = 0; thread < program_.size(); ++thread) {
            if (graph.at[thread] < program_[thread].size()) {
                extend(graph, thread, next);
            }
        }
        if (next.empty()) {
            ++result_.graphs[graph.key(program_, false)];
        }
        for (const NaiveGraph& one : next) {
            if (met_.insert(one.key(program_, true)).second) {
                go_on(one);
            }
        }
    }

  private:
    void offer(const NaiveGraph& graph, std::vector<NaiveGraph>& next) {
        if (Axioms(graph).hold()) {
            next.push_back(graph);
        }
    }
    void extend(const NaiveGraph& graph, std::size_t thread, std::vector<NaiveGraph>& next) {
        using W = SmallStep::What;
        const SmallStep& step = program_[thread][graph.at[thread]];
        NaiveGraph more = graph;
        const auto index = static_cast<int>(more.at[thread]++);
        NaiveEvent event{
            static_cast<int>(thread), index, Kind::kFence, step.order, step.location, 0, -1, -1};
        if (step.what == W::kEndUnless) {
            if (more.last[thread] != step.value + 1) {
                more.at[thread] = program_[thread].size();
            }
            offer(more, next);
        } else if (step.what == W::kFence) {
            more.events.push_back(event);
            offer(more, next);
        } else if (step.what == W::kStore || step.what == W::kUnlock) {
            event.kind = Kind::kStore;
            event.value = step.value;
            place(more, event, next);
        } else {
            read(more, event, step, next);
        }
    }
    void read(const NaiveGraph& graph, NaiveEvent event, const SmallStep& step,
              std::vector<NaiveGraph>& next) {
        event.kind = Kind::kLoad;
        for (const int from : graph.stores.at(step.location)) {
            const std::uint64_t value = graph.events[static_cast<std::size_t>(from)].value;
            const Change change = changed_by(step, value);
            if (change.way == Change::Way::kBlock) {
                continue;
            }
            NaiveGraph more = graph;
            event.from = from;
            event.value = value;
            event.order = change.way == Change::Way::kLeave && step.what != SmallStep::What::kLoad
                              ? without_release(step.order)
                              : step.order;
            more.last[static_cast<std::size_t>(event.thread)] = value + 1;
            more.events.push_back(event);
            if (change.way == Change::Way::kLeave) {
                offer(more, next);
                continue;
            }
            NaiveEvent store = event;
            store.kind = Kind::kStore;
            store.value = change.value;
            store.from = -1;
            store.paired = static_cast<int>(more.events.size()) - 1;
            place(more, store, next);
        }
    }
    void place(const NaiveGraph& graph, const NaiveEvent& store, std::vector<NaiveGraph>& next) {
        const std::size_t count = graph.stores.at(store.location).size();
        for (std::size_t place = 1; place <= count; ++place) {
            NaiveGraph more = graph;
            more.events.push_back(store);
            std::vector<int>& order = more.stores[store.location];
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(place),
                         static_cast<int>(more.events.size()) - 1);
            offer(more, next);
        }
    }

    const SmallProgram& program_;
    SmallResult& result_;
    std::set<std::string> met_;
};

}  // namespace

SmallResult naive_c11(const SmallProgram& program) {
    SmallResult result;
    NaiveGraph graph;
    graph.at.resize(program.size());
    graph.last.resize(program.size());
    for (const auto& thread : program) {
        for (const SmallStep& step : thread) {
            const auto known = graph.stores.find(step.location);
            if (known == graph.stores.end()) {
                NaiveEvent initial;
                initial.location = step.location;
                graph.stores[step.location] = {static_cast<int>(graph.events.size())};
                graph.events.push_back(initial);
            }
        }
    }
    AllGraphs(program, result).go_on(graph);
    return result;
}

}  // namespace lockkeeper::threads
