// SPDX-License-Identifier: Apache-2.0
#include "live/run_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/processors/processors.h"
#include "base/system/files.h"
#include "base/system/signal_input.h"
#include "base/text/terminal_text.h"
#include "base/time/monotonic.h"
#include "devices/gpu_probe.h"
#include "experiment/experiment_file.h"
#include "launch/layout/launch_sources.h"
#include "live/progress_view.h"
#include "run/hosts/host_list.h"
#include "run/hosts/hosts_run.h"
#include "run/prepare/prepared_run.h"
#include "run/prepare/resume_point.h"
#include "run/ranks/worker_program.h"
#include "run/read/default_run_directory.h"
#include "run/read/run_directory.h"
#include "run/supervise/run_place.h"
#include "run/supervise/supervisor.h"
#include "terminal/screen.h"

namespace ringside {
namespace {

constexpr const char* kRunFooter =
    "CONFIG is an experiment file (JSON), - for standard input, or nothing for the built-in experiment\n"
    "(ringsidectl config --defaults prints it). Without --out the run directory is\n"
    "runs/YYYY-MM-DD-HHMMSS-name.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl run                                      the built-in digits experiment on 4 ranks\n"
    "  ringsidectl run my.json --out runs/first             your experiment, in a directory you choose\n"
    "  ringsidectl run --set parallel.world_size=8 --set optimizer.lr=0.05\n"
    "  ringsidectl run my.json --detach                     runs in the background; prints its run directory\n"
    "  ringsidectl run --set parallel.timeout_seconds=5     a rank that does not respond counts as hung after 5 s\n"
    "  ringsidectl run my.json --hosts node1:4,node2:4      ranks on several hosts, through ssh\n"
    "  ringsidectl run my.json --hosts node1:4,node2:4 --max-restarts 5 --min-ranks 4   continues without a lost host\n"
    "  ringsidectl run --max-restarts 3                     after a failure the ranks continue from the last "
    "checkpoint\n"
    "  ringsidectl run --resume runs/first --out runs/more  continues from its newest checkpoint, bit for bit\n"
    "\n"
    "Ctrl-C stops gracefully: the ranks finish their step, save the weights, and the exit code is 20.\n"
    "There is no time limit for this. A third Ctrl-C ends the ranks without saving.";

struct RunArguments {
    std::string config;
    std::vector<std::string> assignments;
    std::string out;
    std::string resume;
    std::string reportSamples = "auto";
    std::string hosts;
    std::string shell = kDefaultShell;
    std::int64_t maxRestarts = -1;  // value of --max-restarts; -1: use the experiment's value
    std::int64_t minRanks = -1;
    bool detach = false;
    bool quiet = false;
};

struct Launch {
    PreparedRun run;
    std::filesystem::path worker;
    std::int64_t runStartUs = 0;
    std::string reportSamples;
    LiveCommands commands;  // commands of the resumed run that the ranks execute again
};

SupervisorOptions optionsFor(const Launch& launch) {
    SupervisorOptions options;
    options.workerProgram = launch.worker;
    options.runStartUs = launch.runStartUs;
    options.workerEnvironment = {"RINGSIDE_REPORT_SAMPLES=" + launch.reportSamples};
    options.commands = launch.commands;
    return options;
}

int runHere(const Launch& launch, RunDirectory directory, bool quiet) {
    const UniqueFd stops = signalInput({SIGINT, SIGTERM});
    const UniqueFd hangUps = signalInput({SIGHUP});
    Screen screen;
    ProgressView view(screen, ::isatty(STDOUT_FILENO) == 1, quiet);
    SupervisorOptions options = optionsFor(launch);
    options.stopFd = stops.get();
    options.stopOnceFd = hangUps.get();
    options.onChange = [&](const RunData& run, unsigned changes) {
        if (run.ended()) {
            view.finish(run, directory.paths().directory.string());
        } else {
            view.update(run, changes);
        }
    };
    writeFileAtomically(directory.paths().config(), launch.run.config.toText(2) + "\n");
    Supervisor supervisor(directory.paths(), launch.run, options);
    supervisor.start();
    directory.keep();
    const RunEnded end = supervisor.run();
    directory.release();
    return end.exitCode;
}

// Runs the supervisor in a session of its own, without a terminal. If the start fails, writes the error to reportFd.
// Does not return.
[[noreturn]] void superviseDetached(const Launch& launch, RunDirectory directory, int reportFd) {
    int code = static_cast<int>(ExitCode::kInternal);
    std::string report;
    try {
        ::setsid();
        lowerSessionPriority();
        std::signal(SIGHUP, SIG_IGN);
        const UniqueFd stops = signalInput({SIGINT, SIGTERM});
        SupervisorOptions options = optionsFor(launch);
        options.stopFd = stops.get();
        writeFileAtomically(directory.paths().config(), launch.run.config.toText(2) + "\n");
        Supervisor supervisor(directory.paths(), launch.run, options);
        supervisor.start();
        directory.keep();
        const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
        for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing.get(), fd);
        ::close(reportFd);
        code = supervisor.run().exitCode;
        directory.release();
        ::_exit(code);
    } catch (const Error& error) {
        report = error.what();
        code = static_cast<int>(error.exitCode());
    } catch (const std::exception& error) {
        report = std::string("internal error: ") + error.what();
    }
    report.insert(0, 1, static_cast<char>(code));
    [[maybe_unused]] const ssize_t written = ::write(reportFd, report.data(), report.size());
    { const RunDirectory removed = std::move(directory); }
    ::_exit(code);
}

// Waits for the start of the detached supervisor. The child writes only errors; a closed pipe without data means that
// every worker has been started.
int waitForDetachedStart(int reportFd, const std::filesystem::path& directory) {
    std::string report;
    char buffer[4096];
    for (;;) {
        const ssize_t got = ::read(reportFd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        report.append(buffer, static_cast<std::size_t>(got));
    }
    if (!report.empty()) {
        std::fprintf(stderr, "ringsidectl: %s\n", terminalText(report.substr(1)).c_str());
        return report.front();
    }
    std::printf("run directory: %s\n", directory.c_str());
    std::fflush(stdout);
    return 0;
}

int runDetached(const Launch& launch, RunDirectory directory) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw IoError("a pipe cannot be created (" + errnoText(errno) + ")");
    UniqueFd reader(fds[0]);
    UniqueFd writer(fds[1]);
    const std::filesystem::path path = directory.paths().directory;
    const pid_t child = ::fork();
    if (child < 0) throw IoError("the supervisor cannot be started (" + errnoText(errno) + ")");
    if (child == 0) {
        reader.reset();
        superviseDetached(launch, std::move(directory), writer.release());
    }
    directory.keep();  // the child owns the directory now
    writer.reset();
    return waitForDetachedStart(reader.get(), path);
}

// Returns the arguments of every rank. Paths are absolute, because each remote shell starts in its own directory.
std::vector<std::string> rankArguments(const RunArguments& arguments) {
    std::vector<std::string> all;
    if (!arguments.config.empty()) all.push_back(std::filesystem::absolute(arguments.config).lexically_normal());
    for (const std::string& one : arguments.assignments) all.insert(all.end(), {"--set", one});
    all.insert(all.end(), {"--out", std::filesystem::absolute(arguments.out).lexically_normal()});
    return all;
}

std::string resumeElsewhere(const std::string& resume) {
    const bool isPath = !resume.empty() && resume != kResumeAuto;
    return isPath ? std::filesystem::absolute(resume).lexically_normal().string() : resume;
}

// Reads max_restarts and min_ranks from the experiment on this computer, unless command-line options give them. If
// min_ranks is set, enables a checkpoint per epoch, because a run can continue with fewer ranks only from the end of an
// epoch.
void readRestarts(RunArguments& arguments) {
    Problems ignored;
    const Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, ignored);
    const RunConfig config = experiment ? experiment.value().config : RunConfig();
    if (arguments.maxRestarts < 0) arguments.maxRestarts = config.parallel.maxRestarts;
    if (arguments.minRanks < 0) arguments.minRanks = config.parallel.minRanks;
    if (arguments.minRanks == 0 || config.training.checkpointEvery > 0) return;
    arguments.assignments.insert(arguments.assignments.end(),
                                 {"training.checkpoint_every=1", "training.keep_checkpoints=2"});
}

// Runs the ranks on several hosts, and prints their lines and the messages of the run on standard error.
int runOnHosts(HostsPlan plan) {
    const UniqueFd signals = signalInput({SIGINT, SIGTERM, SIGHUP});
    const HostsOutput output{[](const std::string& text) { std::cerr << "ringsidectl: " << text << '\n'; },
                             [](int rank, const std::string& host, std::string_view line) {
                                 if (rank > 0) std::cerr << "[" << host << ", rank " << rank << "] ";
                                 std::cerr << terminalText(line) << '\n';
                             }};
    return HostsRun(std::move(plan), output).run(signals.get());
}

int runElsewhere(RunArguments arguments) {
    if (arguments.config == "-")
        return reportProblems({{"CONFIG", "is standard input, which the other hosts cannot read", "name a file"}});
    if (arguments.detach)
        return reportProblems({{"--detach", "cannot be combined with --hosts", "use nohup, tmux or a scheduler"}});
    Result<std::vector<HostRanks>> hosts = parseHosts(arguments.hosts);
    if (!hosts) return reportProblems({hosts.problem()});
    Result<std::vector<std::string>> shell = parseShell(arguments.shell);
    if (!shell) return reportProblems({shell.problem()});
    Result<std::filesystem::path> worker = findWorkerProgram(DeviceChoice::kCpu);
    if (!worker) return reportProblems({worker.problem()});
    if (arguments.config.empty() && !arguments.resume.empty() && arguments.resume != kResumeAuto) {
        Result<std::string> recorded = findResumedExperiment(arguments.resume);
        if (!recorded) return reportProblems({recorded.problem()});
        arguments.config = std::move(recorded).value();
    }
    readRestarts(arguments);
    std::optional<ReservedRunDirectory> reserved;
    if (arguments.out.empty()) {
        Result<ReservedRunDirectory> made = ReservedRunDirectory::make("hosts");
        if (!made) return reportProblems({made.problem()});
        arguments.out = reserved.emplace(std::move(made).value()).path();
    }
    return runOnHosts({hosts.value(), shell.value(), worker.value(), rankArguments(arguments),
                       resumeElsewhere(arguments.resume), arguments.maxRestarts, arguments.minRanks});
}

// Prints a note if a launcher has started several processes of this command. Each of them starts a run of its own with
// all ranks, which is right for independent runs, and wrong if these processes are meant to be the ranks.
void printNoteAboutSeveralProcesses() {
    const Result<LaunchLayout> layout = findLaunchLayout({}, readLaunchSources());
    if (!layout || layout.value().rank != 0 || layout.value().isAlone()) return;
    if (layout.value().launcher == LauncherKind::kEnvironment) return;  // RANK and WORLD_SIZE can be left over
    std::fprintf(stderr,
                 "ringsidectl: %s started this command %d times, and each starts a run of its own. To train one run "
                 "with a rank in each process, start ringside-worker instead of ringsidectl run.\n",
                 textOf(layout.value().launcher).c_str(), layout.value().worldSize);
}

int runCommand(RunArguments arguments) {
    if (!arguments.hosts.empty()) return runElsewhere(arguments);
    printNoteAboutSeveralProcesses();
    constexpr std::array kReports = {"auto", "always", "never"};
    if (std::ranges::find(kReports, arguments.reportSamples) == kReports.end()) {
        return reportProblems(
            {{"--report-samples", "is " + arguments.reportSamples + "; it must be auto, always or never",
              "leave it out to report samples while steps take 20 ms or more"}});
    }
    Launch launch;
    launch.reportSamples = arguments.reportSamples;
    launch.runStartUs = monotonicUs();
    Problems problems;
    if (arguments.maxRestarts >= 0)
        arguments.assignments.push_back("parallel.max_restarts=" + std::to_string(arguments.maxRestarts));
    if (arguments.minRanks >= 0)
        arguments.assignments.push_back("parallel.min_ranks=" + std::to_string(arguments.minRanks));
    if (arguments.resume == kResumeAuto) {
        if (arguments.config.empty() && openRunDirectory(arguments.out)) arguments.config = arguments.out;
    } else if (!arguments.resume.empty()) {
        const std::filesystem::path resumed = std::filesystem::absolute(arguments.resume).lexically_normal();
        if (arguments.config.empty()) {
            const Result<std::string> recorded = findResumedExperiment(resumed);
            if (!recorded) return reportProblems({recorded.problem()});
            arguments.config = recorded.value();
        }
        arguments.assignments.insert(arguments.assignments.begin(), "training.resume=" + Json(resumed.string()).dump());
    }
    Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, problems);
    if (!experiment) return reportProblems(problems);
    if (!arguments.resume.empty() && arguments.resume != kResumeAuto) {
        const auto unused = checkLearningRate(experiment.value().config, arguments.resume, arguments.assignments);
        if (unused) return reportProblems({*unused});
        if (isRecordedExperiment(arguments.config))
            applyLiveChanges(experiment.value().config, arguments.resume, arguments.assignments);
    }
    if (const std::int64_t least = experiment.value().config.parallel.minRanks; least > 0)
        return reportProblems(
            {{"parallel.min_ranks",
              "is " + std::to_string(least) + ", but all ranks are on this computer, so none can be lost alone",
              "set it to 0 (--set parallel.min_ranks=0); --max-restarts N restarts all ranks after one was lost"}});
    if (arguments.resume == kResumeAuto) {
        RunConfig& config = experiment.value().config;
        const Result<std::string> checkpoint = findResumeAuto(arguments.out, config.dataRanks());
        if (!checkpoint) return reportProblems({checkpoint.problem()});
        config.training.resume = checkpoint.value();
        applyLiveChanges(config, checkpoint.value(), arguments.assignments);
    }
    Result<PreparedRun> run = prepareRun(experiment.value().config, experiment.value().baseDirectory, &problems);
    if (!run) return reportProblems(problems.empty() ? Problems{run.problem()} : problems);
    Result<std::filesystem::path> worker = findWorkerProgram(run.value().compute.device);
    if (!worker) return reportProblems({worker.problem()});
    launch.run = std::move(run).value();
    launch.worker = worker.value();
    const bool isAuto = arguments.resume == kResumeAuto;
    launch.commands =
        readCommandsToResume(isAuto ? arguments.out : launch.run.config.training.resume, launch.run.config,
                             arguments.assignments, isAuto || isRecordedExperiment(arguments.config));
    Result<RunDirectory> directory = openRun(launch.run.config, arguments.out, isAuto, launch.runStartUs);
    if (!directory) return reportProblems({directory.problem()});
    if (arguments.detach) return runDetached(launch, std::move(directory).value());
    return runHere(launch, std::move(directory).value(), arguments.quiet);
}

}  // namespace

void addRunCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("run", "Trains an experiment on several ranks and shows its progress");
    command->footer(kRunFooter);
    auto arguments = std::make_shared<RunArguments>();
    command->add_option(
        "CONFIG", arguments->config,
        "Experiment file, run directory with its experiment, - for standard input (default: the built-in "
        "experiment)");
    command->add_option("--set", arguments->assignments, "Change one field: --set loader.batch_size=64")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("A.B=VALUE");
    command->add_option("-o,--out", arguments->out, "Run directory to create; must be new or empty")->type_name("DIR");
    command
        ->add_option("--resume", arguments->resume,
                     "Continue from a run directory or a checkpoint; without CONFIG, with its experiment. auto: "
                     "continue in the directory of --out from its newest checkpoint, or start if it has none")
        ->type_name("PATH");
    command
        ->add_option("--report-samples", arguments->reportSamples,
                     "When ranks report every trained sample. auto: while steps take 20 ms or more; always; never")
        ->type_name("WHEN");
    command
        ->add_option("--hosts", arguments->hosts,
                     "Hosts on which the ranks are started through ssh. Rank 0 runs on the first host, which the other "
                     "hosts must reach")
        ->type_name("HOST:RANKS,...");
    command
        ->add_option("--shell", arguments->shell,
                     "With --hosts: command line of the remote shell; {host} and {command} are replaced")
        ->capture_default_str()
        ->type_name("TEMPLATE");
    command
        ->add_option("--max-restarts", arguments->maxRestarts,
                     "Maximum number of restarts from the last checkpoint after a failure (parallel.max_restarts)")
        ->check(CLI::Range(0, 1000))
        ->type_name("N");
    command
        ->add_option(
            "--min-ranks", arguments->minRanks,
            "With --hosts and restarts only: minimum number of ranks with which the run continues (parallel.min_ranks)")
        ->check(CLI::Range(0, 4096))
        ->type_name("N");
    command->add_flag("--detach", arguments->detach, "Return when the run has started; it continues in the background");
    command->add_flag("--quiet", arguments->quiet, "Print only the result");
    command->callback([arguments, &action] { action = [arguments] { return runCommand(*arguments); }; });
}

}  // namespace ringside
