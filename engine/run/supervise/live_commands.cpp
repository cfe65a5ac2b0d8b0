// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/live_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "run/prepare/resume_point.h"
#include "run/read/recorded_config.h"
#include "run/read/run_events.h"

namespace ringside {
namespace {

// Maximum number of stored commands; further commands are not repeated after a restart.
constexpr std::size_t kMaxPending = 64;

}  // namespace

void LiveCommands::request(const ControlCommand& command) {
    // Skips kTraceEvery: no rank reports that it has executed this command, so that it would stay in the list.
    if (command.kind != ControlKind::kTraceEvery && m_pending.size() < kMaxPending) m_pending.push_back(command);
}

void LiveCommands::report(const Controlled& executed) {
    removePending(executed);
    const ControlChange change{executed.command, executed.value, executed.step, executed.epoch};
    if (executed.command == ControlKind::kEpochs) m_epochs = change;
    if (executed.command == ControlKind::kLearningRate) m_learningRate = change;
    if (executed.command == ControlKind::kRate) m_rate = executed.value;
    if (executed.command == ControlKind::kResume || executed.command == ControlKind::kStop) m_isHeld = false;
    if (executed.command == ControlKind::kPause || executed.command == ControlKind::kStep ||
        executed.command == ControlKind::kPhase)
        m_isHeld = true;
}

// Removes the command that the ranks have executed. If this command ends a pause, also removes the pause commands
// before it: the ranks do not report a pause that had no effect because the run was paused already or the next command
// ended the pause at once.
void LiveCommands::removePending(const Controlled& executed) {
    const bool comparesValue = executed.command == ControlKind::kRate || executed.command == ControlKind::kLearningRate;
    const auto done = std::ranges::find_if(m_pending, [&](const ControlCommand& command) {
        return command.kind == executed.command && (!comparesValue || command.value == executed.value);
    });
    if (done == m_pending.end()) return;
    const auto last = m_pending.erase(done);
    const bool endsPauses = executed.command == ControlKind::kResume || executed.command == ControlKind::kStep ||
                            executed.command == ControlKind::kPhase;
    if (!endsPauses) return;
    const auto isPause = [](const ControlCommand& command) { return command.kind == ControlKind::kPause; };
    m_pending.erase(std::remove_if(m_pending.begin(), last, isPause), last);
}

std::vector<ControlCommand> LiveCommands::afterRestart(const std::vector<ControlChange>& changes) const {
    std::vector<ControlCommand> commands;
    for (const std::optional<ControlChange>& change : {m_epochs, m_learningRate}) {
        if (change && std::ranges::find(changes, *change) == changes.end())
            commands.push_back({change->kind, change->value});
    }
    if (m_rate > 0) commands.push_back({ControlKind::kRate, m_rate});
    if (m_isHeld) commands.push_back({ControlKind::kPause});
    commands.insert(commands.end(), m_pending.begin(), m_pending.end());
    return commands;
}

void LiveCommands::cancel(ControlKind kind) {
    if (kind == ControlKind::kEpochs) m_epochs.reset();
    if (kind == ControlKind::kLearningRate) m_learningRate.reset();
    if (kind == ControlKind::kRate) m_rate = 0;
    const bool pauses = kind == ControlKind::kPause || kind == ControlKind::kStep || kind == ControlKind::kPhase;
    if (pauses) m_isHeld = false;
    std::erase_if(m_pending, [&](const ControlCommand& command) { return command.kind == kind; });
}

std::optional<std::int64_t> LiveCommands::epochs() const {
    if (!m_epochs) return {};
    return static_cast<std::int64_t>(m_epochs->value);
}

// Reads the commands up to the end of the record. Each start of the run begins with a "run" event. If the start is a
// restart, a "control" event with the restart follows before the state of any rank.
LiveCommands readLiveCommands(const RunPaths& paths) {
    static constexpr std::array<std::string_view, 3> kKinds{"run", "rank", "control"};
    LiveCommands commands;
    std::optional<LiveCommands> earlier;  // commands before a start, until it is known whether the start is a restart
    const Result<std::int64_t> read = readRunEvents(paths.directory, kKinds, [&](const Event& event) {
        if (std::holds_alternative<RunStarted>(event)) earlier = std::exchange(commands, {});
        if (std::holds_alternative<RankState>(event)) earlier.reset();
        const auto* const executed = std::get_if<Controlled>(&event);
        if (executed == nullptr) return;
        if (executed->command == ControlKind::kRestart && earlier) commands = *std::exchange(earlier, {});
        commands.report(*executed);
    });
    return read ? commands : LiveCommands();
}

LiveCommands readCommandsToResume(const std::filesystem::path& resumed, const RunConfig& experiment,
                                  const std::vector<std::string>& assignments, bool keepsEpochs) {
    if (resumed.empty()) return {};
    const Result<RunPaths> paths = openRunDirectory(resumed);
    if (!paths) return {};
    LiveCommands commands = readLiveCommands(paths.value());
    commands.cancel(ControlKind::kPause);
    if (!keepsEpochs || setsField(assignments, "training.epochs")) commands.cancel(ControlKind::kEpochs);
    const Result<RunConfig> recorded = readRecordedConfig(paths.value());
    const bool keepsRate = recorded && recorded.value().optimizer.lr == experiment.optimizer.lr;
    if (!keepsRate || setsField(assignments, "optimizer.lr")) commands.cancel(ControlKind::kLearningRate);
    return commands;
}

std::string textOf(const std::vector<ControlCommand>& commands) {
    std::string text;
    for (const ControlCommand& command : commands) {
        text += (text.empty() ? "" : ", ") + std::string(nameOf(command.kind));
        if (needsValue(command.kind)) text += fmt::format(" {:g}", command.value);
    }
    return text;
}

}  // namespace ringside
