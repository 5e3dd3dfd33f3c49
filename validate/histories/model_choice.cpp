// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/model_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "validate/histories/models/pool.hpp"
#include "validate/histories/tag_names.hpp"

namespace lockkeeper {

// histories/models/
using MakeModel = std::unique_ptr<SequentialModel>(const ModelChoice& choice);
MakeModel make_counting_model, make_lease_model, make_fenced_resource_model, make_owned_model;

namespace {

// Whole numbers that stay far from overflow when they are added to a time.
constexpr std::int64_t kNumberMax = std::int64_t{1} << 60U;
constexpr std::int64_t kPermitsMax = 1'000'000;
constexpr std::int64_t kDepthMax = 60'000;

std::optional<std::int64_t> number_of(std::string_view text, std::int64_t least,
                                      std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc{} && end == text.data() + text.size();
    return is_whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

// "a-b" both ways, "a>b": a is not granted while b is held; several with +.
bool read_exclusions(std::string_view text, std::vector<TagExclusion>& out) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('+', begin), text.size());
        const std::string_view pair = text.substr(begin, end - begin);
        const std::size_t mark = pair.find_first_of("->");
        if (mark == std::string_view::npos || mark == 0 || mark + 1 >= pair.size()) {
            return false;
        }
        const std::string wanted(pair.substr(0, mark));
        const std::string held(pair.substr(mark + 1));
        out.push_back({wanted, held});
        if (pair[mark] == '-' && wanted != held) {
            out.push_back({held, wanted});
        }
        begin = end + 1;
    }
    return true;
}

// A model that does not know who holds cannot judge effects.
bool can_judge_effects(ModelKind kind) {
    return kind != ModelKind::kMutex && kind != ModelKind::kSemaphore &&
           kind != ModelKind::kResizableSemaphore && kind != ModelKind::kFencedResource &&
           kind != ModelKind::kPool;
}

std::vector<std::string> parameters_of(ModelKind kind) {
    std::vector<std::string> names;
    switch (kind) {
        case ModelKind::kSemaphore: names = {"permits"}; break;
        case ModelKind::kPool: names = {"places", "error"}; break;
        case ModelKind::kReentrantMutex:
        case ModelKind::kReentrantReadWriteLock:
        case ModelKind::kReentrantFencedMutex: names = {"depth"}; break;
        case ModelKind::kMultiLock: names = {"excludes"}; break;
        case ModelKind::kLease:
        case ModelKind::kFencedLease: names = {"ttl", "error"}; break;
        default: break;
    }
    names.emplace_back("refusals");
    if (can_judge_effects(kind)) {
        names.emplace_back("writes");
    }
    if (kind == ModelKind::kFencedMutex || kind == ModelKind::kReentrantFencedMutex ||
        kind == ModelKind::kFencedLease || kind == ModelKind::kFencedResource) {
        names.emplace_back("invalid");
    }
    return names;
}

// "50" or "0.05"; the other time of the model gets as many digits.
std::string set_time(ModelChoice& choice, std::string_view name, std::string_view value,
                     std::int64_t least) {
    const auto read = read_decimal(value);
    const auto* decimal = std::get_if<Decimal>(&read);
    const std::uint8_t digits =
        std::max(choice.time_digits, decimal != nullptr ? decimal->digits : std::uint8_t{0});
    const std::int64_t raised = power_of_ten(digits - choice.time_digits);
    const auto ticks = decimal != nullptr ? decimal->in_parts(power_of_ten(digits), kNumberMax)
                                          : std::optional<std::int64_t>();
    const bool fits = std::max(choice.ttl, choice.clock_error) <= kNumberMax / raised;
    if (!ticks || *ticks < least || !fits) {
        return "\"" + std::string(name) + "\" is a number from " + std::to_string(least) + " to " +
               std::to_string(kNumberMax) + " (0.05 is one, too), not \"" + std::string(value) +
               "\"";
    }
    choice.ttl *= raised;
    choice.clock_error *= raised;
    choice.time_digits = digits;
    (name == "ttl" ? choice.ttl : choice.clock_error) = *ticks;
    return "";
}

// A message, or nothing. The name is one of the model's parameters.
std::string set_parameter(ModelChoice& choice, std::string_view name, std::string_view value) {
    const auto number = [&](std::int64_t least, std::int64_t most, auto& target) {
        const auto read = number_of(value, least, most);
        if (!read) {
            return "\"" + std::string(name) + "\" is a whole number from " + std::to_string(least) +
                   " to " + std::to_string(most) + ", not \"" + std::string(value) + "\"";
        }
        target = static_cast<std::remove_reference_t<decltype(target)>>(*read);
        return std::string();
    };
    if (name == "refusals") {
        if (choice.kind == ModelKind::kPool && value == "fair") {
            return "\"refusals\" is judged or ignored: each caller waits for one place";
        }
        choice.is_fair = value == "fair";
        choice.judges_refusals = value == "judged" || choice.is_fair;
        return choice.judges_refusals || value == "ignored"
                   ? ""
                   : "\"refusals\" is judged, fair or ignored";
    }
    if (name == "writes") {
        choice.judges_effects = value == "holder";
        return value == "holder" || value == "any" ? "" : "\"writes\" is holder or any";
    }
    if (name == "permits" || name == "places") {
        return number(1, kPermitsMax, choice.permits);
    }
    if (name == "depth") {
        return number(1, kDepthMax, choice.depth_max);
    }
    if (name == "ttl" || name == "error") {
        choice.judges_timeouts = choice.kind == ModelKind::kPool;
        return set_time(choice, name, value, name == "ttl" ? 1 : 0);
    }
    if (name == "invalid") {
        choice.invalid_token = number_of(value, -kNumberMax, kNumberMax);
        return choice.invalid_token
                   ? ""
                   : "\"invalid\" is a whole number, not \"" + std::string(value) + "\"";
    }
    return read_exclusions(value, choice.exclusions)
               ? ""
               : "\"excludes\" is pairs of tags: a-b (both ways), a>b (a waits for b), with + "
                 "between";
}

// The number of them stands bare behind the colon, and has to.
bool counts_places(ModelKind kind) {
    return kind == ModelKind::kSemaphore || kind == ModelKind::kPool;
}

// One of the parts behind the colon.
std::optional<ModelError> read_part(ModelChoice& choice, std::string_view part) {
    const std::string model(description_of(choice.kind).name);
    const std::size_t equals = part.find('=');
    // semaphore:3, pool:3
    const bool is_bare = equals == std::string_view::npos && counts_places(choice.kind);
    if (equals == std::string_view::npos && !is_bare) {
        return ModelError{model + ": expected NAME=VALUE, not \"" + std::string(part) + "\""};
    }
    const std::vector<std::string> known = parameters_of(choice.kind);
    const std::string name(is_bare ? std::string_view(known.front()) : part.substr(0, equals));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        return ModelError{model + ": has no parameter \"" + name + "\"", name, known};
    }
    const std::string problem = set_parameter(choice, name, part.substr(is_bare ? 0 : equals + 1));
    return problem.empty() ? std::nullopt : std::optional(ModelError{model + ": " + problem});
}

std::string what_is_missing(const ModelChoice& choice) {
    if (counts_places(choice.kind) && choice.permits == 0) {
        return choice.kind == ModelKind::kPool ? "needs the number of places, as in pool:10"
                                               : "needs the number of permits, as in semaphore:10";
    }
    if (choice.kind == ModelKind::kMultiLock && choice.exclusions.empty()) {
        return "needs excludes=A-B: which tags exclude each other";
    }
    if (TagNames(choice).size() > kTagsMax) {
        return "more than " + std::to_string(kTagsMax) + " tags";
    }
    return "";
}

}  // namespace

const std::vector<ModelDescription>& all_models() {
    static const std::vector<ModelDescription> kModels{
        {ModelKind::kMutex, "mutex", "", "acquire, release, write, exit",
         "held by one; anybody may release"},
        {ModelKind::kOwnerAwareMutex, "owner-aware-mutex", "", "acquire, release, write, exit",
         "held by one, who alone may release"},
        {ModelKind::kReentrantMutex, "reentrant-mutex", "[:depth=N]",
         "acquire, release, write, exit",
         "held by one, who may acquire again and releases as often"},
        {ModelKind::kFencedMutex, "fenced-mutex", "[:invalid=TOKEN]",
         "acquire, release, write, exit",
         "held by one; each grant has a higher token, effects come in the order of tokens"},
        {ModelKind::kReentrantFencedMutex, "reentrant-fenced-mutex", "[:depth=N,invalid=TOKEN]",
         "acquire, release, write, exit", "re-entrant; one token for each hold"},
        {ModelKind::kSemaphore, "semaphore", ":PERMITS", "acquire, release, write, exit",
         "held by so many"},
        {ModelKind::kResizableSemaphore, "resizable-semaphore", "", "acquire, release, write, exit",
         "each acquire says how many may hold (capacity, or max_per * buckets), as canal's do"},
        {ModelKind::kReadWriteLock, "read-write-lock", "", "acquire, release, write, exit",
         "readers share, a writer holds alone"},
        {ModelKind::kReentrantReadWriteLock, "reentrant-read-write-lock", "[:depth=N]",
         "acquire, release, write, exit",
         "a read-write lock whose caller may acquire again, in either mode, beside its own holds"},
        {ModelKind::kMultiLock, "multi-lock", ":excludes=A-B+C>D", "acquire, release, write, exit",
         "tags, of which some exclude others"},
        {ModelKind::kLease, "lease", "[:ttl=TIME,error=TIME]",
         "acquire, renew, release, write, exit",
         "held by one for its ttl, less the error of the clocks"},
        {ModelKind::kFencedLease, "fenced-lease", "[:ttl=TIME,error=TIME,invalid=TOKEN]",
         "acquire, renew, release, write, exit",
         "a lease; each grant has a higher token, effects come in the order of tokens"},
        {ModelKind::kFencedResource, "fenced-resource", "[:invalid=TOKEN]",
         "acquire, renew, release, write, exit",
         "no exclusion: tokens rise, and effects come in the order of tokens"},
        {ModelKind::kPool, "pool", ":PLACES[,error=TIME]",
         "acquire, release, destroy, cancel, close",
         "lends so many connections, each to one caller; whoever waits is served when one is free"},
    };
    return kModels;
}

const ModelDescription& description_of(ModelKind kind) {
    return all_models()[static_cast<std::size_t>(kind)];
}

std::variant<ModelChoice, ModelError> parse_model(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    ModelChoice choice;
    bool is_known = false;
    for (const ModelDescription& model : all_models()) {
        if (model.name == name) {
            choice.kind = model.kind;
            is_known = true;
        }
    }
    if (!is_known) {
        ModelError error{"unknown model \"" + std::string(name) + "\"", std::string(name)};
        for (const ModelDescription& model : all_models()) {
            error.known_names.emplace_back(model.name);
        }
        return error;
    }
    if (counts_places(choice.kind)) {
        choice.permits = 0;  // to be given
        choice.judges_refusals = choice.kind == ModelKind::kPool;
    }
    std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    if (colon != std::string_view::npos && rest.empty()) {
        return ModelError{std::string(name) + ": nothing stands behind the colon"};
    }
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        if (auto error = read_part(choice, rest.substr(0, end))) {
            return std::move(*error);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const std::string missing = what_is_missing(choice);
    if (!missing.empty()) {
        return ModelError{std::string(name) + ": " + missing};
    }
    return choice;
}

std::optional<ModelChoice> in_ticks_of(const TimeScale& times, const ModelChoice& choice) {
    ModelChoice out = choice;
    out.times = times;
    out.time_digits = 0;
    const std::int64_t ticks = std::max<std::int64_t>(1, times.ticks_per_unit);
    for (std::int64_t* time : {&out.ttl, &out.clock_error}) {
        const auto scaled = Decimal{*time, choice.time_digits, 0}.in_parts(ticks, kNumberMax);
        if (!scaled) {
            return std::nullopt;
        }
        *time = *scaled;
    }
    return out;
}

bool SequentialModel::is_felt(const LockState& before, const LockState& after,
                              const LockOperation& /*operation*/) const {
    return std::memcmp(&before, &after, sizeof(LockState)) != 0;
}

std::unique_ptr<SequentialModel> make_model(const ModelChoice& choice) {
    switch (choice.kind) {
        case ModelKind::kMutex:
        case ModelKind::kSemaphore:
        case ModelKind::kResizableSemaphore: return make_counting_model(choice);
        case ModelKind::kLease:
        case ModelKind::kFencedLease: return make_lease_model(choice);
        case ModelKind::kFencedResource: return make_fenced_resource_model(choice);
        case ModelKind::kPool: return std::make_unique<PoolModel>(choice);
        default: return make_owned_model(choice);
    }
}

}  // namespace lockkeeper
