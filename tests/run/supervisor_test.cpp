// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/supervisor.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <fstream>

#include "base/system/files.h"
#include "fake_ranks.h"
#include "support/catch.h"
#include "support/small_disk.h"
#include "telemetry/events/codec.h"

using namespace ringside;
using namespace std::chrono_literals;

TEST_CASE("a run whose ranks all finish is recorded completely") {
    FakeRun run("*:finish");
    run.go();
    CHECK(run.end.state == RunOutcome::kFinished);
    CHECK(run.end.exitCode == 0);
    CHECK(run.end.steps == 8);
    CHECK_FALSE(run.anybodyLeft());

    const auto telemetry = linesOf(run.paths().telemetry());
    CHECK(telemetry.front()["kind"] == "run");
    CHECK(telemetry.back()["kind"] == "end");

    // The fake workers report the loss step + rank, and `rank` correct predictions of 4 samples. The means are 1 + step
    // and 3 / 12.
    const auto metrics = linesOf(run.paths().metrics());
    REQUIRE(metrics.size() == 12);
    CHECK(metrics[0].dump() == R"({"kind":"step","step":1,"epoch":0,"loss":2,"accuracy":0.25,"lr":0.5,"samples":12})");
    CHECK(metrics[3]["step"] == 4);
    CHECK(metrics[4]["kind"] == "epoch");
    CHECK(metrics[4]["split"] == "train");
    CHECK(metrics[5]["split"] == "val");
    CHECK(metrics[5]["accuracy"] == 0.25);
    CHECK(metrics[5]["padded"]["accuracy"] == 0.125);
    CHECK(metrics[6]["step"] == 5);
    CHECK(metrics[11]["epoch"] == 1);

    const Json summary = run.summary();
    CHECK(summary["state"] == "finished");
    CHECK(summary["first_failed_rank"].is_null());
    CHECK(summary["steps"] == 8);
    CHECK(summary["final"]["val_accuracy"] == 0.5);
    CHECK(summary["best"]["epoch"] == 1);
    CHECK(summary["backend"] == "shm");
    CHECK(summary["plan_hashes"] == Json({"a", "b", "c"}));
}

TEST_CASE("with padded validation the padded numbers are shown first") {
    FakeRun run("*:finish");
    run.prepared.config.training.validate = ValidationMode::kPadded;
    run.go();
    CHECK(linesOf(run.paths().metrics())[5]["accuracy"] == 0.125);
    CHECK(run.summary()["final"]["val_accuracy"] == 0.125);
    CHECK(run.summary()["final"]["val_samples"] == 12);
}

TEST_CASE("a killed rank ends the run with code 12, its number and its signal") {
    FakeRun run("2:kill");
    run.go();
    CHECK(run.end.exitCode == 12);
    CHECK(run.end.firstFailedRank == 2);
    CHECK(contains(run.end.verdict, "rank 2 was killed by signal 9 (SIGKILL) at step 8 of epoch 2"));
    CHECK_FALSE(run.anybodyLeft());
    CHECK(run.summary()["state"] == "failed");
    CHECK(run.summary()["first_failed_rank"] == 2);
}

TEST_CASE("a rank that exits with an unknown code counts as dead, with its last lines") {
    FakeRun run("1:exit=3");
    run.go();
    CHECK(run.end.exitCode == 12);
    CHECK(run.end.firstFailedRank == 1);
    CHECK(contains(run.end.verdict, "rank 1 exited with code 3"));
    CHECK(contains(run.end.verdict, "something broke"));
    CHECK(run.end.lastLines == std::vector<std::string>{"first line", "rank 1: something broke"});
    CHECK(contains(contentOf(run.paths().log()), "first line"));
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("a rank that refuses its configuration makes the run's code 2") {
    FakeRun run("0:exit=2");
    run.go();
    CHECK(run.end.exitCode == 2);
    CHECK(run.end.firstFailedRank == 0);
}

TEST_CASE("a stopped process is detected by missing heartbeats and named as hung") {
    FakeRun run("1:stop-itself");
    run.prepared.config.parallel.timeoutSeconds = 0.3;
    run.go();
    CHECK(run.end.exitCode == 13);
    CHECK(run.end.firstFailedRank == 1);
    CHECK(contains(run.end.verdict, "rank 1 hung"));
    CHECK(contains(run.end.verdict, "its process is stopped"));
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("a rank that never sends a line counts as hung after the start deadline") {
    FakeRun run("2:silent");
    run.prepared.config.parallel.timeoutSeconds = 3;
    run.options.startDeadline = 3s;
    run.go();
    CHECK(run.end.exitCode == 13);
    CHECK(run.end.firstFailedRank == 2);
    CHECK(contains(run.end.verdict, "sent nothing within 3.0 s"));
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("a rank may take parallel.timeout_seconds to start, and longer on a busy host") {
    FakeRun run("2:silent");
    run.prepared.config.parallel.timeoutSeconds = 0.4;
    run.options.startDeadline = 300ms;
    // 0.4 s + 250 ms x ((3 + 9.3 x 0.6) / 2 - 1) = 1.2225 s; 3.6 processes on 2 CPUs leave the timeout as it is.
    run.options.readLoad = [](int ranks) { return HostLoad{.ranks = ranks, .processors = 2, .others = 0.6}; };
    run.go();
    CHECK(run.end.exitCode == 13);
    CHECK(contains(run.end.verdict, "sent nothing within 1.2 s"));
    CHECK(contains(contentOf(run.paths().log()),
                   "this computer is busy: 3 ranks share 2 CPUs with 1 process "
                   "of other programs. A rank may take 2 s to start instead of 1 s"));
}

TEST_CASE("ranks on a host with too few CPUs get a multiple of the timeout, and the log names both") {
    FakeRun run("*:finish");
    run.prepared.config.parallel.timeoutSeconds = 3;
    run.options.readLoad = [](int ranks) { return HostLoad{.ranks = ranks, .processors = 2, .others = 61}; };
    run.go();
    CHECK(run.end.state == RunOutcome::kFinished);
    CHECK(contains(contentOf(run.paths().log()), "counts as hung after 6 s instead of 3 s (parallel.timeout_seconds)"));
}

TEST_CASE("ranks that are alive without progress count as hung") {
    FakeRun run("*:stands-in=backward");
    run.prepared.config.parallel.timeoutSeconds = 0.3;
    run.options.stallGrace = 100ms;
    run.go();
    CHECK(run.end.exitCode == 13);
    CHECK(run.end.firstFailedRank == 0);
    CHECK(contains(run.end.verdict,
                   "all ranks hung in backward at step 8 of epoch 2: heartbeats arrive, but no progress for"));
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("a living rank for which other ranks wait counts as hung, for any order of exits") {
    FakeRun run("0:misses=1,2:exit=10");
    run.go();
    CHECK(run.end.exitCode == 13);
    CHECK(run.end.firstFailedRank == 1);
    CHECK(contains(run.end.verdict, "as rank 0 found"));
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("if other ranks wait for a dead rank, its death is the verdict") {
    FakeRun run("0:misses=1,1:segv,2:misses=1");
    run.go();
    CHECK(run.end.exitCode == 12);
    CHECK(run.end.firstFailedRank == 1);
    CHECK(contains(run.end.verdict, "SIGSEGV"));
}

TEST_CASE("garbage and lines for other ranks are logged and change nothing") {
    FakeRun run("0:finish,1:garbage,2:finish");
    run.go();
    CHECK(run.end.state == RunOutcome::kFinished);
    const std::string log = contentOf(run.paths().log());
    CHECK(contains(log, "sent a line that is not telemetry"));
    CHECK(contains(log, "sent telemetry of another rank"));
    const auto telemetry = linesOf(run.paths().telemetry());
    int ends = 0;
    for (const Json& line : telemetry) ends += line["kind"] == "end" ? 1 : 0;
    CHECK(ends == 1);
}

TEST_CASE("a rank on another host that sends garbage ends the run with its name and host") {
    FakeRun run("");
    const bool isTelemetry = GENERATE(false, true);
    const std::string line = isTelemetry ? encode(LogLine{0, LogLevel::kInfo, "not me", 0}) : "garbage\n";
    run.adopted = std::make_unique<RemoteFake>(2, std::vector<std::string>(16, line.substr(0, line.size() - 1)));
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 10);
    CHECK(run.end.firstFailedRank == 2);
    CHECK(run.end.isMisuse);
    CHECK(run.end.verdict == std::string("rank 2 on node2 violates the protocol of the run: it sends ") +
                                 (isTelemetry ? "telemetry of other ranks" : "lines that are not telemetry"));
    CHECK(run.summary()["first_failed_rank"] == 2);
    CHECK(run.summary()["verdict"] == run.end.verdict);
}

TEST_CASE("a stop request ends the run as stopped, with everything written") {
    FakeRun run("");
    const UniqueFd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    run.options.stopFd = stop.get();
    run.options.workerEnvironment.push_back("FAKE_STEPS=7");
    run.options.onChange = [&, requested = false](const RunData& data, unsigned) mutable {
        const std::uint64_t one = 1;
        if (!requested && data.lastStep() && data.lastStep()->step == 7)
            requested = ::write(stop.get(), &one, sizeof one) > 0;
    };
    run.go();
    CHECK(run.end.state == RunOutcome::kStopped);
    CHECK(run.end.exitCode == 20);
    CHECK(run.end.verdict == "stopped by request after 7 of 8 steps");
    CHECK(run.summary()["state"] == "stopped");
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("ranks that all time out waiting for each other have not finished") {
    FakeRun run("*:exit=10");
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 10);
    CHECK(run.summary()["state"] == "failed");
}

TEST_CASE("ranks that exit with 0 without reporting their end have not finished") {
    FakeRun run("*:leave");
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 12);
    CHECK(contains(run.end.verdict, "exited with code 0 at step 8 of epoch 2 without reporting that it had finished"));
}

TEST_CASE("a reported end of ranks counts only with their checkpoint") {
    FakeRun run("*:lie");
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 2);
    CHECK(contains(run.end.verdict, "holds no complete checkpoint"));
}

TEST_CASE("a run with fewer steps than planned has not finished") {
    FakeRun run("*:finish");
    run.options.workerEnvironment.push_back("FAKE_STEPS=4");
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(contains(run.end.verdict, "is of epoch 1 and step 4, not of epoch 2 and step 8"));
}

// Requests a stop at each change of the run's data after the first step, at most `most` times.
struct Insistence {
    UniqueFd fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    int requested = 0;
    int most;
    explicit Insistence(FakeRun& run, int times) : most(times) {
        run.options.onChange = [this](const RunData& data, unsigned) {
            const std::uint64_t one = 1;
            if (data.lastStep() && requested < most) requested += ::write(fd.get(), &one, sizeof one) > 0 ? 1 : 0;
        };
    }
};

TEST_CASE("ranks that ignore the stop are waited for until the third request, then terminated and killed") {
    FakeRun run("*:ignore-stop");
    run.options.terminateGrace = 100ms;
    Insistence user(run, 1000);
    run.options.stopFd = user.fd.get();
    run.go();
    CHECK(user.requested >
          3);  // further requests in the time in which the user can read the warning about a third one do not count
    CHECK(run.end.state == RunOutcome::kStopped);
    CHECK(run.end.exitCode == 20);
    CHECK(contains(run.end.verdict, "had to be terminated"));
    const std::string log = contentOf(run.paths().log());
    CHECK(contains(log, "already stopping: waiting for rank "));
    CHECK(contains(log, "discards 8 trained steps: there is no checkpoint yet"));
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("a second stop request loses nothing, and the missing rank is logged") {
    FakeRun run("*:slowly-stops");
    run.options.waitLogInterval = 1ms;
    Insistence user(run, 2);
    run.options.stopFd = user.fd.get();
    run.go();
    CHECK(run.end.verdict == "stopped by request after 8 of 8 steps");
    CHECK(contains(contentOf(run.paths().log()), "stopping: waiting for rank"));
}

TEST_CASE("any number of hang-ups of a terminal stops a run once") {
    FakeRun run("*:slowly-stops");
    Insistence terminal(run, 1000);
    run.options.stopOnceFd = terminal.fd.get();
    run.go();
    CHECK(terminal.requested > 3);
    CHECK(run.end.verdict == "stopped by request after 8 of 8 steps");
    CHECK_FALSE(contains(contentOf(run.paths().log()), "already stopping"));
}

TEST_CASE("under a launcher that kills soon, a stop writes the summary before the ranks have ended") {
    FakeRun run("*:ignore-stop");
    run.options.terminateGrace = 100ms;
    run.options.mayBeKilled = true;
    Insistence user(run, 1000);
    run.options.stopFd = user.fd.get();
    Json early;
    run.options.onChange = [&, request = run.options.onChange](const RunData& data, unsigned changes) {
        if (!data.ended() && early.is_null() && std::filesystem::exists(run.paths().summary())) early = run.summary();
        request(data, changes);
    };
    run.go();
    REQUIRE_FALSE(early.is_null());
    CHECK(early["state"] == "stopped");
    CHECK(early["exit_code"] == 20);
    CHECK(early["verdict"] ==
          "stopped by request after 8 of 8 steps; the launcher ended the run before the last steps "
          "were saved; no checkpoint was written");
    CHECK(run.summary()["verdict"] == run.end.verdict);
    CHECK(contains(run.end.verdict, "had to be terminated"));
}

TEST_CASE("under a launcher that kills soon, the verdict is on the disk as soon as a rank has failed") {
    FakeRun run("2:kill");
    run.options.mayBeKilled = true;
    Json early;
    bool isLate = false;
    run.options.onChange = [&](const RunData& data, unsigned) {
        const bool hasFailed = data.ranks().size() > 2 && data.ranks()[2].state == RankStage::kFailed;
        isLate = isLate || (hasFailed && !std::filesystem::exists(run.paths().summary()));
        if (!data.ended() && std::filesystem::exists(run.paths().summary())) early = run.summary();
    };
    run.go();
    CHECK_FALSE(isLate);
    REQUIRE_FALSE(early.is_null());
    CHECK(early["state"] == "failed");
    CHECK(early["first_failed_rank"] == 2);
    CHECK(early["verdict"] == run.end.verdict);
}

TEST_CASE("without a kill the supervisor writes one summary at the end") {
    FakeRun run("2:kill");
    bool early = false;
    run.options.onChange = [&](const RunData& data, unsigned) {
        early = early || (!data.ended() && std::filesystem::exists(run.paths().summary()));
    };
    run.go();
    CHECK_FALSE(early);
    CHECK(run.summary()["first_failed_rank"] == 2);
}

TEST_CASE("only rank 0 may report a checkpoint") {
    FakeRun run("1:claims-checkpoint,0:finish,2:finish");
    run.go();
    CHECK(contains(contentOf(run.paths().log()), "rank 1 sent telemetry of another rank"));
    CHECK_FALSE(contains(contentOf(run.paths().telemetry()), "/elsewhere/checkpoints/step-00000008"));
}

TEST_CASE("weights saved elsewhere have the summary in the same folder") {
    FakeRun run("0:saves-beside");
    const std::filesystem::path beside = run.scratch.path() / "beside";
    run.options.workerEnvironment.push_back("FAKE_PLACE=" + beside.string());
    run.go();
    CHECK(run.end.exitCode == 2);
    CHECK(contains(run.end.verdict, "are saved in " + beside.string()));
    CHECK(contentOf(beside / "summary.json") == contentOf(run.paths().summary()));
}

TEST_CASE("a run directory that cannot be made again lets the ranks save elsewhere") {
    FakeRun run("");
    const std::filesystem::path parent = run.scratch.path() / "runs";
    run.directory = parent / "one";
    std::filesystem::create_directories(run.directory);
    run.options.onChange = [&, deleted = false](const RunData& data, unsigned) mutable {
        if (deleted || !data.lastStep() || data.lastStep()->step < 8) return;
        deleted = std::filesystem::remove_all(parent) > 0;
        std::ofstream(parent) << "a file in the way";
    };
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 2);
    // The fake rank 0 cannot save in the deleted directory. The verdict shows that the ranks were requested to stop and
    // not killed.
    CHECK(contains(run.end.verdict, "rank 0 exited with code 2"));
    CHECK(contains(run.end.verdict, "cannot save"));
}

TEST_CASE("a run with a deleted directory reports it and saves in the same place") {
    FakeRun run("");
    run.options.onChange = [&, deleted = false](const RunData& data, unsigned) mutable {
        if (deleted || !data.lastStep() || data.lastStep()->step < 8) return;
        deleted = std::filesystem::remove_all(run.scratch.path()) > 0;
    };
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 2);
    CHECK(contains(run.end.verdict,
                   "was deleted or moved during the run; the weights after step 8 were saved again, in "
                   "checkpoints/step-00000001"));
    CHECK(run.summary()["verdict"] == run.end.verdict);
    CHECK(std::filesystem::exists(run.paths().config()));
    const auto telemetry = linesOf(run.paths().telemetry());
    CHECK(telemetry.front()["kind"] == "run");
    CHECK(telemetry.back()["kind"] == "end");
}

TEST_CASE("a directory that is deleted just before the end is created again for the summary") {
    FakeRun run("0:finish-and-delete,*:finish");
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 2);
    CHECK(contains(run.end.verdict,
                   "was deleted or moved during the run; the checkpoints of the run were deleted with it"));
    CHECK(run.summary()["verdict"] == run.end.verdict);
    CHECK(std::filesystem::exists(run.paths().config()));
    CHECK(linesOf(run.paths().telemetry()).back()["kind"] == "end");
}

TEST_CASE("a run whose directory was taken by another run ends at once") {
    FakeRun run("");
    run.options.onChange = [&, taken = false](const RunData& data, unsigned) mutable {
        if (taken || !data.lastStep()) return;
        taken = std::filesystem::remove_all(run.scratch.path()) > 0;
        std::filesystem::create_directories(run.scratch.path());
        std::ofstream(run.paths().config()) << "{}";
    };
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(contains(run.end.verdict, "and another run uses the directory now"));
    CHECK(contentOf(run.paths().config()) == "{}");
}

TEST_CASE("a stop while a rank still reads its data does not wait for it") {
    FakeRun run("*:loads");
    const UniqueFd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    run.options.stopFd = stop.get();
    bool requested = false;
    run.options.onChange = [&](const RunData& data, unsigned) {
        const std::uint64_t one = 1;
        const auto loads = [](const RankData& rank) { return rank.state == RankStage::kLoading; };
        if (!requested && std::ranges::all_of(data.ranks(), loads))
            requested = ::write(stop.get(), &one, sizeof one) > 0;
    };
    run.go();
    CHECK(run.end.state == RunOutcome::kStopped);
    CHECK(run.end.exitCode == 20);
    CHECK(run.end.verdict == "stopped by request after 0 of 8 steps");
    CHECK_FALSE(run.anybodyLeft());
}

TEST_CASE("another process of the same user can stop a run through its directory") {
    FakeRun run("");
    std::optional<Result<ControlClient>> client;
    run.options.onChange = [&](const RunData& data, unsigned) {
        if (client || !data.lastStep()) return;
        client.emplace(ControlClient::connect(run.paths()));
        REQUIRE(client->ok());
        CHECK(client->value().send({ControlKind::kStop}));
    };
    run.go();
    CHECK(run.end.exitCode == 20);
    CHECK((std::filesystem::status(run.paths().supervisor()).permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK_FALSE(ControlClient::connect(run.paths()).ok());
}

TEST_CASE("a full disk stops the recording, lets the ranks save, and then ends the run") {
    FakeRun run("");
    const SmallDisk disk(run.scratch.path(), "400k");
    if (!disk.mounted()) {
        WARN("not checked: mounting a small file system needs root");
        return;
    }
    run.options.workerEnvironment.push_back("FAKE_STEPS=4000");
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 2);
    CHECK(contains(run.end.verdict, "cannot be written (No space left on device)"));
    CHECK(contains(run.end.verdict, "recording stopped after step"));
    CHECK_FALSE(run.anybodyLeft());
    CHECK(run.summary()["verdict"] == run.end.verdict);
    CHECK(contains(run.summary()["recording"]["stopped"]["why"].get<std::string>(), "No space left"));
    // The log shows that the ranks were requested to stop and not killed, and viewers receive a message.
    CHECK(contains(contentOf(run.paths().log()), "stop requested"));
    CHECK(contains(contentOf(run.paths().telemetry()), "recording stops after step"));
    CHECK(linesOf(run.paths().telemetry()).back()["kind"] == "end");
}

TEST_CASE("a run whose last lines could not be written has not finished") {
    FakeRun run("*:finish");
    const SmallDisk disk(run.scratch.path(), "400k");
    if (!disk.mounted()) {
        WARN("not checked: mounting a small file system needs root");
        return;
    }
    run.options.workerEnvironment.push_back("FAKE_STEPS=4000");
    run.prepared.config.training.epochs = 1000;
    run.go();
    INFO(run.end.verdict);
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 2);
    CHECK(run.summary()["state"] == "failed");
}

TEST_CASE("a worker program that is missing is an error before anything runs") {
    FakeRun run("");
    run.options.workerProgram = run.scratch.path() / "no-such-worker";
    Supervisor supervisor(run.paths(), run.prepared, run.options);
    CHECK_THROWS_WITH(supervisor.start(), containing("no-such-worker cannot be started (No such file"));
}
