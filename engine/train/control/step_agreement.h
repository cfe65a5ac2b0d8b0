// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "train/parts/control_source.h"

namespace ringside {

// The one place where ranks agree on what the run was told: all obey the same commands between the same two steps. A
// step carries one bit for it, whether rank 0 has something to tell, in a collective that it needs anyway; the commands
// themselves are exchanged only when the bit is set. All ranks make the same calls in the same order.
class StepAgreement {
  public:
    static constexpr std::size_t kMostAtOnce = 16;

    StepAgreement(Communicator& communicator, ControlSource& control)
        : m_communicator(communicator), m_control(control) {}

    // What rank 0 hands to the step (StepRequest::signal).
    bool signal() const { return m_communicator.rank() == 0 && (m_control.pending() || !m_posted.empty()); }
    // After the step, with what it brought to every rank; nothing: the strategy carries no signal, so the ranks ask one
    // another. Commands to obey, in order.
    std::vector<ControlCommand> conclude(std::optional<bool> signal);
    // Where there is no step: between batches of a validation, while paused.
    std::vector<ControlCommand> agree() { return conclude({}); }

    // One look while all ranks hold: rank 0 has waited for whatever it waits for, the others wait here for rank 0.
    struct Look {
        bool goOn = false;  // rank 0 says so
        std::vector<ControlCommand> commands;
    };
    Look look(bool goOn);  // rank 0's goOn counts; commands come first

    // On rank 0, from within the training: as if the run had been told so.
    void post(ControlCommand command) { m_posted.push_back(command); }

  private:
    std::int64_t highest(std::int64_t mine);  // of all ranks
    std::vector<ControlCommand> exchange();
    std::vector<ControlCommand> next();

    Communicator& m_communicator;
    ControlSource& m_control;
    std::vector<ControlCommand> m_posted;
};

}  // namespace ringside
