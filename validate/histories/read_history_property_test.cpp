// SPDX-License-Identifier: Apache-2.0

// Written histories read back; random damage is read or refused in one line.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

RecordedHistory arbitrary_history(bool is_keyed) {
    const auto name =
        *rc::gen::elementOf(std::vector<std::string>(std::begin(kModels), std::end(kModels)));
    const auto numbers =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 1U << 20U));
    return HistoryMaker(model_of(name).kind, is_keyed).make(numbers);
}

RC_GTEST_PROP(HistoryText, ReadsBackToTheHistoryThatWasWritten, ()) {
    RecordedHistory history = arbitrary_history(*rc::gen::arbitrary<bool>());
    RC_PRE(!history.records.empty());
    history.records[0].error = *rc::gen::arbitrary<bool>() ? "odd: \"\n" : "";
    history.records[0].value.items.clear();
    const std::string text = write_history(history);
    const auto read = parse_history(text, "h");
    RC_ASSERT(std::holds_alternative<RecordedHistory>(read));
    const auto& again = std::get<RecordedHistory>(read).records;
    RC_ASSERT(again.size() == history.records.size());
    for (std::size_t i = 0; i < again.size(); ++i) {
        Record expected = history.records[i];
        expected.index = static_cast<std::int64_t>(i);
        expected.line = static_cast<std::uint32_t>(i + 1);
        expected.column = 1;
        expected.f_place = again[i].f_place;
        RC_ASSERT(again[i] == expected);
    }
    RC_ASSERT(write_history(std::get<RecordedHistory>(read)) == text);
}

void assert_harmless(const std::string& text) {
    const auto read = parse_history(text, "h");
    if (const auto* error = std::get_if<HistoryError>(&read)) {
        RC_ASSERT(error->to_text().rfind("h:", 0) == 0U);
        RC_ASSERT(error->to_text().find('\n') == std::string::npos);
        return;
    }
    CheckLimits limits;
    limits.seconds_max = 5;
    for (const char* name : kModels) {
        const auto checked = check_history(std::get<RecordedHistory>(read), model_of(name), limits);
        if (const auto* error = std::get_if<HistoryError>(&checked)) {
            RC_ASSERT(error->to_text().find('\n') == std::string::npos);
        }
    }
}

RC_GTEST_PROP(DamagedHistory, IsReadOrRefusedInOneLine, ()) {
    const std::string kSeeds[] = {
        write_history(arbitrary_history(true)),
        std::string(R"({"process":0,"type":"invoke","f":"acquire","time":"2026-03-01T12:00:00.5Z"}
                {"process":0,"type":"ok","f":"acquire","time":"2026-03-01 14:00:00.75+02:00"})"),
        std::string(R"({"process":0,"type":"invoke","f":"acquire","time":1709294400.123}
                {"process":0,"type":"ok","f":"acquire","value":{"ttl":0.5},"time":1.7092945E9})"),
        std::string(R"({:index 0 :time 1, :process 0, :type :invoke, :f :acquire,
                :value ["a" {:token 3 :x #{1 2}}]} #_{:a \b} {:process :nemesis :f :kill}
                {:process 0 :type :ok :f :acquire :value [:a 5] :error "x\n"} ; end
                #tag {:process 1 :type :info :f :acquire})")};
    std::string text = kSeeds[*rc::gen::inRange<std::size_t>(0, std::size(kSeeds))];
    const int damages = *rc::gen::inRange(1, 6);
    for (int i = 0; i < damages && !text.empty(); ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        switch (*rc::gen::inRange(0, 4)) {
            case 0: text[at] = *rc::gen::arbitrary<char>(); break;
            case 1: text.erase(at, *rc::gen::inRange<std::size_t>(1, 20)); break;
            case 2:
                text.insert(at, 1, *rc::gen::elementOf(std::string("{}[],:\"0-e\\#_;.+TZM9")));
                break;
            default: text.insert(at, text.substr(at, *rc::gen::inRange<std::size_t>(1, 40))); break;
        }
    }
    RC_LOG() << text;
    assert_harmless(text);
}

}  // namespace
}  // namespace lockkeeper
