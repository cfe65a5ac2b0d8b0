// SPDX-License-Identifier: Apache-2.0
#include <sys/mount.h>

#include <csignal>

#include "program.h"
#include "run/record/run_directory.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// A run that would go on for very long.
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

}  // namespace

TEST_CASE("a killed worker ends the run within 2 s with code 12 and its name") {
    for (const std::size_t rank : {std::size_t{0}, std::size_t{3}}) {
        LongRun run;
        const auto killed = std::chrono::steady_clock::now();
        REQUIRE(::kill(run.workers[rank], SIGKILL) == 0);
        CHECK(run.program.wait() == 12);
        CHECK(std::chrono::steady_clock::now() - killed < 2s);
        const Json summary = jsonOf(run.out / "summary.json");
        CHECK(summary["first_failed_rank"] == rank);
        CHECK(contains(summary["verdict"], "rank " + std::to_string(rank) + " was killed by signal 9 (SIGKILL)"));
        CHECK(contains(run.program.output(), "SIGKILL"));
        CHECK(allGone(run.workers));
    }
}

TEST_CASE("a stopped worker is a hang of that rank: code 13") {
    LongRun run({"--set", "parallel.timeout_seconds=1"});
    REQUIRE(::kill(run.workers[2], SIGSTOP) == 0);
    CHECK(run.program.wait() == 13);
    const Json summary = jsonOf(run.out / "summary.json");
    CHECK(summary["first_failed_rank"] == 2);
    CHECK(contains(summary["verdict"], "rank 2 hung"));
    CHECK(allGone(run.workers));
}

TEST_CASE("a stopped worker is found over Gloo as well") {
    LongRun run({"--set", "parallel.timeout_seconds=1", "--set", "parallel.backend=gloo"});
    REQUIRE(::kill(run.workers[1], SIGSTOP) == 0);
    CHECK(run.program.wait() == 13);
    CHECK(jsonOf(run.out / "summary.json")["first_failed_rank"] == 1);
    CHECK(allGone(run.workers));
}

TEST_CASE("killing the supervisor takes its workers along") {
    LongRun run;
    REQUIRE(::kill(run.program.pid(), SIGKILL) == 0);
    CHECK(run.program.wait() == 128 + SIGKILL);
    CHECK(eventually([&] { return allGone(run.workers); }));
    CHECK_FALSE(isRunAlive(run.out));
    Program attach({"attach", run.out, "--lines"});
    CHECK(attach.wait() == 0);
    CHECK(contains(attach.output(), "the supervisor of this run was killed"));
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

TEST_CASE("a full disk ends the run with code 2 and names the file") {
    const TemporaryDirectory scratch;
    if (::mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=600k") != 0) {
        WARN("not checked: mounting a small file system needs root");
        return;
    }
    {
        Program run({"run", "--out", scratch.path() / "run", "--set", "training.epochs=1000000"});
        CHECK(run.wait() == 2);
        INFO(run.output());
        CHECK(contains(run.output(), "cannot be written (No space left on device)"));
        CHECK(allGone(workerPids(scratch.path() / "run")));
        const Json summary = jsonOf(scratch.path() / "run/summary.json");
        CHECK(summary["state"] == "failed");
        CHECK(summary["exit_code"] == 2);
        CHECK(linesOf(scratch.path() / "run/telemetry.jsonl").back()["kind"] == "end");
        for (const char* file : {"metrics.jsonl", "telemetry.jsonl", "log.txt"}) {
            const std::string content = contentOf(scratch.path() / "run" / file);
            CHECK((content.empty() || content.back() == '\n'));
        }
        Program late({"run", "--out", scratch.path() / "late"});
        CHECK(late.wait() == 2);
        CHECK(contains(late.output(), "No space left on device"));
        CHECK_FALSE(fs::exists(scratch.path() / "late"));
    }
    ::umount2(scratch.path().c_str(), MNT_DETACH);
}
