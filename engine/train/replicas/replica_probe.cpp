// SPDX-License-Identifier: Apache-2.0
#include "train/replicas/replica_probe.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "config/leaves.h"
#include "train/replicas/gradient_cells.h"

namespace ringside {
namespace {

// Maximum number of tensors in a model for which a checksum of each tensor is reported.
constexpr std::size_t kMaxNamed = 64;
// A ring all-reduce divides a bucket into one part per rank. Number of values that are reported for each part.
constexpr std::size_t kRingValues = 2;

double dot(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

// Rounds to 7 significant digits, about the precision of a float. This halves the length of a line of telemetry.
double inDigits(double value) {
    constexpr int kDigits = 7;
    if (value == 0 || !std::isfinite(value)) return value;
    const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::abs(value))));
    return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

// Returns the reason why inspection is not possible, if it can be known before the model exists; otherwise an empty
// text.
std::string whyNot(const ReplicaProbe::Dependencies& dependencies) {
    if (dependencies.config.parallel.strategy == StrategyKind::kDataParallel)
        return "replicas cannot be inspected with data_parallel: one process adds up the gradients of its devices";
    if (dependencies.layout.mesh.ranks() > 1 && dependencies.layout.dataRankCount() == 1)
        return "there are no replicas to inspect: each stage of the pipeline exists once; set mesh.replicate to 2 and "
               "double parallel.world_size";
    if (dependencies.backend.device().kind != Device::Kind::kCpu) return "replicas can be inspected on the CPU only";
    return {};
}

}  // namespace

// With training.reduction canonical, the strategy divides the local gradient by the size of the data-parallel group
// before this class reads it. The factor m_ownShare reverses the division.
ReplicaProbe::ReplicaProbe(const Dependencies& dependencies)
    : m_dependencies(dependencies),
      m_ownShare(isCanonical(dependencies.config) ? static_cast<float>(dependencies.layout.dataRankCount()) : 1.0F),
      m_whyNot(whyNot(dependencies)) {}

void ReplicaProbe::setStrategy(Strategy& strategy) {
    m_strategy = &strategy;
    std::size_t end = 0;
    for (const Parameter* one : strategy.localParameters()) {
        m_begins.push_back(end);
        end += static_cast<std::size_t>(one->shape.count());
    }
    m_begins.push_back(end);
    std::int64_t all = 0;
    for (const Parameter* one : strategy.wholeParameters()) all += one->shape.count();
    if (m_whyNot.empty() && all > kMaxParameters)
        m_whyNot = "replicas can be inspected for models up to 200,000 parameters; this one has " + std::to_string(all);
}

std::string ReplicaProbe::requestSteps(std::int64_t steps) {
    if (m_whyNot.empty()) m_left = steps;
    return m_whyNot;
}

void ReplicaProbe::selectStep(StepPosition position) {
    m_position = position;
    m_active = m_left > 0;
    m_whole = m_left == 1;
    m_ownCount = 0;
    m_reportedOwn = false;
    m_often = false;
}

void ReplicaProbe::inspectCurrentStep(bool often) {
    if (!m_whyNot.empty()) return;
    m_active = true;
    m_whole = true;
    m_often = often;
}

std::function<void(std::size_t, const Tensor&)> ReplicaProbe::localGradientCallback() {
    if (!m_whyNot.empty()) return {};
    return [this](std::size_t parameter, const Tensor& gradient) {
        if (!m_active) return;
        m_own.resize(m_begins.back());
        std::ranges::transform(gradient.floats(), m_own.begin() + static_cast<std::ptrdiff_t>(m_begins[parameter]),
                               [share = m_ownShare](float value) { return share * value; });
        ++m_ownCount;
    };
}

std::span<const float> ReplicaProbe::valuesOfParameter(const Values& values, std::size_t parameter) const {
    return std::span(values).subspan(m_begins[parameter], m_begins[parameter + 1] - m_begins[parameter]);
}

void ReplicaProbe::copyGradients(Values& to) const {
    to.resize(m_begins.back());
    for (std::size_t i = 0; i + 1 < m_begins.size(); ++i)
        m_strategy->copyGradient(i, std::span(to).subspan(m_begins[i], m_begins[i + 1] - m_begins[i]));
}

void ReplicaProbe::copyValues(Values& to) const {
    to.resize(m_begins.back());
    for (std::size_t i = 0; i + 1 < m_begins.size(); ++i)
        m_strategy->copyValue(i, std::span(to).subspan(m_begins[i], m_begins[i + 1] - m_begins[i]));
}

// Reports the local gradient at the end of the backward phase if it is complete then. Otherwise reports it together
// with the averaged gradient.
void ReplicaProbe::phaseEnded(Phase phase, StepPosition) {
    if (!m_active) return;
    if (phase == Phase::kBackward || phase == Phase::kMoving) reportLocalGradient();
    if (phase == Phase::kMoving) reportMeanGradient();
}

void ReplicaProbe::reportLocalGradient() {
    if (m_reportedOwn || !hasLocalGradient()) return;
    m_reportedOwn = true;
    GradientView own = makeView(GradientMoment::kOwn, m_own, m_whole);
    if (m_whole) own.ring = ringValuesOf(m_own);
    m_dependencies.observer.onEvent(std::move(own));
}

// Reports the averaged gradient and its cosine similarity to this rank's local gradient. Only the first rank of a
// data-parallel group reports the cells, which are equal on all ranks of the group.
void ReplicaProbe::reportMeanGradient() {
    copyGradients(m_mean);
    if (m_whole) copyValues(m_before);
    const bool cells = m_whole && m_dependencies.layout.dataRank() == 0;
    GradientView mean = makeView(GradientMoment::kMean, m_mean, cells);
    const double norms = m_reportedOwn ? std::sqrt(dot(m_own, m_own)) * mean.norm : 0;
    mean.cosine = norms > 0 ? dot(m_own, m_mean) / norms : std::numeric_limits<double>::quiet_NaN();
    if (cells) mean.ring = ringValuesOf(m_mean);
    m_dependencies.observer.onEvent(std::move(mean));
}

void ReplicaProbe::endStep(const FinishedStep&) {
    if (!std::exchange(m_active, false)) return;
    m_left = std::max<std::int64_t>(m_left - 1, 0);
    if (!m_whole || m_before.size() != m_begins.back()) return;
    Values after;
    copyValues(after);
    Values change(after.size());
    std::ranges::transform(after, m_before, change.begin(), std::minus());
    GradientView reported = makeView(GradientMoment::kChange, change, m_dependencies.layout.dataRank() == 0);
    const std::vector<Parameter*>& parameters = m_strategy->localParameters();
    for (std::size_t i = 0; i < parameters.size() && i < kMaxNamed; ++i) {
        if (reported.names.size() <= i) reported.names.push_back(parameters[i]->name);
        reported.checksums.push_back(tensorChecksum(valuesOfParameter(after, i)));
    }
    if (reported.names.size() != reported.checksums.size()) reported.checksums.clear();
    m_dependencies.observer.onEvent(std::move(reported));
}

GradientView ReplicaProbe::makeView(GradientMoment moment, const Values& values, bool withCells) const {
    GradientView view{.rank = m_dependencies.layout.rank,
                      .epoch = m_position.epoch,
                      .step = m_position.step,
                      .moment = moment,
                      .norm = std::sqrt(dot(values, values)),
                      .cosine = std::numeric_limits<double>::quiet_NaN()};
    view.timeUs = m_dependencies.observer.nowUs();
    if (withCells) addCells(view, values);
    return view;
}

void ReplicaProbe::addCells(GradientView& view, const Values& values) const {
    const std::vector<Parameter*>& parameters = m_strategy->localParameters();
    constexpr std::int64_t kOften = 4;
    const std::int64_t most = std::max<std::int64_t>(maxCellsPerTensor(parameters.size()) / (m_often ? kOften : 1), 4);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::span<const float> tensor = valuesOfParameter(values, i);
        const GradientCells cells = cellsOf(tensor, parameters[i]->shape, most);
        view.names.push_back(parameters[i]->name);
        view.rows.push_back(cells.rows);
        view.columns.push_back(cells.columns);
        std::ranges::transform(cells.values, std::back_inserter(view.cells), inDigits);
        view.tensorNorms.push_back(std::sqrt(dot(tensor, tensor)));
    }
}

// Returns the first values of each part into which a ring all-reduce divides a bucket with all gradients. The gradients
// are in the order in which they become ready: that of the last parameter is first. There are as many parts as ranks in
// the data-parallel group.
std::vector<double> ReplicaProbe::ringValuesOf(const Values& values) const {
    Values bucket;
    bucket.reserve(values.size());
    for (std::size_t i = m_begins.size() - 1; i-- > 0;) {
        const std::span<const float> one = valuesOfParameter(values, i);
        bucket.insert(bucket.end(), one.begin(), one.end());
    }
    const auto parts = static_cast<std::size_t>(m_dependencies.layout.dataRankCount());
    std::vector<double> ring;
    if (parts > 8 || bucket.size() < parts * kRingValues) return ring;
    for (std::size_t part = 0; part < parts; ++part)
        for (std::size_t i = 0; i < kRingValues; ++i)
            ring.push_back(static_cast<double>(bucket[part * bucket.size() / parts + i]));
    return ring;
}

void ReplicaProbe::addChecksums(Replica& replica) const {
    if (!m_whyNot.empty() || !m_strategy->isWhole() || m_strategy->localParameters().size() > kMaxNamed) return;
    for (const Parameter* one : m_strategy->localParameters()) {
        replica.names.push_back(one->name);
        replica.checksums.push_back(tensorChecksum(one->value.floats()));
    }
}

}  // namespace ringside
