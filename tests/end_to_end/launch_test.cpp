// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>

#include "base/crypto/secret.h"
#include "program.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const fs::path kRankProgram = builtProgram("ringside-worker");

using Arguments = std::vector<std::string>;

// Ranks that the test starts one by one, as a launcher does.
struct ByHand {
    TemporaryDirectory scratch;
    fs::path out = scratch.path() / "run";
    int port = 20000 + std::stoi(randomHex(2), nullptr, 16) % 12000;
    std::vector<std::unique_ptr<Program>> ranks;

    ByHand(int worldSize, const Arguments& more) {
        for (int rank = 0; rank < worldSize; ++rank) start(rank, worldSize, more);
    }
    ByHand() = default;
    void start(int rank, int worldSize, const Arguments& more) {
        const Arguments own{"--rank",       std::to_string(rank),
                            "--world-size", std::to_string(worldSize),
                            "--master",     "127.0.0.1:" + std::to_string(port)};
        const Arguments where = rank == 0 ? Arguments{"--out", out} : Arguments{};
        ranks.push_back(std::make_unique<Program>(joined(joined(own, where), more), -1, kRankProgram));
    }
    std::string outputs() const {
        std::string all;
        for (const auto& rank : ranks) all += rank->output();
        return all;
    }
    Json summary() const { return jsonOf(out / "summary.json"); }
    // Checks that all ranks have ended with the code of a stopped run. Prints the output of all ranks on failure.
    void checkAllStopped() {
        std::vector<int> codes;
        for (const auto& rank : ranks) codes.push_back(rank->wait());
        INFO(outputs() << contentOf(out / "log.txt"));
        CHECK(codes == std::vector<int>(ranks.size(), 20));
    }
};

const Arguments kShort{"--set", "training.epochs=2"};
const Arguments kEndless{"--set", "training.epochs=1000000"};

std::string metricsOfSupervisedRun(const fs::path& out, const Arguments& more) {
    Program program(joined({"run", "--quiet", "--out", out}, more));
    REQUIRE(program.wait() == 0);
    return contentOf(out / "metrics.jsonl");
}

bool isInstalled(const fs::path& program) {
    return ::access(program.c_str(), X_OK) == 0;
}

}  // namespace

TEST_CASE("manually started ranks train bit-identically to ringsidectl run") {
    for (const std::string backend : {"shm", "gloo"}) {
        const Arguments same = joined(kShort, {"--set", "parallel.backend=" + backend});
        ByHand run(3, same);
        for (const auto& rank : run.ranks) CHECK(rank->wait() == 0);
        INFO(run.outputs());
        const TemporaryDirectory reference;
        CHECK(contentOf(run.out / "metrics.jsonl") ==
              metricsOfSupervisedRun(reference.path() / "run", joined(same, {"--set", "parallel.world_size=3"})));
        CHECK(run.summary()["state"] == "finished");
        CHECK(contains(run.ranks[0]->output(), "epoch 2 of 2    train loss "));
        CHECK(jsonOf(run.out / "launch.json")["launcher"] == "by hand");
        CHECK(jsonOf(run.out / "launch.json")["ranks"].size() == 3);
        CHECK(contains(contentOf(run.out / "log.txt"), "this is rank 0 of 3, by hand: --rank 0, --world-size 3"));
    }
}

TEST_CASE("a rank with another instruction set is named in the log and the summary, and by show and compare") {
    const Arguments small = joined(kShort, {"--set", "model.hidden=[8]"});
    ByHand mixed;
    mixed.start(0, 2, small);
    ::setenv("ONEDNN_MAX_CPU_ISA", "SSE41", 1);
    mixed.start(1, 2, small);
    ::unsetenv("ONEDNN_MAX_CPU_ISA");
    for (const auto& rank : mixed.ranks) CHECK(rank->wait() == 0);
    INFO(mixed.outputs());
    const Json basis = mixed.summary()["bits_depend_on"];
    CHECK(basis["transport"] == "shm");
    CHECK(contains(basis["layout"], "ddp, 2 x 1 x 1"));
    REQUIRE(basis["isa"].size() == 2);
    CHECK(basis["isa"][1] == "sse41");
    CHECK(basis["isa"][0] != "sse41");
    CHECK(contains(basis["warning"], "rank 1: sse41"));
    CHECK(contains(contentOf(mixed.out / "log.txt"), "different instruction sets"));

    ByHand alike(2, joined(small, {"--set", "parallel.backend=gloo"}));
    for (const auto& rank : alike.ranks) CHECK(rank->wait() == 0);
    CHECK(alike.summary()["bits_depend_on"]["warning"].is_null());
    CHECK_FALSE(contains(contentOf(alike.out / "log.txt"), "different instruction sets"));

    Program show({"show", mixed.out});
    CHECK(show.wait() == 0);
    CHECK(contains(show.output(), "rank 1: sse41"));
    Program compare({"compare", mixed.out, alike.out});
    compare.wait();
    CHECK(contains(compare.output(), "transport shm and gloo"));
    CHECK(contains(compare.output(), "instruction set rank 0: "));
}

TEST_CASE("a killed rank ends a launched run with its name, and no rank keeps waiting") {
    ByHand run(3, kEndless);
    REQUIRE(eventually([&] { return hasTrained(run.out); }));
    run.ranks[2]->signal(SIGKILL);
    CHECK(run.ranks[0]->wait() == 12);
    CHECK(run.ranks[1]->wait() == 10);
    CHECK(run.summary()["first_failed_rank"] == 2);
    CHECK(contains(run.summary()["verdict"], "disappeared without a message"));
    CHECK(contains(run.ranks[1]->output(), "the process of rank 0 ended the run"));
}

TEST_CASE("killing the rank 0 process of a launched run ends all ranks") {
    ByHand run(3, kEndless);
    REQUIRE(eventually([&] { return hasTrained(run.out); }));
    const std::vector<pid_t> pids = workerPids(run.out);
    run.ranks[0]->signal(SIGKILL);
    CHECK(run.ranks[1]->wait() == 10);
    CHECK(run.ranks[2]->wait() == 10);
    CHECK(eventually([&] { return allGone(pids); }));
}

TEST_CASE("a signal to any rank stops all ranks together and saves the weights") {
    for (const int number : {SIGTERM, SIGUSR1}) {
        for (const std::size_t rank : {std::size_t{0}, std::size_t{1}}) {
            ByHand run(3, kEndless);
            REQUIRE(eventually([&] { return hasTrained(run.out); }));
            run.ranks[rank]->signal(number);
            run.checkAllStopped();
            CHECK(run.summary()["state"] == "stopped");
            CHECK(fs::exists(run.out / "checkpoints"));
            CHECK(contains(contentOf(run.out / "log.txt"), "stop requested"));
        }
    }
}

TEST_CASE("a signal to every process of a job also stops the ranks together") {
    for (const int number : {SIGTERM, SIGUSR1}) {
        ByHand run(2, kEndless);
        REQUIRE(eventually([&] { return hasTrained(run.out); }));
        // Rank 0 trains in a child of the process that was started.
        for (const pid_t pid : workerPids(run.out)) REQUIRE(::kill(pid, number) == 0);
        run.ranks[0]->signal(number);
        run.checkAllStopped();
        CHECK(run.summary()["state"] == "stopped");
    }
}

TEST_CASE("ringsidectl shows and stops a launched run as any other") {
    ByHand run(2, kEndless);
    REQUIRE(eventually([&] { return hasTrained(run.out); }));
    Program attached({"attach", run.out, "--stop"});
    CHECK(attached.wait() == 20);
    run.checkAllStopped();
    CHECK(contains(attached.output(), "stopped by request"));
    Program show({"show", run.out});
    CHECK(show.wait() == 0);
    CHECK(contains(show.output(), "stopped by request"));
}

TEST_CASE("ranks with a different experiment are refused before anything is written") {
    ByHand run;
    run.start(0, 2, kShort);
    run.start(1, 2, joined(kShort, {"--set", "optimizer.lr=0.3"}));
    CHECK(run.ranks[0]->wait() == 2);
    CHECK(run.ranks[1]->wait() == 2);
    CHECK(contains(run.ranks[0]->output(), "has another experiment than rank 0"));
    CHECK_FALSE(fs::exists(run.out));
}

TEST_CASE("a rank that never connects is named at the deadline") {
    ByHand run;
    run.start(0, 3, joined(kShort, {"--wait", "1"}));
    run.start(1, 3, joined(kShort, {"--wait", "5"}));
    CHECK(run.ranks[0]->wait() == 2);
    CHECK(contains(run.ranks[0]->output(), "rank 2 did not connect within 1 s"));
    CHECK(run.ranks[1]->wait() == 2);
    CHECK(contains(run.ranks[1]->output(), "rank 2 did not connect within 1 s"));
    CHECK_FALSE(fs::exists(run.out));
}

TEST_CASE("an experiment missing on another host is reported there, and the rank is named at rank 0") {
    ByHand run;
    run.start(0, 3, kShort);
    run.start(1, 3, {run.scratch.path() / "absent.json"});
    run.start(2, 3, kShort);
    for (const auto& rank : run.ranks) CHECK(rank->wait() == 2);
    CHECK(contains(run.ranks[1]->output(), "absent.json"));
    CHECK(contains(run.ranks[0]->output(), "cannot start: "));
    CHECK(contains(run.ranks[0]->output(), "absent.json"));
    CHECK(contains(run.ranks[2]->output(), "absent.json"));
    CHECK_FALSE(fs::exists(run.out));
}

TEST_CASE("if rank 0 cannot start, every rank reports the reason and stops waiting") {
    ByHand run(4, {"--set", "parallel.strategy=model_parallel"});  // a stage each of 3 layers
    for (const auto& rank : run.ranks) CHECK(rank->wait() == 2);
    for (const auto& rank : run.ranks)
        CHECK(contains(rank->output(), "makes 4 stages, but the model can be cut into at most 3 parts"));
    CHECK(contains(run.ranks[3]->output(), "this rank cannot start, because rank 0 cannot start: parallel.world_size"));
    CHECK_FALSE(fs::exists(run.out));
}

TEST_CASE("ranks of PyTorch's env:// connect, also where MASTER_ADDR of rank 0 is localhost") {
    const TemporaryDirectory scratch;
    const std::string port = std::to_string(20000 + std::stoi(randomHex(2), nullptr, 16) % 12000);
    std::vector<std::unique_ptr<Program>> ranks;
    ::setenv("WORLD_SIZE", "2", 1);
    ::setenv("MASTER_PORT", port.c_str(), 1);
    for (int rank = 0; rank < 2; ++rank) {
        ::setenv("RANK", std::to_string(rank).c_str(), 1);
        ::setenv("MASTER_ADDR", rank == 0 ? "localhost" : "127.0.0.1", 1);
        ranks.push_back(std::make_unique<Program>(joined({"--out", scratch.path() / "run"}, kShort), -1, kRankProgram));
    }
    for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) ::unsetenv(name);
    for (const auto& rank : ranks) CHECK(rank->wait() == 0);
    INFO(ranks[0]->output() << ranks[1]->output());
    CHECK(jsonOf(scratch.path() / "run" / "launch.json")["launcher"] == "env://");
    CHECK(contains(ranks[0]->output(), "all 2 ranks are connected and start to train"));
}

TEST_CASE("ranks of a launcher that cannot be read are refused, and single runs of one shell train") {
    const TemporaryDirectory scratch;
    std::vector<std::unique_ptr<Program>> ranks;
    ::setenv("ACME_NRANKS", "4", 1);
    for (int rank = 0; rank < 4; ++rank) {
        ::setenv("ACME_RANK", std::to_string(rank).c_str(), 1);
        ranks.push_back(std::make_unique<Program>(joined({"--out", scratch.path() / "run"}, kShort), -1, kRankProgram));
    }
    ::unsetenv("ACME_NRANKS");
    ::unsetenv("ACME_RANK");
    for (const auto& rank : ranks) CHECK(rank->wait() == 2);
    CHECK(contains(ranks[0]->output(), "ACME_RANK is 0 and ACME_NRANKS 4: a launcher started several processes"));
    CHECK_FALSE(fs::exists(scratch.path() / "run"));

    std::vector<std::unique_ptr<Program>> singles;
    for (int i = 0; i < 4; ++i) {
        const fs::path out = scratch.path() / std::to_string(i);
        singles.push_back(std::make_unique<Program>(joined({"--out", out}, kShort), -1, kRankProgram));
    }
    for (const auto& single : singles) CHECK(single->wait() == 0);
}

TEST_CASE("an invalid start of a rank is reported in one line") {
    const auto outputOf = [](const Arguments& arguments) {
        Program program(arguments, -1, kRankProgram);
        CHECK(program.wait() == 2);
        return program.output();
    };
    CHECK(contains(outputOf({"--rank", "1", "--world-size", "2"}), "--master is missing"));
    CHECK(contains(outputOf({"x.json", "--fast", "1"}), "--fast is not an option of ringside-worker"));
    CHECK(contains(outputOf({"x.json", "--rank"}), "--rank has no value"));
    CHECK(contains(outputOf({"x.json", "--rank=two"}), "--rank cannot be \"two\""));
    CHECK(contains(outputOf({"a.json", "b.json"}), "b.json is a second experiment after a.json"));
}

TEST_CASE("real mpirun starts ranks that train as those of ringsidectl run") {
    const fs::path mpirun = "/usr/bin/mpirun";
    if (!isInstalled(mpirun)) {
        WARN("skipped: mpirun is not installed (openmpi-bin)");
        return;
    }
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program program(joined({"--allow-run-as-root", "--oversubscribe", "-np", "3", kRankProgram, "--out", out}, kShort),
                    -1, mpirun);
    const int code = program.wait();
    INFO(program.output());
    REQUIRE(code == 0);
    CHECK(jsonOf(out / "launch.json")["launcher"] == "Open MPI");
    CHECK(contentOf(out / "metrics.jsonl") ==
          metricsOfSupervisedRun(scratch.path() / "reference", joined(kShort, {"--set", "parallel.world_size=3"})));
}

TEST_CASE("ringsidectl run started several times by mpirun names the program that trains one run") {
    const fs::path mpirun = "/usr/bin/mpirun";
    if (!isInstalled(mpirun)) {
        WARN("skipped: mpirun is not installed (openmpi-bin)");
        return;
    }
    const TemporaryDirectory scratch;
    const std::vector<std::string> command{builtProgram("ringsidectl"), "run", "--out", scratch.path() / "run"};
    Program several(joined({"--allow-run-as-root", "--oversubscribe", "-np", "2"}, joined(command, kShort)), -1,
                    mpirun);
    several.wait();
    INFO(several.output());
    CHECK(contains(several.output(), "Open MPI started this command 2 times"));
    CHECK(contains(several.output(), "start ringside-worker instead of ringsidectl run"));
    Program one(joined({"--allow-run-as-root", "-np", "1"},
                       joined({command[0], "run", "--out", scratch.path() / "one"}, kShort)),
                -1, mpirun);
    CHECK(one.wait() == 0);
    CHECK_FALSE(contains(one.output(), "ringside-worker"));
}

TEST_CASE("real torchrun starts ranks that train as those of ringsidectl run, and gets the reason of a failure") {
    const fs::path torchrun = "/usr/bin/torchrun";
    if (!isInstalled(torchrun)) {
        WARN("skipped: torchrun is not installed (python3-torch)");
        return;
    }
    const TemporaryDirectory scratch;
    // With PyTorch 1.13 and Python 3.11, torchrun needs -r and -t with values other than 0.
    const Arguments start{"-r", "2", "-t", "2", "--no_python", "--standalone", "--nproc_per_node", "3", kRankProgram};
    const fs::path out = scratch.path() / "run";
    Program program(joined(joined(start, {"--out", out}), kShort), -1, torchrun);
    const int code = program.wait();
    INFO(program.output());
    REQUIRE(code == 0);
    CHECK(jsonOf(out / "launch.json")["launcher"] == "torchrun");
    CHECK(contentOf(out / "metrics.jsonl") ==
          metricsOfSupervisedRun(scratch.path() / "reference", joined(kShort, {"--set", "parallel.world_size=3"})));

    Program failing(joined(start, {"--out", scratch.path() / "failing", "--set", "optimizer.lr=1e30"}), -1, torchrun);
    CHECK(failing.wait() == 1);
    INFO(failing.output());
    CHECK(contains(failing.output(), "optimizer.lr is 1e+30"));
}

TEST_CASE("torchrun's root cause is the rank that was killed, not one that left because of it") {
    const fs::path torchrun = "/usr/bin/torchrun";
    if (!isInstalled(torchrun)) {
        WARN("skipped: torchrun is not installed (python3-torch)");
        return;
    }
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program program(joined({"-r", "2", "-t", "2", "--no_python", "--standalone", "--nproc_per_node", "4", kRankProgram,
                            "--out", out},
                           kEndless),
                    -1, torchrun);
    REQUIRE(eventually([&] { return hasTrained(out); }));
    REQUIRE(::kill(workerPids(out)[2], SIGKILL) == 0);
    CHECK(program.wait() == 1);
    INFO(program.output());
    const std::size_t at = program.output().find("Root Cause");
    REQUIRE(at != std::string::npos);
    const std::string cause = program.output().substr(at);
    // torchrun reports the verdict of rank 0, or the killed rank if torchrun reads the error files before rank 0 has
    // written its verdict.
    CHECK((contains(cause, "rank 2 on ") || contains(cause, "rank      : 2 ")));
}

TEST_CASE("torchrun restarts the ranks after one was killed, and the run continues in its directory") {
    const fs::path torchrun = "/usr/bin/torchrun";
    if (!isInstalled(torchrun)) {
        WARN("skipped: torchrun is not installed (python3-torch)");
        return;
    }
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program program({"--no_python",
                     "--nnodes",
                     "1",
                     "--nproc_per_node",
                     "2",
                     "--max_restarts",
                     "2",
                     "--redirects",
                     "2",
                     "--tee",
                     "2",
                     "--master_addr",
                     "127.0.0.1",
                     "--master_port",
                     std::to_string(20000 + std::stoi(randomHex(2), nullptr, 16) % 12000),
                     kRankProgram,
                     "--out",
                     out,
                     "--resume",
                     "auto",
                     "--set",
                     "training.epochs=60",
                     "--set",
                     "training.checkpoint_every=1",
                     "--set",
                     "training.keep_checkpoints=2",
                     "--set",
                     "pitfalls.slow_rank=0",
                     "--set",
                     "pitfalls.slow_ms=5"},
                    -1, torchrun);
    REQUIRE(eventually([&] { return linesOf(out / "metrics.jsonl").size() > 50; }));
    REQUIRE(::kill(workerPids(out)[1], SIGKILL) == 0);
    const int code = program.wait();
    INFO(program.output());
    REQUIRE(code == 0);
    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["state"] == "finished");
    CHECK(summary["restarts"] == 1);
    std::int64_t last = 0;
    for (const Json& line : linesOf(out / "metrics.jsonl")) {
        if (line["kind"] != "step") continue;
        REQUIRE(line["step"] == last + 1);
        last = line["step"];
    }
}

TEST_CASE("ranks started through a remote shell train as those of ringsidectl run") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    const Arguments shell{"--shell", "sh -c {command}"};
    Program program(joined(joined({"run", "--hosts", "localhost:2,127.0.0.1", "--out", out}, shell), kShort));
    const int code = program.wait();
    INFO(program.output());
    REQUIRE(code == 0);
    CHECK(contentOf(out / "metrics.jsonl") ==
          metricsOfSupervisedRun(scratch.path() / "reference", joined(kShort, {"--set", "parallel.world_size=3"})));
    CHECK(contains(contentOf(out / "log.txt"), "with the token of RINGSIDE_TOKEN"));

    const fs::path endless = scratch.path() / "endless";
    Program stopped(joined(joined({"run", "--hosts", "localhost:2", "--out", endless}, shell), kEndless));
    REQUIRE(eventually([&] { return hasTrained(endless); }));
    const std::vector<pid_t> pids = workerPids(endless);
    stopped.signal(SIGINT);
    CHECK(stopped.wait() == 20);
    CHECK(allGone(pids));
    CHECK(fs::exists(endless / "checkpoints"));

    Program refused({"run", "--hosts", "a:0", "--out", scratch.path() / "no"});
    CHECK(refused.wait() == 2);
    CHECK(contains(refused.output(), "--hosts has \"a:0\""));
    Program unreachable({"run", "--hosts", "localhost", "--shell", "false {command}", "--out", scratch.path() / "no"});
    CHECK(unreachable.wait() == 1);
}

TEST_CASE("after the loss of a host the other ranks continue with newly assigned samples") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    // Remote shell that reaches the host 127.0.0.1 until the file `gone` exists.
    const fs::path gone = scratch.path() / "gone";
    const fs::path script = scratch.path() / "shell";
    std::ofstream(script) << "[ \"$1\" = 127.0.0.1 ] && [ -e " << gone.string()
                          << " ] && exit 255\nexec sh -c \"$2\"\n";
    Program program(
        joined({"run", "--hosts", "localhost:2,127.0.0.1", "--out", out, "--shell",
                "sh " + script.string() + " {host} {command}", "--max-restarts", "3", "--min-ranks", "2"},
               {"--set", "training.epochs=60", "--set", "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=5"}));
    REQUIRE(eventually([&] { return linesOf(out / "metrics.jsonl").size() > 50; }));
    const std::vector<pid_t> pids = workerPids(out);
    REQUIRE(pids.size() == 3);
    std::ofstream(gone) << "x";
    REQUIRE(::kill(pids[2], SIGKILL) == 0);
    const int code = program.wait();
    INFO(program.output());
    REQUIRE(code == 0);
    CHECK(contains(program.output(), "without 127.0.0.1: 2 ranks continue"));
    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["state"] == "finished");
    CHECK(summary["world_size"] == 2);
    CHECK(summary["restarts"] == 1);
    // At most 4 checkpoints: the last two that the ends of epochs have written after the restart, and those that remain
    // from before it.
    CHECK(std::distance(fs::directory_iterator(out / "checkpoints"), fs::directory_iterator()) <= 4);
    std::int64_t last = 0;
    for (const Json& line : linesOf(out / "metrics.jsonl")) {
        if (line["kind"] != "step") continue;
        REQUIRE(line["step"] == last + 1);
        last = line["step"];
    }
}

TEST_CASE("a run waits for a host that does not respond, without using up a restart") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    const fs::path gone = scratch.path() / "gone";
    const fs::path tries = scratch.path() / "tries";
    const fs::path script = scratch.path() / "shell";
    std::ofstream(script) << "[ \"$1\" = 127.0.0.1 ] && [ -e " << gone.string() << " ] && { echo x >> "
                          << tries.string() << "; exit 255; }\nexec sh -c \"$2\"\n";
    Program program(joined({"run", "--hosts", "localhost,127.0.0.1", "--out", out, "--shell",
                            "sh " + script.string() + " {host} {command}", "--max-restarts", "1"},
                           {"--set", "training.epochs=40", "--set", "training.checkpoint_every=1", "--set",
                            "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=5"}));
    REQUIRE(eventually([&] { return linesOf(out / "metrics.jsonl").size() > 50; }));
    const std::vector<pid_t> pids = workerPids(out);
    REQUIRE(pids.size() == 2);
    std::ofstream(gone) << "x";
    REQUIRE(::kill(pids[1], SIGKILL) == 0);
    REQUIRE(eventually([&] { return contentOf(tries).size() >= 6; }));  // three checks find the host absent
    fs::remove(gone);
    const int code = program.wait();
    INFO(program.output());
    CHECK(code == 0);
    CHECK(contains(program.output(), "waiting for a response from 127.0.0.1"));
    CHECK(contains(program.output(), "ringside: rank 1 on "));  // the verdict of rank 0
    CHECK(jsonOf(out / "summary.json")["restarts"] == 1);
}

TEST_CASE("ranks stop when the program that started them through a shell is lost") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program program(joined({"run", "--hosts", "localhost:2", "--shell", "sh -c {command}", "--out", out}, kEndless));
    REQUIRE(eventually([&] { return hasTrained(out); }));
    const std::vector<pid_t> pids = workerPids(out);
    REQUIRE(::kill(program.pid(), SIGKILL) == 0);
    CHECK(eventually([&] { return allGone(pids); }));
}

TEST_CASE("ranks that their launcher restarts repeat the commands after the last checkpoint") {
    ByHand run(2, joined(kEndless, {"--resume", "auto"}));
    REQUIRE(eventually([&] { return hasTrained(run.out); }));
    const auto control = [&](const Arguments& words) {
        Program program(joined({"control", run.out}, words));
        REQUIRE(program.wait() == 0);
    };
    control({"pause"});
    control({"lr", "0.25"});
    control({"rate", "50"});
    for (const auto& rank : run.ranks) rank->signal(SIGKILL);
    for (const auto& rank : run.ranks) rank->wait();
    run.ranks.clear();
    ++run.port;
    for (int rank = 0; rank < 2; ++rank) run.start(rank, 2, joined(kEndless, {"--resume", "auto", "--restart", "1"}));
    const auto isPausedAgain = [&] {
        std::string commands;
        for (const Json& line : linesOf(run.out / "metrics.jsonl")) {
            if (line["kind"] == "control") commands += line["command"].get<std::string>() + " ";
        }
        return commands.ends_with("restart lr rate pause ");
    };
    CHECK(eventually(isPausedAgain));
    CHECK(
        contains(contentOf(run.out / "log.txt"), "commands that the restarted ranks execute: lr 0.25, rate 50, pause"));
    run.ranks.front()->signal(SIGTERM);
    run.checkAllStopped();
}

TEST_CASE("a launched run continues in its directory when its launcher restarts it") {
    ByHand run(2, joined(kEndless, {"--set", "training.checkpoint_every=1", "--resume", "auto"}));
    REQUIRE(eventually([&] {
        return fs::exists(run.out / "checkpoints") && !fs::is_empty(run.out / "checkpoints") &&
               linesOf(run.out / "metrics.jsonl").size() > 100;
    }));
    for (const auto& rank : run.ranks) rank->signal(SIGKILL);
    for (const auto& rank : run.ranks) rank->wait();
    run.ranks.clear();
    ++run.port;
    for (int rank = 0; rank < 2; ++rank) run.start(rank, 2, joined(kEndless, {"--resume", "auto"}));
    const std::size_t before = linesOf(run.out / "metrics.jsonl").size();
    CHECK(eventually([&] { return linesOf(run.out / "metrics.jsonl").size() > before + 20; }));
    run.ranks.front()->signal(SIGTERM);
    CHECK(run.ranks.front()->wait() == 20);
    CHECK(contains(run.ranks.front()->output(), "continuing from "));
    std::int64_t last = 0;
    for (const Json& line : linesOf(run.out / "metrics.jsonl")) {
        if (line["kind"] != "step") continue;
        REQUIRE(line["step"] == last + 1);
        last = line["step"];
    }
}
