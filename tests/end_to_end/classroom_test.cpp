// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>

#include "program.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// Classroom on this computer; each member has its own folder.
struct Lesson {
    TemporaryDirectory scratch;
    fs::path out = scratch.path() / "run";
    std::unique_ptr<Program> host;
    std::map<std::string, std::unique_ptr<Program>> guests;

    explicit Lesson(const Words& more) {
        host = std::make_unique<Program>(joined({"host", "--address", "127.0.0.1", "--out", out}, more));
    }
    std::string code() {
        for (int i = 0; i < 30 && !contains(host->output(), "join code: "); ++i) host->wait(1s);
        const std::string& said = host->output();
        const std::size_t at = said.find("join code: ");
        REQUIRE(at != std::string::npos);
        return said.substr(at + 11, said.find('\n', at) - at - 11);
    }
    void join(const std::string& name, const std::string& code, const Words& more = {}) {
        guests[name] =
            std::make_unique<Program>(joined({"join", "--code-file", codeFile(scratch.path() / (name + ".code"), code),
                                              "--name", name, "--folder", (scratch.path() / name).string()},
                                             more));
    }
    Json summary() const { return jsonOf(out / "summary.json"); }
};

const Words kThreeEpochs{"--set", "training.epochs=3"};
// Classroom run that is slow enough to be disturbed in the middle, with a checkpoint per epoch.
const Words kSlowClass{"--set", "training.epochs=25",  "--set", "pitfalls.slow_rank=0",
                       "--set", "pitfalls.slow_ms=12", "--set", "parallel.timeout_seconds=5"};

// True if the checkpoint of a complete epoch exists.
bool hasEpoch(const fs::path& run) {
    std::error_code error;
    for (const auto& one : fs::directory_iterator(run / "checkpoints", error)) {
        if (fs::exists(one.path() / "manifest.json", error)) return true;
    }
    return false;
}

std::vector<std::string> stepLines(const fs::path& run, std::int64_t after) {
    std::vector<std::string> lines;
    for (const Json& line : linesOf(run / "metrics.jsonl")) {
        if (line.value("kind", "") == "step" && line["step"].get<std::int64_t>() > after) lines.push_back(line.dump());
    }
    return lines;
}

}  // namespace

TEST_CASE("a classroom trains bit-identically to the ranks of ringsidectl run") {
    Lesson lesson(joined({"--ranks", "3", "--name", "Teacher"}, kThreeEpochs));
    const std::string code = lesson.code();
    lesson.join("Ada", code);
    lesson.join("Bo", code);
    CHECK(lesson.host->wait() == 0);
    for (const auto& [name, guest] : lesson.guests) {
        CHECK(guest->wait() == 0);
        CHECK(contains(guest->output(), "joined as " + name));
        CHECK(contains(guest->output(), "finished 3 epochs"));
    }
    INFO(lesson.host->output());
    const fs::path reference = lesson.scratch.path() / "reference";
    Program alone(joined({"run", "--quiet", "--out", reference, "--set", "parallel.world_size=3"}, kThreeEpochs));
    CHECK(alone.wait() == 0);
    CHECK(contentOf(lesson.out / "metrics.jsonl") == contentOf(reference / "metrics.jsonl"));
    // The telemetry contains the names that the window shows on the cards of the ranks.
    const std::string telemetry = contentOf(lesson.out / "telemetry.jsonl");
    for (const std::string name : {"Teacher", "Ada", "Bo"}) CHECK(contains(telemetry, "\"host\":\"" + name + "\""));
    CHECK(jsonOf(lesson.out / "launch.json")["launcher"] == "a classroom");
}

TEST_CASE("guests receive missing data within the limit") {
    const TemporaryDirectory data;
    std::ofstream csv(data.path() / "flowers.csv");
    for (int i = 0; i < 400; ++i) csv << i % 7 << ',' << i % 5 << ',' << i % 2 << '\n';
    csv.close();
    const Words set{"--ranks", "2",
                    "--set",   "dataset.kind=csv",
                    "--set",   "dataset.path=" + (data.path() / "flowers.csv").string(),
                    "--set",   "training.epochs=2"};
    Lesson lesson(set);
    lesson.join("Ada", lesson.code());
    CHECK(lesson.host->wait() == 0);
    CHECK(lesson.guests["Ada"]->wait() == 0);
    const fs::path kept = lesson.scratch.path() / "Ada" / "files";
    REQUIRE(fs::exists(kept));
    for (const auto& file : fs::directory_iterator(kept))
        CHECK(contentOf(file.path()) == contentOf(data.path() / "flowers.csv"));
    CHECK(std::distance(fs::directory_iterator(kept), fs::directory_iterator()) == 1);
    // The folder contains nothing but the received files.
    CHECK(std::distance(fs::directory_iterator(kept.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a guest that leaves does not end the run of the other guests") {
    Lesson lesson(joined({"--ranks", "3", "--min-ranks", "2"}, kSlowClass));
    const std::string code = lesson.code();
    lesson.join("Ada", code);
    lesson.join("Bo", code);
    REQUIRE(eventually([&] { return hasEpoch(lesson.out); }));
    lesson.guests["Bo"]->signal(SIGTERM);
    CHECK(lesson.guests["Bo"]->wait() == 20);
    CHECK(lesson.host->wait() == 0);
    CHECK(lesson.summary()["state"] == "finished");
    CHECK(lesson.summary()["world_size"] == 2);
    CHECK(contains(lesson.host->output(), "Bo has left"));
    CHECK(contains(lesson.host->output(), " on Bo left the run at step "));
    CHECK_FALSE(contains(lesson.host->output(), "disappeared"));
}

TEST_CASE("a guest that leaves a classroom without min_ranks ends the run, which reports that the guest left") {
    Lesson lesson({"--ranks", "2", "--set", "training.epochs=1000000"});
    lesson.join("Ada", lesson.code());
    REQUIRE(eventually([&] { return hasTrained(lesson.out); }));
    lesson.guests["Ada"]->signal(SIGINT);
    CHECK(lesson.guests["Ada"]->wait() == 20);
    CHECK(lesson.host->wait() == 12);
    CHECK(lesson.summary()["state"] == "failed");
    CHECK(lesson.summary()["first_failed_rank"] == 1);
    CHECK(contains(lesson.summary()["verdict"], "rank 1 on Ada left the run at step "));
    CHECK_FALSE(contains(contentOf(lesson.out / "log.txt"), "disappeared"));
}

TEST_CASE("a guest that joins after the start reads that it takes part from the next start") {
    Lesson lesson({"--ranks", "2", "--set", "training.epochs=1000000"});
    const std::string code = lesson.code();
    lesson.join("Ada", code);
    REQUIRE(eventually([&] { return hasTrained(lesson.out); }));
    lesson.join("Late", code);
    Program& late = *lesson.guests["Late"];
    const std::string expected =
        "the other computers are training; this computer takes part from the next start: step ";
    for (int i = 0; i < 30 && !contains(late.output(), expected); ++i) late.wait(1s);
    CHECK(contains(late.output(), "joined as Late"));
    CHECK(contains(late.output(), expected));
    lesson.guests["Ada"]->wait(1s);
    CHECK_FALSE(contains(lesson.guests["Ada"]->output(), "the other computers are training"));
    lesson.host->signal(SIGINT);
    CHECK(lesson.host->wait() == 20);
    CHECK(late.wait() == 20);
    CHECK(lesson.summary()["world_size"] == 2);
}

TEST_CASE("a classroom that loses a computer continues with fewer ranks from the last complete epoch") {
    Lesson lesson(joined({"--ranks", "3", "--min-ranks", "2"}, kSlowClass));
    const std::string code = lesson.code();
    lesson.join("Ada", code);
    lesson.join("Bo", code);
    REQUIRE(eventually([&] { return hasEpoch(lesson.out); }));
    lesson.guests["Bo"]->signal(SIGKILL);
    CHECK(lesson.host->wait() == 0);
    CHECK(lesson.guests["Ada"]->wait() == 0);
    INFO(lesson.host->output());
    CHECK(contains(lesson.host->output(),
                   "the samples after the last complete epoch are assigned to 2 ranks instead of 3"));
    const Json summary = lesson.summary();
    CHECK(summary["state"] == "finished");
    CHECK(summary["world_size"] == 2);
    CHECK(summary["restarts"] == 1);
    // After the restart, the run must equal a run of two ranks that resumes from the same checkpoint.
    std::int64_t epochsOfThree = 0;
    for (const Json& line : linesOf(lesson.out / "metrics.jsonl")) {
        if (line.value("kind", "") == "control" && line.value("command", "") == "restart")
            epochsOfThree = line.value("epoch", std::int64_t{0});
    }
    REQUIRE(epochsOfThree > 0);
    const fs::path three = lesson.scratch.path() / "three";
    Program warmUp({"run", "--quiet", "--out", three, "--set", "parallel.world_size=3", "--set",
                    "training.epochs=" + std::to_string(epochsOfThree)});
    CHECK(warmUp.wait() == 0);
    const fs::path two = lesson.scratch.path() / "two";
    Program rest({"run", "--quiet", "--out", two, "--resume", three.string(), "--set", "parallel.world_size=2", "--set",
                  "training.epochs=25"});
    CHECK(rest.wait() == 0);
    const auto stepsOfThree = epochsOfThree * 15;  // ceil(ceil(1437 / 3) / 32)
    CHECK(stepLines(lesson.out, stepsOfThree) == stepLines(two, stepsOfThree));
}

TEST_CASE("a classroom with max_restarts alone continues from the last complete epoch with a new guest") {
    Lesson lesson({"--ranks", "2", "--set", "parallel.max_restarts=1", "--set", "training.epochs=25", "--set",
                   "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=12"});
    const std::string code = lesson.code();
    lesson.join("Ada", code);
    REQUIRE(eventually([&] { return hasEpoch(lesson.out); }));
    lesson.guests["Ada"]->signal(SIGKILL);
    lesson.join("Bo", code);
    CHECK(lesson.host->wait() == 0);
    INFO(lesson.host->output());
    std::int64_t epochsBefore = 0;
    for (const Json& line : linesOf(lesson.out / "metrics.jsonl")) {
        if (line.value("command", "") == "restart") epochsBefore = line["epoch"];
    }
    CHECK(epochsBefore > 0);
}

TEST_CASE("a wrong join code, a missing name and a closed classroom are reported in one line") {
    Lesson lesson({"--ranks", "2"});
    std::string wrong = lesson.code();
    wrong[wrong.find('/') + 1] = wrong[wrong.find('/') + 1] == '7' ? '6' : '7';
    lesson.join("Eve", wrong);
    CHECK(lesson.guests["Eve"]->wait() == 2);
    CHECK(contains(lesson.guests["Eve"]->output(), "the join code belongs to another classroom"));
    Program nameless({"join", lesson.code()});
    CHECK(nameless.wait() == 2);
    CHECK(contains(nameless.output(), "--name is missing"));
    Program mistyped({"join", "10.0.0.7", "--name", "Ada"});
    CHECK(mistyped.wait() == 2);
    CHECK(contains(mistyped.output(), "has no \"/\""));
    lesson.host->signal(SIGINT);
    CHECK(lesson.host->wait() == 20);
    CHECK_FALSE(fs::exists(lesson.out));
}

TEST_CASE("the join code comes from standard input, the environment or a file, and is in no command line") {
    Lesson lesson({"--ranks", "2", "--set", "training.epochs=1"});
    const std::string code = lesson.code();
    const std::string secret = code.substr(code.find('/') + 1);
    const std::string way = GENERATE("input", "environment", "file", "argument");
    CAPTURE(way);
    const Words rest{"--name", "Ada", "--folder", (lesson.scratch.path() / "Ada").string()};
    std::unique_ptr<Program> guest;
    std::array<int, 2> pipe{-1, -1};
    REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
    const UniqueFd reading(pipe[0]);
    UniqueFd writing(pipe[1]);
    if (way == "input") {
        const std::string line = code + "\n";
        REQUIRE(::write(writing.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()));
        guest = std::make_unique<Program>(joined({"join", "-"}, rest), reading.get());
    } else if (way == "environment") {
        ::setenv("RINGSIDE_CODE", code.c_str(), 1);
        guest = std::make_unique<Program>(joined({"join"}, rest));
        ::unsetenv("RINGSIDE_CODE");
    } else if (way == "file") {
        const fs::path file = codeFile(lesson.scratch.path() / "code", code);
        guest = std::make_unique<Program>(joined({"join", "--code-file", file.string()}, rest));
    } else {
        guest = std::make_unique<Program>(joined({"join", code}, rest));
    }
    const std::string process = "/proc/" + std::to_string(guest->pid());
    const auto isJoining = [&] { return contains(contentOf(process + "/cmdline"), "join"); };
    REQUIRE(eventually(isJoining));
    const bool isInCommand = contains(contentOf(process + "/cmdline"), secret);
    CHECK(lesson.host->wait() == 0);
    CHECK(guest->wait() == 0);
    CHECK(isInCommand == (way == "argument"));
    CHECK(contains(guest->output(), "other users of this computer can read the join code") == (way == "argument"));
}

TEST_CASE("a typed join code is not shown, and the terminal is restored") {
    const UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE((master && ::grantpt(master.get()) == 0 && ::unlockpt(master.get()) == 0));
    const UniqueFd terminal(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(terminal);
    const auto shows = [&] {
        termios now{};
        return ::tcgetattr(terminal.get(), &now) == 0 && (now.c_lflag & ECHO) != 0;
    };
    REQUIRE(shows());
    const bool stops = GENERATE(false, true);
    Program guest({"join", "-", "--name", "Ada"}, terminal.get());
    REQUIRE(eventually([&] { return !shows(); }));
    if (stops) {
        guest.signal(SIGINT);
    } else {
        REQUIRE(::write(master.get(), "10.0.0.7 secret\n", 16) == 16);
    }
    CHECK(guest.wait() == 2);
    CHECK(shows());
    CHECK(contains(guest.output(), "Join code: "));
    CHECK(contains(guest.output(), stops ? "the join code was not entered" : "has no \"/\""));
    pollfd echoed{master.get(), POLLIN, 0};
    std::string shown(64, '\0');
    if (::poll(&echoed, 1, 0) > 0) shown.resize(static_cast<std::size_t>(::read(master.get(), shown.data(), 64)));
    CHECK_FALSE(contains(shown, "secret"));
}

TEST_CASE("a join code that is missing, given twice or readable by other users is reported in one line") {
    const TemporaryDirectory scratch;
    const fs::path file = codeFile(scratch.path() / "code", "10.0.0.7");
    Program missing({"join", "--name", "Ada"});
    CHECK(missing.wait() == 2);
    CHECK(contains(missing.output(), "the join code is missing: use ringsidectl join - and enter it"));
    Program twice({"join", "-", "--code-file", file.string(), "--name", "Ada"});
    CHECK(twice.wait() == 2);
    CHECK(contains(twice.output(), "the join code is given twice"));
    Program mistyped({"join", "--code-file", file.string(), "--name", "Ada"});
    CHECK(mistyped.wait() == 2);
    CHECK(contains(mistyped.output(), "has no \"/\""));
    CHECK_FALSE(contains(mistyped.output(), "chmod"));
    fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
    Program open({"join", "--code-file", file.string(), "--name", "Ada"});
    CHECK(open.wait() == 2);
    CHECK(contains(open.output(), "chmod 600"));
    Program ended({"join", "-", "--name", "Ada"});  // its standard input is at the end
    CHECK(ended.wait() == 2);
    CHECK(contains(ended.output(), "the join code was not entered"));
}
