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

double xIn(const RunPart& part, const SeriesPoint& point, XAxis axis) {
    const double x = xOf(point, axis);
    if (axis == XAxis::Samples) return x + part.samplesBefore;
    return axis == XAxis::Time ? x + part.secondsBefore : x;
}

// Where points stand for several steps, or for several ranks, their range is shown.
Curve curveOf(const RunParts& parts, XAxis axis, const QString& name, const QColor& color,
              const std::function<const Series*(const RunData&)>& seriesOf) {
    Curve curve{name, color, Curve::Kind::Line, {}};
    std::size_t points = 0;
    for (const RunPart& part : parts) {
        if (const Series* series = seriesOf(*part.run)) points += series->points().size();
    }
    curve.points.reserve(points);
    for (const RunPart& part : parts) {
        const Series* series = seriesOf(*part.run);
        if (series == nullptr) continue;
        for (const SeriesPoint& point : series->points()) {
            if (point.step > part.lastStep) break;
            curve.points.push_back({xIn(part, point, axis), point.mean, point.minimum, point.maximum});
            if (point.minimum < point.maximum) curve.kind = Curve::Kind::BandLine;
        }
    }
    return curve;
}

Curve curveOf(const RunParts& parts, XAxis axis, const QString& name, const QColor& color,
              const Series& (RunData::*series)() const) {
    return curveOf(parts, axis, name, color, [series](const RunData& run) { return &(run.*series)(); });
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

double secondsAt(const Series& series, std::int64_t step) {
    const auto points = series.points();
    if (points.empty()) return 0;
    const auto at = std::ranges::lower_bound(points, step, {}, &SeriesPoint::step);
    return static_cast<double>(at != points.end() ? at->timeUs : points.back().timeUs) / 1e6;
}

double xOf(const EpochResult& epoch, XAxis axis, const RunPart& part) {
    switch (axis) {
        case XAxis::Step:
            return static_cast<double>(epoch.step);
        case XAxis::Epoch:
            return static_cast<double>(epoch.epoch + 1);
        case XAxis::Samples:
            return samplesAt(part.run->loss(), epoch.step) + part.samplesBefore;
        case XAxis::Time:
            return static_cast<double>(epoch.timeUs) / 1e6 + part.secondsBefore;
    }
    return 0;
}

void addValidation(std::vector<Curve>& curves, const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme,
                   double EpochResult::*value) {
    // Amber is a rank's own colour when the ranks are shown apart.
    const QColor color = fanOut ? theme.colors().text : theme.rankColor(kValidationColor);
    Curve curve{text("validation"), color, Curve::Kind::MarkedLine, {}};
    for (const RunPart& part : parts) {
        for (const EpochResult& epoch : part.run->validationEpochs()) {
            if (!std::isfinite(epoch.*value) || epoch.step > part.lastStep) continue;
            curve.points.push_back({xOf(epoch, axis, part), epoch.*value, 0, 0});
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

void addTraining(std::vector<Curve>& curves, const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme,
                 const Series& (RunData::*whole)() const, Series RankData::*ofRank) {
    const bool none =
        std::ranges::all_of(parts, [whole](const RunPart& part) { return (part.run->*whole)().points().empty(); });
    if (none) {
        return;
    }
    if (!fanOut) {
        curves.push_back(curveOf(parts, axis, text("train"), theme.colors().accent, whole));
        curves.back().kind = Curve::Kind::BandLine;
        return;
    }
    // Many ranks apart are a thicket: their mean and band, and those that are worst off.
    const RunData& run = *parts.back().run;
    const bool many = run.ranks().size() > kMostApart;
    if (many) {
        curves.push_back(curveOf(parts, axis, text("train"), theme.colors().accent, whole));
        curves.back().kind = Curve::Kind::BandLine;
    }
    for (const std::size_t rank : many ? worstRanks(run) : everyRank(run)) {
        curves.push_back(curveOf(parts, axis, text("rank %1").arg(rank), theme.rankColor(static_cast<int>(rank)),
                                 [rank, ofRank](const RunData& one) {
                                     return rank < one.ranks().size() ? &(one.ranks()[rank].*ofRank) : nullptr;
                                 }));
    }
}

std::vector<Curve> onlyCurve(const RunParts& parts, XAxis axis, const char* name, const Theme& theme,
                             const Series& (RunData::*series)() const) {
    Curve curve = curveOf(parts, axis, text(name), theme.colors().accent, series);
    if (curve.points.empty()) return {};
    return {std::move(curve)};
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

RunParts partsOf(const std::vector<std::shared_ptr<const RunData>>& earlier, const RunData& run) {
    RunParts parts;
    double samples = 0;
    for (std::size_t i = 0; i < earlier.size(); ++i) {
        const RunData& next = i + 1 < earlier.size() ? *earlier[i + 1] : run;
        const std::int64_t lastStep = next.started() ? next.started()->stepsBefore : 0;
        parts.push_back({earlier[i].get(), lastStep, samples, 0});
        samples += samplesAt(earlier[i]->loss(), lastStep);
    }
    double seconds = 0;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        seconds -= secondsAt(part->run->loss(), part->lastStep);
        part->secondsBefore = seconds;
    }
    parts.push_back({&run, std::numeric_limits<std::int64_t>::max(), samples, 0});
    return parts;
}

std::vector<double> seams(const RunParts& parts, XAxis axis) {
    std::vector<double> all;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const RunPart& part = parts[i];
        const auto step = static_cast<double>(parts[i - 1].lastStep);
        const std::int64_t perEpoch = part.run->started() ? part.run->started()->stepsPerEpoch : 0;
        all.push_back(axis == XAxis::Step      ? step
                      : axis == XAxis::Epoch   ? step / static_cast<double>(std::max<std::int64_t>(perEpoch, 1))
                      : axis == XAxis::Samples ? part.samplesBefore
                                               : part.secondsBefore);
    }
    return all;
}

std::vector<Curve> lossCurves(const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme) {
    std::vector<Curve> curves;
    addTraining(curves, parts, axis, fanOut, theme, &RunData::loss, &RankData::lossSeries);
    addValidation(curves, parts, axis, fanOut, theme, &EpochResult::loss);
    return curves;
}

std::vector<Curve> accuracyCurves(const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme) {
    std::vector<Curve> curves;
    addTraining(curves, parts, axis, fanOut, theme, &RunData::accuracy, &RankData::accuracySeries);
    addValidation(curves, parts, axis, fanOut, theme, &EpochResult::accuracy);
    return curves;
}

std::vector<Curve> throughputCurves(const RunParts& parts, XAxis axis, const Theme& theme) {
    return onlyCurve(parts, axis, "all ranks", theme, &RunData::samplesPerSecond);
}

std::vector<Curve> gradientNormCurves(const RunParts& parts, XAxis axis, const Theme& theme) {
    return onlyCurve(parts, axis, "averaged gradient", theme, &RunData::gradientNorm);
}

std::vector<Curve> learningRateCurves(const RunParts& parts, XAxis axis, const Theme& theme) {
    return onlyCurve(parts, axis, "all ranks", theme, &RunData::learningRate);
}

QString placeText(const RunParts& parts, XAxis axis, double x) {
    const SeriesPoint* found = nullptr;
    for (const RunPart& part : parts) {
        const auto points = part.run->loss().points();
        const auto after =
            std::ranges::upper_bound(points, x, {}, [&](const SeriesPoint& one) { return xIn(part, one, axis); });
        if (after == points.begin() || (found != nullptr && (after - 1)->step < found->step)) continue;
        found = &*(after - 1);
    }
    if (found == nullptr) {
        return text("before the first step");
    }
    const double epoch = std::max(0.0, std::ceil(found->epoch - 1e-9) - 1);
    const QString place = text("step %1, epoch %2").arg(number(found->step), QString::number(epoch));
    if (axis == XAxis::Time) {
        return place + text(", %1 s").arg(x, 0, 'f', 2);
    }
    return axis == XAxis::Samples ? place + text(", %1 samples").arg(number(static_cast<std::int64_t>(x))) : place;
}

}  // namespace ringside
