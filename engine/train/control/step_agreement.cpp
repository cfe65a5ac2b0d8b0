// SPDX-License-Identifier: Apache-2.0
#include "train/control/step_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/errors/errors.h"
#include "base/text/number_text.h"

namespace ringside {
namespace {

// Content of the exchanged message: the number of commands, then the kind and the value of each command.
using Numbers = std::array<double, 1 + 2 * StepAgreement::kMaxAtOnce>;

constexpr double kLargestValue = 1e9;  // largest magnitude of the value in a command (see control_command.cpp)

// Returns the number as an integer. Throws CommError if it is not an integer from 0 to `most`, because then a rank has
// sent an invalid message. what: words for the number in the error message.
std::size_t integerUpTo(double number, std::size_t most, const std::string& what) {
    if (number >= 0 && number <= static_cast<double>(most) && number == std::floor(number))
        return static_cast<std::size_t>(number);
    throw CommError("the ranks exchanged control commands whose " + what + " is " + plainNumber(number) +
                    " instead of an integer from 0 to " + std::to_string(most) +
                    ": start all ranks with the same version of Ringside");
}

ControlCommand commandOf(double kind, double value) {
    const std::size_t number = integerUpTo(kind, namesOf(ControlKind{}).size() - 1, "kind");
    const ControlCommand command{static_cast<ControlKind>(number), value};
    if (std::abs(value) <= kLargestValue) return command;  // the comparison is false for NaN
    throw CommError("the ranks exchanged the control command \"" + textOf(command.kind) + "\" with the value " +
                    plainNumber(value) + ", but its magnitude is at most " + plainNumber(kLargestValue) +
                    ": start all ranks with the same version of Ringside");
}

std::vector<ControlCommand> commandsOf(const Numbers& numbers) {
    std::vector<ControlCommand> commands(integerUpTo(numbers[0], StepAgreement::kMaxAtOnce, "number"));
    for (std::size_t i = 0; i < commands.size(); ++i) commands[i] = commandOf(numbers[1 + 2 * i], numbers[2 + 2 * i]);
    return commands;
}

}  // namespace

std::vector<ControlCommand> StepAgreement::agreeAfterStep(std::optional<bool> signal) {
    if (m_communicator.size() == 1)
        return signal.value_or(this->hasPendingCommands()) ? pendingCommands() : std::vector<ControlCommand>{};
    if (!signal) signal = maximumOverRanks(this->hasPendingCommands() ? 1 : 0) != 0;
    return *signal ? exchangeCommands() : std::vector<ControlCommand>{};
}

StepAgreement::PauseDecision StepAgreement::shareDecision(bool shouldResume) {
    constexpr std::int64_t kHold = 0;
    constexpr std::int64_t kGoOn = 1;
    constexpr std::int64_t kCommands = 2;
    std::int64_t agreed = kHold;
    if (m_communicator.rank() == 0) agreed = hasPendingCommands() ? kCommands : shouldResume ? kGoOn : kHold;
    if (m_communicator.size() == 1)
        return {agreed == kGoOn, agreed == kCommands ? pendingCommands() : std::vector<ControlCommand>{}};
    agreed = maximumOverRanks(agreed);
    return {agreed == kGoOn, agreed == kCommands ? exchangeCommands() : std::vector<ControlCommand>{}};
}

std::int64_t StepAgreement::maximumOverRanks(std::int64_t mine) {
    m_communicator.allReduce(CommBuffer::of(std::span(&mine, 1)), ReduceOp::kMaximum);
    return mine;
}

std::vector<ControlCommand> StepAgreement::pendingCommands() {
    std::vector<ControlCommand> commands;
    if (m_control.hasCommand()) commands = m_control.take(kMaxAtOnce - std::min(kMaxAtOnce, m_posted.size()));
    const auto posted = static_cast<std::ptrdiff_t>(std::min(kMaxAtOnce, m_posted.size()));
    commands.insert(commands.end(), m_posted.begin(), m_posted.begin() + posted);
    m_posted.erase(m_posted.begin(), m_posted.begin() + posted);
    return commands;
}

// Sends rank 0's commands to all ranks as a sum over the ranks: the other ranks contribute zeros.
std::vector<ControlCommand> StepAgreement::exchangeCommands() {
    std::vector<ControlCommand> commands;
    if (m_communicator.rank() == 0) commands = pendingCommands();
    Numbers numbers{};
    numbers[0] = static_cast<double>(commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
        numbers[1 + 2 * i] = static_cast<double>(commands[i].kind);
        numbers[2 + 2 * i] = commands[i].value;
    }
    m_communicator.allReduce(CommBuffer::of(numbers), ReduceOp::kSum);
    return commandsOf(numbers);
}

}  // namespace ringside
