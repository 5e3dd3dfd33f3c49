// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cases.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "model/read_text.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

std::vector<std::string> names_of(const Place& cases) {
    std::vector<std::string> names;
    for (const Place& one : cases.elements(1, kCasesMax)) {
        const Place place = one.at("name");
        const std::string name = place.name();
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            place.refuse("another case is named " + in_quotes(name));
        }
        names.push_back(name);
    }
    return names;
}

std::size_t index_of(const NamedCase& wanted, const Place& cases,
                     const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), wanted.name);
    if (found != names.end()) {
        return static_cast<std::size_t>(found - names.begin());
    }
    if (wanted.name.empty()) {
        cases.refuse(fmt::format("the file has cases; name one, as {}#{}: {}", wanted.file,
                                 names.front(), fmt::join(names, ", ")));
    }
    cases.refuse("unknown case " + in_quotes(wanted.name) +
                 did_you_mean(wanted.name, {names.begin(), names.end()},
                              fmt::format("; the file has {}", fmt::join(names, ", "))));
}

void lay_over(const nlohmann::json& one, nlohmann::json& document) {
    for (const auto& [key, value] : one.items()) {
        if (is_merged_in_cases(key) && value.is_object() && document[key].is_object()) {
            document[key].update(value);
        } else if (key != "name") {
            document[key] = value;
        }
    }
}

}  // namespace

NamedCase named_case(const std::string& file) {
    const std::size_t mark = file.rfind('#');
    std::error_code error;
    if (mark == std::string::npos || std::filesystem::exists(file, error)) {
        return {file, ""};
    }
    return {file.substr(0, mark), file.substr(mark + 1)};
}

nlohmann::json document_of_case(nlohmann::json document, const NamedCase& wanted,
                                InputText& input) {
    const Place place(document, input);
    const auto cases = document.is_object() ? place.find("cases") : std::nullopt;
    if (!cases) {
        if (!wanted.name.empty()) {
            place.refuse("the file has no cases, and so none named " + in_quotes(wanted.name));
        }
        return document;
    }
    const std::size_t index = index_of(wanted, *cases, names_of(*cases));
    const Place chosen = cases->elements(1, kCasesMax)[index];
    for (const char* key : {"$schema", "version", "cases"}) {
        if (chosen.find(key)) {
            chosen.refuse_key(key, in_quotes(key) + " is a key of the file, not of a case");
        }
    }
    input.of_case = chosen.pointer();
    const nlohmann::json all = std::move(document.at("cases"));
    document.erase("cases");
    lay_over(all.at(index), document);
    return document;
}

std::vector<std::string> each_case(const std::string& file) {
    const auto text = file == kStandardInput ? NotRead{} : read_text(file, kScenarioBytesMax);
    const auto* readable = std::get_if<std::string>(&text);
    if (readable == nullptr || readable->find("\"cases\"") == std::string::npos) {
        return {file};
    }
    try {
        const InputText input{file, *readable};
        const nlohmann::json document = read_json(input);
        const auto cases = Place(document, input).find("cases");
        std::vector<std::string> names = cases ? names_of(*cases) : std::vector<std::string>{};
        for (std::string& name : names) {
            name.insert(0, file + "#");
        }
        return names.empty() ? std::vector{file} : names;
    } catch (const RefusedInput&) {
        return {file};  // whoever loads it says why
    }
}

}  // namespace lockkeeper
