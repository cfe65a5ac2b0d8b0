// SPDX-License-Identifier: Apache-2.0
#include "live/control_run_command.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors/exit_code.h"
#include "base/text/number_text.h"
#include "base/text/terminal_text.h"
#include "experiment/experiment_file.h"
#include "run/read/recorded_config.h"
#include "run/read/run_follower.h"
#include "run/read/run_life.h"
#include "run/supervise/control_server.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr const char* kControlFooter =
    "Commands:\n"
    "  pause             pauses all ranks after the current step\n"
    "  resume            continues training\n"
    "  step [N]          trains N steps (default 1), then pauses\n"
    "  phase             trains one phase of a step (data, forward, backward, all-reduce or optimizer), then pauses\n"
    "  rate R            slow motion: at most R steps per second; rate full ends it\n"
    "  lr X              changes the learning rate from the next step on\n"
    "  epochs N          ends the run after N epochs in total, at least the current one\n"
    "  checkpoint        saves a checkpoint now\n"
    "  record [N]        records N steps (default 50) in detail\n"
    "  replicas [N]      records the gradient of every rank in the next step, their mean and the weight change;\n"
    "                    with N, also the norms of N steps\n"
    "  stop              ends the run after the current step and saves the weights\n"
    "\n"
    "Examples:\n"
    "  ringsidectl control runs/first pause\n"
    "  ringsidectl control runs/first lr 0.01\n"
    "  ssh host ringsidectl control DIR stop";

constexpr int kAnswerPollMs = 50;

struct ControlArguments {
    std::string directory;
    std::vector<std::string> words;
    double waitSeconds = 10;
};

// Replies of a run to control commands, read from its telemetry from the beginning.
class Answers {
  public:
    explicit Answers(const RunPaths& paths) : m_follower(paths) {}

    // Reads all telemetry that has been written. Returns false if the run has ended, with nothing left to read.
    bool advance() {
        bool live = true;
        do {
            live = m_follower.advance([this](std::string_view lines) { read(lines); });
        } while (live && m_follower.isBehind());
        return live;
    }
    // Waits for new telemetry, for at most kAnswerPollMs.
    void wait() {
        pollfd waiting{m_follower.wakeFd(), POLLIN, 0};
        if (::poll(&waiting, 1, kAnswerPollMs) > 0) m_follower.drainWake();
    }
    bool isPaused() const { return m_paused; }
    // True if the run is paused between two phases of a step. Commands that change a step then wait for its end.
    bool isHeldWithinStep() const { return m_paused && m_after != Phase::kOptimizer && m_after != Phase::kValidation; }
    std::string pausedAfter() const { return m_after ? std::string(phaseName(*m_after)) : std::string(); }
    // Returns the run's reply to a command of this kind, if one has arrived since the last call. Discards all other new
    // replies.
    std::optional<Controlled> takeReply(ControlKind command) {
        for (const Controlled& one : std::exchange(m_new, {}))
            if (one.command == command) return one;
        return {};
    }

  private:
    void read(std::string_view lines) {
        m_decoder.feed(lines, [this](Event&& event) {
            const auto* reply = std::get_if<Controlled>(&event);
            if (reply == nullptr) return;
            if (reply->command == ControlKind::kPause) m_paused = true;
            if (reply->command == ControlKind::kPause) m_after = reply->after;
            if (reply->command == ControlKind::kResume || reply->command == ControlKind::kStep ||
                reply->command == ControlKind::kPhase)
                m_paused = false;
            m_new.push_back(*reply);
        });
    }

    RunFollower m_follower;
    Decoder m_decoder;
    bool m_paused = false;
    std::optional<Phase> m_after;  // phase after which the run is paused
    std::vector<Controlled> m_new;
};

int refuse(const std::string& text) {
    std::fprintf(stderr, "ringsidectl: %s\n", terminalText(text).c_str());
    return static_cast<int>(ExitCode::kBadConfiguration);
}

std::string numberText(double value) {
    return fmt::format("{:g}", value);
}

// Returns an answer as text: "paused after optimizer, step 120, epoch 2 done".
std::string replyText(const ControlCommand& command, const Controlled& answer) {
    const std::string place = "step " + std::to_string(answer.step) + ", epoch " + std::to_string(answer.epoch + 1);
    switch (command.kind) {
        case ControlKind::kPause:
            return "paused after " + std::string(answer.after ? phaseName(*answer.after) : "") + ", " + place + " done";
        case ControlKind::kResume:
            return "training continues after " + place;
        case ControlKind::kRate:
            return command.value > 0
                       ? "at most " + numberText(command.value) + " steps per second from " + place + " on"
                       : "at full speed from " + place + " on";
        case ControlKind::kLearningRate:
            return "learning rate " + numberText(command.value) + " from the step after " + place + " on";
        case ControlKind::kEpochs:
            return "trains for " + counted(static_cast<std::int64_t>(answer.value), "epoch") + " in total" +
                   (answer.value > command.value ? ", not " + numberText(command.value) + ", because epoch " +
                                                       numberText(answer.value) + " is in progress"
                                                 : "");
        case ControlKind::kCheckpoint:
            return "checkpoint saved after " + place;
        case ControlKind::kStop:
        case ControlKind::kStep:
        case ControlKind::kPhase:
        case ControlKind::kRecord:
        case ControlKind::kReplicas:
        case ControlKind::kTraceEvery:
        case ControlKind::kRestart:
            break;
    }
    return textOf(command.kind) + " begun after " + place;
}

// True if the run executes the command only at the end of a step. Must agree with RunControl.
bool waitsForStepEnd(ControlKind kind) {
    return kind == ControlKind::kLearningRate || kind == ControlKind::kEpochs || kind == ControlKind::kCheckpoint ||
           kind == ControlKind::kRecord;
}

// Returns the command whose reply shows that `kind` is complete: the commands step and phase are complete when the run
// reports that it has paused again.
ControlKind replyTo(ControlKind kind) {
    const bool endsInPause = kind == ControlKind::kStep || kind == ControlKind::kPhase;
    return endsInPause ? ControlKind::kPause : kind;
}

// Sends a command. Returns false if the run has no control socket, because it has ended or has just started.
bool sent(const RunPaths& paths, const ControlCommand& command) {
    const Result<ControlClient> client = ControlClient::connect(paths);
    return client && client.value().send(command);
}

int sendToRun(const ControlArguments& arguments) {
    const Result<RunPaths> paths = openRunDirectory(arguments.directory);
    if (!paths) return reportProblems({paths.problem()});
    const Result<ControlCommand> command = parseControl(arguments.words);
    if (!command) return refuse(command.problem().text());
    const std::string name(nameOf(command.value().kind));
    if (const auto owner = otherOwner(paths.value().directory))
        return refuse("the run in " + paths.value().directory.string() + " belongs to " + *owner +
                      "; only this user can control it");
    Answers answers(paths.value());
    const std::string over =
        "the run in " + paths.value().directory.string() + " has ended: " + name + " is not possible";
    if (!answers.advance()) return refuse(over);
    if (command.value().kind == ControlKind::kPause && answers.isPaused()) {
        std::printf("already paused\n");
        return 0;
    }
    const bool isWatched = isOfWatchedScript(paths.value());
    if (isWatched && command.value().kind != ControlKind::kStop)
        return refuse("the run in " + paths.value().directory.string() +
                      " is a watched script, which can only be stopped: it trains by its own code, so " + name +
                      " is not possible; use stop, or Ctrl-C in the terminal of ringsidectl watch");
    answers.takeReply(command.value().kind);  // discards replies to earlier commands
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + std::chrono::duration<double>(arguments.waitSeconds);
    while (!sent(paths.value(), command.value())) {
        if (steady_clock::now() > deadline || !answers.advance()) return refuse(over);
        answers.wait();
    }
    if (command.value().kind == ControlKind::kStop) {
        std::printf("%s\n", isWatched ? "stop requested: the command of the watched script receives SIGTERM"
                                      : "stop requested: the run ends after the current step and saves its weights");
        return 0;
    }
    if (waitsForStepEnd(command.value().kind) && answers.isHeldWithinStep()) {
        std::printf(
            "%s takes effect at the end of the step, which is paused after %s: use resume, step or phase to continue\n",
            name.c_str(), terminalText(answers.pausedAfter()).c_str());
        return 0;
    }
    while (steady_clock::now() < deadline) {
        answers.wait();
        const bool live = answers.advance();
        if (const auto answer = answers.takeReply(replyTo(command.value().kind))) {
            std::printf(
                "%s\n",
                terminalText(replyText({replyTo(command.value().kind), command.value().value}, *answer)).c_str());
            return 0;
        }
        if (!live)
            return refuse("the run in " + paths.value().directory.string() + " ended before it executed the command");
    }
    std::fprintf(stderr,
                 "ringsidectl: the run has not executed %s within %g s: commands take effect between two steps\n",
                 name.c_str(), arguments.waitSeconds);
    return static_cast<int>(ExitCode::kCommunicationFailed);
}

}  // namespace

void addControlCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("control", "Pauses, steps, slows down or changes a live run");
    command->footer(kControlFooter);
    auto arguments = std::make_shared<ControlArguments>();
    command->add_option("RUN_DIR", arguments->directory, "The run directory")->required();
    command
        ->add_option("COMMAND", arguments->words, "Command for the run, with its value if it has one, such as rate 5")
        ->required()
        ->expected(1, 3);
    command->add_option("--wait", arguments->waitSeconds, "Seconds to wait for the run to execute the command")
        ->check(CLI::Range(0.0, 86400.0))
        ->capture_default_str();
    command->callback([arguments, &action] { action = [arguments] { return sendToRun(*arguments); }; });
}

}  // namespace ringside
