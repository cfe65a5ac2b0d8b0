// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_summary.h"

#include <fstream>
#include <limits>

#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

Result<RunSummary> read(const std::string& text) {
    const TemporaryDirectory scratch;
    const auto file = scratch.path() / "summary.json";
    std::ofstream(file) << text;
    return readRunSummary(file);
}

}  // namespace

TEST_CASE("a summary has every field, with null for unknown values") {
    RunSummary summary;
    summary.name = "digits";
    summary.exitCode = 12;
    summary.firstFailedRank = 2;
    summary.last.epoch = 3;
    summary.last.trainLoss = std::numeric_limits<double>::infinity();
    summary.straggler = Straggler{.rank = 1, .phase = "backward", .share = 0.5, .lostMsPerStep = 41};
    summary.memory.emplace(std::vector<RankMemory>{{.rank = 0, .parameters = 8, .peak = 99}});
    const Json json = toJson(summary);
    CHECK(json["name"] == "digits");
    CHECK(json["exit_code"] == 12);
    CHECK(json["first_failed_rank"] == 2);
    CHECK(json["final"] == Json{{"epoch", 3}, {"train_loss", nullptr}, {"train_accuracy", nullptr}});
    CHECK(json["best"] == Json::object());
    CHECK(json["straggler"] == Json{{"rank", 1}, {"phase", "backward"}, {"share", 0.5}, {"lost_ms_per_step", 41.0}});
    CHECK(json["memory"][0] == Json{{"parameters", 8},
                                    {"gradients", 0},
                                    {"optimizer", 0},
                                    {"activations", 0},
                                    {"gathered", 0},
                                    {"buffers", 0},
                                    {"peak", 99}});
    CHECK(json["bytes_per_step"].is_null());
    CHECK(json["idle_share"].is_null());
    summary.memory->front().predictedPeak = 98;
    summary.bytesPerStep.emplace(std::vector<std::int64_t>{4096});
    summary.idleShare = 0.25;
    summary.clocks = {{"node2", {.rank = 4, .offsetUs = 99, .movedUs = 1840, .errorUs = 60, .roundTripUs = 120}}};
    const Json more = toJson(summary);
    CHECK(more["clocks"][0] == Json{{"host", "node2"},
                                    {"rank", 4},
                                    {"moved_us", 1840},
                                    {"error_us", 60},
                                    {"round_trip_us", 120},
                                    {"drift_ppm", 0.0}});
    CHECK(more["memory"][0]["predicted_peak"] == 98);
    CHECK(more["bytes_per_step"] == Json{4096});
    CHECK(more["idle_share"] == 0.25);
    summary.bitsDependOn = BitsBasis{.transport = "shm", .layout = "ddp", .isa = {{"avx2", "avx2"}}};
    CHECK(toJson(summary)["bits_depend_on"] ==
          Json{{"transport", "shm"}, {"layout", "ddp"}, {"isa", {"avx2", "avx2"}}, {"warning", nullptr}});
    for (const char* unknown : {"first_step_seconds", "plan_verified", "plan_mismatch", "weights_sha256",
                                "time_verdict", "cpu_setting", "bits_depend_on", "normalize"}) {
        INFO(unknown);
        CHECK(json.at(unknown).is_null());
    }
}

TEST_CASE("a summary is read with missing fields, and fields of a wrong type count as missing") {
    const Result<RunSummary> summary = read(R"({"name":"digits","steps":120,"exit_code":"twelve","world_size":1e300,
        "last_lines":["one",2,"three"],"final":{"epoch":9,"val_loss":0.25,"val_exact":{"loss":0.25,"samples":360}},
        "best":[],"memory":[{"peak":7},{"peak":8}],"plan_verified":true,"recording":{"stopped":{"step":4,"why":"full"}}})");
    REQUIRE(summary);
    const RunSummary& is = summary.value();
    CHECK(is.name == "digits");
    CHECK(is.steps == 120);
    CHECK(is.exitCode == 0);
    CHECK(is.worldSize == 0);
    CHECK(is.lastLines == std::vector<std::string>{"one", "three"});
    CHECK(is.last.epoch == 9);
    CHECK(is.last.validationLoss == 0.25);
    REQUIRE(is.last.exact);
    CHECK(is.last.exact->samples == 360);
    CHECK_FALSE(is.last.padded);
    CHECK_FALSE(is.best.epoch);
    REQUIRE(is.memory);
    CHECK(is.memory->at(1).peak == 8);
    CHECK(is.planVerified == true);
    REQUIRE(is.recording.stopped);
    CHECK(is.recording.stopped->step == 4);
}

TEST_CASE("a file that is not a summary is refused with its name") {
    CHECK_FALSE(read("[]"));
    CHECK_FALSE(read("{\"name\":"));
    CHECK_FALSE(readRunSummary("/nowhere/summary.json"));
}
