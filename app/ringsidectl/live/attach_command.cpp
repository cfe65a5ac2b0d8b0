// SPDX-License-Identifier: Apache-2.0
#include "live/attach_command.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/line_splitter.h"
#include "base/terminal_text.h"
#include "experiment/experiment_file.h"
#include "live/progress_view.h"
#include "run/record/run_follower.h"
#include "run/supervise/control_server.h"
#include "telemetry/codec.h"

namespace ringside {
namespace {

constexpr const char* kAttachFooter =
    "Examples:\n"
    "  ringsidectl attach runs/first             progress of a live run; the result of a finished one\n"
    "  ringsidectl attach runs/first --lines     its telemetry, one JSON line per event, from the beginning\n"
    "  ssh host ringsidectl attach DIR --lines   a run on another host\n"
    "  ringsidectl attach runs/first --stop      asks the run to stop gracefully, then shows it\n"
    "\n"
    "Ctrl-C detaches and leaves the run going. With --lines, control lines are read from standard\n"
    "input: {\"kind\":\"stop\"} stops the run; closing the input pipe detaches.";

constexpr int kLookEveryMs = 250;

struct AttachArguments {
    std::string directory;
    bool lines = false;
    bool stop = false;
};

bool writeAll(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// A run that is over needs no stopping; a message helps, an error would not.
void tell(const RunPaths& paths, const ControlCommand& command) {
    const Result<ControlClient> client = ControlClient::connect(paths);
    if (!client || !client.value().send(command)) {
        std::fprintf(stderr, "ringsidectl: the run in %s is not live: nothing to %s\n", paths.directory.c_str(),
                     std::string(controlName(command.kind)).c_str());
    }
}

void complain(const Problem& problem) {
    std::fprintf(stderr, "ringsidectl: %s\n", problem.text().c_str());
}

// Control lines from standard input. A pipe or socket that ends means that whoever attached is gone; a terminal,
// /dev/null or a file that ends means only that there is nothing more to say.
class ControlInput {
  public:
    explicit ControlInput(const RunPaths& paths) : m_paths(paths) {
        struct stat info {};
        m_isPipe = ::fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
    }
    int fd() const { return m_open ? STDIN_FILENO : -1; }
    // False when the other side has hung up.
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
            if (!command) return complain(command.problem());
            tell(m_paths, command.value());
        });
        return true;
    }

  private:
    const RunPaths& m_paths;
    LineSplitter m_lines{4096};
    bool m_open = true;
    bool m_isPipe = false;
};

int streamLines(const RunPaths& paths) {
    RunFollower follower(paths);
    ControlInput input(paths);
    bool readerLeft = false;
    bool attached = true;
    const bool isTerminal = ::isatty(STDOUT_FILENO) == 1;
    const auto pass = [&](std::string_view lines) {
        readerLeft = readerLeft || !(isTerminal ? writeAll(terminalJson(lines)) : writeAll(lines));
    };
    while (follower.advance(pass) && !readerLeft && attached) {
        pollfd waiting[] = {{input.fd(), POLLIN, 0}, {follower.wakeFd(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
        if (::poll(waiting, std::size(waiting), follower.isBehind() ? 0 : kLookEveryMs) <= 0) continue;
        if ((waiting[2].revents & (POLLERR | POLLHUP)) != 0) break;
        if (waiting[1].revents != 0) follower.drainWake();
        if (waiting[0].revents != 0) attached = input.read();
    }
    return 0;
}

UniqueFd interruptFd() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    ::sigprocmask(SIG_BLOCK, &interrupts, nullptr);
    return UniqueFd(::signalfd(-1, &interrupts, SFD_CLOEXEC | SFD_NONBLOCK));
}

int showProgress(const RunPaths& paths) {
    RunFollower follower(paths);
    Decoder decoder;
    RunData run(Curves::kLeftOut);
    ProgressView view(::isatty(STDOUT_FILENO) == 1, false);
    const UniqueFd interrupt = interruptFd();
    unsigned changes = 0;
    const auto feed = [&](std::string_view lines) {
        decoder.feed(lines, [&](Event&& event) { changes |= run.apply(event); });
    };
    while (follower.advance(feed)) {
        view.update(run, std::exchange(changes, 0));
        pollfd waiting[] = {{interrupt.get(), POLLIN, 0}, {follower.wakeFd(), POLLIN, 0}};
        if (::poll(waiting, std::size(waiting), follower.isBehind() ? 0 : kLookEveryMs) <= 0) continue;
        if (waiting[0].revents != 0) {
            std::printf("\ndetached: the run goes on; ringsidectl attach %s shows it again\n", paths.directory.c_str());
            return 0;
        }
        follower.drainWake();
    }
    view.finish(run, paths.directory.string());
    return run.ended() ? run.ended()->exitCode : static_cast<int>(ExitCode::kInternal);
}

int attachCommand(const AttachArguments& arguments) {
    const Result<RunPaths> paths = openRunDirectory(arguments.directory);
    if (!paths) return reportProblems({paths.problem()});
    if (arguments.stop) tell(paths.value(), {ControlKind::kStop});
    return arguments.lines ? streamLines(paths.value()) : showProgress(paths.value());
}

}  // namespace

void addAttachCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("attach", "Follow a live run, or replay a finished one");
    command->footer(kAttachFooter);
    auto arguments = std::make_shared<AttachArguments>();
    command->add_option("RUN_DIR", arguments->directory, "The run directory")->required();
    command->add_flag("--lines", arguments->lines, "Telemetry lines for programs instead of progress for people");
    command->add_flag("--stop", arguments->stop, "Ask the run to stop gracefully first");
    command->callback([arguments, &action] { action = [arguments] { return attachCommand(*arguments); }; });
}

}  // namespace ringside
