// SPDX-License-Identifier: Apache-2.0
#include "train/observe/step_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "train/interfaces/non_finite.h"

namespace ringside {

// Measuring the norm reads all gradients once more. This is negligible in a step of a millisecond, but takes 1.4 % of a
// step of 25 us (a small MLP). Long runs therefore measure the norm at most once per millisecond, unless the optimizer
// needs it anyway. Short runs measure it in every step, so that the curve is reproducible.
bool StepReport::measuresNorm(std::int64_t step) {
    constexpr std::int64_t kMinUs = 1000;
    constexpr std::int64_t kShortRun = 10'000;  // maximum number of steps of a run that counts as short
    if (!isLogged(step)) return false;
    if (m_dependencies.strategy.optimizer().rules().measuresNorm() || m_plannedSteps < kShortRun) return true;
    const std::int64_t now = m_dependencies.batches.readyUs();
    if (m_normUs && now - *m_normUs < kMinUs) return false;
    m_normUs = now;
    return true;
}

void StepReport::endStep(const FinishedStep& step) {
    const bool finite = std::isfinite(step.sums.loss);
    if (isLogged(step.position.step) || !finite) m_dependencies.trainer.observer.onStep(recordOf(step));
    if (!finite) reportNonFinite(step);
}

StepRecord StepReport::recordOf(const FinishedStep& step) {
    const bool isReader = m_dependencies.layout.isFirstPipelineRank();
    StepRecord record;
    record.epoch = step.position.epoch;
    record.step = step.position.step;
    record.loss = step.sums.meanLoss();
    record.correct = !m_dependencies.loss.countsCorrect() ? -1 : isReader ? step.sums.correct : 0;
    // All ranks of a pipeline train the same samples, so only one rank of each pipeline reports their number.
    record.samples = isReader ? static_cast<std::int64_t>(step.sums.samples) : 0;
    record.endUs = m_dependencies.trainer.observer.nowUs();
    record.gradientNorm = step.gradientNorm;
    record.learningRate = m_dependencies.strategy.learningRate();
    record.dataUs = m_dependencies.batches.takeWaitUs();
    if (const PhaseTimes* times = m_dependencies.tracer.phaseTimes()) {
        record.traced = true;
        std::ranges::transform(*times, record.phaseNs.begin(), [](std::int64_t ns) { return static_cast<float>(ns); });
    }
    return record;
}

void StepReport::reportNonFinite(const FinishedStep& step) {
    const TrainerDependencies& trainer = m_dependencies.trainer;
    if (trainer.config.training.onNonFinite == OnNonFinite::kStop) throwNonFinite(trainer.communicator, lossText(step));
    if (std::exchange(m_reportedNonFinite, true)) return;
    trainer.observer.onEvent(LogLine{
        trainer.communicator.rank(), LogLevel::kWarning,
        lossText(step) + "; training continues, because training.on_non_finite is continue", trainer.observer.nowUs()});
}

// Returns the error text for a loss that is not finite. In the first step, the text suggests checking the data, because
// the weights still have PyTorch's initial values; in later steps, it suggests a lower learning rate.
std::string StepReport::lossText(const FinishedStep& step) const {
    return "the loss of rank " + std::to_string(m_dependencies.trainer.communicator.rank()) + " is " +
           (std::isnan(step.sums.loss) ? "not a number" : "infinite") + " at step " +
           std::to_string(step.position.step) + m_dependencies.checkpoints.lastCheckpointText() +
           (step.position.step == 1
                ? ": check the data set for values that are not numbers or much too large"
                : fmt::format(": lower optimizer.lr (now {:g})", m_dependencies.trainer.config.optimizer.lr));
}

}  // namespace ringside
