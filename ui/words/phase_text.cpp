// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/phase_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ringside {

QString phaseText(Phase phase) {
    switch (phase) {
        case Phase::kDataWait:
            return QCoreApplication::translate("Phase", "data");
        case Phase::kIdle:
            return QCoreApplication::translate("Phase", "other");
        case Phase::kConnect:
        case Phase::kCopy:
        case Phase::kForward:
        case Phase::kBackward:
        case Phase::kWaiting:
        case Phase::kMoving:
        case Phase::kOptimizer:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
            break;
    }
    return phaseTelemetryName(phase);
}

QString phaseTelemetryName(Phase phase) {
    const std::string_view name = phaseName(phase);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

std::optional<Phase> pausedPhase(const RunPauses& pauses) {
    if (!pauses.isPaused()) return {};
    const auto& controls = pauses.controls();
    const auto pause = std::ranges::find(controls.rbegin(), controls.rend(), ControlKind::kPause, &Controlled::command);
    return pause == controls.rend() ? std::nullopt : pause->after;
}

QString millisecondsNumber(double ms) {
    const double size = std::abs(ms);
    return QString::number(ms, 'f', size >= 100 ? 0 : size >= 1 ? 1 : size >= 0.1 ? 2 : 3);
}

QString millisecondsText(double ms) {
    if (std::abs(ms) >= 10'000) return QCoreApplication::translate("Phase", "%1 s").arg(ms / 1000, 0, 'f', 1);
    return QCoreApplication::translate("Phase", "%1 ms").arg(millisecondsNumber(ms));
}

QString millisecondsRange(double low, double high) {
    const QString first = std::abs(high) >= 10'000 ? millisecondsText(low) : millisecondsNumber(low);
    return QCoreApplication::translate("Phase", "%1 to %2").arg(first, millisecondsText(high));
}

}  // namespace ringside
