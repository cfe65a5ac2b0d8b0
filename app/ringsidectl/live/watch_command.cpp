// SPDX-License-Identifier: Apache-2.0
#include "live/watch_command.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/errors/errors.h"
#include "base/json/json_members.h"
#include "base/system/files.h"
#include "base/system/signal_input.h"
#include "base/text/shell_word.h"
#include "base/text/terminal_text.h"
#include "base/time/monotonic.h"
#include "experiment/experiment_file.h"
#include "launch/layout/launch_sources.h"
#include "run/read/run_directory.h"
#include "watch/report/watch_report.h"
#include "watch/run/leftover_processes.h"
#include "watch/run/watched_run.h"
#include "watch/run/watcher_directory.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kCheckSteps = 50;
constexpr const char* kWatchFooter =
    "The command runs as without ringsidectl: same output, same signals, same exit code. Its PyTorch processes\n"
    "report what they train, without a change of the script, and a run directory contains the reports.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl watch -- python3 train.py\n"
    "  ringsidectl watch --out runs/mine -- torchrun --nproc-per-node 4 train.py\n"
    "  ringsidectl watch --check -- torchrun --nproc-per-node 2 train.py    50 steps, then a report\n"
    "  ringsidectl watch --continues runs/mine -- python3 train.py --resume\n"
    "  ringsidectl watch -- srun -n 8 python3 train.py                      ranks report over TCP\n"
    "Two hosts, each with its own torchrun, and a secret that both can read:\n"
    "  ringsidectl watch --listen node1:29401 --secret-file ~/secret -- torchrun --nnodes 2 ...   on node1\n"
    "  ringsidectl watch --join node1:29401 --secret-file ~/secret -- torchrun --nnodes 2 ...     on node2\n"
    "\n"
    "While it runs, show it with ringsidectl attach RUN_DIR in another terminal, or in the window; afterwards\n"
    "with ringsidectl show RUN_DIR.";

struct WatchArguments {
    std::string out;
    std::string continues;
    std::optional<std::int64_t> checkSteps;
    std::string listen, join, secretFile;
    bool json = false, sarif = false;
    std::vector<std::string> command;
};

void printWarning(const std::string& text) {
    std::fprintf(stderr, "ringsidectl watch: %s\n", terminalText(text).c_str());
}

// Prints a sentence on standard error only if that is a terminal, because a file would otherwise contain text that the
// command did not write.
void printRemark(const std::string& text) {
    if (::isatty(STDERR_FILENO) == 1) printWarning(text);
}

std::string programName(const WatchArguments& arguments) {
    return fs::path(arguments.command.front()).filename().string();
}

// Returns the name of the run: that of the first Python script in the command line, otherwise that of the program.
std::string runName(const WatchArguments& arguments) {
    for (const std::string& word : arguments.command) {
        const fs::path path(word);
        if (path.extension() == ".py" && !path.stem().empty()) return path.stem().string();
    }
    return programName(arguments);
}

struct TcpAddress {
    std::string host;
    int port = 0;
};

// Parses an address such as "HOST:PORT". Returns a problem that names the option.
Result<TcpAddress> tcpAddress(const char* option, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
    const bool isNumber =
        !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
    if (colon == std::string::npos || colon == 0 || !isNumber || std::stoi(port) > 65535)
        return Problem{option, "is " + text + ", which is not HOST:PORT with a port from 1 to 65535",
                       "write it as node1:29401"};
    return TcpAddress{text.substr(0, colon), std::stoi(port)};
}

// Addresses at which a watcher accepts ranks, and the environment variables with which the watched command finds these
// addresses.
struct Meeting {
    WatcherDirectory directory;
    std::optional<WatchListener> listener;
    std::vector<std::string> environment;
    // path of the file in the run directory that contains the secret for ranks on other hosts; empty if there is none
    fs::path sharedSecret;

    ~Meeting() {
        std::error_code ignored;
        if (!sharedSecret.empty()) fs::remove(sharedSecret, ignored);
    }
};

// Listens on a TCP port for ranks on other hosts.
std::optional<Problem> listenRemotely(Meeting& meeting, const WatchArguments& arguments, const fs::path& runDirectory) {
    TcpAddress address{readLaunchSources().hostName, 0};
    if (!arguments.listen.empty()) {
        const Result<TcpAddress> given = tcpAddress("--listen", arguments.listen);
        if (!given) return given.problem();
        address = given.value();
    }
    std::string secret = meeting.directory.secret();
    fs::path file = arguments.secretFile;
    if (file.empty()) {
        file = runDirectory / "watch.secret";
        writeSecretFile(file, secret);
        meeting.sharedSecret = file;
    } else {
        const Result<std::string> read = readSecretFile(file);
        if (!read) return read.problem();
        secret = read.value();
    }
    meeting.listener.emplace(secret);
    if (!meeting.listener->listen(address.host, address.port))
        return Problem{"--listen",
                       "is " + address.host + ":" + std::to_string(address.port) + ", where this host cannot listen (" +
                           errnoText(errno) + ")",
                       "name an address of this host and a free port"};
    const std::string text = "tcp:" + address.host + ":" + std::to_string(meeting.listener->port());
    const Result<std::vector<std::string>> environment = watchEnvironment(text, fs::absolute(file));
    if (!environment) return environment.problem();
    meeting.environment = environment.value();
    return {};
}

std::optional<Problem> listenHere(Meeting& meeting) {
    meeting.listener.emplace(meeting.directory.secret());
    if (!meeting.listener->listenAt(meeting.directory.socket()))
        return Problem{meeting.directory.socket().string(), "cannot be created (" + errnoText(errno) + ")",
                       "set TMPDIR to a directory that you can write"};
    const Result<std::vector<std::string>> environment =
        watchEnvironment("unix:" + meeting.directory.socket().string(), meeting.directory.secretFile());
    if (!environment) return environment.problem();
    meeting.environment = environment.value();
    return {};
}

Result<RunDirectory> makeDirectory(const WatchArguments& arguments) {
    return arguments.out.empty() ? RunDirectory::createDefault(runName(arguments))
                                 : RunDirectory::create(arguments.out);
}

// Records the command and its working directory, so that the window can show them, find the lines of the script and
// start the command again.
void writeCommand(const WatchArguments& arguments, const std::optional<std::string>& continues, const RunPaths& paths) {
    std::error_code ignored;
    Json json = {
        {"version", 1}, {"command", arguments.command}, {"working_directory", fs::current_path(ignored).string()}};
    if (continues) json["continues"] = *continues;
    writeFileAtomically(paths.launch(), jsonText(json, 2) + "\n");
}

// Prints the reason why the watched command has left no record of a run.
void explainNothing(const ChildEnd& end) {
    if (end.signalled || end.code != 0)
        return printWarning("the command " + end.text() + " before any of its processes trained: nothing was recorded");
    printWarning(
        "nothing was recorded: the command has succeeded, but none of its processes has connected. A process connects "
        "when "
        "it trains with PyTorch; one that is started without PYTHONPATH (python -I, -E, -S, env -i, another host) "
        "cannot. Training with torch.distributed.rpc and distributed autograd is not visible");
}

// Prints that --check has seen no training, and returns its exit code.
int nothingChecked(const char* why) {
    printWarning(std::string("nothing was checked: ") + why);
    return static_cast<int>(ExitCode::kBadConfiguration);
}

// Returns the command line that repeats the check.
std::string checkCommand(const WatchArguments& arguments) {
    std::string line = "ringsidectl watch --check";
    if (arguments.checkSteps.value_or(kCheckSteps) != kCheckSteps) line += "=" + std::to_string(*arguments.checkSteps);
    line += " --";
    for (const std::string& word : arguments.command) line += " " + shellWord(word);
    return line;
}

void printReport(const WatchArguments& arguments, const WatchedRun& run, bool hasFailed) {
    const ReportedRun reported{checkCommand(arguments), RINGSIDE_VERSION, run.ranks(), run.minSteps(),
                               hasFailed || !run.hasTrained()};
    const auto dumped = [](const Json& json) { return jsonText(json, 2); };
    if (arguments.json) {
        std::printf("%s\n", terminalJson(dumped(reportJson(run.diagnosis(), reported))).c_str());
    } else if (arguments.sarif) {
        std::printf("%s\n", terminalJson(dumped(reportSarif(run.diagnosis(), reported))).c_str());
    } else if (arguments.checkSteps) {
        std::istringstream text(reportText(run.diagnosis(), reported));
        for (std::string line; std::getline(text, line);) std::fprintf(stderr, "%s\n", terminalText(line).c_str());
    }
}

// Prints the verdict, the report and the run directory. Returns the exit code of the watched command or, with --check,
// an exit code that depends on the findings.
int finish(const WatchArguments& arguments, const WatchedRun& run, const RunDirectory& directory, const RunEnded& end) {
    const bool hasFailedRank = end.firstFailedRank >= 0;
    if (run.endedByCheck() || (arguments.checkSteps && hasFailedRank)) printWarning(end.verdict);
    const bool hasFailed = !run.endedByCheck() && run.commandCode() != 0;
    printReport(arguments, run, hasFailed || hasFailedRank);
    const std::string place = "run directory: " + directory.paths().directory.string();
    arguments.checkSteps ? printWarning(place) : printRemark(place);
    if (!arguments.checkSteps || hasFailed) return run.commandCode();
    if (run.diagnosis().hasMistake()) return static_cast<int>(ExitCode::kMistakesFound);
    if (hasFailedRank) return static_cast<int>(ExitCode::kRankDied);
    return run.hasTrained() ? static_cast<int>(ExitCode::kOk) : nothingChecked("no optimizer step was seen");
}

int watchHere(const WatchArguments& arguments) {
    std::optional<std::string> continues;
    if (!arguments.continues.empty()) {
        const Result<RunPaths> before = openRunDirectory(arguments.continues);
        if (!before) return reportProblems({before.problem()});
        continues = before.value().directory.string();
    }
    Result<RunDirectory> made = makeDirectory(arguments);
    if (!made) return reportProblems({made.problem()});
    RunDirectory directory = std::move(made).value();
    writeCommand(arguments, continues, directory.paths());
    Meeting meeting;
    const bool isRemote = !arguments.listen.empty() || programName(arguments) == "srun";
    const auto problem =
        isRemote ? listenRemotely(meeting, arguments, directory.paths().directory) : listenHere(meeting);
    if (problem) return reportProblems({*problem});

    CommandOptions command{.words = arguments.command, .environment = meeting.environment};
    ::sigprocmask(SIG_SETMASK, nullptr, &command.signalMask);
    if (arguments.checkSteps) command.environment.emplace_back("RINGSIDE_WATCH_CHECK=1");
    if (arguments.json || arguments.sarif) command.outputFd = STDERR_FILENO;
    const UniqueFd signals = signalInput({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2});
    adoptLeftoverProcesses();
    const std::int64_t zeroUs = monotonicNs() / 1000;
    CommandProcess process(command);
    WatchedRun run(directory, *meeting.listener, process, zeroUs,
                   {.name = runName(arguments),
                    .signalFd = signals.get(),
                    .checkSteps = arguments.checkSteps,
                    .continues = continues,
                    .warn = printWarning,
                    .inform = printRemark});
    const std::optional<RunEnded> end = run.run();
    if (!end) {
        explainNothing(*process.poll());
        const bool isChecked = arguments.checkSteps && run.commandCode() == 0;
        return isChecked ? nothingChecked("no process has connected") : run.commandCode();
    }
    directory.keep();
    directory.release();
    return finish(arguments, run, directory, *end);
}

// Runs the command in place of this process, with the address of a watcher on another host (option --join).
int watchElsewhere(const WatchArguments& arguments) {
    const Result<TcpAddress> address = tcpAddress("--join", arguments.join);
    if (!address) return reportProblems({address.problem()});
    if (arguments.secretFile.empty())
        return reportProblems(
            {{"--join", "needs the secret of the watcher", "give the file with the secret: --secret-file FILE"}});
    if (const auto secret = readSecretFile(arguments.secretFile); !secret) return reportProblems({secret.problem()});
    const Result<std::vector<std::string>> environment =
        watchEnvironment("tcp:" + arguments.join, fs::absolute(arguments.secretFile));
    if (!environment) return reportProblems({environment.problem()});
    CommandOptions command{.words = arguments.command, .environment = environment.value()};
    replaceByCommand(command);
}

int watchCommand(const WatchArguments& arguments) {
    if (arguments.command.empty())
        return reportProblems(
            {{"COMMAND", "is missing", "write it after --, as in: ringsidectl watch -- python3 train.py"}});
    if (arguments.json && arguments.sarif)
        return reportProblems({{"--sarif", "cannot be combined with --json", "choose one of them"}});
    if (!arguments.join.empty() && !arguments.listen.empty())
        return reportProblems(
            {{"--join", "cannot be combined with --listen", "listen on one host and join on the other hosts"}});
    return arguments.join.empty() ? watchHere(arguments) : watchElsewhere(arguments);
}

}  // namespace

void addWatchCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("watch", "Records your own PyTorch script, without changing it");
    command->footer(kWatchFooter);
    auto arguments = std::make_shared<WatchArguments>();
    auto check = std::make_shared<std::int64_t>(0);
    command->add_option("-o,--out", arguments->out, "Run directory to create (default: a new one under runs/)")
        ->type_name("RUN_DIR");
    command
        ->add_option("--continues", arguments->continues,
                     "Earlier run that this run continues; the audit of the samples then includes it")
        ->type_name("RUN_DIR");
    CLI::Option* checks = command
                              ->add_flag("--check{50}", *check,
                                         "Ends the command after 50 steps, or --check=STEPS, and reports what is wrong")
                              ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
    command->add_flag("--json", arguments->json,
                      "Prints the report as JSON; the command's output goes to standard error");
    command->add_flag("--sarif", arguments->sarif, "Prints the report as SARIF, for editors and code reviews");
    command->add_option("--listen", arguments->listen, "Address of this host to which ranks of other hosts connect")
        ->type_name("HOST:PORT");
    command->add_option("--join", arguments->join, "Address of a watcher on another host, which records the ranks")
        ->type_name("HOST:PORT");
    command->add_option("--secret-file", arguments->secretFile, "File with the secret of --listen and --join, mode 600")
        ->type_name("FILE");
    command->add_option("COMMAND", arguments->command, "Command and its arguments, after --");
    command->callback([arguments, check, checks, &action] {
        action = [arguments, check, isChecked = checks->count() > 0] {
            if (isChecked) arguments->checkSteps = *check;
            return watchCommand(*arguments);
        };
    });
}

}  // namespace ringside
