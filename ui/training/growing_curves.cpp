// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/growing_curves.h"

#include <algorithm>
#include <utility>

namespace ringside {

// True if new points can be appended to the cached curve `held`, because axis, sources and steps per point are
// unchanged. The address of a series does not identify it, because another run can reuse the address; so this function
// also compares the second-last cached point with the series.
bool GrowingCurves::continuesCurves(const Held& held, XAxis axis, const std::vector<Source>& sources) {
    if (held.axis != axis || held.sources != sources || sources.empty()) return false;
    const auto points = sources.back().series->points();
    if (held.copied == 0 || held.copied > points.size()) return false;
    if (held.copied == 1) return true;
    const SeriesPoint& witness = points[held.copied - 2];
    const CurvePoint& copy = held.points[held.points.size() - 2];
    return xOf(sources.back(), witness, axis) == copy.x && copy.minimum == witness.minimum;
}

// Returns the position of a point on the x axis. On the axis of samples, uses the samples of all ranks after the
// point's step, because the series of a rank counts only its own samples.
double GrowingCurves::xOf(const Source& source, const SeriesPoint& point, XAxis axis) {
    if (axis == XAxis::Samples && source.isOfRank)
        return samplesAt(source.part.run->curves().loss(), point.step) + source.part.samplesBefore;
    return xOverAllParts(source.part, point, axis);
}

// Returns the last step of `source`, the series of one run, whose position on the x axis is known. This step can be
// earlier than the last step of the series, because a rank can be ahead of the other ranks.
std::int64_t GrowingCurves::lastPlacedStep(const Source& source, XAxis axis) {
    if (axis != XAxis::Samples || !source.isOfRank) return source.part.lastStep;
    const auto points = source.part.run->curves().loss().points();
    return points.empty() ? 0 : std::min(points.back().step, source.part.lastStep);
}

void GrowingCurves::append(Held& held, const Source& source, std::size_t from) {
    const std::int64_t last = lastPlacedStep(source, held.axis);
    held.copied = from;
    for (const SeriesPoint& point : source.series->points().subspan(from)) {
        if (point.step > last) break;
        ++held.copied;
        held.points.push_back({xOf(source, point, held.axis), point.mean, point.minimum, point.maximum});
        held.hasBand = held.hasBand || point.minimum < point.maximum;
    }
}

Curve GrowingCurves::follow(Curve start, const RunParts& parts, XAxis axis, const SeriesOf& seriesOf) {
    std::vector<Source> sources;
    for (const RunPart& part : parts) {
        const Series* series = seriesOf(*part.run);
        if (series != nullptr) sources.push_back({series, series->stepsPerPoint(), part, start.rank >= 0});
    }
    Held& held = m_held[start.key];
    if (continuesCurves(held, axis, sources)) {
        held.points.dropLast();  // the last point is copied again, because it may contain more steps now
        append(held, sources.back(), held.copied - 1);
    } else {
        held = Held{.axis = axis, .sources = sources, .points = {}};
        for (const Source& source : sources) append(held, source, 0);
    }
    start.points = held.points;
    if (held.hasBand) start.kind = Curve::Kind::BandLine;
    return start;
}

}  // namespace ringside
