// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "program.h"
#include "support/catch.h"
#include "telemetry/steps/phase.h"

using namespace ringside;

namespace {

void trainSlowly(const std::filesystem::path& out, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "--quiet", "--out", out};
    for (const char* setting : {"parallel.world_size=3", "training.epochs=2", "pitfalls.slow_rank=1",
                                "pitfalls.slow_phase=forward", "pitfalls.slow_ms=40", "loader.batch_size=48"})
        arguments.insert(arguments.end(), {"--set", setting});
    for (const std::string& setting : more) arguments.insert(arguments.end(), {"--set", setting});
    Program run(arguments);
    const int rc = run.wait();
    INFO(run.output());
    REQUIRE(rc == 0);
}

}  // namespace

TEST_CASE("a late rank is named with its phase, and the steps are predicted and exported without its delay") {
    const TemporaryDirectory scratch;
    const auto out = scratch.path() / "run";
    trainSlowly(out, {GENERATE("parallel.backend=shm", "parallel.backend=gloo")});
    const Json summary = jsonOf(out / "summary.json");
    REQUIRE(summary["straggler"].is_object());
    CHECK(summary["straggler"]["rank"] == 1);
    CHECK(summary["straggler"]["phase"] == "forward");
    CHECK(summary["straggler"]["share"].get<double>() > 0.6);
    CHECK(std::abs(summary["straggler"]["lost_ms_per_step"].get<double>() - 40) < 20);

    Program show({"show", out});
    CHECK(show.wait() == 0);
    CHECK(contains(show.output(), "Rank 1 arrives last in"));
    CHECK(contains(show.output(),
                   "The setting \"pitfalls.slow_rank\" causes this delay of 40 ms per step. Set it to -1"));

    Program whatif({"whatif", out, "--without-delay", "1", "--json"});
    CHECK(whatif.wait() == 0);
    const Json answer = Json::parse(whatif.output());
    CHECK(std::abs(answer["replayed_ms"].get<double>() / answer["measured_ms"].get<double>() - 1) < 0.02);
    CHECK(answer["predicted_ms"].get<double>() < answer["measured_ms"].get<double>() - 20);
    CHECK(answer["low_ms"].get<double>() <= answer["predicted_ms"].get<double>());
    CHECK(answer["high_ms"].get<double>() >= answer["predicted_ms"].get<double>());

    Program trace({"export", out, "--to", "trace", "-o", scratch.path() / "trace.json"});
    CHECK(trace.wait() == 0);
    int forwards = 0;
    const Json drawn = jsonOf(scratch.path() / "trace.json");
    for (const Json& event : drawn["traceEvents"]) forwards += event["ph"] == "X" && event["name"] == "forward" ? 1 : 0;
    CHECK(forwards == 3 * summary["steps"].get<int>());  // steps of 40 ms are all traced

    Program lines({"attach", out, "--lines", "--traces"});
    CHECK(lines.wait() == 0);
    CHECK(contains(lines.output(), "{\"kind\":\"trace\",\"rank\":2,"));
    CHECK(lines.output().rfind("{\"kind\":\"end\"") > lines.output().rfind("{\"kind\":\"trace\""));
}

TEST_CASE("a late rank is named with its phase under every strategy, and steps are predicted without its delay") {
    struct Case {
        std::vector<std::string> settings;
        const char* phase;
    };
    const auto [settings, phase] = GENERATE(
        Case{{"parallel.strategy=fsdp", "fsdp.shard=parameters"}, "optimizer"},
        Case{{"parallel.strategy=fsdp", "fsdp.shard=optimizer", "parallel.backend=gloo"}, "optimizer"},
        Case{{"parallel.strategy=fsdp", "parallel.world_size=4", "mesh.replicate=2", "mesh.shard=2"}, "backward"},
        Case{{"parallel.strategy=pipeline", "pipeline.schedule=gpipe"}, "data"},
        Case{{"parallel.strategy=pipeline", "pipeline.schedule=1f1b", "parallel.backend=gloo"}, "forward"},
        Case{{"parallel.strategy=pipeline", "pipeline.schedule=interleaved", "pipeline.micro_batches=6"}, "backward"},
        Case{{"parallel.strategy=pipeline", "pipeline.schedule=zero_bubble"}, "forward"},
        Case{{"parallel.strategy=model_parallel"}, "optimizer"});
    const TemporaryDirectory scratch;
    const auto out = scratch.path() / "run";
    std::vector<std::string> all = {"model.hidden=[32,32,32,32,32,32]", "training.max_steps=30",
                                    "pitfalls.slow_phase=" + std::string(phase)};
    all.insert(all.end(), settings.begin(), settings.end());
    trainSlowly(out, all);
    const Json summary = jsonOf(out / "summary.json");
    INFO(settings.front() << " " << settings.back() << " " << phase << ": " << summary.dump());
    REQUIRE(summary["straggler"].is_object());
    CHECK(summary["straggler"]["rank"] == 1);
    CHECK(summary["straggler"]["phase"] == phase);

    Program whatif({"whatif", out, "--without-delay", "1", "--json"});
    CHECK(whatif.wait() == 0);
    const Json answer = Json::parse(whatif.output());
    CHECK(answer["predicted_ms"].get<double>() < answer["measured_ms"].get<double>() - 20);

    Program buckets({"whatif", out, "--bucket", "5"});
    CHECK(buckets.wait() == 2);
    CHECK(contains(buckets.output(), "--bucket cannot be predicted: steps "));
}

TEST_CASE("after a hang the traces end with the last phase of every rank") {
    const TemporaryDirectory scratch;
    const auto out = scratch.path() / "run";
    const std::string backend = GENERATE("shm", "gloo");
    Program run({"run", "--quiet", "--out", out, "--set", "parallel.world_size=3", "--set", "training.epochs=100000",
                 "--set", "parallel.backend=" + backend, "--set",
                 kSanitized ? "parallel.timeout_seconds=8" : "parallel.timeout_seconds=3", "--set",
                 "training.checkpoint_every=0", "--set", "pitfalls.slow_rank=1", "--set", "pitfalls.slow_ms=30"});
    // Returns the last complete step of each rank in the trace file.
    const auto reported = [&out] {
        std::array<std::int64_t, 3> steps{};
        if (!std::filesystem::exists(out / "trace.jsonl")) return steps;
        for (const Json& line : linesOf(out / "trace.jsonl")) {
            if (line["length_ns"] >= 0) steps.at(line["rank"].get<std::size_t>()) = line["step"];
        }
        return steps;
    };
    REQUIRE(eventually([&] { return std::ranges::min(reported()) > 4; }));
    const std::int64_t reportedBefore = reported()[2];
    REQUIRE(::kill(workerPids(out).at(2), SIGSTOP) == 0);
    CHECK(run.wait() == 13);
    std::array<Json, 3> last;
    std::array<std::int64_t, 3> whole{};
    for (const Json& line : linesOf(out / "trace.jsonl")) {
        const auto rank = line["rank"].get<std::size_t>();
        last.at(rank) = line;
        if (line["length_ns"] >= 0) whole.at(rank) = line["step"];
    }
    const auto waits = static_cast<std::int64_t>(Phase::kWaiting);
    for (const std::size_t rank : {0U, 1U, 2U}) {
        INFO(rank << " " << last.at(rank).dump());
        CHECK(last.at(rank)["length_ns"] == -1);
        CHECK(last.at(rank)["step"] == whole.at(rank) + 1);
        // Waiting ranks report their previous phase.
        if (rank != 2) {
            CHECK(last.at(rank)["phase"].back() == waits);
            CHECK(last.at(rank)["phase"].size() > 2);
        }
    }
    // Steps last 30 ms, so all of them are traced. No step is lost except those that the stopped rank could not send.
    // If rank 2 stops inside of a collective, one of the other ranks may have left it already.
    CHECK(std::abs(whole[0] - whole[1]) <= 1);
    CHECK(whole[2] <= std::max(whole[0], whole[1]));
    CHECK(whole[2] >= reportedBefore);

    Program trace({"export", out, "--to", "trace", "-o", scratch.path() / "trace.json"});
    CHECK(trace.wait() == 0);
    int open = 0;
    const Json drawn = jsonOf(scratch.path() / "trace.json");
    for (const Json& event : drawn["traceEvents"]) open += event["ph"] == "B" ? 1 : 0;
    CHECK(open == 3);
}

TEST_CASE("with tracing off nothing is traced, and requests for traces report the reason") {
    const TemporaryDirectory scratch;
    const auto out = scratch.path() / "run";
    trainSlowly(out, {"telemetry.trace=off"});
    CHECK(jsonOf(out / "summary.json")["straggler"].is_null());
    CHECK_FALSE(std::filesystem::exists(out / "trace.jsonl"));
    Program whatif({"whatif", out, "--without-delay", "1"});
    CHECK(whatif.wait() == 2);
    CHECK(contains(whatif.output(), "contains no traced steps: telemetry.trace was off"));
}

TEST_CASE("a what-if about an unknown rank is refused in one line") {
    const TemporaryDirectory scratch;
    const auto out = scratch.path() / "run";
    trainSlowly(out, {});
    Program whatif({"whatif", out, "--without-delay", "3"});
    CHECK(whatif.wait() == 2);
    CHECK(contains(whatif.output(), "--without-delay is 3; the run has ranks 0 to 2"));
}
