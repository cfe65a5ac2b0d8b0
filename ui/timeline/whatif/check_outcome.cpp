// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/whatif/check_outcome.h"

#include <QCoreApplication>

#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr std::int64_t kMinSteps = 5;  // least number of measured steps; a mean of fewer steps is not compared

QString checkWords(const char* text) {
    return QCoreApplication::translate("Check", text);
}

// Rounds milliseconds as the what-if panel shows them, so that the outcome does not contradict the shown numbers.
double asShown(double ms) {
    return millisecondsNumber(ms).toDouble();
}

QString whyNotMeasurable(const CheckRunResult& measured) {
    if (!measured.problem.isEmpty()) return measured.problem.toHtmlEscaped();
    return checkWords("only %1 steps were traced; at least %2 are needed.").arg(measured.steps).arg(kMinSteps);
}

}  // namespace

CheckOutcome checkOutcome(const ReplayResult& prediction, const CheckRunResult& measured) {
    if (!measured.problem.isEmpty() || measured.steps < kMinSteps || measured.ms <= 0)
        return CheckOutcome::kNotMeasurable;
    const double ms = asShown(measured.ms);
    return ms >= asShown(prediction.low) && ms <= asShown(prediction.high) ? CheckOutcome::kConfirmed
                                                                           : CheckOutcome::kNotConfirmed;
}

QString checkText(const ReplayResult& prediction, const CheckRunResult& measured) {
    const CheckOutcome outcome = checkOutcome(prediction, measured);
    if (outcome == CheckOutcome::kNotMeasurable)
        return checkWords("<b>Not measured:</b> %1").arg(whyNotMeasurable(measured));
    const QString mean =
        checkWords("%1 measured, mean of %2 steps").arg(millisecondsText(measured.ms)).arg(measured.steps);
    const QString interval =
        checkWords("%1 predicted (90 % interval)").arg(millisecondsRange(prediction.low, prediction.high));
    if (outcome == CheckOutcome::kConfirmed) return checkWords("<b>Confirmed:</b> %1; %2.").arg(mean, interval);
    const double off = 100 * (prediction.predicted / measured.ms - 1);
    return checkWords("<b>Not confirmed:</b> %1; %2. The prediction of %3 is %4 % too %5.")
        .arg(mean, interval, millisecondsText(prediction.predicted))
        .arg(std::abs(off), 0, 'f', 0)
        .arg(off > 0 ? checkWords("long") : checkWords("short"));
}

}  // namespace ringside
