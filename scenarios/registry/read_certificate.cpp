// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/read_certificate.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "model/read_text.hpp"
#include "scenarios/parse_document.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

using proofs::Certificate;
using proofs::ClosedStates;

constexpr std::size_t kPartBytesMax = 8'192;
constexpr std::size_t kElementsMax = 1'000'000;
// Sums of products of two such numbers do not overflow.
constexpr std::int64_t kNumberMost = 1'000'000;

int digit_of(char letter) {
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

proofs::Bytes bytes_at(const Place& place) {
    const std::string& text = place.text();
    proofs::Bytes bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const int high = digit_of(text[i]);
        const int low = digit_of(text[i + 1]);
        if (high < 0 || low < 0) {
            place.refuse("expected bytes, two of 0 to 9 and a to f each");
        }
        bytes.push_back(static_cast<char>(high * 16 + low));
    }
    if (text.size() % 2 != 0 || bytes.size() > kPartBytesMax) {
        place.refuse("expected bytes, two of 0 to 9 and a to f each");
    }
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

Certificate certificate_at(const Place& root) {
    root.has_only({"$schema", "kind", "version", "scenario", "proved", "everybody", "situations",
                   "shared", "combinations"});
    static_cast<void>(root.at("$schema").word({Certificate::kSchema}));
    static_cast<void>(root.at("kind").word({"certificate"}));
    root.has_version("version", Certificate::kVersion);
    Certificate certificate;
    certificate.scenario = root.at("scenario").text();
    for (const Place& name : root.at("proved").elements(1, kElementsMax)) {
        certificate.proved.push_back(name.text());
    }
    certificate.everybody = root.at("everybody").truth();
    for (const Place& each : root.at("situations").elements(1, kElementsMax)) {
        each.has_only({"group", "bytes", "weights"});
        certificate.situations.push_back(
            {{each.at("group").integer<std::size_t>(0, 255), bytes_at(each.at("bytes"))},
             weights_at(each, 0)});
    }
    for (const Place& each : root.at("shared").elements(1, kElementsMax)) {
        each.has_only({"bytes", "weights"});
        certificate.shared.push_back({bytes_at(each.at("bytes")), weights_at(each, -kNumberMost)});
    }
    for (const Place& each : root.at("combinations").elements(1, kElementsMax)) {
        each.has_only({"shared", "callers"});
        Certificate::Combination& combination = certificate.combinations.emplace_back();
        combination.shared = each.at("shared").integer<std::size_t>(0, kNumberMost);
        for (const Place& many : each.at("callers").elements(0, kElementsMax)) {
            combination.counts.push_back(many_at(many));
        }
    }
    return certificate;
}

// Parts of the same place, which have the same width.
std::vector<proofs::Bytes> parts_at(const Place& place) {
    std::vector<proofs::Bytes> parts;
    for (const Place& part : place.elements(1, ClosedStates::kStatesMax)) {
        parts.push_back(bytes_at(part));
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
    for (const Place& place : root.at("parts").elements(1, kCallersMax + 1)) {
        parts.push_back(parts_at(place));
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

std::string to_text(const AnyCertificate& certificate) {
    return std::visit([](const auto& each) { return proofs::to_text(each); }, certificate);
}

}  // namespace lockkeeper
