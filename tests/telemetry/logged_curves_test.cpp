// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/catch.h"
#include "telemetry/data/logged_curves.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

LoggedScalar scalar(int rank, const char* tag, std::int64_t step, double value) {
    return {rank, tag, step, value, "tensorboard", 1000 * step};
}

// Steps and values of a curve: "1:0.5 2:0.25 ".
std::string pointsOf(const LoggedCurves& curves, const char* tag) {
    std::string text;
    const auto found = curves.curves().find(tag);
    if (found == curves.curves().end()) return "no curve";
    for (const SeriesPoint& point : found->second.values.points())
        text += std::to_string(point.step) + ":" + std::to_string(std::lround(100 * point.mean)) + " ";
    return text;
}

}  // namespace

TEST_CASE("each tag has a curve over the script's own steps") {
    LoggedCurves curves;
    for (const char* line :
         {R"({"kind":"logged","rank":0,"tag":"loss/train","step":10,"value":0.5,"source":"tensorboard","time_us":7})",
          R"({"kind":"logged","rank":0,"tag":"accuracy","step":1,"value":0.9,"source":"lightning","time_us":8})",
          R"({"kind":"logged","rank":0,"tag":"loss/train","step":20,"value":0.25,"source":"tensorboard","time_us":9})"})
        CHECK(curves.add(decodeLine(line).value()));
    CHECK_FALSE(curves.add(LogLine{}));
    CHECK(pointsOf(curves, "loss/train") == "10:50 20:25 ");
    CHECK(pointsOf(curves, "accuracy") == "1:90 ");
    CHECK(curves.curves().at("accuracy").source == "lightning");
    CHECK(curves.curves().at("loss/train").values.points()[1].timeUs == 9);
}

TEST_CASE("the curve of a tag is that of the lowest rank that logs it") {
    LoggedCurves curves;
    curves.add(scalar(1, "loss", 1, 0.9));
    curves.add(scalar(1, "only here", 1, 0.9));
    CHECK(curves.add(scalar(0, "loss", 1, 0.1)));
    CHECK_FALSE(curves.add(scalar(1, "loss", 2, 0.9)));
    curves.add(scalar(0, "loss", 2, 0.2));
    CHECK(pointsOf(curves, "loss") == "1:10 2:20 ");
    CHECK(pointsOf(curves, "only here") == "1:90 ");
}

TEST_CASE("a curve never runs backwards, and a step can have several values") {
    LoggedCurves curves;
    for (const auto& [step, value] : {std::pair{3, 0.3}, {3, 0.4}, {2, 0.9}, {4, 0.5}})
        curves.add(scalar(0, "loss", step, value));
    CHECK(pointsOf(curves, "loss") == "3:30 3:40 4:50 ");
    CHECK(curves.curves().at("loss").stepsBackwards == 1);
}

TEST_CASE("a value that is not a number stays a point") {
    LoggedCurves curves;
    curves.add(scalar(0, "loss", 1, std::numeric_limits<double>::quiet_NaN()));
    REQUIRE(curves.curves().at("loss").values.points().size() == 1);
    CHECK(std::isnan(curves.curves().at("loss").values.points()[0].mean));
}

TEST_CASE("the memory of curves is bounded") {
    LoggedCurves curves;
    for (std::size_t i = 0; i < LoggedCurves::kMaxTags + 3; ++i)
        curves.add(scalar(0, ("tag " + std::to_string(i)).c_str(), 1, 0));
    CHECK(curves.curves().size() == LoggedCurves::kMaxTags);
    CHECK(curves.tagsLeftOut() == 3);
    for (std::int64_t step = 1; step <= 50'000; ++step) curves.add(scalar(0, "tag 0", step, 1));
    const auto points = curves.curves().at("tag 0").values.points();
    CHECK(points.size() <= LoggedCurves::kPoints);
    CHECK(points.back().step == 50'000);
}
