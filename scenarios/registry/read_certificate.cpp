// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/read_certificate.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/read_text.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

using proofs::Certificate;
using proofs::ClosedStates;

constexpr std::size_t kPartBytesMax = 8'192;
constexpr std::size_t kElementsMax = 1'000'000;
constexpr std::size_t kCountsMax = 4'000'000;  // of all combinations, groups counted each time
// Sums of products of two such numbers do not overflow.
constexpr std::int64_t kNumberMost = 1'000'000;

int digit_of(char letter) {
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// Two digits for each byte; "(n)" stands for n bytes that are zero. `left`: of all parts together,
// or a short file would fill the memory.
proofs::Bytes bytes_at(const Place& place, std::size_t& left) {
    const std::string& text = place.text();
    proofs::Bytes bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit_of(text[i]);
        const int low = i + 1 < text.size() ? digit_of(text[i + 1]) : -1;
        std::size_t zeros = 0;
        if (text[i] == '(') {
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data() + i + 1, end, zeros);
            zeros = read.ptr != end && *read.ptr == ')' ? zeros : 0;
            i = static_cast<std::size_t>(read.ptr - text.data()) - 1;
        }
        const bool is_byte = high >= 0 && low >= 0;
        const std::size_t more = std::max<std::size_t>(zeros, 1);
        if ((zeros == 0 && !is_byte) || more > kPartBytesMax - bytes.size()) {
            place.refuse("expected bytes, two of 0 to 9 and a to f each, or (the number of zeros)");
        }
        bytes.append(more, zeros == 0 ? static_cast<char>(high * 16 + low) : '\0');
    }
    if (bytes.size() > left) {
        place.refuse("all parts together have more than " + std::to_string(kCertificateBytesMax) +
                     " bytes");
    }
    left -= bytes.size();
    return bytes;
}

std::vector<std::int64_t> weights_at(const Place& place, std::int64_t least) {
    std::vector<std::int64_t> weights;
    for (const Place& weight : place.at("weights").elements(0, kElementsMax)) {
        weights.push_back(weight.integer<std::int64_t>(least, kNumberMost));
    }
    return weights;
}

Certificate::Many many_at(const Place& place) {
    const std::vector<Place> pair = place.elements(2, 2);
    const auto situation = pair[0].integer<std::size_t>(0, kNumberMost);
    return {situation, pair[1].is_text("any") ? Certificate::kAny
                                              : pair[1].integer<std::int64_t>(1, kNumberMost)};
}

using Group = std::vector<Certificate::Many>;

// Each: situations with any number of callers.
std::vector<Group> groups_at(const Place& root) {
    std::vector<Group> groups;
    if (const auto any = root.find("any")) {
        for (const Place& each : any->elements(1, kElementsMax)) {
            Group& group = groups.emplace_back();
            for (const Place& situation : each.elements(1, kElementsMax)) {
                group.push_back(
                    {situation.integer<std::size_t>(0, kNumberMost), Certificate::kAny});
            }
        }
    }
    return groups;
}

Certificate::Combination combination_at(const Place& place, const std::vector<Group>& groups) {
    place.has_only({"shared", "any", "callers"});
    Certificate::Combination combination;
    combination.shared = place.at("shared").integer<std::size_t>(0, kNumberMost);
    if (const auto any = place.find("any")) {
        if (groups.empty()) {
            any->refuse("there are no groups \"any\"");
        }
        combination.counts = groups[any->integer<std::size_t>(0, groups.size() - 1)];
    }
    for (const Place& many : place.at("callers").elements(0, kElementsMax)) {
        combination.counts.push_back(many_at(many));
    }
    std::sort(combination.counts.begin(), combination.counts.end(),
              [](const auto& left, const auto& right) { return left.situation < right.situation; });
    return combination;
}

Certificate certificate_at(const Place& root) {
    root.has_only({"$schema", "kind", "version", "scenario", "proved", "everybody", "situations",
                   "shared", "any", "combinations"});
    static_cast<void>(root.at("$schema").word({Certificate::kSchema}));
    static_cast<void>(root.at("kind").word({"certificate"}));
    root.has_version("version", Certificate::kShortVersion);
    Certificate certificate;
    certificate.scenario = root.at("scenario").text();
    for (const Place& name : root.at("proved").elements(1, kElementsMax)) {
        certificate.proved.push_back(name.text());
    }
    certificate.everybody = root.at("everybody").truth();
    std::size_t left = kCertificateBytesMax;
    for (const Place& each : root.at("situations").elements(1, kElementsMax)) {
        each.has_only({"group", "bytes", "weights"});
        certificate.situations.push_back(
            {{each.at("group").integer<std::size_t>(0, 255), bytes_at(each.at("bytes"), left)},
             weights_at(each, 0)});
    }
    for (const Place& each : root.at("shared").elements(1, kElementsMax)) {
        each.has_only({"bytes", "weights"});
        certificate.shared.push_back(
            {bytes_at(each.at("bytes"), left), weights_at(each, -kNumberMost)});
    }
    const std::vector<Group> groups = groups_at(root);
    std::size_t counts = 0;
    for (const Place& each : root.at("combinations").elements(1, kElementsMax)) {
        end_reading_if_asked();
        certificate.combinations.push_back(combination_at(each, groups));
        counts += certificate.combinations.back().counts.size();
        if (counts > kCountsMax) {
            each.refuse("the combinations have more than " + std::to_string(kCountsMax) +
                        " counts, groups counted each time");
        }
    }
    return certificate;
}

using Text = nlohmann::ordered_json;

// The bytes of each part with a number for zero bytes: of most parts they are nearly all.
void shorten_zeros(Text& parts) {
    for (Text& part : parts) {
        const auto whole = part["bytes"].get<std::string>();
        std::string shorter;
        for (std::size_t i = 0; i < whole.size();) {
            std::size_t end = std::min(whole.find_first_not_of('0', i), whole.size());
            end -= (end - i) % 2;
            if (end - i >= 4) {
                shorter += "(" + std::to_string((end - i) / 2) + ")";
                i = end;
            } else {
                shorter += whole.substr(i, 2);
                i += 2;
            }
        }
        part["bytes"] = std::move(shorter);
    }
}

// Lists of lists or objects have a line for each element.
std::string in_lines(const Text& document) {
    std::string text = "{\n";
    std::size_t keys_left = document.size();
    for (const auto& [key, value] : document.items()) {
        text += "  " + Text(key).dump() + ": ";
        if (value.is_array() && !value.empty() && value.front().is_structured()) {
            text += "[\n";
            for (std::size_t i = 0; i < value.size(); ++i) {
                text += "    " + value[i].dump() + (i + 1 < value.size() ? ",\n" : "\n");
            }
            text += "  ]";
        } else {
            text += value.dump();
        }
        text += --keys_left > 0 ? ",\n" : "\n";
    }
    return text + "}\n";
}

// Parts of the same place, which have the same width.
std::vector<proofs::Bytes> parts_at(const Place& place, std::size_t& left) {
    std::vector<proofs::Bytes> parts;
    for (const Place& part : place.elements(1, ClosedStates::kStatesMax)) {
        parts.push_back(bytes_at(part, left));
        if (parts.back().size() != parts.front().size()) {
            part.refuse("expected as many bytes as before it");
        }
    }
    return parts;
}

ClosedStates closed_states_at(const Place& root) {
    root.has_only({"$schema", "kind", "version", "scenario", "proved", "parts", "states"});
    static_cast<void>(root.at("$schema").word({ClosedStates::kSchema}));
    static_cast<void>(root.at("kind").word({ClosedStates::kKind}));
    root.has_version("version", ClosedStates::kVersion);
    ClosedStates closed;
    closed.scenario = root.at("scenario").text();
    for (const Place& name : root.at("proved").elements(1, kElementsMax)) {
        closed.proved.push_back(name.text());
    }
    std::vector<std::vector<proofs::Bytes>> parts;
    std::size_t bytes = 0;
    std::size_t left = kCertificateBytesMax;
    for (const Place& place : root.at("parts").elements(1, kCallersMax + 1)) {
        parts.push_back(parts_at(place, left));
        closed.widths.push_back(parts.back().front().size());
        bytes += closed.widths.back();
    }
    if (bytes > ErasedSystem::kStateBytesMax) {  // so many states of any size would fill the memory
        root.at("parts").refuse("expected the bytes of a state");
    }
    for (const Place& place : root.at("states").elements(1, ClosedStates::kStatesMax)) {
        end_reading_if_asked();
        std::string& state = closed.states.emplace_back();
        const std::vector<Place> numbers = place.elements(parts.size(), parts.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            state += parts[i][numbers[i].integer<std::size_t>(0, parts[i].size() - 1)];
        }
    }
    return closed;
}

template <class Read>
auto read_root(const std::string& text, const std::string& file, Read read)
    -> std::variant<decltype(read(std::declval<Place>())), InputError> {
    try {
        const InputText input{file, text};
        const nlohmann::json json = read_json(input, kCertificateBytesMax, "a certificate");
        return read(Place(json, input));
    } catch (const RefusedInput& refused) {
        return refused.error();
    }
}

}  // namespace

std::variant<Certificate, InputError> read_certificate(const std::string& text,
                                                       const std::string& file) {
    return read_root(text, file, certificate_at);
}

std::variant<AnyCertificate, InputError> read_any_certificate(const std::string& text,
                                                              const std::string& file) {
    return read_root(text, file, [](const Place& root) -> AnyCertificate {
        const auto kind = root.is_object() ? root.find("kind") : std::nullopt;
        if (kind && kind->is_text(ClosedStates::kKind)) {
            return closed_states_at(root);
        }
        return certificate_at(root);
    });
}

std::string short_text(const Certificate& certificate) {
    Certificate exact = certificate;
    std::map<std::vector<std::size_t>, std::size_t> numbers;
    Text groups = Text::array();
    std::vector<std::optional<std::size_t>> group_of;
    for (Certificate::Combination& each : exact.combinations) {
        std::vector<std::size_t> group;
        std::vector<Certificate::Many> others;
        for (const Certificate::Many& many : each.counts) {
            if (many.count == Certificate::kAny) {
                group.push_back(many.situation);
            } else {
                others.push_back(many);
            }
        }
        each.counts = std::move(others);
        group_of.emplace_back();
        if (!group.empty()) {
            const auto [found, is_new] = numbers.emplace(std::move(group), numbers.size());
            if (is_new) {
                groups.push_back(found->first);
            }
            group_of.back() = found->second;
        }
    }
    Text document = Text::parse(proofs::to_text(exact));
    document["version"] = Certificate::kShortVersion;
    shorten_zeros(document["situations"]);
    shorten_zeros(document["shared"]);
    Text combinations = std::move(document["combinations"]);
    document.erase("combinations");
    if (!groups.empty()) {
        document["any"] = std::move(groups);
    }
    for (std::size_t i = 0; i < combinations.size(); ++i) {
        if (group_of[i]) {
            combinations[i]["any"] = *group_of[i];
        }
    }
    document["combinations"] = std::move(combinations);
    return in_lines(document);
}

std::string to_text(const AnyCertificate& certificate) {
    return std::visit([](const auto& each) { return proofs::to_text(each); }, certificate);
}

bool is_as_written(const AnyCertificate& certificate, const std::string& text) {
    const auto* every_number = std::get_if<Certificate>(&certificate);
    return (every_number != nullptr && short_text(*every_number) == text) ||
           to_text(certificate) == text;
}

}  // namespace lockkeeper
