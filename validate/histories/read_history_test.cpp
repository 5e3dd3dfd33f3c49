// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/check.hpp"
#include "model/read_text.hpp"
#include "validate/histories/random_history_test.hpp"
#include "validate/histories/refusal_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

RecordedHistory parsed(const std::string& text) {
    auto read = parse_history(text, "h");
    if (const auto* error = std::get_if<HistoryError>(&read)) {
        ADD_FAILURE() << error->to_text();
        return {};
    }
    return std::get<RecordedHistory>(std::move(read));
}

std::string without_place(const std::string& complaint) {
    return complaint.substr(complaint.find(": ") + 2);
}

const std::string kLine = R"({"index":3,"time":7,"process":0,"type":"ok","f":"acquire",)";

TEST(ReadHistory, AllFieldsOfALine) {
    const auto history = parsed(kLine + R"("key":"db","value":{"token":4},"error":"x"})" + "\n\n");
    ASSERT_EQ(1U, history.records.size());
    const Record& record = history.records[0];
    EXPECT_EQ(HistoryType::kOk, record.type);
    EXPECT_EQ("0", record.process);
    EXPECT_EQ("acquire", record.f);
    EXPECT_EQ("db", record.key);
    EXPECT_EQ("{token: 4}", record.value.to_text());
    EXPECT_EQ("x", record.error);
    EXPECT_EQ(7, record.time);
    EXPECT_EQ(3, record.index);
    EXPECT_EQ(1U, record.line);
}

TEST(ReadHistory, ATupleIsKeyAndValueUnlessAKeyIsGiven) {
    EXPECT_EQ("5", parsed(kLine + R"("value":[5,{"a":1}]})").records[0].key);
    const auto history = parsed(kLine + R"("key":null,"value":[5,1]})");
    EXPECT_EQ("", history.records[0].key);
    EXPECT_EQ("[5, 1]", history.records[0].value.to_text());
}

TEST(ReadHistory, ASetIsNoTuple) {
    const auto history = parsed("{:process 0 :type :ok :f :acquire :value #{5 1}}");
    EXPECT_EQ("", history.records[0].key);
    EXPECT_EQ("#{5, 1}", history.records[0].value.to_text());
    const auto again = parsed(write_history(history));
    EXPECT_EQ("", again.records[0].key);
    EXPECT_EQ("[5, 1]", again.records[0].value.to_text());
}

TEST(ReadHistory, AKeyThatStandsTwiceIsRefused) {
    EXPECT_EQ("h:1:1: duplicate key \"f\"", refusal_of(kLine + R"("f":"release"})"));
    EXPECT_EQ("h:1:1: duplicate key \"token\" in /value",
              refusal_of(kLine + R"("value":{"token":1,"mode":"read","token":2}})"));
    EXPECT_EQ("h:1:1: duplicate key \"a\" in /value/1/b",
              refusal_of(kLine + R"("value":["k",{"b":{"a":1,"a":1}}]})"));
    EXPECT_EQ("h:1:2: duplicate key \"f\"",
              refusal_of(R"([{"process":0,"type":"ok","f":"a","f":"a"}])"));
    EXPECT_EQ("h:1:35: duplicate key f", refusal_of("{:process 0 :type :ok :f :a :f :b}"));
    EXPECT_EQ("h:1:47: duplicate key n",
              refusal_of("{:process 0 :type :ok :f :a :value {:n 1 :n 2}}"));
    std::string many = R"("value":{)";
    for (int i = 0; i < 100; ++i) {
        many += "\"k" + std::to_string(i) + "\":1,";
    }
    EXPECT_EQ("h:1:1: duplicate key \"k7\" in /value", refusal_of(kLine + many + R"("k7":2}})"));
    EXPECT_EQ(1U, parsed(kLine + many + R"("k":2}})").records.size());
}

// The JSON library takes it for the end of the text: the rest of a damaged log would be left out.
TEST(ReadHistory, ANulByteIsRefusedWithLineAndColumnInEveryFormat) {
    const std::string nul(1, '\0');
    const std::string lines = kLine + "\"value\":1}\n";
    EXPECT_EQ("h:2:1: a NUL byte", refusal_of(lines + nul));
    EXPECT_EQ("h:2:3: a NUL byte", refusal_of(lines + "  " + nul + lines));
    EXPECT_EQ("h:1:" + std::to_string(lines.size()) + ": a NUL byte",
              refusal_of(lines.substr(0, lines.size() - 1) + nul + "\n" + lines));
    EXPECT_EQ("h:3:1: a NUL byte", refusal_of("[" + lines + "]\n" + nul + "x"));
    const std::string edn = "{:process 0 :type :ok :f :a}\n";
    EXPECT_EQ("h:2:1: a NUL byte", refusal_of(edn + nul + edn));
    EXPECT_EQ("h:2:14: a NUL byte", refusal_of(edn + "{:process \"x\"" + nul + ":type :ok :f :a}"));
    EXPECT_EQ("h:2:3: a NUL byte", refusal_of(edn + "; " + nul + "\n"));
}

TEST(ReadHistory, AnEmptyHistoryIsReadButNotAnEmptyText) {
    for (const char* text : {"[]", " [ ]\n", "[]\n\n"}) {
        EXPECT_EQ(0U, parsed(text).records.size()) << text;
    }
    EXPECT_EQ(1U, parsed("{:process :nemesis :type :info :f :start}").nemesis_records);
    EXPECT_EQ("h:3:1: no records; an empty history is []", refusal_of(" \n\n"));
    EXPECT_EQ("h:1:1: no records; an empty history is []", refusal_of(""));
}

// A field that nobody reads may be anything that Clojure prints.
TEST(ReadHistory, WhatClojurePrintsIsAcceptedWhereNobodyReadsIt) {
    const std::string begin = "{:process 0 :type :ok :f :a ";
    for (const char* more :
         {":clock #object[java.lang.Object 0x5d6b1c3 \"java.lang.Object@5d6b1c3\"]", ":share 1/3",
          ":mean ##NaN", ":most ##Inf :least ##-Inf", ":pattern #\"\\d+\\\"x\"", ":of #'user/f",
          ":error [:x \"\\b\\f\\u00e9\"]", ":value {:ratio 2/3 :nan ##NaN}"}) {
        EXPECT_EQ(1U, parsed(begin + more + " :time 5}").records.size()) << more;
        EXPECT_EQ(5, parsed(begin + more + " :time 5}").records[0].time) << more;
    }
    EXPECT_EQ(
        "h:1:35: \"time\" is a number or an ISO 8601 time (2026-03-01T12:00:00.5Z), not \"1/3\"",
        refusal_of(begin + ":time 1/3}"));
    EXPECT_EQ(
        "h:1:35: \"time\" is a number or an ISO 8601 time (2026-03-01T12:00:00.5Z), not \"##NaN\"",
        refusal_of(begin + ":time ##NaN}"));
    EXPECT_EQ("h:1:11: \"process\" is a number or a name, not \"1/3\"",
              refusal_of("{:process 1/3 :type :ok :f :a}"));
    EXPECT_EQ("{r: 2/3, n: ##NaN}",
              parsed(begin + ":value {:r 2/3 :n ##NaN}}").records[0].value.to_text());
}

TEST(ReadHistory, RecordsThatShareALineHaveTheirColumnToo) {
    const std::string one = R"({"process":0,"type":"invoke","f":"acquire"})";
    EXPECT_EQ("line 3", parsed("[\n" + one + ",\n" + one + "]").place_of(1));
    EXPECT_EQ("line 1, column 46", parsed("[" + one + "," + one + "]").place_of(1));
    EXPECT_EQ("line 2", parsed(one + "\n" + one).place_of(1));
}

TEST(ReadHistory, TheColumnOfAParseErrorIsThatOfTheFile) {
    const std::string good = kLine + "\"value\":1}\n";
    EXPECT_EQ(0U, refusal_of(good + "  {\"process\": tru}").find("h:2:18: not JSON: "))
        << refusal_of(good + "  {\"process\": tru}");
    EXPECT_EQ(0U, refusal_of("[" + good + ",\n  {\"process\": tru}]").find("h:3:18: not JSON: "));
    EXPECT_EQ(std::string::npos, refusal_of(good + "{\"process\": tru}").find("at line 1"));
}

TEST(ReadHistory, ANumberIsEchoedAsItIsWritten) {
    for (const char* number : {"99999999999999999999", "-99999999999999999999",
                               "18446744073709551615", "1e400", "123456789012345678901.50"}) {
        const std::string expected = ", not " + std::string(number);
        const std::string json =
            refusal_of(R"({"process":0,"type":"ok","f":"a","time":)" + std::string(number) + "}");
        const bool is_read = std::string(number) != "1e400";  // the library refuses it itself
        EXPECT_EQ(is_read, json.find(expected) != std::string::npos) << json;
        EXPECT_NE(std::string::npos, json.find(number)) << json;
        const std::string edn =
            refusal_of("{:process 0 :type :ok :f :a :time " + std::string(number) + "}");
        EXPECT_NE(std::string::npos, edn.find(expected)) << edn;
    }
}

TEST(ReadHistory, AnUnknownTypeComesWithTheKnownOnes) {
    const auto read = parse_history(R"({"process":0,"type":"invok","f":"acquire"})", "h");
    const HistoryError& error = std::get<HistoryError>(read);
    EXPECT_EQ("invok", error.unknown_word);
    EXPECT_EQ(4U, error.known_words.size());
}

TEST(ReadHistory, AnArrayIsReadLikeLines) {
    const std::string one = R"({"process":0,"type":"invoke","f":"acquire"})";
    EXPECT_EQ(2U, parsed("[\n" + one + ",\n" + one + "]").records.size());
    EXPECT_EQ("h:1:46: no \"type\" (invoke, ok, fail or info)",
              refusal_of("[" + one + R"(,{"process":1}])"));
}

TEST(ReadHistory, EdnOfAllShapes) {
    const std::string text = R"(; a comment
#jepsen.history.Op{:index 1, :time 5N, :process 2, :type :ok, :f :acquire,
 :value [:db {:token +4 :s #{1 2} :c \newline :r 1.5 :q "a\"b" :n nil :t true}] #_ignored,
 :error [:timeout "x"]})";
    const auto history = parsed(text);
    ASSERT_EQ(1U, history.records.size());
    EXPECT_EQ("db", history.records[0].key);
    EXPECT_EQ(R"({token: 4, s: #{1, 2}, c: newline, r: 1.5, q: a"b, n: nil, t: true})",
              history.records[0].value.to_text());
    EXPECT_EQ("[timeout, x]", history.records[0].error);
    EXPECT_EQ(2U, history.records[0].line);
    EXPECT_EQ(2U,
              parsed("[{:process 0 :type :ok :f :a} {:process 0 :type :ok :f :a}]").records.size());
}

TEST(ReadHistory, WhatIsWrongIsNamedWithItsLine) {
    const std::string good = kLine + "\"value\":1}\n";
    EXPECT_EQ("h:1:1: no records; an empty history is []", refusal_of(""));
    EXPECT_EQ("h:2:21: \"type\" is invoke, ok, fail or info, not \"done\"",
              refusal_of(good + R"({"process":0,"type":"done","f":"acquire"})"));
    EXPECT_EQ("h:2:1: no \"process\"", refusal_of(good + R"({"type":"ok","f":"acquire"})"));
    EXPECT_EQ("h:2:1: no \"f\"", refusal_of(good + R"({"process":0,"type":"ok"})"));
    EXPECT_EQ(
        "h:2:41: \"time\" is a number or an ISO 8601 time (2026-03-01T12:00:00.5Z), not \"true\"",
        refusal_of(good + R"({"process":0,"type":"ok","f":"a","time":true})"));
    EXPECT_EQ("h:2:1: expected a record, not \"7\"", refusal_of(good + "7"));
    EXPECT_EQ("h:2:1: nested more than 16 deep",
              refusal_of(good + kLine + "\"value\":" + std::string(40, '[')));
    EXPECT_EQ(0U, refusal_of(good + "{\"process\":").find("h:2:12: not JSON: "));
    EXPECT_EQ(0U, refusal_of(good + "\"" + std::string(kRecordBytesMax, 'x') + "\"")
                      .find("h:2:1: longer than 65536 bytes"));
}

TEST(ReadHistory, WhatIsWrongInEdnIsNamedWithItsLine) {
    const std::string good = "{:process 0 :type :ok :f :a}\n";
    EXPECT_EQ("h:2:1: the text ends before }", refusal_of(good + "{:process 0"));
    EXPECT_EQ("h:2:11: a map with a name that has no value", refusal_of(good + "{:process}"));
    EXPECT_EQ("h:2:11: unexpected ]", refusal_of(good + "{:process ]}"));
    EXPECT_EQ("h:2:1: a string without an end", refusal_of(good + "{:process \"}"));
    EXPECT_EQ("h:2:18: nested more than 16 deep", refusal_of(good + std::string(5000, '[')));
    std::string discards = good;
    for (int i = 0; i < 5000; ++i) {
        discards += "#_";
    }
    EXPECT_EQ("h:2:35: nested more than 16 deep", refusal_of(discards));
    EXPECT_EQ("h:1:2: the text ends before the history does", refusal_of("[" + good));
}

TEST(ReadHistory, ARecordOfAnyFormatIsBounded) {
    std::string zeros = "[0";
    for (int i = 0; i < 70'000; ++i) {
        zeros += ",0";
    }
    zeros += "]";
    const std::string text(70'000, 'x');
    const std::string json = R"({"process":0,"type":"ok","f":"a","value":)";
    const std::string too_large = "a record larger than 65536 bytes";
    EXPECT_EQ("h:1:2: " + too_large, refusal_of("[" + json + zeros + "}]"));
    EXPECT_EQ("h:1:2: " + too_large, refusal_of("[" + json + "\"" + text + "\"}]"));
    EXPECT_EQ("h:1:2: " + too_large, refusal_of("[" + json + "{\"" + text + "\":1}}]"));
    const std::string edn = "{:process 0 :type :ok :f :a :value ";
    EXPECT_EQ(too_large, without_place(refusal_of(edn + zeros + "}")));
    EXPECT_EQ(too_large, without_place(refusal_of(edn + "\"" + text + "\"}")));
    EXPECT_EQ(too_large, without_place(refusal_of(edn + ":" + text + "}")));
    EXPECT_EQ(too_large, without_place(refusal_of("#_" + zeros + edn + "1}")));
}

TEST(ReadHistory, TheBoundIsThatOfOneRecord) {
    std::string json = "[";
    std::string edn;
    for (int i = 0; i < 4; ++i) {
        const std::string text(30'000, 'x');
        json.append(R"({"process":0,"type":"ok","f":"a","error":")").append(text).append("\"},");
        edn.append("#_\"").append(text).append("\" {:process 0 :type :ok :f :a :error \"");
        edn.append(text).append("\"}\n");
    }
    json.back() = ']';
    EXPECT_EQ(4U, parsed(json).records.size());
    EXPECT_EQ(4U, parsed(edn).records.size());
}

TEST(ReadHistory, TimesStayFarFromOverflow) {
    EXPECT_EQ(
        "h:1:41: \"time\" is from -4611686018427387903 to 4611686018427387903, not "
        "9000000000000000000",
        refusal_of(R"({"process":0,"type":"ok","f":"a","time":9000000000000000000})"));
    EXPECT_EQ(0U, refusal_of("{:process 0 :type :ok :f :a :time -9000000000000000000}")
                      .find("h:1:35: \"time\" is from "));
    // Nanoseconds since 1970.
    EXPECT_EQ(
        1'800'000'000'000'000'000,
        parsed(R"({"process":0,"type":"ok","f":"a","time":1800000000000000000})").records[0].time);
}

TEST(ReadHistory, AFileThatIsNoFileIsNamed) {
    EXPECT_EQ("/nowhere/h: cannot be opened: No such file or directory",
              std::get<HistoryError>(read_history("/nowhere/h")).to_text());
    EXPECT_EQ("/tmp: cannot be read: Is a directory",
              std::get<HistoryError>(read_history("/tmp")).to_text());
}

std::string refusal(const std::string& model, const std::string& text) {
    const auto checked = check_history(parsed(text), testing_histories::model_of(model));
    const auto* error = std::get_if<HistoryError>(&checked);
    return error != nullptr ? error->to_text() : "no complaint";
}

std::string line(const std::string& type, const std::string& f, const std::string& more = "") {
    return R"({"process":0,"type":")" + type + R"(","f":")" + f + "\"" + more + "}\n";
}

TEST(ReadOperations, WhatContradictsItselfIsRefused) {
    EXPECT_EQ("h:1:1: ok of process 0, which has invoked nothing",
              refusal("mutex", line("ok", "acquire")));
    EXPECT_EQ("h:2:1: process 0 invokes again before the operation of line 1 has ended",
              refusal("mutex", line("invoke", "acquire") + line("invoke", "acquire")));
    EXPECT_EQ("h:2:1: process 0 invoked acquire, and completes release",
              refusal("mutex", line("invoke", "acquire") + line("ok", "release")));
    EXPECT_EQ("h:2:1: invoked on the key \"a\", completed on \"b\"",
              refusal("mutex", line("invoke", "acquire", R"(,"key":"a")") +
                                   line("ok", "acquire", R"(,"key":"b")")));
    EXPECT_EQ("h:1:34: \"lock\" is no operation of mutex (acquire, release, write, exit)",
              refusal("mutex", line("invoke", "lock")));
}

TEST(ReadOperations, WhatAModelNeedsIsAskedFor) {
    EXPECT_EQ("h:1:1: an acquire says \"capacity\", or \"max_per\" and \"buckets\"",
              refusal("resizable-semaphore", line("invoke", "acquire")));
    EXPECT_EQ("h:1:52: an acquire or release says its \"mode\", read or write",
              refusal("read-write-lock", line("invoke", "acquire", R"(,"value":"x")")));
    EXPECT_EQ("h:1:1: an acquire or release says its \"tag\"",
              refusal("multi-lock:excludes=a-b", line("invoke", "release")));
    EXPECT_EQ("h:1:1: the model looks at times; \"time\" must be there and not below 0",
              refusal("lease:ttl=5", line("invoke", "acquire")));
    EXPECT_EQ("h:1:1: neither the operation nor the model (lease:ttl=TIME) says \"ttl\"",
              refusal("lease", line("invoke", "acquire", R"(,"time":5)")));
    EXPECT_EQ("h:1:52: \"permits\" is at most 1099511627776, not 1152921504606846976",
              refusal("semaphore:1", line("invoke", "acquire", R"(,"value":1152921504606846976)")));
    EXPECT_EQ("h:1:50: \"token\" is a whole number from 0 on, not -1",
              refusal("fenced-mutex", line("invoke", "write", R"(,"value":-1)")));
}

// Whatever stands around it: other lines, numbers and spaces before it, a key's tuple.
TEST(ReadOperations, WhatIsWrongIsNamedWithTheColumnOfItsValue) {
    const auto refused = [](const std::string& text) { return refusal("semaphore:1", text); };
    const std::string wrong = "\"permits\" is a whole number from 0 on, not no";
    EXPECT_EQ("h:4:39: " + wrong, refused("[\n{\"process\" : 1, \"type\":\"invoke\",\n"
                                          "\"f\":\"acquire\", \"time\": 5 , \"value\":\n"
                                          "{\"odd\":[1,2 ,{}], \"key\":3,\"permits\":  \"no\"}}]"));
    EXPECT_EQ(
        "h:1:68: " + wrong,
        refused(R"({"process":0,"type":"invoke","f":"acquire","value":["a",{"permits":"no"}]})"));
    EXPECT_EQ("h:2:10: " + wrong,
              refused("{:process 0 :type :invoke :f :acquire :value [:a {:odd 1\n:permits :no}]}"));
}

TEST(ModelChoices, WhatIsWrongIsNamed) {
    const auto complaint_of = [](const std::string& text) {
        const auto parsed_model = parse_model(text);
        const auto* error = std::get_if<ModelError>(&parsed_model);
        return error != nullptr ? error->message : "no complaint";
    };
    EXPECT_EQ("unknown model \"mutexx\"", complaint_of("mutexx"));
    EXPECT_EQ("semaphore: \"permits\" is a whole number from 1 to 1000000, not \"0\"",
              complaint_of("semaphore:0"));
    EXPECT_EQ("mutex: has no parameter \"ttl\"", complaint_of("mutex:ttl=3"));
    EXPECT_EQ("mutex: expected NAME=VALUE, not \"3\"", complaint_of("mutex:3"));
    EXPECT_EQ("mutex: nothing stands behind the colon", complaint_of("mutex:"));
    EXPECT_EQ("lease: has no parameter \"invalid\"", complaint_of("lease:invalid=0"));
    EXPECT_EQ("fenced-mutex: \"invalid\" is a whole number, not \"none\"",
              complaint_of("fenced-mutex:invalid=none"));
    EXPECT_EQ("multi-lock: needs excludes=A-B: which tags exclude each other",
              complaint_of("multi-lock"));
}

// A large one takes its time, and Ctrl-C may come meanwhile.
TEST(ReadHistory, IsEndedByWhoeverAsksForTheEnd) {
    const std::string json =
        R"({"index": 0, "time": 1, "process": 0, "type": "invoke", "f": "acquire"})";
    const std::string edn = "{:index 0, :time 1, :process 0, :type :invoke, :f :acquire}";
    end_reads_when([] { return true; });
    EXPECT_THROW(static_cast<void>(parse_history(json, "a.jsonl")), LimitExceeded);
    EXPECT_THROW(static_cast<void>(parse_history("[" + json + "]", "a.json")), LimitExceeded);
    EXPECT_THROW(static_cast<void>(parse_history(edn, "a.edn")), LimitExceeded);
    end_reads_when(nullptr);
    EXPECT_TRUE(std::holds_alternative<RecordedHistory>(parse_history(json, "a.jsonl")));
}

}  // namespace
}  // namespace lockkeeper
