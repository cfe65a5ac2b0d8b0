// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/growing_curves.h"

#include <utility>

namespace ringside {

// True if new points can be appended to the cached curve `held`: axis, sources and steps per point are unchanged. Also
// compares the second-last copied point with its source, because another run can reuse the address of the series.
bool GrowingCurves::continuesCurves(const Held& held, XAxis axis, const std::vector<Source>& sources) {
    if (held.axis != axis || held.sources != sources || sources.empty()) return false;
    const auto points = sources.back().series->points();
    if (held.copied == 0 || held.copied > points.size()) return false;
    if (held.copied == 1) return true;
    const SeriesPoint& witness = points[held.copied - 2];
    const CurvePoint& copy = held.points[held.points.size() - 2];
    return xOverAllParts(sources.back().part, witness, axis) == copy.x && copy.minimum == witness.minimum;
}

void GrowingCurves::append(Held& held, const Source& source, std::size_t from) {
    const auto points = source.series->points();
    held.copied = points.size();
    for (const SeriesPoint& point : points.subspan(from)) {
        if (point.step > source.part.lastStep) break;
        held.points.push_back({xOverAllParts(source.part, point, held.axis), point.mean, point.minimum, point.maximum});
        held.hasBand = held.hasBand || point.minimum < point.maximum;
    }
}

Curve GrowingCurves::follow(Curve start, const RunParts& parts, XAxis axis, const SeriesOf& seriesOf) {
    std::vector<Source> sources;
    for (const RunPart& part : parts) {
        const Series* series = seriesOf(*part.run);
        if (series != nullptr) sources.push_back({series, series->stepsPerPoint(), part});
    }
    Held& held = m_held[start.key];
    if (continuesCurves(held, axis, sources)) {
        held.points.dropLast();  // the last point may contain more steps than when it was cached
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
