// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/mistakes/mistake_effect_report.h"

#include <algorithm>
#include <cmath>

#include "sampling/findings/coverage.h"
#include "sampling/plan/work_limits.h"
#include "shards/scene/order_sentences.h"

namespace ringside {
namespace {

bool hasMistake(const ShardScene& scene) {
    return scene.plan.spec().pitfalls.any() || (!scene.setEpoch && scene.plan.spec().shuffle);
}

// Returns the scene of the same experiment without mistakes; empty if it has no valid plan.
std::optional<ShardScene> healed(const ShardScene& scene, const std::atomic<bool>& stop) {
    ShardScene withoutMistakes = scene;
    withoutMistakes.setEpoch = true;
    ShardSpec spec = withoutMistakes.specAt(scene.epoch);
    spec.pitfalls = {};
    const Result<ShardPlan> plan = ShardPlan::make(spec, &stop);
    if (!plan) return {};
    withoutMistakes.plan = plan.value();
    return withoutMistakes;
}

void countNeverSeen(const ShardScene& scene, MistakeEffectReport::Measures& measures, const std::atomic<bool>& stop) {
    const qint64 n = scene.plan.spec().datasetSize;
    const bool changes = changesByEpoch(scene);
    const qint64 affordable = std::max<qint64>(1, kLargestWork / 4 / std::max<qint64>(1, n));
    measures.epochs = changes ? std::min<qint64>(scene.epochs, affordable) : scene.epochs;
    measures.neverSeen = n;
    std::vector<bool> seen(static_cast<std::size_t>(n));
    const qint64 counted = changes ? measures.epochs : 1;
    for (qint64 epoch = 0; epoch < counted && measures.neverSeen > 0 && !stop; ++epoch) {
        const Result<ShardPlan> plan = ShardPlan::make(scene.specAt(epoch), &stop);
        if (!plan) return;
        measures.neverSeen -= markTrained(plan.value(), seen, &stop);
    }
    measures.expectedNeverSeen = expectedNeverSeen(scene.plan.spec(), measures.epochs, !changes);
}

MistakeEffectReport::Measures measure(const ShardScene& scene, const std::atomic<bool>& stop) {
    MistakeEffectReport::Measures measures;
    measures.epoch = assignmentEffects(scene.plan, &stop);
    countNeverSeen(scene, measures, stop);
    return measures;
}

template <class Visit>
void forEachPair(const AssignmentEffects& effects, Visit visit) {
    if (effects.overlap.empty()) return;
    for (std::int64_t a = 0; a < effects.ranks; ++a) {
        for (std::int64_t b = a + 1; b < effects.ranks; ++b) {
            visit(effects.overlap[static_cast<std::size_t>(a * effects.ranks + b)]);
        }
    }
}

}  // namespace

double MistakeEffectReport::meanOverlap(const AssignmentEffects& effects) {
    double sum = 0, pairs = 0;
    forEachPair(effects, [&](std::int64_t shared) {
        sum += static_cast<double>(shared);
        pairs += 1;
    });
    return pairs > 0 ? sum / pairs : 0;
}

qint64 MistakeEffectReport::largestOverlap(const AssignmentEffects& effects) {
    qint64 most = 0;
    forEachPair(effects, [&](std::int64_t shared) { most = std::max<qint64>(most, shared); });
    return most;
}

MistakeEffectReport mistakeEffectReport(const ShardScene& scene, const std::atomic<bool>& stop) {
    MistakeEffectReport report;
    report.here = measure(scene, stop);
    if (hasMistake(scene) && !stop) {
        if (const std::optional<ShardScene> withoutMistakes = healed(scene, stop))
            report.withoutMistakes = measure(*withoutMistakes, stop);
    }
    const qint64 other = scene.epoch == 0 ? 1 : 0;
    if (other < scene.epochs && !changesByEpoch(scene)) report.identicalEpoch = other;
    return report;
}

}  // namespace ringside
