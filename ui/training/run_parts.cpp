// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/run_parts.h"

#include <algorithm>
#include <limits>

namespace ringside {

double xOverAllParts(const RunPart& part, const SeriesPoint& point, XAxis axis) {
    const double x = xOf(point, axis);
    if (axis == XAxis::Samples) return x + part.samplesBefore;
    return axis == XAxis::Time ? x + part.startSeconds : x;
}

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
        samples += samplesAt(earlier[i]->curves().loss(), lastStep);
    }
    double seconds = 0;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        seconds -= secondsAt(part->run->curves().loss(), part->lastStep);
        part->startSeconds = seconds;
    }
    parts.push_back({&run, std::numeric_limits<std::int64_t>::max(), samples, 0});
    return parts;
}

std::vector<double> resumePositions(const RunParts& parts, XAxis axis) {
    std::vector<double> all;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const RunPart& part = parts[i];
        const auto step = static_cast<double>(parts[i - 1].lastStep);
        const std::int64_t perEpoch = part.run->started() ? part.run->started()->stepsPerEpoch : 0;
        all.push_back(axis == XAxis::Step      ? step
                      : axis == XAxis::Epoch   ? step / static_cast<double>(std::max<std::int64_t>(perEpoch, 1))
                      : axis == XAxis::Samples ? part.samplesBefore
                                               : part.startSeconds);
    }
    return all;
}

std::vector<double> restartPositions(const RunParts& parts, XAxis axis) {
    std::vector<double> all;
    for (const RunPart& part : parts) {
        const auto points = part.run->curves().loss().points();
        for (const Controlled& control : part.run->pauses().controls()) {
            if (control.command != ControlKind::kRestart || control.step > part.lastStep) continue;
            const auto at = std::ranges::upper_bound(points, control.step, {}, &SeriesPoint::step);
            if (at == points.begin()) continue;  // the run has recorded no step before this restart
            all.push_back(xOverAllParts(part, *(at - 1), axis));
        }
    }
    return all;
}

}  // namespace ringside
