// SPDX-License-Identifier: Apache-2.0
#include "live/attach_command.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/system/signal_input.h"
#include "base/text/line_splitter.h"
#include "base/text/terminal_text.h"
#include "experiment/experiment_file.h"
#include "live/progress_view.h"
#include "run/read/run_follower.h"
#include "run/read/run_life.h"
#include "run/supervise/control_server.h"
#include "telemetry/data/current_findings.h"
#include "telemetry/events/codec.h"
#include "terminal/screen.h"

namespace ringside {
namespace {

constexpr const char* kAttachFooter =
    "Examples:\n"
    "  ringsidectl attach runs/first             progress of a live run; the result of a finished run\n"
    "  ringsidectl attach runs/first --lines     telemetry from the beginning, one JSON line per event\n"
    "  ssh host ringsidectl attach DIR --lines   a run on another host\n"
    "  ringsidectl attach runs/first --stop      stops the run gracefully and shows its progress\n"
    "\n"
    "Ctrl-C detaches; the run continues. With --lines, control lines are read from standard\n"
    "input: {\"kind\":\"stop\"} stops the run; closing the input pipe detaches.";

constexpr int kPollMs = 250;

struct AttachArguments {
    std::string directory;
    bool lines = false;
    bool traces = false;
    bool stop = false;
};

// Writer to standard output that never blocks, even if the process that reads the output is slow. write() writes the
// bytes that the pipe accepts at once and keeps the rest; the caller must read no more telemetry while isWaiting() is
// true.
class LineOutput {
  public:
    void add(std::string_view text) { m_waiting += text; }
    bool isWaiting() const { return m_written < m_waiting.size(); }
    // Writes as much as possible without blocking. False on a write error, such as a closed pipe.
    bool write() {
        while (isWaiting() && hasRoom()) {
            // A pipe that poll() reports as writable accepts this many bytes without blocking (PIPE_BUF).
            const std::size_t length = std::min<std::size_t>(m_waiting.size() - m_written, kAtOnce);
            const ssize_t written = ::write(STDOUT_FILENO, m_waiting.data() + m_written, length);
            if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (written < 0) return false;
            m_written += static_cast<std::size_t>(written);
        }
        if (isWaiting()) return true;
        m_waiting.clear();
        m_written = 0;
        return true;
    }

  private:
    static constexpr std::size_t kAtOnce = 4096;
    static bool hasRoom() {
        pollfd ready{STDOUT_FILENO, POLLOUT, 0};
        return ::poll(&ready, 1, 0) > 0;
    }
    std::string m_waiting;
    std::size_t m_written = 0;
};

// Sends a command to the run. Prints an error if the run cannot receive it. Returns false if the run belongs to another
// user, so that it will never receive the command.
bool sendCommand(const RunPaths& paths, const ControlCommand& command) {
    const Result<ControlClient> client = ControlClient::connect(paths);
    if (client && client.value().send(command)) return true;
    const std::string name(nameOf(command.kind));
    if (const auto owner = otherOwner(paths.directory)) {
        std::fprintf(stderr, "ringsidectl: the run in %s belongs to %s; only this user can control it: %s not sent\n",
                     paths.directory.c_str(), owner->c_str(), name.c_str());
        return false;
    }
    std::fprintf(stderr, "ringsidectl: the run in %s is not live: %s not possible\n", paths.directory.c_str(),
                 name.c_str());
    return true;
}

void printProblem(const Problem& problem) {
    std::fprintf(stderr, "ringsidectl: %s\n", problem.text().c_str());
}

// Reader of control lines from standard input. The end of a pipe or socket means that the program that writes the
// control lines has ended. The end of a terminal, a file or /dev/null only means that no more commands follow.
class ControlInput {
  public:
    explicit ControlInput(const RunPaths& paths) : m_paths(paths) {
        struct stat info {};
        m_isPipe = ::fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
    }
    int fd() const { return m_open ? STDIN_FILENO : -1; }
    // Reads and executes the available lines. False if the program that writes the control lines has closed the pipe or
    // socket.
    bool read() {
        std::array<char, 4096> buffer;
        const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
        if (got <= 0) {
            m_open = false;
            return !m_isPipe;
        }
        m_lines.feed({buffer.data(), static_cast<std::size_t>(got)}, [this](std::string_view line) {
            if (line.empty()) return;
            const Result<ControlCommand> command = decodeControl(line);
            if (!command) return printProblem(command.problem());
            sendCommand(m_paths, command.value());
        });
        return true;
    }

  private:
    const RunPaths& m_paths;
    LineSplitter m_lines{4096};
    bool m_open = true;
    bool m_isPipe = false;
};

int streamLines(const RunPaths& paths, bool traces) {
    RunFollower follower(paths, traces ? RunFollower::Traces::kIncluded : RunFollower::Traces::kExcluded);
    ControlInput input(paths);
    LineOutput output;
    const bool isTerminal = ::isatty(STDOUT_FILENO) == 1;
    const auto pass = [&](std::string_view lines) { isTerminal ? output.add(terminalJson(lines)) : output.add(lines); };
    for (bool isLive = true, attached = true; (isLive || output.isWaiting()) && attached;) {
        if (isLive && !output.isWaiting()) isLive = follower.advance(pass);
        if (!output.write()) break;
        const short room = output.isWaiting() ? POLLOUT : 0;
        pollfd waiting[] = {{input.fd(), POLLIN, 0}, {follower.wakeFd(), POLLIN, 0}, {STDOUT_FILENO, room, 0}};
        const bool atOnce = !output.isWaiting() && (follower.isBehind() || !isLive);
        if (::poll(waiting, std::size(waiting), atOnce ? 0 : kPollMs) <= 0) continue;
        if ((waiting[2].revents & (POLLERR | POLLHUP)) != 0) break;
        if (waiting[1].revents != 0) follower.drainWake();
        if (waiting[0].revents != 0) attached = input.read();
    }
    return 0;
}

int showProgress(const RunPaths& paths) {
    RunFollower follower(paths);
    Decoder decoder;
    RunData run(Curves::kLeftOut);
    const UniqueFd interrupt = signalInput({SIGINT});
    Screen screen;
    ProgressView view(screen, ::isatty(STDOUT_FILENO) == 1, false);
    if (runLife(paths.directory) == RunLife::kUnknown)
        screen.error("the run in " + paths.directory.string() + " belongs to " +
                     otherOwner(paths.directory).value_or("another user") +
                     ": its state cannot be determined; showing its telemetry\n");
    CurrentFindings findings;
    unsigned changes = 0;
    const auto feed = [&](std::string_view lines) {
        decoder.feed(lines, [&](Event&& event) {
            changes |= run.apply(event);
            findings.apply(event);
        });
    };
    while (follower.advance(feed)) {
        view.update(run, std::exchange(changes, 0));
        if (!follower.isBehind()) view.showFindings(findings.all());
        pollfd waiting[] = {{interrupt.get(), POLLIN, 0}, {follower.wakeFd(), POLLIN, 0}};
        if (::poll(waiting, std::size(waiting), follower.isBehind() ? 0 : kPollMs) <= 0) continue;
        if (waiting[0].revents != 0) {
            screen.out("\ndetached: the run continues; ringsidectl attach " + paths.directory.string() +
                       " shows it again\n");
            return 0;
        }
        follower.drainWake();
    }
    view.showFindings(findings.all());
    view.finish(run, paths.directory.string());
    return run.ended() ? run.ended()->exitCode : static_cast<int>(ExitCode::kInternal);
}

int attachCommand(const AttachArguments& arguments) {
    const Result<RunPaths> paths = openRunDirectory(arguments.directory);
    if (!paths) return reportProblems({paths.problem()});
    if (arguments.stop && !sendCommand(paths.value(), {ControlKind::kStop}))
        return static_cast<int>(ExitCode::kBadConfiguration);
    return arguments.lines ? streamLines(paths.value(), arguments.traces) : showProgress(paths.value());
}

}  // namespace

void addAttachCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("attach", "Shows a live run, or replays a finished one");
    command->footer(kAttachFooter);
    auto arguments = std::make_shared<AttachArguments>();
    command->add_option("RUN_DIR", arguments->directory, "The run directory")->required();
    command->add_flag("--lines", arguments->lines, "Print telemetry lines for programs instead of progress");
    command->add_flag("--traces", arguments->traces, "With --lines: include the phases and collectives of each step")
        ->needs("--lines");
    command->add_flag("--stop", arguments->stop, "Stop the run gracefully first");
    command->callback([arguments, &action] { action = [arguments] { return attachCommand(*arguments); }; });
}

}  // namespace ringside
