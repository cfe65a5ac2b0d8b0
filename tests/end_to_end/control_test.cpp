// SPDX-License-Identifier: Apache-2.0
// Tests of commands that another process sends to a live run.
#include <algorithm>
#include <csignal>
#include <sstream>

#include "base/system/files.h"
#include "program.h"
#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

struct ControlReply {
    int code = 0;
    std::string text;
};

// Returns a number of epochs that take seconds, plus `more`. An epoch takes much longer under a sanitizer.
std::string longRun(int more = 0) {
    return std::to_string((kSanitized ? 80 : 400) + more);
}

ControlReply sendCommand(const fs::path& run, std::vector<std::string> words) {
    words.insert(words.begin(), {"control", run, "--wait", "60"});
    Program control(words);
    const int code = control.wait();
    return {code, control.output()};
}

std::string weightsOf(const fs::path& run) {
    const std::string name = jsonOf(run / "summary.json")["steps"].dump();
    const std::string step = "step-" + std::string(8 - name.size(), '0') + name;
    return readFile(run / "checkpoints" / step / "model.safetensors", 1 << 24).value();
}

// Returns the CPU time of a process in clock ticks of 0.01 s, from fields 14 and 15 of /proc/PID/stat.
std::int64_t cpuTicks(pid_t pid) {
    const std::string stat = readFile("/proc/" + std::to_string(pid) + "/stat", 1 << 12).value();
    std::istringstream rest(stat.substr(stat.rfind(')') + 2));
    std::string field;
    std::int64_t ticks = 0;
    for (int i = 3; i <= 15 && rest >> field; ++i)
        if (i >= 14) ticks += std::stoll(field);
    return ticks;
}

}  // namespace

TEST_CASE("a run that is paused, stepped and slowed down from outside ends with the same weights") {
    const TemporaryDirectory scratch;
    const fs::path plain = scratch.path() / "plain";
    const fs::path controlled = scratch.path() / "controlled";
    const std::string backend = GENERATE("shm", "gloo");
    const std::vector<std::string> settings{
        "--quiet", "--set", "parallel.world_size=2", "--set", "parallel.backend=" + backend,
        // The run sleeps in each step, so that it lasts long enough for all commands without computing.
        "--set", "training.epochs=30", "--set", "pitfalls.slow_rank=1", "--set", "pitfalls.slow_ms=4"};
    const auto start = [&](const fs::path& out, std::vector<std::string> more = {}) {
        std::vector<std::string> words{"run", "--out", out};
        words.insert(words.end(), settings.begin(), settings.end());
        words.insert(words.end(), more.begin(), more.end());
        return std::make_unique<Program>(words);
    };
    const auto undisturbed = start(plain);
    INFO(undisturbed->output());
    const int plainCode = undisturbed->wait();
    if (plainCode == 2 && backend == "gloo") {
        WARN("built without Gloo: " + undisturbed->output());
        return;
    }
    REQUIRE(plainCode == 0);

    const auto run = start(controlled);
    REQUIRE(eventually([&] { return fs::exists(controlled / "telemetry.jsonl"); }));
    const ControlReply paused = sendCommand(controlled, {"pause"});
    INFO(paused.text);
    REQUIRE(paused.code == 0);
    CHECK(contains(paused.text, "paused after optimizer, step "));
    CHECK(contains(sendCommand(controlled, {"pause"}).text, "already paused"));
    CHECK(contains(sendCommand(controlled, {"step", "2"}).text, "paused after optimizer, step "));
    CHECK(contains(sendCommand(controlled, {"phase"}).text, "paused after data, step "));
    CHECK(contains(sendCommand(controlled, {"phase"}).text, "paused after forward, step "));
    CHECK(sendCommand(controlled, {"rate", "500"}).code == 0);
    CHECK(sendCommand(controlled, {"resume"}).code == 0);
    sendCommand(controlled, {"rate", "full"});  // fails without consequences if the run has already ended
    REQUIRE(run->wait() == 0);
    CHECK(weightsOf(controlled) == weightsOf(plain));
    CHECK(jsonOf(controlled / "summary.json")["paused_seconds"].get<double>() > 0);
    CHECK(jsonOf(plain / "summary.json")["paused_seconds"].get<double>() == 0);
    int controls = 0;
    for (const Json& line : linesOf(controlled / "metrics.jsonl")) controls += line["kind"] == "control";
    CHECK(controls >= 8);
}

TEST_CASE("a paused run uses no processor time, does not count as hung and stops at once") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--quiet", "--out", out, "--set", "parallel.world_size=2", "--set", "training.epochs=100000",
                 "--set", kShortTimeout});
    REQUIRE(eventually([&] { return hasTrained(out); }));
    REQUIRE(sendCommand(out, {"pause"}).code == 0);
    const std::vector<pid_t> workers = workerPids(out);
    REQUIRE(workers.size() == 2);
    const std::int64_t before = cpuTicks(workers[0]) + cpuTicks(workers[1]);
    CHECK(run.wait(std::chrono::seconds(8)) == -1);  // 8 s are longer than any timeout of this run
    // At most 40 of the 1,600 ticks that two busy processes use in 8 s.
    CHECK(cpuTicks(workers[0]) + cpuTicks(workers[1]) - before <= 40);
    CHECK(sendCommand(out, {"stop"}).code == 0);
    CHECK(run.wait() == 20);
    CHECK(jsonOf(out / "summary.json")["state"] == "stopped");
}

TEST_CASE("a resumed run trains the requested number of epochs") {
    const TemporaryDirectory scratch;
    const fs::path first = scratch.path() / "first";
    const fs::path whole = scratch.path() / "whole";
    const fs::path rest = scratch.path() / "rest";
    const auto settings = [&](const fs::path& out, const std::string& epochs) {
        return std::vector<std::string>{
            "run", "--quiet", "--out", out, "--set", "parallel.world_size=2", "--set", "training.epochs=" + epochs};
    };
    Program undisturbed(settings(whole, longRun(2)));
    REQUIRE(undisturbed.wait() == 0);
    Program run(joined(settings(first, longRun()), kSlow));
    REQUIRE(eventually([&] { return fs::exists(first / "telemetry.jsonl"); }));
    REQUIRE(sendCommand(first, {"pause"}).code == 0);
    CHECK(contains(sendCommand(first, {"epochs", longRun(2)}).text, "trains for " + longRun(2) + " epochs in total"));
    CHECK(sendCommand(first, {"stop"}).code == 0);
    CHECK(run.wait() == 20);
    Program more(joined({"run", "--quiet", "--resume", first, "--out", rest}, kFast));
    REQUIRE(more.wait() == 0);
    CHECK(weightsOf(rest) == weightsOf(whole));
}

TEST_CASE("a changed number of epochs agrees with training.max_steps and the current epoch") {
    const TemporaryDirectory scratch;
    const auto endAfter = [&](const char* name, const std::vector<std::string>& more, const std::string& epochs) {
        const fs::path out = scratch.path() / name;
        Program run(
            joined(joined({"run", "--quiet", "--out", out, "--set", "training.epochs=" + longRun()}, kSlow), more));
        REQUIRE(eventually([&] { return hasTrained(out); }));
        REQUIRE(sendCommand(out, {"pause"}).code == 0);
        const ControlReply reply = sendCommand(out, {"epochs", epochs});
        CHECK(reply.code == 0);
        REQUIRE(sendCommand(out, {"resume"}).code == 0);
        CHECK(run.wait() == 0);
        return reply.text;
    };
    CHECK(endAfter("limited", {"--set", "training.max_steps=5000"}, longRun(2)) ==
          "trains for " + longRun(2) + " epochs in total\n");
    const std::string raised = endAfter("lowered", {"--set", "parallel.world_size=1"}, "1");
    CHECK((raised == "trains for 1 epoch in total\n" || contains(raised, " is in progress")));
}

TEST_CASE("resume auto keeps a changed number of epochs, unless the command line gives one") {
    const TemporaryDirectory scratch;
    const fs::path first = scratch.path() / "first";
    Program run(joined(
        {"run", "--quiet", "--out", first, "--set", "parallel.world_size=1", "--set", "training.epochs=" + longRun()},
        kSlow));
    REQUIRE(eventually([&] { return fs::exists(first / "telemetry.jsonl"); }));
    REQUIRE(sendCommand(first, {"pause"}).code == 0);
    CHECK(contains(sendCommand(first, {"epochs", longRun(2)}).text, "trains for " + longRun(2) + " epochs in total"));
    CHECK(sendCommand(first, {"stop"}).code == 0);
    REQUIRE(run.wait() == 20);
    const auto copyOfFirst = [&](const char* name) {
        fs::copy(first, scratch.path() / name, fs::copy_options::recursive);
        return scratch.path() / name;
    };
    const fs::path explicitly = copyOfFirst("explicitly");
    const fs::path launched = copyOfFirst("launched");
    const fs::path restarted = copyOfFirst("restarted");
    const fs::path source = copyOfFirst("source");

    Program again(joined({"run", "--quiet", "--out", first, "--resume", "auto"}, kFast));
    CHECK(again.wait() == 0);
    CHECK(contains(again.output(), "finished " + longRun(2) + " epochs"));
    const std::vector<std::string> sets{"--set", "training.epochs=" + longRun(1)};
    Program set(joined({"run", "--quiet", "--out", explicitly, "--resume", "auto", sets[0], sets[1]}, kFast));
    CHECK(set.wait() == 0);
    CHECK(contains(set.output(), "finished " + longRun(1) + " epochs"));
    const fs::path worker = builtProgram("ringside-worker");
    Program rank({explicitly / "config.json", "--out", launched, "--resume", "auto"}, -1, worker);
    CHECK(rank.wait() == 0);
    CHECK(contains(rank.output(), "finished " + longRun(2) + " epochs"));
    // A launcher that restarts the ranks repeats the options of the first start.
    Program later({"--out", restarted, "--resume", "auto", "--restart", "1", sets[0], sets[1]}, -1, worker);
    CHECK(later.wait() == 0);
    CHECK(contains(later.output(), "finished " + longRun(2) + " epochs"));
    Program elsewhere(joined({"--out", scratch.path() / "elsewhere", "--resume", source}, kFast), -1, worker);
    CHECK(elsewhere.wait() == 0);
    CHECK(contains(elsewhere.output(), "finished " + longRun(2) + " epochs"));
}

TEST_CASE("a resumed run repeats the commands after its checkpoint, unless the command line gives the setting") {
    const TemporaryDirectory scratch;
    const fs::path first = scratch.path() / "first";
    Program run(joined(
        {"run", "--quiet", "--out", first, "--set", "parallel.world_size=1", "--set", "training.epochs=" + longRun()},
        kSlow));
    REQUIRE(eventually([&] { return hasTrained(first); }));
    REQUIRE(sendCommand(first, {"pause"}).code == 0);
    REQUIRE(sendCommand(first, {"lr", "0.01"}).code == 0);
    REQUIRE(sendCommand(first, {"checkpoint"}).code == 0);
    REQUIRE(sendCommand(first, {"lr", "0.02"}).code == 0);
    REQUIRE(sendCommand(first, {"epochs", longRun(2)}).code == 0);
    REQUIRE(sendCommand(first, {"rate", "500"}).code == 0);
    const std::vector<pid_t> workers = workerPids(first);
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
    REQUIRE(eventually([&] { return allGone(workers); }));
    fs::copy(first, scratch.path() / "auto", fs::copy_options::recursive);

    const fs::path worker = builtProgram("ringside-worker");
    const std::string sentence =
        "the resumed run repeats the commands that were given after its checkpoint was saved: ";
    // Starts a run that resumes, and returns its repeated commands once all of them have been executed.
    const auto repeated = [&](const fs::path& out, const std::vector<std::string>& words, const fs::path& program) {
        Program resumed(joined(words, kSlow), -1, program);
        const auto count = [&] {
            return std::ranges::count_if(linesOf(out / "telemetry.jsonl"),
                                         [](const Json& line) { return line["kind"] == "control"; });
        };
        std::string commands;
        REQUIRE(eventually([&] {
            const std::string log = fs::exists(out / "log.txt") ? contentOf(out / "log.txt") : "";
            const std::size_t at = log.find(sentence);
            if (at == std::string::npos) return false;
            commands = log.substr(at + sentence.size(), log.find('\n', at) - at - sentence.size());
            return count() > std::ranges::count(commands, ',');
        }));
        CHECK(sendCommand(out, {"stop"}).code == 0);
        CHECK(resumed.wait() == 20);
        return commands;
    };
    const fs::path ringsidectl = builtProgram("ringsidectl");
    const auto out = [&](const char* name) { return scratch.path() / name; };
    CHECK(repeated(out("a"), {"run", "--quiet", "--resume", first, "--out", out("a")}, ringsidectl) ==
          "epochs " + longRun(2) + ", lr 0.02, rate 500");
    CHECK(repeated(out("b"),
                   {"run", "--quiet", "--resume", first, "--out", out("b"), "--set", "training.epochs=" + longRun(1)},
                   ringsidectl) == "lr 0.02, rate 500");
    CHECK(repeated(out("c"), {"run", "--quiet", "--resume", first, "--out", out("c"), "--set", "optimizer.lr=0.01"},
                   ringsidectl) == "epochs " + longRun(2) + ", rate 500");
    CHECK(repeated(out("d"), {"--resume", first, "--out", out("d")}, worker) ==
          "epochs " + longRun(2) + ", lr 0.02, rate 500");
    CHECK(repeated(out("auto"), {"run", "--quiet", "--resume", "auto", "--out", out("auto")}, ringsidectl) ==
          "epochs " + longRun(2) + ", lr 0.02, rate 500");
}

TEST_CASE("invalid commands to a run are refused in one line") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--quiet", "--out", out, "--set", "training.epochs=1"});
    REQUIRE(run.wait() == 0);
    for (const auto& [words, said] :
         std::vector<std::pair<std::vector<std::string>, std::string>>{{{"pause"}, "has ended: pause is not possible"},
                                                                       {{"dance"}, "\"dance\" is not a command"},
                                                                       {{"rate"}, "needs a value"},
                                                                       {{"rate", "-1"}, "from 0 to"},
                                                                       {{"step", "1.5"}, "a whole number"},
                                                                       {{"pause", "3"}, "omit this word"}}) {
        const ControlReply answer = sendCommand(out, words);
        INFO(answer.text);
        CHECK(answer.code == 2);
        CHECK(contains(answer.text, said));
        CHECK(std::count(answer.text.begin(), answer.text.end(), '\n') == 1);
    }
    CHECK(sendCommand(scratch.path() / "nowhere", {"pause"}).code == 2);
}

TEST_CASE("killing and attaching viewers does not change the final weights, for every kind of model") {
    const TemporaryDirectory scratch;
    const fs::path plain = scratch.path() / "plain";
    const fs::path controlled = scratch.path() / "controlled";
    const std::vector<std::string> model = GENERATE(
        std::vector<std::string>{"model.kind=simple_cnn", "parallel.backend=shm"},
        std::vector<std::string>{"model.kind=layers",
                                 R"(model.layers=[{"kind":"conv2d","out":4,"kernel":3,"padding":1},{"kind":"relu"},)"
                                 R"({"kind":"flatten"},{"kind":"linear","out":16},{"kind":"gelu"},{"kind":"linear"}])",
                                 "parallel.backend=gloo"},
        std::vector<std::string>{"model.kind=residual_cnn", "model.width=8", "model.depth=1", "parallel.backend=gloo"},
        std::vector<std::string>{"model.kind=transformer", "dataset.kind=text", "dataset.context_length=16",
                                 "model.width=16", "model.depth=1", "model.heads=2", "model.dropout=0.1",
                                 "training.max_steps=60", "parallel.backend=gloo"});
    const auto start = [&](const fs::path& out) {
        std::vector<std::string> words{"run",   "--quiet",
                                       "--out", out,
                                       "--set", "parallel.world_size=2",
                                       "--set", "training.epochs=4",
                                       "--set", "loader.batch_size=120"};
        for (const std::string& one : model) words.insert(words.end(), {"--set", one});
        return std::make_unique<Program>(words);
    };
    const auto undisturbed = start(plain);
    INFO(undisturbed->output());
    const int plainCode = undisturbed->wait();
    if (plainCode == 2) {
        WARN("not in this build: " + undisturbed->output());
        return;
    }
    REQUIRE(plainCode == 0);

    const auto run = start(controlled);
    REQUIRE(eventually([&] { return fs::exists(controlled / "telemetry.jsonl"); }));
    REQUIRE(sendCommand(controlled, {"pause"}).code == 0);
    for (int viewer = 0; viewer < 2; ++viewer) {
        Program attached({"attach", controlled});
        CHECK(sendCommand(controlled, {"phase"}).code == 0);
        CHECK(sendCommand(controlled, {"step"}).code == 0);
        attached.signal(SIGKILL);
    }
    CHECK(sendCommand(controlled, {"replicas", "2"}).code == 0);
    CHECK(sendCommand(controlled, {"rate", "200"}).code == 0);
    CHECK(sendCommand(controlled, {"resume"}).code == 0);
    REQUIRE(run->wait() == 0);
    CHECK(weightsOf(controlled) == weightsOf(plain));
    CHECK(jsonOf(controlled / "summary.json")["weights_sha256"] == jsonOf(plain / "summary.json")["weights_sha256"]);
}

TEST_CASE("a throttled run is marked, keeps its numbers and reports the throttle") {
    const TemporaryDirectory scratch;
    const fs::path plain = scratch.path() / "plain";
    const fs::path throttled = scratch.path() / "paced";
    const auto start = [&](const fs::path& out, std::vector<std::string> more) {
        std::vector<std::string> words{"run",   "--quiet",           "--out", out,
                                       "--set", "training.epochs=1", "--set", "parallel.world_size=2"};
        words.insert(words.end(), more.begin(), more.end());
        Program run(words);
        return run.wait();
    };
    REQUIRE(start(plain, {}) == 0);
    REQUIRE(start(throttled, {"--set", "parallel.pace.gflops=0.2", "--set", "parallel.pace.gbit_per_s=0.1"}) == 0);
    const Json controlled = jsonOf(throttled / "summary.json");
    CHECK(controlled["weights_sha256"] == jsonOf(plain / "summary.json")["weights_sha256"]);
    CHECK(controlled["pace"]["gflops"] == 0.2);
    CHECK(controlled["pace"]["gbit_per_s"] == 0.1);
    CHECK(controlled["pace"]["kept"].is_boolean());
    CHECK(jsonOf(plain / "summary.json")["pace"].is_null());
    // 23 steps of 3 * 32 * 19,072 FLOP and 38 kB each way over such a link.
    CHECK(controlled["train_seconds"].get<double>() >= 22 * (3 * 32 * 19072 / 0.2e9 + 0.003));
}

TEST_CASE("a rank that stops one step early is named with the mistake and the remedy") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--quiet", "--out", out, "--set", "parallel.world_size=3", "--set", "pitfalls.early_exit=true",
                 "--set", kShortTimeout});
    REQUIRE(run.wait() == 13);
    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["first_failed_rank"] == 2);
    INFO(summary["verdict"]);
    CHECK(contains(summary["verdict"].get<std::string>(), "pitfalls.early_exit made it stop one step before"));
    CHECK(summary["steps"] == 14);  // the epoch has 15 steps: ceil(479 / 32)
}
