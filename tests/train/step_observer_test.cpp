// SPDX-License-Identifier: Apache-2.0
#include "train/interfaces/step_observer.h"

#include <string>

#include "support/catch.h"

using namespace ringside;

namespace {

// Observer that logs its name and the number of the step at each call.
class NamedObserver final : public StepObserver {
  public:
    NamedObserver(std::string name, std::vector<std::string>& calls) : m_name(std::move(name)), m_calls(calls) {}
    void beginStep(StepPosition position) override { write("begin", position); }
    void phaseEnded(Phase phase, StepPosition position) override { write(std::string(phaseName(phase)), position); }
    void endStep(const FinishedStep& step) override { write("end", step.position); }

  private:
    void write(const std::string& what, StepPosition position) {
        m_calls.push_back(m_name + " " + what + " " + std::to_string(position.step));
    }

    std::string m_name;
    std::vector<std::string>& m_calls;
};

}  // namespace

TEST_CASE("the first observer of a step begins first and ends last") {
    std::vector<std::string> calls;
    NamedObserver outer("outer", calls);
    StepObservers observers;
    observers.addReference(outer);
    observers.add<NamedObserver>("inner", calls);
    const StepSums sums;
    observers.beginStep({7, 1});
    observers.phaseEnded(Phase::kForward);
    observers.endStep({.position = {7, 1}, .sums = sums});
    CHECK(calls == std::vector<std::string>{"outer begin 7", "inner begin 7", "inner forward 7", "outer forward 7",
                                            "inner end 7", "outer end 7"});
}
