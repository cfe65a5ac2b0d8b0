// SPDX-License-Identifier: Apache-2.0
// Tests against two former errors: a failed run that was reported as finished, and a run that lost its weights without
// a failure.
#include <csignal>

#include "program.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const std::string kCtl = builtProgram("ringsidectl");

// Run of four ranks that continues until a test ends it.
struct Endless {
    TemporaryDirectory scratch;
    fs::path out = scratch.path() / "run";
    Program program;
    std::vector<pid_t> workers;

    explicit Endless(const std::vector<std::string>& more = {}) : program(arguments(more)) { begin(); }
    // Starts the run in a shell that first executes `first`.
    explicit Endless(const std::string& first)
        : program({"-c", first + "; exec " + kCtl + " run --out " + out.string() + " --set training.epochs=1000000"},
                  -1, "/bin/sh") {
        begin();
    }
    void begin() {
        REQUIRE(eventually([&] { return hasTrained(out); }));
        workers = workerPids(out);
        REQUIRE(workers.size() == 4);
    }
    std::vector<std::string> arguments(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"run", "--out", out, "--set", "training.epochs=1000000"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Json summary() const { return jsonOf(out / "summary.json"); }
    bool hasCheckpoint() const { return fs::exists(out / "checkpoints") && !fs::is_empty(out / "checkpoints"); }
};

// Returns the summary of a run in a shell that first executes `first`.
Json ranWith(const std::string& first, const fs::path& out, const std::string& more, int code) {
    Program program({"-c", first + "; exec " + kCtl + " run --out " + out.string() + " " + more}, -1, "/bin/sh");
    const int ended = program.wait();
    INFO(program.output());
    CHECK(ended == code);
    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["state"] == "failed");
    CHECK(summary["exit_code"] == code);
    return summary;
}

}  // namespace

TEST_CASE("a rank that returns after the other ranks timed out counts as hung, and the run fails") {
    for (const char* backend : {"shm", "gloo"}) {
        Endless run({"--set", "parallel.timeout_seconds=" + kShortSeconds, "--set",
                     std::string("parallel.backend=\"") + backend + "\""});
        REQUIRE(::kill(run.workers[2], SIGSTOP) == 0);
        const auto gaveUp = [&] {
            return contains(contentOf(run.out / "telemetry.jsonl"), "within " + kShortSeconds + " s") ||
                   fs::exists(run.out / "summary.json");  // the supervisor may have detected the hang before the ranks
        };
        CHECK(eventually(gaveUp));
        ::kill(run.workers[2], SIGCONT);
        CHECK(run.program.wait() == 13);
        CHECK(run.summary()["state"] == "failed");
        CHECK(run.summary()["first_failed_rank"] == 2);
        CHECK(allGone(run.workers));
    }
}

TEST_CASE("ranks that cannot reach each other are not reported as finished") {
    Program probe({"-n", "true"}, -1, "/usr/bin/unshare");
    if (probe.wait() != 0) {
        WARN("not checked: a network of its own needs privileges");
        return;
    }
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"-n", kCtl, "run", "--out", out, "--set", "parallel.backend=gloo", "--set",
                 "parallel.timeout_seconds=3", "--set", "parallel.world_size=3"},
                -1, "/usr/bin/unshare");
    CHECK(run.wait() == 10);
    INFO(run.output());
    CHECK(jsonOf(out / "summary.json")["state"] == "failed");
    CHECK_FALSE(contains(run.output(), "finished"));
}

TEST_CASE("a too small address space is reported with the limit") {
    if (kSanitized) {
        WARN("not tried: AddressSanitizer itself needs terabytes of addresses");
        return;
    }
    const TemporaryDirectory scratch;
    const Json summary = ranWith("ulimit -v 900000", scratch.path() / "run", "--set 'model.hidden=[8192,8192]'", 10);
    INFO(summary["verdict"]);
    CHECK(contains(summary["verdict"], "ulimit -v"));
    CHECK(summary["steps"] == 0);
}

TEST_CASE("a limit on file sizes ends a run with a summary that names it") {
    const TemporaryDirectory scratch;
    const Json summary =
        ranWith("ulimit -f 40", scratch.path() / "run", "--set training.epochs=1000000 --set parallel.backend=gloo", 2);
    INFO(summary["verdict"]);
    CHECK(contains(summary["verdict"], "File too large"));
    Program shared({"-c", "ulimit -f 40; exec " + kCtl + " run --out " + (scratch.path() / "shm").string()}, -1,
                   "/bin/sh");
    CHECK(shared.wait() == 2);
    CHECK(contains(shared.output(), "raise the limit of file sizes (ulimit -f)"));
}

TEST_CASE("the weights are saved after two Ctrl-C, or after three hang-ups of the terminal") {
    Endless twice;
    for (int i = 0; i < 2; ++i) REQUIRE(::kill(twice.program.pid(), SIGINT) == 0);
    CHECK(twice.program.wait() == 20);
    CHECK(twice.hasCheckpoint());
    CHECK_FALSE(contains(twice.summary()["verdict"], "terminated"));

    Endless closed;
    const auto gone = [&] {
        ::kill(closed.program.pid(), SIGHUP);
        return fs::exists(closed.out / "summary.json");
    };
    CHECK(eventually(gone));
    CHECK(closed.program.wait() == 20);
    CHECK(closed.hasCheckpoint());
    CHECK_FALSE(contains(closed.summary()["verdict"], "terminated"));
}

TEST_CASE("a reader that does not read cannot block a run") {
    Endless run;
    // Waits until the run has written more output than a pipe buffers, which no process reads. Steps are slow under a
    // sanitizer.
    REQUIRE(eventually([&] { return linesOf(run.out / "metrics.jsonl").size() > (kSanitized ? 3000U : 20000U); }));
    REQUIRE(::kill(run.workers[1], SIGKILL) == 0);
    CHECK(eventually([&] { return fs::exists(run.out / "summary.json"); }));
    CHECK(run.program.wait() == 12);
    CHECK(run.summary()["first_failed_rank"] == 1);
}

TEST_CASE("signals ignored by the parent do not stop a run") {
    Endless run(std::string("trap '' INT HUP"));
    REQUIRE(::kill(run.program.pid(), SIGINT) == 0);
    REQUIRE(::kill(run.program.pid(), SIGHUP) == 0);
    const std::size_t before = linesOf(run.out / "metrics.jsonl").size();
    CHECK(eventually([&] { return linesOf(run.out / "metrics.jsonl").size() > before + 100; }));
    CHECK_FALSE(contains(contentOf(run.out / "log.txt"), "stop requested"));
    REQUIRE(::kill(run.program.pid(), SIGTERM) == 0);
    CHECK(run.program.wait() == 20);
}

TEST_CASE("a deleted run directory is detected, reported and created again for the weights") {
    Endless run;
    fs::remove_all(run.out);
    CHECK(run.program.wait() == 2);
    INFO(run.program.output());
    CHECK(contains(run.program.output(), "was deleted or moved during the run"));
    CHECK(run.hasCheckpoint());
    CHECK(run.summary()["state"] == "failed");
    CHECK(allGone(run.workers));
    Program resumed(
        {"run", "--resume", run.out, "--out", run.scratch.path() / "more", "--set", "training.epochs=100000"});
    CHECK(eventually([&] { return hasTrained(run.scratch.path() / "more"); }));
    resumed.signal(SIGTERM);
    CHECK(resumed.wait() == 20);
}

TEST_CASE("attaching to a run reports a killed supervisor with the code of a dead rank") {
    Endless run;
    REQUIRE(::kill(run.program.pid(), SIGKILL) == 0);
    CHECK(run.program.wait() == 128 + SIGKILL);
    REQUIRE(eventually([&] { return allGone(run.workers); }));
    Program attach({"attach", run.out});
    CHECK(attach.wait() == 12);
    CHECK(contains(attach.output(), "the supervisor of this run and its ranks were killed"));
}

TEST_CASE("a save longer than the timeout is waited for and reported") {
    const std::string timeout = kSanitized ? "15" : "2";
    const std::string stall = kSanitized ? "20" : "5";
    for (const char* backend : {"shm", "gloo"}) {
        const TemporaryDirectory scratch;
        const fs::path out = scratch.path() / "run";
        ::setenv("RINGSIDE_FAULT", ("stall=" + stall + "@saving:0").c_str(), 1);
        Program run(
            {"run", "--out", out, "--set", "training.epochs=1000000", "--set", "parallel.timeout_seconds=" + timeout,
             "--set", std::string("parallel.backend=\"") + backend + "\""},
            -1, testProgram("faults/ringsidectl"));
        ::unsetenv("RINGSIDE_FAULT");
        REQUIRE(eventually([&] { return hasTrained(out); }));
        REQUIRE(::kill(run.pid(), SIGINT) == 0);
        CHECK(run.wait() == 20);
        INFO(run.output());
        CHECK(contains(run.output(), "stopping: waiting for rank 0, which saves"));
        const Json summary = jsonOf(out / "summary.json");
        CHECK(summary["state"] == "stopped");
        CHECK_FALSE(contains(summary["verdict"], "terminated"));
        CHECK(fs::exists(out / "checkpoints"));
    }
}

TEST_CASE("a full standard output ends a command with code 2, and a closed pipe does not") {
    const TemporaryDirectory scratch;
    const auto codeOf = [](const std::string& command) {
        Program program({"-c", command}, -1, "/bin/sh");
        return program.wait();
    };
    CHECK(codeOf("exec " + kCtl + " config --defaults >/dev/full") == 2);
    CHECK(codeOf("exec " + kCtl + " config --defaults >/dev/null") == 0);
    CHECK(codeOf("exec " + kCtl + " --version >/dev/full") == 2);
    CHECK(codeOf("exec " + kCtl + " run --help >/dev/full") == 2);
    CHECK(codeOf("exec " + kCtl + " run --help >/dev/null") == 0);
    // Descriptor 4 is a pipe without a reader.
    const std::string pipe = (scratch.path() / "pipe").string();
    CHECK(codeOf("mkfifo " + pipe + "; exec 3<>" + pipe + " 4>" + pipe + " 3>&-; exec " + kCtl +
                 " config --defaults >&4") == 0);
}
