// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/curve_source.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr std::size_t kMostApart = 8, kWorstShown = 5;

constexpr int kValidationColor = 1;  // of the ranks' palette: amber beside the accent's blue

QString text(const char* source) {
    return QCoreApplication::translate("Training", source);
}
QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

Curve curveOf(const Series& series, XAxis axis, const QString& name, const QColor& color, Curve::Kind kind) {
    Curve curve{name, color, kind, {}};
    curve.points.reserve(series.points().size());
    for (const SeriesPoint& point : series.points()) {
        curve.points.push_back({xOf(point, axis), point.mean, point.minimum, point.maximum});
    }
    return curve;
}

// Samples seen at a step, from the training curve.
double samplesAt(const Series& series, std::int64_t step) {
    const auto points = series.points();
    if (points.empty()) {
        return 0;
    }
    const auto at = std::ranges::lower_bound(points, step, {}, &SeriesPoint::step);
    return static_cast<double>(at != points.end() ? at->samples : points.back().samples);
}

double xOf(const EpochResult& epoch, XAxis axis, const RunData& run) {
    switch (axis) {
        case XAxis::Step:
            return static_cast<double>(epoch.step);
        case XAxis::Epoch:
            return static_cast<double>(epoch.epoch + 1);
        case XAxis::Samples:
            return samplesAt(run.loss(), epoch.step);
        case XAxis::Time:
            return static_cast<double>(epoch.timeUs) / 1e6;
    }
    return 0;
}

void addValidation(std::vector<Curve>& curves, const RunData& run, XAxis axis, bool fanOut, const Theme& theme,
                   double EpochResult::*value) {
    // Amber is a rank's own colour when the ranks are shown apart.
    const QColor color = fanOut ? theme.colors().text : theme.rankColor(kValidationColor);
    Curve curve{text("validation"), color, Curve::Kind::MarkedLine, {}};
    for (const EpochResult& epoch : run.validationEpochs()) {
        if (std::isfinite(epoch.*value)) {
            curve.points.push_back({xOf(epoch, axis, run), epoch.*value, 0, 0});
        }
    }
    if (!curve.points.empty()) {
        curves.push_back(std::move(curve));
    }
}

std::vector<std::size_t> everyRank(const RunData& run) {
    std::vector<std::size_t> ranks(run.ranks().size());
    std::iota(ranks.begin(), ranks.end(), 0U);
    return ranks;
}

// The ranks with the largest loss in the step reported last, by number.
std::vector<std::size_t> worstRanks(const RunData& run) {
    std::vector<std::size_t> ranks = everyRank(run);
    const auto lossOf = [&](std::size_t rank) {
        const double loss = run.ranks()[rank].loss;
        return std::isnan(loss) ? -std::numeric_limits<double>::infinity() : loss;
    };
    std::ranges::stable_sort(ranks, std::ranges::greater(), lossOf);
    ranks.resize(std::min(ranks.size(), kWorstShown));
    std::ranges::sort(ranks);
    return ranks;
}

void addTraining(std::vector<Curve>& curves, const RunData& run, XAxis axis, bool fanOut, const Theme& theme,
                 const Series& whole, Series RankData::*ofRank) {
    if (whole.points().empty()) {
        return;
    }
    if (!fanOut) {
        curves.push_back(curveOf(whole, axis, text("train"), theme.colors().accent, Curve::Kind::BandLine));
        return;
    }
    // Many ranks apart are a thicket: their mean and band, and those that are worst off.
    const bool many = run.ranks().size() > kMostApart;
    if (many) curves.push_back(curveOf(whole, axis, text("train"), theme.colors().accent, Curve::Kind::BandLine));
    for (const std::size_t rank : many ? worstRanks(run) : everyRank(run)) {
        curves.push_back(curveOf(run.ranks()[rank].*ofRank, axis, text("rank %1").arg(rank),
                                 theme.rankColor(static_cast<int>(rank)), Curve::Kind::Line));
    }
}

}  // namespace

double xOf(const SeriesPoint& point, XAxis axis) {
    switch (axis) {
        case XAxis::Step:
            return static_cast<double>(point.step);
        case XAxis::Epoch:
            return point.epoch;
        case XAxis::Samples:
            return static_cast<double>(point.samples);
        case XAxis::Time:
            return static_cast<double>(point.timeUs) / 1e6;
    }
    return 0;
}

std::vector<Curve> lossCurves(const RunData& run, XAxis axis, bool fanOut, const Theme& theme) {
    std::vector<Curve> curves;
    addTraining(curves, run, axis, fanOut, theme, run.loss(), &RankData::lossSeries);
    addValidation(curves, run, axis, fanOut, theme, &EpochResult::loss);
    return curves;
}

std::vector<Curve> accuracyCurves(const RunData& run, XAxis axis, bool fanOut, const Theme& theme) {
    std::vector<Curve> curves;
    addTraining(curves, run, axis, fanOut, theme, run.accuracy(), &RankData::accuracySeries);
    addValidation(curves, run, axis, fanOut, theme, &EpochResult::accuracy);
    return curves;
}

std::vector<Curve> throughputCurves(const RunData& run, XAxis axis, const Theme& theme) {
    if (run.samplesPerSecond().points().empty()) return {};
    return {curveOf(run.samplesPerSecond(), axis, text("all ranks"), theme.colors().accent, Curve::Kind::Line)};
}

std::vector<Curve> gradientNormCurves(const RunData& run, XAxis axis, const Theme& theme) {
    if (run.gradientNorm().points().empty()) return {};
    return {curveOf(run.gradientNorm(), axis, text("averaged gradient"), theme.colors().accent, Curve::Kind::Line)};
}

QString placeText(const RunData& run, XAxis axis, double x) {
    const auto points = run.loss().points();
    const auto after =
        std::ranges::upper_bound(points, x, {}, [axis](const SeriesPoint& point) { return xOf(point, axis); });
    if (after == points.begin()) {
        return text("before the first step");
    }
    const SeriesPoint& point = *(after - 1);
    const double epoch = std::max(0.0, std::ceil(point.epoch - 1e-9) - 1);
    const QString place = text("step %1, epoch %2").arg(number(point.step), QString::number(epoch));
    if (axis == XAxis::Time) {
        return place + text(", %1 s").arg(static_cast<double>(point.timeUs) / 1e6, 0, 'f', 2);
    }
    return axis == XAxis::Samples ? place + text(", %1 samples").arg(number(point.samples)) : place;
}

}  // namespace ringside
