// SPDX-License-Identifier: Apache-2.0
#include "train/control/step_agreement.h"

#include <algorithm>
#include <array>

namespace ringside {

std::vector<ControlCommand> StepAgreement::conclude(std::optional<bool> signal) {
    if (m_communicator.size() == 1) return signal.value_or(this->signal()) ? next() : std::vector<ControlCommand>{};
    if (!signal) signal = highest(this->signal() ? 1 : 0) != 0;
    return *signal ? exchange() : std::vector<ControlCommand>{};
}

StepAgreement::Look StepAgreement::look(bool goOn) {
    constexpr std::int64_t kHold = 0;
    constexpr std::int64_t kGoOn = 1;
    constexpr std::int64_t kCommands = 2;
    std::int64_t agreed = kHold;
    if (m_communicator.rank() == 0) agreed = signal() ? kCommands : goOn ? kGoOn : kHold;
    if (m_communicator.size() == 1)
        return {agreed == kGoOn, agreed == kCommands ? next() : std::vector<ControlCommand>{}};
    agreed = highest(agreed);
    return {agreed == kGoOn, agreed == kCommands ? exchange() : std::vector<ControlCommand>{}};
}

std::int64_t StepAgreement::highest(std::int64_t mine) {
    m_communicator.allReduce(CommBuffer::of(std::span(&mine, 1)), ReduceOp::kMaximum);
    return mine;
}

std::vector<ControlCommand> StepAgreement::next() {
    std::vector<ControlCommand> commands;
    if (m_control.pending()) commands = m_control.take(kMostAtOnce - std::min(kMostAtOnce, m_posted.size()));
    const auto posted = static_cast<std::ptrdiff_t>(std::min(kMostAtOnce, m_posted.size()));
    commands.insert(commands.end(), m_posted.begin(), m_posted.begin() + posted);
    m_posted.erase(m_posted.begin(), m_posted.begin() + posted);
    return commands;
}

// Broadcasts rank 0's commands by summation: the other ranks contribute zeros.
std::vector<ControlCommand> StepAgreement::exchange() {
    std::vector<ControlCommand> commands;
    if (m_communicator.rank() == 0) commands = next();
    std::array<double, 1 + 2 * kMostAtOnce> numbers{};
    numbers[0] = static_cast<double>(commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
        numbers[1 + 2 * i] = static_cast<double>(commands[i].kind);
        numbers[2 + 2 * i] = commands[i].value;
    }
    m_communicator.allReduce(CommBuffer::of(numbers), ReduceOp::kSum);
    commands.resize(static_cast<std::size_t>(numbers[0]));
    for (std::size_t i = 0; i < commands.size(); ++i)
        commands[i] = {static_cast<ControlKind>(numbers[1 + 2 * i]), numbers[2 + 2 * i]};
    return commands;
}

}  // namespace ringside
