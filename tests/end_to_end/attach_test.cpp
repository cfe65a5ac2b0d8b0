// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>

#include "program.h"
#include "run/read/run_directory.h"
#include "run/read/run_life.h"
#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Detached run that continues until a test stops it. The destructor stops it if a test has not.
struct DetachedRun {
    TemporaryDirectory scratch;
    fs::path out = scratch.path() / "run";
    std::vector<pid_t> workers;

    DetachedRun() {
        Program run({"run", "--detach", "--out", out, "--set", "training.epochs=1000000"});
        REQUIRE(run.wait() == 0);
        REQUIRE(run.output() == "run directory: " + out.string() + "\n");
        REQUIRE(isRunAlive(out));
        REQUIRE(eventually([&] { return hasTrained(out); }));
        workers = workerPids(out);
    }
    ~DetachedRun() {
        if (isRunAlive(out)) ::kill(jsonOf(out / "supervisor.json")["pid"].get<pid_t>(), SIGKILL);
        eventually([&] { return allGone(workers); });
    }
    void expectStopped() {
        CHECK(eventually([&] { return !isRunAlive(out); }));
        CHECK(jsonOf(out / "summary.json")["state"] == "stopped");
        CHECK(allGone(workers));
    }
};

struct InputPipe {
    UniqueFd reader, writer;
    InputPipe() {
        int fds[2];
        REQUIRE(::pipe2(fds, O_CLOEXEC) == 0);
        reader.reset(fds[0]);
        writer.reset(fds[1]);
    }
    void write(const std::string& text) const {
        REQUIRE(::write(writer.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
};

}  // namespace

TEST_CASE("attach --lines replays a finished run byte for byte") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    REQUIRE(Program({"run", "--quiet", "--out", out}).wait() == 0);
    Program lines({"attach", out, "--lines"});
    CHECK(lines.wait() == 0);
    CHECK(lines.output() == contentOf(out / "telemetry.jsonl"));
    Program people({"attach", out});
    CHECK(people.wait() == 0);
    CHECK(contains(people.output(), "final validation accuracy: 9"));
}

TEST_CASE("a finished run without config.json is shown, attached, exported and compared as before") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--quiet", "--out", out, "--set", "training.epochs=2", "--set", "telemetry.trace=phases"});
    REQUIRE(run.wait() == 0);
    const fs::path other = scratch.path() / "other";
    Program changed({"run", "--quiet", "--out", other, "--set", "training.epochs=2", "--set", "optimizer.lr=0.2"});
    REQUIRE(changed.wait() == 0);
    const auto outputs = [&] {
        std::vector<std::string> texts;
        const fs::path trace = scratch.path() / "trace.json";
        for (const std::vector<std::string>& arguments : {std::vector<std::string>{"show", out},
                                                          {"attach", "--lines", out},
                                                          {"export", "--to", "trace", out, "--output", trace}}) {
            Program program(arguments);
            CHECK(program.wait() == 0);
            texts.push_back(program.output());
        }
        texts.push_back(contentOf(trace));
        Program compared({"compare", out, other});
        compared.wait();
        CHECK(contains(compared.output(), "optimizer.lr"));
        texts.push_back(compared.output());
        return texts;
    };
    const std::vector<std::string> before = outputs();
    REQUIRE(fs::remove(out / "config.json"));
    CHECK(outputs() == before);
}

TEST_CASE("a control line stops a detached run, and its last line is the end of the run") {
    DetachedRun run;
    const InputPipe input;
    Program attach({"attach", run.out, "--lines"}, input.reader.get());
    input.write("{\"kind\":\"stop\"}\n");
    CHECK(attach.wait() == 0);
    CHECK(attach.output() == contentOf(run.out / "telemetry.jsonl"));
    CHECK(contains(attach.output(), "{\"kind\":\"end\",\"state\":\"stopped\""));
    run.expectStopped();
}

TEST_CASE("a run continues when its viewer is killed or disconnects") {
    DetachedRun run;
    {
        InputPipe input;
        Program attach({"attach", run.out, "--lines"}, input.reader.get());
        input.writer.reset();
        CHECK(attach.wait() == 0);
    }
    {
        Program attach({"attach", run.out, "--lines"});
        attach.signal(SIGKILL);
        CHECK(attach.wait() == 128 + SIGKILL);
    }
    CHECK(isRunAlive(run.out));
    CHECK_FALSE(allGone(run.workers));
    Program people({"attach", run.out, "--stop"});
    CHECK(people.wait() == 20);
    run.expectStopped();
}

TEST_CASE("attach to a finished run with damaged telemetry returns the exit code of the run") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    REQUIRE(Program({"run", "--quiet", "--out", out, "--set", "training.epochs=1"}).wait() == 0);
    const std::string whole = contentOf(out / "telemetry.jsonl");
    std::ofstream(out / "telemetry.jsonl") << whole.substr(0, whole.size() / 2);
    Program people({"attach", out});
    CHECK(people.wait() == 0);
    CHECK(contains(people.output(), "telemetry.jsonl of this run is damaged or truncated"));
    CHECK(contains(people.output(), "finished 1 epoch in "));
}

TEST_CASE("show and attach see another user's run as live, and control is refused with the owner's name") {
    DetachedRun run;
    fs::permissions(run.scratch.path(), fs::perms(0755));
    if (::geteuid() != 0) {
        WARN("not checked: acting as another user needs root");
        return;
    }
    const auto asNobody = [](std::vector<std::string> words) {
        words.insert(words.begin(), {"--reuid", "65534", "--clear-groups", builtProgram("ringsidectl")});
        return std::make_unique<Program>(words, -1, "/usr/bin/setpriv");
    };
    const auto show = asNobody({"show", run.out});
    CHECK(show->wait() == 2);
    CHECK(contains(show->output(), "is still running"));
    const auto control = asNobody({"control", run.out, "pause"});
    CHECK(control->wait() == 2);
    CHECK(contains(control->output(), "belongs to user root; only this user can control it"));
    const auto stop = asNobody({"attach", run.out, "--stop"});
    CHECK(stop->wait() == 2);
    CHECK(contains(stop->output(), "belongs to user root; only this user can control it: stop not sent"));
    const auto attach = asNobody({"attach", run.out});
    attach->signal(SIGINT);
    Program own({"attach", run.out, "--stop"});
    CHECK(own.wait() == 20);
    attach->wait();
    CHECK_FALSE(contains(attach->output(), "was killed"));
}

TEST_CASE("attaching to a directory without a run returns code 2") {
    const TemporaryDirectory scratch;
    Program none({"attach", scratch.path() / "none"});
    CHECK(none.wait() == 2);
    CHECK(contains(none.output(), "does not exist"));
    Program empty({"attach", scratch.path(), "--lines"});
    CHECK(empty.wait() == 2);
    CHECK(contains(empty.output(), "contains no run"));
}
