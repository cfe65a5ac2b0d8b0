// SPDX-License-Identifier: GPL-3.0-or-later
#include "status/run_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "models/run_model.h"
#include "words/field_text.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

QString runWords(const char* text) {
    return QCoreApplication::translate("run", text);
}

// True if the run is paused between two phases of a step, which is therefore not finished.
bool isPausedWithinStep(const RunData& run) {
    const std::optional<Phase> after = pausedPhase(run.pauses());
    if (!after) return false;
    switch (*after) {
        case Phase::kDataWait:
        case Phase::kCopy:
        case Phase::kForward:
        case Phase::kBackward:
        case Phase::kWaiting:
        case Phase::kMoving:
            return true;
        case Phase::kConnect:
        case Phase::kOptimizer:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
        case Phase::kIdle:
            break;
    }
    return false;
}

QString epochText(const RunData& run) {
    if (!run.started() || !run.lastStep()) return runWords("Starting the ranks");
    if (isPausedWithinStep(run) && run.totalSteps() > 0 && run.lastStep()->step < run.totalSteps()) {
        const std::int64_t perEpoch = std::max<std::int64_t>(run.started()->stepsPerEpoch, 1);
        return runWords("Epoch %1 of %2, in step %3 of %4")
            .arg(epochNumber(run.lastStep()->step / perEpoch), groupedText(run.epochs()),
                 groupedText(run.lastStep()->step + 1), groupedText(run.totalSteps()));
    }
    if (run.totalSteps() <= 0)  // unknown for a watched PyTorch script, which does not report its number of steps
        return runWords("Epoch %1, step %2").arg(epochNumber(run.lastStep()->epoch), groupedText(run.lastStep()->step));
    return runWords("Epoch %1 of %2, step %3 of %4")
        .arg(epochNumber(run.lastStep()->epoch), groupedText(run.epochs()), groupedText(run.lastStep()->step),
             groupedText(run.totalSteps()));
}

// Returns ", throttled" if the run has a throttle, with a remark if this CPU is too slow for the throttle; empty
// without a throttle.
QString throttleText(const RunData& run) {
    if (!run.settings().throttle.any()) return {};
    return keepsThrottle(run.ranks()) ? runWords(", throttled")
                                      : runWords(", throttled, but this CPU is too slow for the throttle");
}

// Returns ", paused after ..." if the run is paused; ", slow motion: " and the limit of steps per second if the run is
// in slow motion; empty otherwise.
QString pauseText(const RunData& run) {
    if (const std::optional<Phase> after = pausedPhase(run.pauses()))
        return runWords(", paused after %1").arg(phaseTelemetryName(*after));
    if (run.pauses().isPaused()) return runWords(", paused");
    if (run.pauses().rate() > 0) return runWords(", slow motion: %1").arg(rateText(run.pauses().rate()));
    return {};
}

QString outcomeText(const RunData& run) {
    const std::int64_t steps = run.lastStep() ? run.lastStep()->step : 0;
    QString text = steps == 1 ? runWords("1 step") : runWords("%1 steps").arg(groupedText(steps));
    if (run.validationEpochs().empty()) return text;
    const EpochResult& last = run.validationEpochs().back();
    if (std::isfinite(last.accuracy)) {
        return text + runWords(", validation accuracy %1 %").arg(last.accuracy * 100, 0, 'f', 1);
    }
    if (!std::isfinite(last.loss)) return text + runWords(", validation loss is not a finite number");
    return text + runWords(", validation loss %1").arg(lossText(last.loss));
}

}  // namespace

QString progressText(RunController::State state, const RunData& run, const QString& message) {
    using enum RunController::State;
    switch (state) {
        case Idle:
            return message.isEmpty() ? runWords("Ready to run") : message;
        case Starting:
            return runWords("Starting the ranks");
        case Running:
            return epochText(run) + throttleText(run) + pauseText(run);
        case Stopping:
            return runWords("Stopping after the current step");
        case Finished:
            return runWords("Finished: ") + outcomeText(run) + throttleText(run);
        case Stopped:
            return runWords("Stopped: ") + outcomeText(run);
        case Failed:
            break;
    }
    return runWords("Failed: ") + message;
}

QString rateText(double stepsPerSecond) {
    const QString rate = QString::number(stepsPerSecond, 'g', 4);
    return (rate == QLatin1String("1") ? runWords("%1 step/s") : runWords("%1 steps/s")).arg(rate);
}

QString timeLeftText(const RunData& run) {
    if (run.ended() || run.pauses().isPaused() || !run.secondsLeft() || run.totalSteps() <= 0) return {};
    return runWords("%1 left").arg(durationText(*run.secondsLeft()));
}

double progressShare(const RunData& run) {
    if (run.totalSteps() <= 0 || !run.lastStep()) return 0;
    return std::clamp(static_cast<double>(run.lastStep()->step) / static_cast<double>(run.totalSteps()), 0.0, 1.0);
}

QString durationText(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::ceil(std::max(0.0, seconds)));
    if (whole < 60) return runWords("%1 s").arg(whole);
    if (whole < 3600) return runWords("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return runWords("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

}  // namespace ringside
