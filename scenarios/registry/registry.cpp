// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/registry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "model/check.hpp"
#include "model/json_position.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/registry/checks.hpp"
#include "scenarios/registry/coarse_time.hpp"
#include "scenarios/registry/time_units.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

template <class Known>
std::vector<std::string> names_of(const std::vector<Known>& known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const Known& one : known) {
        names.push_back(one.name);
    }
    return names;
}

template <class Known>
const Known* find(const std::vector<Known>& known, const std::string& name) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const Known& one) { return one.name == name; });
    return found == known.end() ? nullptr : &*found;
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class Interpreter {
  public:
    Interpreter(const RegisteredSystem& system, Scenario scenario,
                const std::vector<std::string>& variants)
        : vocabulary_(system.vocabulary), variants_(variants), scenario_(std::move(scenario)) {}

    std::variant<Scenario, InputError> interpret() {
        ScenarioParameters& parameters = scenario_.parameters;
        complete(vocabulary_.parameters, parameters.own, "parameter", "/parameters");
        complete(vocabulary_.faults, parameters.faults, "fault", "/faults", {"crashes"});
        for (std::size_t i = 0; i < scenario_.world.callers.size(); ++i) {
            CallerConfig& caller = scenario_.world.callers[i];
            complete(vocabulary_.settings, caller.settings, "setting",
                     fmt::format("/callers/{}/settings", caller.group));
            for (Operation& operation : caller.script) {
                interpret(operation, fmt::format("/callers/{}/script", caller.group));
            }
        }
        scenario_.world.words = std::move(words_);
        check_relations();
        check_format_keys();
        complete_repairs();
        if (error_) {
            return *error_;
        }
        return std::move(scenario_);
    }

  private:
    void refuse(const std::string& pointer, const std::string& message) {
        if (!error_) {
            error_ = InputError{scenario_.file, pointer, message};
        }
    }

    void refuse_unknown(const std::string& pointer, const std::string& what,
                        const std::string& name, const std::vector<std::string>& known) {
        refuse(pointer, fmt::format("system \"{}\" has no {} \"{}\"{}", scenario_.system, what,
                                    name, nearest_or_known(name, known)));
    }

    void complete(const std::vector<OwnNumber>& known, NamedNumbers& numbers,
                  const std::string& what, const std::string& pointer,
                  std::vector<std::string> others = {}) {
        const auto names = names_of(known);
        others.insert(others.end(), names.begin(), names.end());
        for (const auto& [name, value] : numbers) {
            const OwnNumber* number = number_of(known, name);
            const std::string where = pointer + "/" + pointer_step(name);
            if (number == nullptr) {
                refuse_unknown(where, what, name, others);
            } else if ((value < number->least || value > number->most) &&
                       !may_fit_in_a_unit(vocabulary_, *number, value)) {
                refuse(where, fmt::format("expected {} to {}, found {}", number->least,
                                          number->most, value));
            }
        }
        NamedNumbers::Map defaults;
        for (const OwnNumber& number : known) {
            defaults.emplace(number.name, number.otherwise);
        }
        numbers.set_defaults(std::move(defaults));
    }

    const OwnNumber* number_of(const std::vector<OwnNumber>& known, const std::string& name) {
        const auto& keys = scenario_.world.keys;
        const std::size_t colon = name.find(':');
        const OwnNumber* number = find(known, name.substr(0, colon));
        if (colon == std::string::npos || number == nullptr) {
            return number;
        }
        return number->per_key && is_in(keys, name.substr(colon + 1)) ? number : nullptr;
    }

    void interpret(Operation& operation, const std::string& pointer) {
        if (operation.verb == Verb::kSleep && !vocabulary_.has_time) {
            const bool is_there = source_ != nullptr && !source_->sleep.empty();
            refuse(is_there ? source_->sleep : pointer,
                   "system \"" + scenario_.system + "\" has no time to sleep in");
        }
        if (operation.verb == Verb::kSleep && !vocabulary_.knows_its_times &&
            operation.time() > kSleepMax) {
            refuse(pointer, fmt::format("expected a sleep of 1 to {}, found {}", kSleepMax,
                                        operation.number));
        }
        if (operation.verb == Verb::kAcquire && takes_several(operation)) {
            refuse(pointer, fmt::format("{}; system \"{}\" takes one place of one key",
                                        kSeveralAtTheWire, scenario_.system));
        }
        if (operation.verb == Verb::kAcquire && vocabulary_.acquire_number.empty()) {
            refuse_number(operation, pointer, "acquire", "an acquire");
        }
        if (operation.verb != Verb::kCall) {
            return;
        }
        const std::string& name = scenario_.world.words.at(operation.word);
        if (const OwnCall* call = find(vocabulary_.calls, name)) {
            words_.resize(std::max<std::size_t>(words_.size(), call->word + std::size_t{1}));
            words_[call->word] = name;
            operation.word = call->word;
            operation.needs_lock = call->needs_lock;
            operation.gives_up = call->gives_up;
            if (!call->has_number) {
                refuse_number(operation, pointer, name, "the call \"" + name + "\"");
            }
        } else {
            const bool is_there = source_ != nullptr && source_->words.contains(name);
            refuse_unknown(is_there ? source_->words.at(name) : pointer, "call", name,
                           names_of(vocabulary_.calls));
        }
    }

    // `name`: of the operation in ScenarioSource::numbers.
    void refuse_number(const Operation& operation, const std::string& pointer,
                       const std::string& name, const std::string& what) {
        if (operation.number != 0) {
            const bool is_there = source_ != nullptr && source_->numbers.contains(name);
            refuse(is_there ? source_->numbers.at(name) : pointer,
                   fmt::format("{} of system \"{}\" has no number", what, scenario_.system));
        }
    }

    void check_relations() {
        for (const auto& [key, kinds] : scenario_.parameters.relations) {
            for (const auto& [kind, keys] : kinds) {
                const auto& known = vocabulary_.relations;
                if (!is_in(known, kind)) {
                    refuse_unknown(fmt::format("/parameters/relations/{}/{}", pointer_step(key),
                                               pointer_step(kind)),
                                   "relation", kind, known);
                }
            }
        }
    }

    // A file that is run with another system (--compare, --against) may say what its own knows.
    void check_format_keys() {
        if (source_ == nullptr || source_->system != scenario_.system) {
            return;
        }
        for (const GivenKey& given : source_->given) {
            if (!knows(vocabulary_, given.key)) {
                const std::string name = given.pointer.substr(given.pointer.rfind('/') + 1);
                refuse(given.pointer,
                       given.key == FormatKey::kPlaces
                           ? fmt::format("system \"{}\" has one place of each key; {}",
                                         scenario_.system, one_place_instead_of(name))
                           : fmt::format("system \"{}\" makes nothing of \"{}\"; leave it out",
                                         scenario_.system, name));
            }
        }
    }

    static std::string one_place_instead_of(const std::string& name) {
        return name == "resizes" ? "leave \"resizes\" out"
                                 : fmt::format("leave \"{}\" out, or give 1", name);
    }

    // A lock whose maker reads the scenario itself may have repairs that its Vocabulary omits.
    void complete_repairs() {
        const auto& choice = scenario_.parameters.repairs;
        auto& on = scenario_.parameters.repairs_on;
        on.clear();
        const auto& known = vocabulary_.repairs;
        if (known.empty()) {
            if (choice && vocabulary_.format_keys) {
                refuse_repairs();
            } else if (choice) {
                on = choice->names;
            }
            return;
        }
        const RepairChoice given = choice.value_or(RepairChoice{true, {}});
        for (std::size_t i = 0; i < given.names.size(); ++i) {
            const std::string& name = given.names[i];
            if (!is_in(known, name)) {
                refuse((given.all_but ? "/parameters/repairs/all_but/" : "/parameters/repairs/") +
                           std::to_string(i),
                       "unknown repair \"" + name + "\"" + nearest_or_known(name, known));
            }
        }
        std::copy_if(known.begin(), known.end(), std::back_inserter(on),
                     [&](const auto& name) { return is_in(given.names, name) != given.all_but; });
    }

    void refuse_repairs() {
        refuse("/parameters/repairs",
               fmt::format("the {} variant has no repairs; {}", scenario_.variant,
                           is_in(variants_, "repaired") ? "use \"variant\": \"repaired\""
                                                        : "leave them out"));
    }

    const Vocabulary& vocabulary_;
    const std::vector<std::string>& variants_;
    Scenario scenario_;
    const ScenarioSource* source_ = scenario_.source.get();
    std::vector<std::string> words_;  // by the implementation's number
    std::optional<InputError> error_;
};

// `variants`: all of the system.
std::variant<Scenario, InputError> in_the_words_of(const RegisteredSystem& system,
                                                   Scenario scenario,
                                                   const std::vector<std::string>& variants) {
    return Interpreter(system, std::move(scenario), variants).interpret();
}

// Sets what a World carries along only where somebody asks for it.
void set_up_world(const Understood& understood, WorldConfig& world) {
    // A fault in the words of those systems whose clients can start again.
    world.restarts_max = static_cast<std::uint8_t>(
        understood.scenario.parameters.faults.value_or(client_restarts().name, 0));
    world.watches_others = std::any_of(
        understood.check.begin(), understood.check.end(),
        [](const Property* property) { return property->monitor == Monitor::kOthersDuringCall; });
}

}  // namespace

bool knows(const Vocabulary& vocabulary, FormatKey key) {
    const auto& keys = vocabulary.format_keys;
    return !keys || std::find(keys->begin(), keys->end(), key) != keys->end();
}

OwnNumber of_time(OwnNumber number, std::int32_t no_time) {
    number.is_time = true;
    number.no_time = no_time;
    return number;
}

void Registry::add(RegisteredSystem system) {
    const auto within_limits = [make = std::move(system.make),
                                words = system.vocabulary](const Scenario& scenario) {
        MadeRunner made = make(scenario);
        if (auto* runner = std::get_if<std::unique_ptr<Runner>>(&made)) {
            *runner = with_limit_of_time(words, scenario, std::move(*runner));
        }
        return made;
    };
    system.make = within_limits;
    systems_.push_back(std::move(system));
}

const RegisteredSystem* Registry::find(const std::string& system,
                                       const std::string& variant) const {
    const auto found =
        std::find_if(systems_.begin(), systems_.end(), [&](const RegisteredSystem& known) {
            return known.system == system && known.variant == variant;
        });
    return found == systems_.end() ? nullptr : &*found;
}

std::variant<Understood, InputError> Registry::understand(Scenario scenario) const {
    std::vector<std::string> systems;
    std::vector<std::string> variants;
    for (const RegisteredSystem& known : systems_) {
        systems.push_back(known.system);
        if (known.system == scenario.system) {
            variants.push_back(known.variant);
        }
    }
    if (variants.empty()) {
        return InputError{scenario.file, "/system",
                          is_outside_lock(scenario.system)
                              ? what_to_type(scenario.system, scenario.file)
                              : "unknown system \"" + scenario.system + "\"" +
                                    nearest_or_known(scenario.system, systems)};
    }
    const RegisteredSystem* known = find(scenario.system, scenario.variant);
    if (known == nullptr) {
        return InputError{scenario.file, "/variant",
                          "system \"" + scenario.system + "\" has no variant \"" +
                              scenario.variant + "\"" +
                              nearest_or_known(scenario.variant, variants)};
    }
    Understood understood{known, {}, {}, {}};
    auto error = take_value(properties_to_check(scenario, known->features), understood.check);
    error = error ? error : take_value(goals_to_reach(scenario), understood.reach);
    error = error ? error
                  : take_value(in_the_words_of(*known, std::move(scenario), variants),
                               understood.scenario);
    if (error) {
        return *std::move(error);
    }
    set_up_world(understood, understood.scenario.world);
    return understood;
}

MadeRunner Registry::make(const Scenario& scenario) const {
    const auto understood = understand(scenario);
    if (const auto* error = std::get_if<InputError>(&understood)) {
        return *error;
    }
    const auto& known = std::get<Understood>(understood);
    return known.system->make(known.scenario);
}

std::vector<std::size_t> order_of(const Scenario& scenario, const WorldConfig& world) {
    std::vector<std::size_t> order;
    const auto& callers = world.callers;
    for (const std::string& name : scenario.order) {
        const auto caller =
            std::find_if(callers.begin(), callers.end(),
                         [&](const CallerConfig& candidate) { return candidate.name == name; });
        LOCKKEEPER_CHECK(caller != callers.end());
        order.push_back(static_cast<std::size_t>(caller - callers.begin()));
    }
    return order;
}

}  // namespace lockkeeper
