// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "train/parts/control_source.h"

namespace ringside {

// Distributes rank 0's control commands, so that all ranks execute the same commands between the same two steps.
//
// Each step carries one bit in a collective that it needs anyway: whether rank 0 has commands pending. The commands
// themselves are exchanged in a second collective only if the bit is set. All ranks must make the same calls in the
// same order. The functions that exchange commands throw CommError if a rank fails, or if the received numbers are not
// commands.
class StepAgreement {
  public:
    static constexpr std::size_t kMaxAtOnce = 16;

    StepAgreement(Communicator& communicator, ControlSource& control)
        : m_communicator(communicator), m_control(control) {}

    // Returns true if commands are pending. Pass the result to the next step as StepRequest::signal. Always false on
    // ranks other than rank 0.
    bool hasPendingCommands() const { return m_communicator.rank() == 0 && (m_control.pending() || !m_posted.empty()); }
    // Returns the commands to execute, in order. `signal` is the bit of rank 0 that the step delivered to every rank.
    // If it is empty, the strategy does not transmit the bit, and this call uses an additional collective. Call after
    // each step.
    std::vector<ControlCommand> agreeAfterStep(std::optional<bool> signal);
    // Distributes commands as agreeAfterStep() does, but without a step: between validation batches and while paused.
    std::vector<ControlCommand> agreeWithoutStep() { return agreeAfterStep({}); }

    // Result of shareDecision(): the decision of rank 0 that all ranks receive while they are paused.
    struct PauseDecision {
        bool shouldResume = false;  // true if rank 0 decided to resume
        std::vector<ControlCommand> commands;
    };
    // Distributes rank 0's decision: to stay paused, to resume (if goOn is true on rank 0), or to execute pending
    // commands, which take precedence. goOn is ignored on the other ranks. Collective.
    PauseDecision shareDecision(bool shouldResume);

    // Adds a command as if this run had received it from the user. Call on rank 0 only.
    void post(ControlCommand command) { m_posted.push_back(command); }

  private:
    std::int64_t maximumOverRanks(std::int64_t mine);  // returns the maximum of `mine` over all ranks
    std::vector<ControlCommand> exchangeCommands();
    std::vector<ControlCommand> pendingCommands();

    Communicator& m_communicator;
    ControlSource& m_control;
    std::vector<ControlCommand> m_posted;
};

}  // namespace ringside
