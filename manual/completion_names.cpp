// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "manual/completion.hpp"
#include "properties/catalogue.hpp"
#include "validate/histories/model_choice.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {

CompletionNames::CompletionNames(const Registry& registry) : properties_{"all", "safety"} {
    for (const RegisteredSystem& system : registry.systems()) {
        systems_.push_back(system.system + "/" + system.variant);
    }
    for (const Property& property : all_properties()) {
        properties_.emplace_back(property.name);
    }
    for (const ModelDescription& model : all_models()) {
        models_.emplace_back(model.name);
    }
    for (const ListSection& section : make_listing(registry, {}).sections) {
        listed_.push_back(section.name);
        for (const ListEntry& entry : section.entries) {
            listed_.insert(listed_.end(), entry.names.begin(), entry.names.end());
        }
    }
    // Some stand for several, and some limits are sentences.
    std::sort(listed_.begin(), listed_.end());
    listed_.erase(std::unique(listed_.begin(), listed_.end()), listed_.end());
    std::erase_if(listed_, [](const std::string& name) {
        return name.empty() || name.find_first_of(" '\"\\$`()<>|;&*?[]{}!#~:") != std::string::npos;
    });
}

std::vector<std::string> CompletionNames::of(const FlagValue& value) const {
    switch (value.suggests) {
        case Suggests::kSystems: return systems_;
        case Suggests::kProperties: return properties_;
        case Suggests::kModels: return models_;
        case Suggests::kItsWords:
        case Suggests::kFiles:
        case Suggests::kDirectories: break;
    }
    return {value.words.begin(), value.words.end()};
}

}  // namespace lockkeeper
