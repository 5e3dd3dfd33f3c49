// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/read_certificate.hpp"

#include <cstdint>
#include <vector>

#include "scenarios/parse_document.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

using proofs::Certificate;

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
    static_cast<void>(
        root.at("version").integer<int>(Certificate::kVersion, Certificate::kVersion));
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

}  // namespace

std::variant<Certificate, InputError> read_certificate(const std::string& text,
                                                       const std::string& file) {
    try {
        const InputText input{file, text};
        const nlohmann::json json = read_json(input, kCertificateBytesMax, "a certificate");
        return certificate_at(Place(json, input));
    } catch (const RefusedInput& refused) {
        return refused.error();
    }
}

}  // namespace lockkeeper
