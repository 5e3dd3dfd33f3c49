// SPDX-License-Identifier: Apache-2.0

// The picture is well-formed XML whatever the names are, and shows what it should.
#include "reports/rate_plot.hpp"

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"
#include "reports/writer.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;

MeasuredPoint point_at(double value, const std::string& variant, Figure rate) {
    MeasuredPoint point;
    point.system = "canal";
    point.variant = variant;
    point.at = {{"max_decr_tries", value}};
    point.result.method = MeasureMethod::kSampled;
    PropertyRates rates;
    rates.property = find_property("leak");
    rates.per_run = rate;
    point.result.properties = {rates};
    return point;
}

RunReport report_of(std::vector<MeasuredPoint> points) {
    RunReport report;
    report.file = "a.json";
    report.checked = {find_property("leak"), find_property("over-allocation")};
    Measurement& measured = report.details.emplace<Measurement>();
    measured.confidence = 0.99;
    measured.points = std::move(points);
    return report;
}

std::string rate_plot(const RunReport& report) {
    Results results;
    results.kind = ResultsKind::kMeasurements;
    results.files = {report};
    return written(*find_format("svg"), results);
}

TEST(RatePlot, DrawsOneLineAVariantWithItsIntervals) {
    const std::string svg = rate_plot(report_of(
        {point_at(0, "faithful", {0.1, 0.08, 0.12}), point_at(1, "faithful", {0.01, 0.005, 0.02}),
         point_at(0, "repaired", {0.001, 0.0001, 0.002}),
         point_at(1, "repaired", {0.0001, 0.00001, 0.0002})}));
    EXPECT_EQ("", complaint_about(svg));
    EXPECT_EQ(2U, count_of(svg, "<polyline "));
    EXPECT_NE(std::string::npos, svg.find(">canal/faithful</text>"));
    EXPECT_NE(std::string::npos, svg.find(">canal/repaired</text>"));
    EXPECT_NE(std::string::npos, svg.find(">1e-2</text>"));
    EXPECT_NE(std::string::npos, svg.find("P2 leak, probability per run"));
    EXPECT_EQ(std::string::npos, svg.find("over-allocation"));
}

TEST(RatePlot, AZeroStandsOnTheLowerEdge) {
    const std::string svg = rate_plot(report_of(
        {point_at(0, "faithful", {0.1, 0.08, 0.12}), point_at(1, "faithful", {0, 0, 0.001})}));
    EXPECT_EQ("", complaint_about(svg));
    EXPECT_EQ(1U, count_of(svg, "<polygon "));
    EXPECT_EQ(0U, count_of(svg, "<polyline "));
}

TEST(RatePlot, NamesCannotBreakIt) {
    RunReport report = report_of({point_at(0, "<b>&\"'\x01\xff", {0.1, 0.1, 0.1})});
    report.file = "a<&>.json";
    const std::string svg = rate_plot(report);
    EXPECT_EQ("", complaint_about(svg));
    EXPECT_NE(std::string::npos, svg.find("a&lt;&amp;&gt;.json"));
}

TEST(RatePlot, NothingViolatedIsAPictureToo) {
    const std::string svg = rate_plot(report_of({point_at(0, "faithful", {})}));
    EXPECT_EQ("", complaint_about(svg));
    EXPECT_NE(std::string::npos, svg.find("nothing was violated"));
    EXPECT_EQ("", complaint_about(rate_plot(report_of({}))));
}

}  // namespace
}  // namespace lockkeeper
