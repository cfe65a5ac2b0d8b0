// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <fstream>

#include "program.h"
#include "run/read/run_directory.h"
#include "run/read/run_life.h"
#include "support/catch.h"
#include "support/small_disk.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// Run of four ranks that does not end by itself within a test.
struct LongRun {
    TemporaryDirectory scratch;
    fs::path out = scratch.path() / "run";
    Program program;
    std::vector<pid_t> workers;

    explicit LongRun(const std::vector<std::string>& more = {}) : program(arguments(more)) {
        REQUIRE(eventually([&] { return hasTrained(out); }));
        workers = workerPids(out);
        REQUIRE(workers.size() == 4);
    }
    std::vector<std::string> arguments(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"run", "--out", out, "--set", "training.epochs=1000000"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

// Writes to a file until the disk is full.
void fillDisk(const fs::path& file) {
    std::ofstream out(file, std::ios::app | std::ios::binary);
    const std::string block(4096, 'x');
    while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
}

}  // namespace

TEST_CASE("a killed worker ends the run at once with code 12 and its name") {
    for (const std::size_t rank : {std::size_t{0}, std::size_t{3}}) {
        LongRun run({"--set", "parallel.timeout_seconds=86400"});  // a run that waits for a timeout does not end
        REQUIRE(::kill(run.workers[rank], SIGKILL) == 0);
        CHECK(run.program.wait() == 12);
        const Json summary = jsonOf(run.out / "summary.json");
        CHECK(summary["first_failed_rank"] == rank);
        CHECK(contains(summary["verdict"], "rank " + std::to_string(rank) + " was killed by signal 9 (SIGKILL)"));
        CHECK(contains(run.program.output(), "SIGKILL"));
        CHECK(allGone(run.workers));
    }
}

TEST_CASE("a stopped worker is reported as a hang of that rank with code 13") {
    LongRun run({"--set", kShortTimeout});
    REQUIRE(::kill(run.workers[2], SIGSTOP) == 0);
    CHECK(run.program.wait() == 13);
    const Json summary = jsonOf(run.out / "summary.json");
    CHECK(summary["first_failed_rank"] == 2);
    CHECK(contains(summary["verdict"], "rank 2 hung"));
    CHECK(allGone(run.workers));
}

TEST_CASE("a stopped worker is detected over Gloo, too") {
    LongRun run({"--set", kShortTimeout, "--set", "parallel.backend=gloo"});
    REQUIRE(::kill(run.workers[1], SIGSTOP) == 0);
    CHECK(run.program.wait() == 13);
    CHECK(jsonOf(run.out / "summary.json")["first_failed_rank"] == 1);
    CHECK(allGone(run.workers));
}

TEST_CASE("killing the supervisor ends its workers") {
    LongRun run;
    REQUIRE(::kill(run.program.pid(), SIGKILL) == 0);
    CHECK(run.program.wait() == 128 + SIGKILL);
    CHECK(eventually([&] { return allGone(run.workers); }));
    CHECK_FALSE(isRunAlive(run.out));
    Program attach({"attach", run.out, "--lines"});
    CHECK(attach.wait() == 0);
    CHECK(contains(attach.output(), "the supervisor of this run and its ranks were killed"));
    CHECK(attach.output().find(linesOf(run.out / "telemetry.jsonl").back().dump()) != std::string::npos);
    Program show({"show", run.out});
    CHECK(show.wait() == 2);
}

TEST_CASE("Ctrl-C stops gracefully: code 20, weights and summary written") {
    LongRun run;
    REQUIRE(::kill(run.program.pid(), SIGINT) == 0);
    CHECK(run.program.wait() == 20);
    const Json summary = jsonOf(run.out / "summary.json");
    CHECK(summary["state"] == "stopped");
    CHECK(contains(run.program.output(), "stopped by request"));
    const auto lines = linesOf(run.out / "telemetry.jsonl");
    CHECK(lines.back()["kind"] == "end");
    CHECK(lines.back()["state"] == "stopped");
    CHECK_FALSE(fs::is_empty(run.out / "checkpoints"));
    CHECK(allGone(run.workers));
}

TEST_CASE("SIGTERM to the supervisor is a graceful stop too") {
    LongRun run;
    REQUIRE(::kill(run.program.pid(), SIGTERM) == 0);
    CHECK(run.program.wait() == 20);
    CHECK(allGone(run.workers));
}

TEST_CASE("a stop interrupts an artificial delay") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--out", out, "--set", "pitfalls.slow_rank=1", "--set", "pitfalls.slow_ms=600000", "--set",
                 "parallel.world_size=2", "--set", "parallel.timeout_seconds=3600"});
    const auto isTraining = [&] {
        const std::string telemetry = fs::exists(out / "telemetry.jsonl") ? contentOf(out / "telemetry.jsonl") : "";
        // A stop before the first step, while a rank still loads its data, saves no weights.
        return contains(telemetry, R"("rank":0,"state":"training")") &&
               contains(telemetry, R"("rank":1,"state":"training")");
    };
    REQUIRE(eventually(isTraining));
    run.signal(SIGTERM);
    CHECK(run.wait() == 20);
    REQUIRE(fs::exists(out / "checkpoints"));
    CHECK_FALSE(fs::is_empty(out / "checkpoints"));
    CHECK(contains(jsonOf(out / "summary.json")["verdict"], "stopped by request after"));
}

TEST_CASE("a full disk stops recording, the weights are saved, and the run can be resumed from them") {
    const TemporaryDirectory scratch;
    const SmallDisk disk(scratch.path(), "20m");
    if (!disk.mounted()) {
        WARN("not checked: mounting a small file system needs root");
        return;
    }
    const fs::path run = scratch.path() / "run";
    Program first({"run", "--out", run, "--set", "training.epochs=1000000"});
    REQUIRE(eventually([&] { return hasTrained(run); }));
    const fs::path filler = scratch.path() / "filler";
    fillDisk(filler);
    CHECK(first.wait() == 2);
    INFO(first.output());
    CHECK(contains(first.output(), "cannot be written (No space left on device)"));
    CHECK(contains(first.output(), "recording stopped after step"));
    CHECK(contains(first.output(), "are saved in checkpoints/step-"));
    CHECK(allGone(workerPids(run)));
    const Json summary = jsonOf(run / "summary.json");
    CHECK(summary["state"] == "failed");
    CHECK(summary["exit_code"] == 2);
    CHECK(summary["recording"]["stopped"]["step"] > 0);
    CHECK(linesOf(run / "telemetry.jsonl").back()["kind"] == "end");
    CHECK(contains(contentOf(run / "log.txt"), "recording stops after step"));
    for (const char* file : {"metrics.jsonl", "telemetry.jsonl", "log.txt"}) {
        const std::string content = contentOf(run / file);
        CHECK((content.empty() || content.back() == '\n'));
    }
    fillDisk(filler);  // fills the space that the run had reserved and has released at its end
    Program late({"run", "--out", scratch.path() / "late"});
    CHECK(late.wait() == 2);
    CHECK(contains(late.output(), "No space left on device"));
    CHECK_FALSE(fs::exists(scratch.path() / "late"));
    fs::remove(filler);
    const std::int64_t epochs = summary["steps"].get<std::int64_t>() / 12 + 2;  // an epoch has 12 steps
    Program again({"run", "--resume", run, "--out", scratch.path() / "again", "--set",
                   "training.epochs=" + std::to_string(epochs)});
    CHECK(again.wait() == 0);
    CHECK(jsonOf(scratch.path() / "again/summary.json")["steps_before"] == summary["steps"]);
}

TEST_CASE("a run without space for one checkpoint does not start") {
    const TemporaryDirectory scratch;
    const SmallDisk disk(scratch.path(), "2m");
    if (!disk.mounted()) {
        WARN("not checked: mounting a small file system needs root");
        return;
    }
    Program run({"run", "--out", scratch.path() / "run", "--set", "model.hidden=[4096]"});  // 307,210 weights, twice
    CHECK(run.wait() == 2);
    INFO(run.output());
    CHECK(contains(run.output(), "does not have enough space for a checkpoint of 2.4 MiB (No space left on device)"));
}

TEST_CASE("timed checkpoints keep the latest one and do not change the training") {
    const TemporaryDirectory scratch;
    const auto train = [&](const std::string& name, const std::string& seconds) {
        Program run({"run", "--out", scratch.path() / name, "--set", "training.epochs=150", "--set",
                     "parallel.world_size=2", "--set", "pitfalls.slow_rank=1", "--set", "pitfalls.slow_ms=1", "--set",
                     "training.checkpoint_seconds=" + seconds});
        REQUIRE(run.wait() == 0);
        return jsonOf(scratch.path() / name / "summary.json");
    };
    train("timed", "1");
    train("untimed", "0");
    int saved = 0;
    for (const Json& line : linesOf(scratch.path() / "timed/telemetry.jsonl")) saved += line["kind"] == "checkpoint";
    INFO(saved << " checkpoints");
    CHECK(saved >= 2);
    const auto checkpointsOf = [&](const std::string& name) {
        std::vector<std::string> names;
        for (const auto& one : fs::directory_iterator(scratch.path() / name / "checkpoints"))
            names.push_back(one.path().filename());
        return names;
    };
    // The checkpoint of the last weights is the only one left, because the timed checkpoints are older.
    REQUIRE(checkpointsOf("timed").size() == 1);
    CHECK(checkpointsOf("timed") == checkpointsOf("untimed"));
    const fs::path weights = fs::path("checkpoints") / checkpointsOf("timed").front() / "model.safetensors";
    CHECK(contentOf(scratch.path() / "timed" / weights) == contentOf(scratch.path() / "untimed" / weights));
}
