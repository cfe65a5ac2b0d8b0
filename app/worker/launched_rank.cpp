// SPDX-License-Identifier: Apache-2.0
#include "launched_rank.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "base/crypto/secret.h"
#include "base/errors/errors.h"
#include "base/errors/exit_code.h"
#include "base/json/json.h"
#include "base/processors/processors.h"
#include "base/system/files.h"
#include "base/system/signal_input.h"
#include "base/time/monotonic.h"
#include "launch/channels/shared_handover.h"
#include "launch/channels/shared_memory.h"
#include "launch/classroom/classroom_lines.h"
#include "launch/exchange/job_server.h"
#include "launch/layout/launch_sources.h"
#include "launch/rendezvous/rendezvous_guest.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "launch/wire/line_socket.h"
#include "launch_arguments.h"
#include "launch_errors.h"
#include "rank_life.h"
#include "run/prepare/classroom_data.h"
#include "run/prepare/experiment_file.h"
#include "run/prepare/guest_experiment.h"
#include "run/prepare/resume_point.h"
#include "run/ranks/worker_program.h"
#include "run/read/epoch_lines.h"
#include "run/supervise/launched_run.h"
#include "run/supervise/run_place.h"

namespace ringside {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kTokenVariable = "RINGSIDE_TOKEN";
constexpr seconds kSharedPatience{30};
constexpr seconds kFarewellPatience{2};
constexpr seconds kSummaryPatience{5};
constexpr seconds kRefusalPatience{5};
// Timeout for reporting a problem to rank 0; rank 0 may start later than this rank.
constexpr seconds kReportPatience{15};

// Command line, rank layout and connections of a rank before the rendezvous.
struct Start {
    LaunchArguments arguments;
    LaunchLayout layout;
    LaunchSources sources;
    // Connection to the launcher's own server (PMI or PMIx), through which the ranks exchange text; null if the
    // launcher's environment variables are sufficient.
    std::shared_ptr<JobServer> server;
    Experiment experiment;
    RendezvousTerms terms;
    bool ownToken = false;
    // True: this process is the rank of a guest, a computer that has joined the classroom of another computer.
    bool isGuest = false;
};

int asCode(ExitCode code) {
    return static_cast<int>(code);
}

void log(const std::string& text) {
    std::cerr << "ringside: " << text << std::endl;
}

int refuse(const Problem& problem) {
    std::cerr << "ringside-worker: " << problem.text() << std::endl;
    writeErrorForLauncher(problem.text());
    return asCode(ExitCode::kBadConfiguration);
}

// Restricts the rank of a classroom guest to the files that the classroom's host offered; these files are in the folder
// of the experiment. Returns the names of these files.
Result<std::set<std::string>> confineToOffer(LaunchArguments& arguments) {
    const std::filesystem::path experiment = arguments.config;
    Result<std::set<std::string>> files = filesOfOffer(experiment.parent_path());
    if (!files) return files;
    const Result<bool> confined = confineFilesTo(experiment.parent_path());
    if (!confined) return confined.problem();
    arguments.config = experiment.filename().string();
    return files;
}

// Determines this process's rank and the address of the rendezvous. Uses the options and the launcher's environment
// variables. If they are not sufficient, also connects to the launcher's own server (PMI or PMIx) and queries it.
std::optional<Problem> findPlace(Start& start) {
    const LaunchOptions& options = start.arguments.layout;
    const auto deadline = steady_clock::now() + start.arguments.wait;
    Result<std::unique_ptr<JobServer>> server = connectJobServer(options, start.sources, deadline);
    if (server) start.server = std::move(server).value();
    if (start.server) start.sources.server = start.server->layout();
    Result<LaunchLayout> layout = findLaunchLayout(options, start.sources);
    if (!layout) return server ? layout.problem() : server.problem();
    start.layout = std::move(layout).value();
    if (start.layout.isAlone()) return {};
    if (start.server) {
        const Result<bool> exchanged = exchangeJob(*start.server, start.layout, !options.master.empty(), deadline);
        return exchanged ? std::nullopt : std::optional(exchanged.problem());
    }
    const bool hasToken = start.sources.has(kTokenVariable) || !start.layout.job.empty();
    if (hasToken && !start.layout.masterHosts.empty()) return {};
    if (!server) return server.problem();
    return Problem{textOf(start.layout.launcher), "does not provide the address of rank 0",
                   "give --master HOST:PORT and set RINGSIDE_TOKEN, the same on all ranks"};
}

// Reads the arguments and determines the rank layout. Does not read the experiment: a rank whose experiment is invalid
// must already know the other ranks, so that it can report the error to them.
Result<Start> readStart(int argc, char** argv) {
    Start start;
    Result<LaunchArguments> arguments = parseLaunchArguments(argc, argv);
    if (!arguments) return arguments.problem();
    start.arguments = std::move(arguments).value();
    if (start.arguments.help) return start;
    start.sources = readLaunchSources();
    if (!start.arguments.name.empty()) start.sources.hostName = start.arguments.name;
    start.isGuest = std::getenv(kGuestVariable) != nullptr;
    if (const auto problem = findPlace(start)) return *problem;
    const std::string token = start.sources.find(kTokenVariable).value_or("");
    start.ownToken = !token.empty();
    start.terms = termsOf(start.layout, token, RINGSIDE_VERSION, "");
    start.terms.deadline = start.arguments.wait;
    return start;
}

// Uses the experiment of the checkpoint in --resume if the command line contains no experiment.
std::optional<Problem> findExperiment(LaunchArguments& arguments) {
    if (!arguments.config.empty() || arguments.resume.empty() || arguments.resume == kResumeAuto) return {};
    Result<std::string> recorded = findResumedExperiment(arguments.resume);
    if (!recorded) return recorded.problem();
    arguments.config = std::move(recorded).value();
    return {};
}

// True if the launcher has restarted the ranks.
bool isRestarted(const Start& start) {
    return std::max(start.arguments.restart, start.layout.restart) > 0;
}

// Sets the number of epochs that a control command had set before the checkpoint was saved. At the first start of the
// run, a value of --set takes precedence. After a restart by the launcher, the command takes precedence, because the
// options --set are those of the first start and older than the command. Limit: as long as this run has saved no
// checkpoint, a command that an earlier run stored in the checkpoint takes precedence, too.
void applyLiveChanges(const Start& start, const std::string& checkpoint, RunConfig& config) {
    ringside::applyLiveChanges(config, checkpoint,
                               isRestarted(start) ? std::vector<std::string>() : start.arguments.assignments);
}

std::optional<Problem> readExperiment(Start& start) {
    if (auto conflict = launchConflict(start.layout, start.sources)) return conflict;
    std::set<std::string> offered;
    if (start.isGuest) {
        Result<std::set<std::string>> files = confineToOffer(start.arguments);
        if (!files) return files.problem();
        offered = std::move(files).value();
    }
    if (auto problem = findExperiment(start.arguments)) return problem;
    Problems problems;
    Result<Experiment> experiment = loadExperiment(start.arguments.config, start.arguments.assignments, problems);
    if (!experiment) return experiment.problem();
    if (start.isGuest) {
        if (auto problem = guestProblem(experiment.value().config, offered)) return problem;
    }
    start.experiment = std::move(experiment).value();
    if (const std::string& resume = start.arguments.resume; !resume.empty() && resume != kResumeAuto) {
        const RunConfig& config = start.experiment.config;
        if (auto problem = checkLearningRate(config, resume, start.arguments.assignments)) return problem;
        if (isRecordedExperiment(start.arguments.config))
            ringside::applyLiveChanges(start.experiment.config, resume, start.arguments.assignments);
    }
    start.experiment.config.parallel.worldSize = start.layout.worldSize;
    start.terms.experiment = experimentHash(start.experiment.config);
    return {};
}

// Disconnects from the launcher's server, which would otherwise expect this process to use MPI. Stays connected if this
// process itself will use MPI; returns true if it stays connected.
bool leaveServerUnlessMpi(Start& start) {
    const bool usesMpi = start.experiment.config.parallel.backend == CollectiveBackend::kMpi;
    // Rank 0 trains in a child process (except under PMI), which connects to the launcher's server by itself: this
    // process can then leave the server even if the run uses MPI.
    const bool isChild = start.layout.rank == 0 && start.layout.launcher != LauncherKind::kPmi;
    const bool stays = start.server && usesMpi && !isChild;
    if (start.server && !stays) start.server->leave();
    return stays;
}

// Signals that a launcher sends: SIGTERM to end a job, SIGUSR1 as a possible warning before the time limit, and SIGINT
// that the user enters as Ctrl+C in the launcher's terminal.
constexpr std::initializer_list<int> kLauncherSignals = {SIGTERM, SIGUSR1, SIGINT};

// Returns a descriptor from which the launcher's signals are read. Resets SIGINT, which main() ignores; an ignored
// SIGTERM or SIGUSR1 stays ignored.
UniqueFd launcherSignals() {
    std::signal(SIGINT, SIG_DFL);
    return signalInput(kLauncherSignals);
}

Result<LaunchedRun> prepare(const Start& start) {
    LaunchedRun launched;
    launched.runStartUs = monotonicUs();
    RunConfig config = start.experiment.config;
    if (start.arguments.resume == kResumeAuto) {
        const Result<std::string> checkpoint = findResumeAuto(start.arguments.out, config.dataRanks());
        if (!checkpoint) return checkpoint.problem();
        config.training.resume = checkpoint.value();
        applyLiveChanges(start, checkpoint.value(), config);
    } else if (!start.arguments.resume.empty()) {
        config.training.resume = std::filesystem::absolute(start.arguments.resume).lexically_normal().string();
    }
    Result<PreparedRun> run = prepareRun(config, start.experiment.baseDirectory, nullptr, start.layout.localSize);
    if (!run) return run.problem();
    const Result<std::filesystem::path> worker = findWorkerProgram(run.value().compute.device);
    if (!worker) return worker.problem();
    launched.layout = start.layout;
    launched.terms = start.terms;
    launched.ownToken = start.ownToken;
    launched.run = std::move(run).value();
    launched.worker = worker.value();
    launched.log = log;
    return launched;
}

// Prints the problem and reports it to the other ranks, so that they do not wait for this rank. Rank 0 refuses the
// connections of the other ranks for up to kRefusalPatience; any other rank reports to rank 0. The rank of a classroom
// guest reports nothing, because the text can contain paths of the guest's computer. Returns the exit code.
int refuseAll(const Start& start, const Problem& problem) {
    const int code = refuse(problem);
    if (start.layout.isAlone() || start.isGuest) return code;
    if (start.layout.rank > 0) {
        RendezvousTerms terms = start.terms;
        terms.deadline = std::min<std::chrono::milliseconds>(terms.deadline, kReportPatience);
        declineRendezvous(terms, start.layout.rank, start.sources.hostName, problem.text());
        return code;
    }
    RendezvousHost host(start.terms, start.layout, hostKey());
    if (host.listen().empty()) host.refuseRanks(problem.text(), kRefusalPatience);
    return code;
}

// Returns the commands that the ranks execute again. config: experiment of the run that is about to start.
LiveCommands commandsToRepeat(const Start& start, const RunConfig& config) {
    const LaunchArguments& arguments = start.arguments;
    if (arguments.resume != kResumeAuto)
        return readCommandsToResume(config.training.resume, config, arguments.assignments,
                                    isRecordedExperiment(arguments.config));
    if (isRestarted(start)) return readLiveCommands(RunPaths(arguments.out));
    return readCommandsToResume(arguments.out, config, arguments.assignments, true);
}

int hostRun(const Start& start) {
    log("this is " + start.layout.text());
    Result<LaunchedRun> launched = prepare(start);
    if (!launched) return refuseAll(start, launched.problem());
    const bool isResumed = start.arguments.resume == kResumeAuto;
    const std::string resume = launched.value().run.config.training.resume;
    launched.value().commands = commandsToRepeat(start, launched.value().run.config);
    Result<RunDirectory> directory =
        openRun(launched.value().run.config, start.arguments.out, isResumed, launched.value().runStartUs);
    if (!directory) return refuseAll(start, directory.problem());
    if (isResumed)
        log(resume.empty() ? "there is no checkpoint yet: starting from the beginning" : "continuing from " + resume);
    if (isResumed) launched.value().restart = std::max(start.arguments.restart, start.layout.restart);
    const UniqueFd stopFd = launcherSignals();
    launched.value().stopFd = stopFd.get();
    EpochLines epochs;
    launched.value().onChange = [&epochs](const RunData& run, unsigned) {
        for (const std::string& line : epochs.takeLines(run, steady_clock::now())) log(line);
    };
    const Result<RunEnded> end = hostLaunchedRun(std::move(launched).value(), std::move(directory).value());
    if (!end) return refuse(end.problem());
    log(end.value().verdict);
    if (end.value().exitCode != 0) writeErrorForLauncher(end.value().verdict);
    return end.value().exitCode;
}

// Calls a function when the launcher sends a signal to this rank. A thread reads the signals from a descriptor. A
// signal handler is not used, because it would interrupt the training thread, and oneDNN 2.6 corrupts the heap when it
// is interrupted in a matrix product.
class StopSignals {
  public:
    // onSignal: called in the thread, once per signal.
    explicit StopSignals(std::function<void()> onSignal)
        : m_onSignal(std::move(onSignal)), m_signals(launcherSignals()), m_end(::eventfd(0, EFD_CLOEXEC)) {
        if (!m_end)
            throw IoError("an event descriptor for the launcher's signals cannot be created: " + errnoText(errno));
        m_thread = std::thread([this] { run(); });
    }
    // Ends the thread that reads the launcher's signals. The run has ended, so later signals need no reaction.
    ~StopSignals() {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(m_end.get(), &one, sizeof one);
        m_thread.join();
        for (const int number : kLauncherSignals) std::signal(number, SIG_IGN);
    }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

  private:
    void run() const {
        nameThread("signals");
        std::array<pollfd, 2> watched{{{m_signals.get(), POLLIN, 0}, {m_end.get(), POLLIN, 0}}};
        for (;;) {
            if (::poll(watched.data(), watched.size(), -1) < 0) {
                if (errno == EINTR) continue;
                return;
            }
            if (watched[1].revents != 0) return;
            if (watched[0].revents != 0 && readSignalFrom(m_signals.get())) m_onSignal();
        }
    }

    std::function<void()> m_onSignal;
    UniqueFd m_signals;
    UniqueFd m_end;  // eventfd that becomes readable when the destructor ends the thread
    std::thread m_thread;
};

// Returns the response of a rank to a signal. A rank under a launcher requests a stop of the whole run. The rank of a
// classroom guest ends alone: it reports that it leaves the run, and exits. control: connection to the process that
// supervises the run; must stay open while the function can be called.
std::function<void()> signalResponse(bool isGuest, int control) {
    if (!isGuest) return [control] { sendLine(control, kStopRequest, steady_clock::now() + kFarewellPatience); };
    return [control] {
        const int code = asCode(ExitCode::kStopped);
        sendLine(control, encodeFarewell({code, "", true}), steady_clock::now() + kFarewellPatience);
        _exit(code);
    };
}

RankEnvironment environmentOf(const Start& start, const Joined& joined) {
    const auto rank = static_cast<std::size_t>(start.layout.rank);
    RankEnvironment environment;
    environment.rank = start.layout.rank;
    environment.worldSize = start.layout.worldSize;
    environment.hosts = joined.welcome.hosts;
    const std::vector<int> local = joined.welcome.ranksOn(environment.hosts[rank]);
    environment.localRank = static_cast<int>(std::find(local.begin(), local.end(), environment.rank) - local.begin());
    environment.isGuest = start.isGuest;
    // The rank of a classroom guest writes no run directory, and the host's path does not exist on the guest's
    // computer. "run" is a placeholder, because an empty path would mean that the run writes no checkpoints.
    environment.runDirectory = start.isGuest ? "run" : joined.welcome.runDirectory;
    environment.runStartUs = joined.welcome.runStartUs - joined.clockOffsetUs;
    environment.backend = joined.welcome.backend;
    environment.device = joined.welcome.device;
    environment.address = joined.welcome.hostCount() > 1 ? joined.welcome.addresses[rank] : "";
    return environment;
}

// Returns a log line with the measured offset of this host's clock, which limits how exactly the traces of different
// hosts align. Only the first rank of each host writes this line, except on rank 0's host; returns an empty text on all
// other ranks.
std::string clockNote(const RankEnvironment& environment, const Joined& joined) {
    if (environment.localRank > 0 || environment.hosts[static_cast<std::size_t>(environment.rank)] == 0) return {};
    return "clock of this host relative to the host of rank 0: " + std::to_string(joined.clockOffsetUs) +
           " us difference, uncertain by " + std::to_string(joined.clockErrorUs) + " us";
}

// Returns the memory that the ranks of this host share. The host's first rank creates the memory and sends its
// descriptor to the other ranks. On rank 0's host, the process of rank 0 has created it.
UniqueFd sharedOf(const RankEnvironment& environment, const Welcome& welcome) {
    const int host = environment.hosts[static_cast<std::size_t>(environment.rank)];
    const int others = environment.ranksOnHost() - 1;
    if (environment.localRank > 0 || host == 0) return fetchShared(welcome.sharedName, host, kSharedPatience);
    UniqueFd shared = createSharedMemory(sharedMemoryBytes(environment.ranksOnHost()));
    if (others > 0) SharedHandover(welcome.sharedName, host).serve(shared.get(), others, kSharedPatience);
    return shared;
}

RunConfig configFor(const Start& start, const Welcome& welcome) {
    RunConfig config = start.experiment.config;
    config.parallel.backend = choiceNamed<CollectiveBackend>(welcome.backend).value_or(config.parallel.backend);
    config.parallel.device = choiceNamed<DeviceChoice>(welcome.device).value_or(config.parallel.device);
    if (start.isGuest) {  // paths of a guest's experiment are relative to the working directory, into which the guest
                          // has received the offered files
        config.training.resume = start.arguments.resume;
        config.parallel.interface.clear();
        return config;
    }
    resolvePaths(config, start.experiment.baseDirectory);
    config.training.resume = welcome.resume;
    if (start.arguments.resume == kResumeAuto) applyLiveChanges(start, welcome.resume, config);
    // --resume is the path, on this host, of a copy of the checkpoint from which the run resumes.
    if (!welcome.resume.empty() && !start.arguments.resume.empty() && start.arguments.resume != kResumeAuto)
        config.training.resume = std::filesystem::absolute(start.arguments.resume).lexically_normal().string();
    return config;
}

// Waits until the process that supervises the run has written the summary and closes the connection, at most for
// kSummaryPatience. If this rank exited earlier, the supervising process could be killed before it has written the
// summary: when mpirun ends a job, it kills all other processes as soon as the first rank has exited.
void waitForSummary(RankChannels& channels) {
    channels.telemetry.reset();
    ::shutdown(channels.control.get(), SHUT_WR);
    const auto until = steady_clock::now() + kSummaryPatience;
    while (receiveLine(channels.control.get(), kMaxGreetingBytes, until)) continue;
}

int joinRun(const Start& start) {
    Result<Joined> joined =
        joinRendezvous(start.terms, start.layout.rank, start.layout.worldSize, start.sources.hostName, hostKey());
    if (!joined) return refuse(joined.problem());
    RankChannels& channels = joined.value().channels;
    const RankEnvironment environment = environmentOf(start, joined.value());
    channels.shared = sharedOf(environment, joined.value().welcome);
    std::optional<StopSignals> signals(std::in_place, signalResponse(start.isGuest, channels.control.get()));
    const auto leave = [rank = environment.rank] {
        const std::string text =
            "rank " + std::to_string(rank) + ": the process of rank 0 ended the run; see the verdict of the run";
        std::cerr << text << std::endl;
        writeErrorForLauncher(text, ErrorRole::kConsequence);
        _exit(asCode(ExitCode::kCommunicationFailed));
    };
    const RankResult end = runAsRank(environment, configFor(start, joined.value().welcome), channels, leave,
                                     clockNote(environment, joined.value()));
    signals.reset();
    const bool lostPeer = end.exitCode == asCode(ExitCode::kCommunicationFailed);
    if (!end.text.empty())
        writeErrorForLauncher("rank " + std::to_string(environment.rank) + ": " + end.text,
                              lostPeer ? ErrorRole::kConsequence : ErrorRole::kCause);
    sendLine(channels.control.get(), encodeFarewell({end.exitCode, end.text}), steady_clock::now() + kFarewellPatience);
    if (end.exitCode == asCode(ExitCode::kStopped)) waitForSummary(channels);
    return end.exitCode;
}

// Makes the kernel send a signal to this process when the launcher ends, so that no rank outlives the launcher. Rank 0
// gets SIGTERM and can then report the reason; all other ranks get SIGKILL. Does nothing for a rank that a user has
// started without a launcher. Returns false if the launcher has already ended.
bool tieToLauncher(const LaunchLayout& layout, pid_t parent) {
    if (layout.launcher == LauncherKind::kByHand || layout.launcher == LauncherKind::kAlone) return true;
    return ::prctl(PR_SET_PDEATHSIG, layout.rank == 0 ? SIGTERM : SIGKILL) == 0 && ::getppid() == parent;
}

}  // namespace

bool isLaunched(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--run-dir") return false;
    }
    return argc > 1;
}

int runLaunched(int argc, char** argv, pid_t parent) {
    try {
        Result<Start> start = readStart(argc, argv);
        if (!start) return refuse(start.problem());
        if (start.value().arguments.help) {
            std::cout << kLaunchUsage << std::endl;
            return 0;
        }
        if (!tieToLauncher(start.value().layout, parent)) return asCode(ExitCode::kCommunicationFailed);
        const std::optional<Problem> problem = readExperiment(start.value());
        const bool isConnected = leaveServerUnlessMpi(start.value());
        const int code = problem                          ? refuseAll(start.value(), *problem)
                         : start.value().layout.rank == 0 ? hostRun(start.value())
                                                          : joinRun(start.value());
        if (isConnected) start.value().server->leaveAfterMpi();
        return code;
    } catch (const Error& error) {
        log(error.what());
        writeErrorForLauncher(error.what());
        return asCode(error.exitCode());
    }
}

}  // namespace ringside
