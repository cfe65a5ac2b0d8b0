// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "train/interfaces/control_source.h"

namespace ringside {

// Sends rank 0's control commands to all ranks, so that all ranks execute the same commands between the same two steps.
//
// In each step, one bit of a collective that the step needs anyway shows whether rank 0 has pending commands. Only if
// the bit is set, the commands are sent in a second collective. All ranks must make the same calls in the same order.
// The functions that exchange commands throw CommError if a rank fails or the received numbers are not valid commands.
class StepAgreement {
  public:
    static constexpr std::size_t kMaxAtOnce = 16;

    StepAgreement(Communicator& communicator, ControlSource& control)
        : m_communicator(communicator), m_control(control) {}

    // True if commands are pending. The caller passes the result to the next step as StepRequest::signal. Always false
    // on ranks other than rank 0.
    bool hasPendingCommands() const {
        return m_communicator.rank() == 0 && (m_control.hasCommand() || !m_posted.empty());
    }
    // Returns the commands to execute, in order. signal: bit of rank 0 that every rank received in the step. Empty if
    // the strategy does not send the bit: then this call uses an additional collective. Call after each step.
    std::vector<ControlCommand> agreeAfterStep(std::optional<bool> signal);
    // Sends commands as agreeAfterStep() does, but without a step: between validation batches and while the run is
    // paused.
    std::vector<ControlCommand> agreeWithoutStep() { return agreeAfterStep({}); }

    // Decision of rank 0 that all ranks receive while they are paused.
    struct PauseDecision {
        bool shouldResume = false;  // true if rank 0 decided to resume
        std::vector<ControlCommand> commands;
    };
    // Sends rank 0's decision to all paused ranks: to execute pending commands; if there are none, to resume if
    // `shouldResume` is true, and to stay paused otherwise. shouldResume is ignored on other ranks. Collective.
    PauseDecision shareDecision(bool shouldResume);

    // Adds a command as if the user had sent it. Call on rank 0 only.
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
