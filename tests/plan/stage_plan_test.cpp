// SPDX-License-Identifier: Apache-2.0
// Tests of schedules and stages of a pipeline, and of the problems of invalid ones that a user gives.
#include "plan/stage_plan.h"

#include <fstream>

#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

RunConfig pipelineOf(std::int64_t ranks, std::int64_t microBatches, PipelineScheduleKind schedule) {
    RunConfig config;
    config.parallel.strategy = StrategyKind::kPipeline;
    config.parallel.worldSize = ranks;
    config.pipeline.microBatches = microBatches;
    config.pipeline.schedule = schedule;
    return config;
}

// Returns the problem of a schedule file with this text, for two ranks and two micro-batches; empty if there is none.
std::string problemOf(const std::string& text, std::int64_t ranks = 2, std::int64_t microBatches = 2) {
    const TemporaryDirectory directory;
    RunConfig config = pipelineOf(ranks, microBatches, PipelineScheduleKind::kGpipe);
    config.pipeline.scheduleFile = (directory.path() / "schedule.csv").string();
    std::ofstream(config.pipeline.scheduleFile) << text;
    const Result<Schedule> schedule = plannedSchedule(config);
    if (schedule) return scheduleText(schedule.value()) == text ? "" : scheduleText(schedule.value());
    CHECK(schedule.problem().field == "pipeline.schedule_file");
    return schedule.problem().message + "; " + schedule.problem().remedy;
}

RunConfig split(const std::vector<std::int64_t>& sizes) {
    RunConfig config = pipelineOf(2, 2, PipelineScheduleKind::kGpipe);
    config.pipeline.split = sizes;
    return config;
}

std::string tooMany(const RunConfig& config, std::size_t stages, std::size_t layers) {
    const auto sizes = stageSizes(config, std::vector<double>(layers, 1), stages);
    REQUIRE_FALSE(sizes);
    return sizes.problem().text();
}

}  // namespace

TEST_CASE("the schedule of a pipeline is the configured one, and one rank has a single stage") {
    const auto textOf = [](const RunConfig& config) { return scheduleText(plannedSchedule(config).value()); };
    CHECK(textOf(pipelineOf(2, 2, PipelineScheduleKind::kGpipe)) == "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n");
    CHECK(textOf(pipelineOf(2, 2, PipelineScheduleKind::k1F1B)) == "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
    RunConfig looped = pipelineOf(2, 2, PipelineScheduleKind::kInterleaved);
    looped.pipeline.stagesPerRank = 2;
    CHECK(plannedSchedule(looped).value().stageCount() == 4);
    CHECK_THAT(textOf(pipelineOf(2, 4, PipelineScheduleKind::kZeroBubble)), containing("W0"));
    CHECK(textOf(pipelineOf(1, 2, PipelineScheduleKind::k1F1B)) == "0F0,0B0\n");
    // Model parallelism passes the whole batch through the stages and ignores the schedule.
    RunConfig whole = pipelineOf(2, 4, PipelineScheduleKind::k1F1B);
    whole.parallel.strategy = StrategyKind::kModelParallel;
    CHECK(textOf(whole) == "0F0,0B0\n1F0,1B0\n");
    whole.pipeline.scheduleFile = "/no/such/file";
    CHECK(plannedSchedule(whole));
    const auto few = plannedSchedule(pipelineOf(4, 2, PipelineScheduleKind::k1F1B));
    REQUIRE_FALSE(few);
    CHECK(few.problem().field == "pipeline.micro_batches");
}

TEST_CASE("a schedule from a file must be readable, runnable, in order and of the right size") {
    CHECK(problemOf("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n").empty());
    CHECK_THAT(problemOf("0F0,zzz"), containing("does not contain a valid schedule: row 1"));
    CHECK_THAT(problemOf("0F0,0F1,0B0,0B1\n1F0,1B0,1F1\n"), containing("cannot be run: "));
    CHECK_THAT(
        problemOf("0F0,0F1,0B1,0B0\n1F0,1F1,1B1,1B0\n"),
        containing("runs the action 0B1 too early: each stage adds its gradients in the order of the micro-batches"));
    CHECK(problemOf("0F0,0F1,0B0,0B1\n") ==
          "contains a schedule for 1 ranks, but the pipeline has 2; set parallel.world_size or mesh.pipeline to match, "
          "or use another "
          "schedule");
    CHECK(problemOf("0F0,0B0\n1F0,1B0\n") ==
          "contains a schedule for 1 micro-batches, but pipeline.micro_batches is 2; set pipeline.micro_batches to 1");
    RunConfig config = pipelineOf(2, 2, PipelineScheduleKind::kGpipe);
    config.pipeline.scheduleFile = "/no/such/file.csv";
    CHECK_THAT(plannedSchedule(config).problem().message, containing("cannot be read: "));
}

TEST_CASE("the two halves of a backward pass may be in different places, but each in order") {
    const std::string second = "\n1F0,1F1,1B0,1B1\n";
    CHECK(problemOf("0F0,0F1,0I0,0I1,0W0,0W1" + second).empty());
    CHECK(problemOf("0F0,0F1,0I0,0W0,0I1,0W1" + second).empty());
    CHECK_THAT(problemOf("0F0,0F1,0I0,0I1,0W1,0W0" + second), containing("runs the action 0W1 too early"));
    CHECK_THAT(problemOf("0F0,0F1,0I1,0I0,0W0,0W1\n1F0,1F1,1B0,1B1\n"), containing("runs the action 0I1 too early"));
    // Forward passes may come in any order.
    CHECK(problemOf("0F1,0F0,0B0,0B1\n1F1,1F0,1B0,1B1\n").empty());
}

TEST_CASE("the stages have the sizes of pipeline.split, or about equal costs") {
    CHECK(stageSizes(split({}), {1, 1, 1, 3}, 2).value() == std::vector<std::size_t>{3, 1});
    CHECK(stageSizes(split({1, 3}), {1, 1, 1, 3}, 2).value() == std::vector<std::size_t>{1, 3});
    CHECK(stageSizes(split({}), {1, 1}, 2).value() == std::vector<std::size_t>{1, 1});
    CHECK(
        stageSizes(split({1, 2, 1}), {1, 1, 1, 3}, 2).problem().text() ==
        "pipeline.split has 3 entries for 2 stages: set one number of layers for each stage, or leave the list empty");
    CHECK(stageSizes(split({1, 2}), {1, 1, 1, 3}, 2).problem().text() ==
          "pipeline.split adds up to 3, but the model has 4 layers: correct the numbers, or leave the field empty");
}

TEST_CASE("a model with fewer layers than stages is refused with the number of ranks that fit") {
    RunConfig config = pipelineOf(8, 8, PipelineScheduleKind::kGpipe);
    CHECK(tooMany(config, 8, 5) ==
          "parallel.world_size makes 8 stages, but the model can be cut into at most 5 parts: use at most 5 ranks in a "
          "pipeline "
          "(mesh.pipeline) or a model of more layers");
    CHECK(tooMany(config, 8, 1) ==
          "parallel.world_size makes 8 stages, but the model can be cut into at most 1 part: use at most 1 rank in a "
          "pipeline "
          "(mesh.pipeline) or a model of more layers");
    config.mesh.pipeline = 8;
    CHECK(tooMany(config, 8, 5) ==
          "mesh.pipeline makes 8 stages, but the model can be cut into at most 5 parts: use at most 5 ranks in a "
          "pipeline or a model of "
          "more layers");
    config.pipeline.schedule = PipelineScheduleKind::kInterleaved;
    config.pipeline.stagesPerRank = 2;
    CHECK(tooMany(config, 16, 5) ==
          "mesh.pipeline makes 16 stages, but the model can be cut into at most 5 parts: use at most 2 ranks in a "
          "pipeline, fewer "
          "pipeline.stages_per_rank, or a model of more layers");
    CHECK_THAT(tooMany(config, 16, 1), containing("use at most 1 rank in"));
}

TEST_CASE("micro-batches are in flight from their forward pass to the end of their backward pass") {
    const auto most = [](const std::string& text, int stage) {
        return maxInFlight(parseSchedule(text).value().ranks.front(), stage);
    };
    CHECK(most("0F0,0F1,0B0,0F2,0B1,0B2", 0) == 2);
    CHECK(most("0F0,0F1,0F2,0B0,0B1,0B2", 0) == 3);
    CHECK(most("0F0,0B0,0F1,0B1", 0) == 1);
    // Activations are freed when the gradients of the weights are computed.
    CHECK(most("0F0,0I0,0F1,0W0,0I1,0W1", 0) == 2);
    CHECK(most("0F0,0I0,0W0,0F1,0I1,0W1", 0) == 1);
    CHECK(most("0F0,2F0,0F1,2F1,2B0,0B0,2B1,0B1", 2) == 2);
    CHECK(most("0F0,2F0,2B0,0F1,2F1,2B1,0B0,0B1", 2) == 1);
    CHECK(most("0F0,2F0,2B0,0F1,2F1,2B1,0B0,0B1", 0) == 2);
    CHECK(most("0F0,0B0", 1) == 1);
}
