// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/scene/strategy_sentences.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>

#include "base/text/number_text.h"
#include "config/mesh.h"
#include "model/model_summary.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

QString sentenceText(const char* text) {
    return QCoreApplication::translate("strategy", text);
}

QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

QString shardedText(ShardedState shard) {
    if (shard == ShardedState::kOptimizer) return sentenceText("O sharded over %1 ranks (ZeRO-1)");
    if (shard == ShardedState::kGradients) return sentenceText("G and O sharded over %1 ranks (ZeRO-2)");
    return sentenceText("P, G and O sharded over %1 ranks (ZeRO-3)");
}

QString scheduleTitle(const RunConfig& config) {
    if (!config.pipeline.scheduleFile.empty()) return sentenceText("a custom schedule");
    return choiceLabel(choiceText(config.pipeline.schedule));
}

// Returns the measured idle share with the expected one that describes the same quantity: the share with the computing
// times of the experiment's stages, in contrast to the share of a schedule whose stages take equal time. Empty without
// a measurement.
QString measured(const StrategyScene& scene) {
    if (!scene.ran || !scene.ran->idleShare) return {};
    const QString share = percentText(*scene.ran->idleShare);
    if (scene.cost->time.arithmetic <= 0) return sentenceText("; measured %1").arg(share);
    return sentenceText("; these stages: expected %1, measured %2")
        .arg(percentText(scene.cost->time.idleShare()), share);
}

// Returns a sentence about the idle time of a pipeline: how many time slots of a rank are idle, and how many there are,
// if all stages take the same time. For a zero-bubble schedule and a schedule file, the sentence contains only the
// share of idle time.
QString slotsSentence(const StrategyScene& scene) {
    const StrategyPlan& plan = scene.plan();
    const std::int64_t ranks = plan.mesh.pipeline;
    const std::int64_t work = plan.microBatches * stagesPerRank(scene.config);
    const QString who =
        stagesPerRank(scene.config) > 1
            ? sentenceText("%1 ranks with %2 stages each and %3 micro-batches")
                  .arg(number(ranks), number(stagesPerRank(scene.config)), number(plan.microBatches))
            : sentenceText("%1 stages and %2 micro-batches").arg(number(ranks), number(plan.microBatches));
    const PipelineScheduleKind schedule = scene.config.pipeline.schedule;
    const bool counts = scene.config.pipeline.scheduleFile.empty() && schedule != PipelineScheduleKind::kZeroBubble;
    if (!counts) return sentenceText("%1: %2 idle time").arg(who, percentText(scene.cost->idleShare));
    return sentenceText("%1: %2 of %3 slots are idle, %4")
        .arg(who, number(ranks - 1), number(work + ranks - 1), percentText(scene.cost->idleShare));
}

}  // namespace

QString bytesText(double bytes) {
    if (bytes < 1024) return sentenceText("%1 B").arg(QLocale().toString(bytes, 'f', 0));
    return QString::fromStdString(memoryText(static_cast<std::int64_t>(bytes)));
}

QString percentText(double share) {
    return sentenceText("%1 %").arg(QLocale().toString(share * 100, 'f', share > 0 ? 1 : 0));
}

QString stepTimeText(double seconds) {
    const double ms = seconds * 1e3;
    if (ms < 1) return sentenceText("%1 µs").arg(QLocale().toString(ms * 1e3, 'f', 0));
    return sentenceText("%1 ms").arg(QLocale().toString(ms, 'f', ms < 10 ? 2 : 1));
}

QString strategyTitle(const StrategyScene& scene) {
    if (!scene.cost) return {};
    const Mesh& mesh = scene.plan().mesh;
    const auto stages = static_cast<std::int64_t>(scene.plan().stages());
    QString text;
    if (scene.config.parallel.strategy == StrategyKind::kModelParallel)
        text = sentenceText("model split over %1 ranks, one batch at a time").arg(number(mesh.pipeline));
    else if (mesh.pipeline > 1)
        text = sentenceText("pipeline of %1 stages, %2 micro-batches, %3")
                   .arg(number(stages), number(scene.plan().microBatches), scheduleTitle(scene.config));
    if (mesh.shard > 1)
        text = mesh.pipeline > 1 ? sentenceText("%1; each stage sharded over %2 ranks").arg(text, number(mesh.shard))
                                 : shardedText(scene.config.fsdp.shard).arg(number(mesh.shard));
    if (devicesOf(scene.config) > 1)
        return sentenceText("one process with %1 devices").arg(number(devicesOf(scene.config)));
    if (text.isEmpty())
        return mesh.replicate == 1 ? sentenceText("one complete copy of the model")
                                   : sentenceText("%1 complete copies of the model").arg(number(mesh.replicate));
    return mesh.replicate > 1 ? sentenceText("%1 replicas: %2").arg(number(mesh.replicate), text) : text;
}

QString scheduleSentence(const StrategyScene& scene) {
    if (!scene.cost) return {};
    const StrategyPlan& plan = scene.plan();
    if (scene.config.parallel.strategy == StrategyKind::kModelParallel && plan.mesh.pipeline > 1)
        return sentenceText("One batch at a time: %1 of %2 ranks are idle, %3")
                   .arg(number(plan.mesh.pipeline - 1), number(plan.mesh.pipeline),
                        percentText(scene.cost->idleShare)) +
               measured(scene);
    if (plan.mesh.pipeline > 1) return slotsSentence(scene) + measured(scene);
    if (plan.mesh.shard > 1) {
        if (!plan.sharding.freesParameters)
            return sentenceText(
                "Parameters are gathered once per step; gradients are averaged, and each rank keeps its part");
        if (plan.unit == ShardUnit::kWhole)
            return sentenceText("The whole model is gathered for each pass and freed after it");
        return plan.sharding.prefetches
                   ? sentenceText("Each unit is gathered while the previous unit computes, and freed after use")
                   : sentenceText("Each unit is gathered when it is needed, and freed after use");
    }
    if (devicesOf(scene.config) > 1)
        return sentenceText(
            "Device 0 scatters the batch, broadcasts the model, gathers the outputs and adds up the gradients");
    const auto buckets = bucketBytes(plan.parametersOf(0), plan.buckets).size();
    if (plan.mesh.replicate == 1) return sentenceText("One rank: no communication");
    return buckets == 1 ? sentenceText("Gradients are reduced in one bucket after the backward pass")
                        : sentenceText("Gradients are reduced in %1 buckets during the backward pass").arg(buckets);
}

QString placementSentence(const StrategyScene& scene) {
    if (!scene.cost) return {};
    const QString all = sentenceText("From left: P parameters, G gradients, O optimizer state");
    if (scene.plan().microBatches > 1 && scene.plan().hasBatchNorm())
        return sentenceText("%1. Batch norm computes its statistics over micro-batches of %2")
            .arg(all, number(scene.plan().microRows));
    return scene.isSharded() ? sentenceText("%1; strip: shard that the rank holds").arg(all) : all;
}

QString inFlightSentence(const StrategyScene& scene) {
    if (!scene.isPipeline()) return {};
    QStringList counts;
    constexpr int kMax = 8;
    const auto step = static_cast<int>(scene.plan().mesh.dataRanks());
    for (int rank = 0; rank < scene.plan().mesh.ranks() && counts.size() < kMax; rank += step)
        counts << number(static_cast<std::int64_t>(activationsInFlight(scene.plan(), rank)));
    return sentenceText("in flight: %1").arg(counts.join(QStringLiteral(", ")));
}

QString linksSentence(const StrategyScene& scene) {
    if (!scene.cost) return {};
    const StepTraffic& most = *std::ranges::max_element(scene.cost->traffic, {}, &StepTraffic::total);
    if (most.total() == 0) return sentenceText("Nothing is sent.");
    QStringList parts;
    for (const auto& [bytes, what] :
         {std::pair(most.gradients, sentenceText("gradients")), std::pair(most.parameters, sentenceText("parameters")),
          std::pair(most.activations, sentenceText("activations")), std::pair(most.rest, sentenceText("rest"))})
        if (bytes > 0) parts << sentenceText("%1 %2").arg(what, bytesText(static_cast<double>(bytes)));
    QString counted;
    if (scene.ran) {
        std::int64_t largest = -1;
        for (const auto& one : scene.ran->bytesPerStep) largest = std::max(largest, one.value_or(-1));
        if (largest >= 0) counted = sentenceText("; measured %1").arg(bytesText(static_cast<double>(largest)));
    }
    return sentenceText("A rank sends up to %1 per step: %2%3.")
        .arg(bytesText(static_cast<double>(most.total())), parts.join(QStringLiteral(", ")), counted);
}

QString memoryOverStepSentence(const StrategyScene& scene) {
    if (!scene.cost || scene.curves.empty()) return {};
    const auto fullest = std::ranges::max_element(scene.curves, {}, &MemoryCurve::peakBytes);
    const auto rank = static_cast<std::size_t>(fullest - scene.curves.begin());
    const bool equal = scene.plan().mesh.ranks() > 1 && std::ranges::all_of(curveRanks(scene), [&](int one) {
                           return scene.curves[static_cast<std::size_t>(one)].peakBytes() == fullest->peakBytes();
                       });
    QString allocated;
    if (scene.ran && rank < scene.ran->memory.size()) {
        std::int64_t bytes = scene.ran->memory[rank].peak;
        if (equal)
            for (const RankMemory& one : scene.ran->memory) bytes = std::max(bytes, one.peak);
        allocated = (equal ? sentenceText("; up to %1 are allocated (measured)")
                           : sentenceText("; %1 are allocated (measured)"))
                        .arg(bytesText(static_cast<double>(bytes)));
    }
    return sentenceText("%1 uses at most %2, at %3 of the step%4.")
        .arg(equal ? sentenceText("Each rank") : sentenceText("Rank %1").arg(rank),
             bytesText(static_cast<double>(fullest->peakBytes())), percentText(fullest->peakTime() / fullest->end),
             allocated);
}

QString meshPositionText(const StrategyPlan& plan, int rank) {
    const RankLayout place{plan.mesh, rank};
    QStringList parts;
    if (plan.mesh.pipeline > 1) {
        QStringList stages;
        for (const std::size_t stage : plan.stagesOf(place.pipelineIndex())) stages << QString::number(stage);
        parts << (stages.size() > 1 ? sentenceText("stages %1") : sentenceText("stage %1"))
                     .arg(stages.join(QStringLiteral(", ")));
    }
    if (plan.mesh.replicate > 1) parts << sentenceText("replica %1").arg(place.replicateIndex());
    if (plan.mesh.shard > 1) parts << sentenceText("shard %1").arg(place.shardIndex());
    return parts.join(QStringLiteral(", "));
}

QString choiceTitle(const std::string& name) {
    static const std::pair<const char*, const char*> kTitles[] = {
        {"ddp", QT_TRANSLATE_NOOP("strategy", "DDP")},
        {"data_parallel", QT_TRANSLATE_NOOP("strategy", "DataParallel")},
        {"fsdp:optimizer", QT_TRANSLATE_NOOP("strategy", "FSDP, optimizer (ZeRO-1)")},
        {"fsdp:gradients", QT_TRANSLATE_NOOP("strategy", "FSDP, gradients (ZeRO-2)")},
        {"fsdp:parameters", QT_TRANSLATE_NOOP("strategy", "FSDP, parameters (ZeRO-3)")},
        {"hsdp", QT_TRANSLATE_NOOP("strategy", "Replicas of FSDP")},
        {"model_parallel", QT_TRANSLATE_NOOP("strategy", "Model parallel")},
        {"pipeline:gpipe", QT_TRANSLATE_NOOP("strategy", "Pipeline, GPipe")},
        {"pipeline:1f1b", QT_TRANSLATE_NOOP("strategy", "Pipeline, 1F1B")},
        {"pipeline:interleaved", QT_TRANSLATE_NOOP("strategy", "Pipeline, interleaved")},
        {"pipeline:zero_bubble", QT_TRANSLATE_NOOP("strategy", "Pipeline, zero bubble")},
        {"replicas_of_pipelines", QT_TRANSLATE_NOOP("strategy", "Replicas of pipelines")},
        {"sharded_stages", QT_TRANSLATE_NOOP("strategy", "Pipeline, sharded stages")},
        {"own_schedule", QT_TRANSLATE_NOOP("strategy", "Pipeline, custom schedule")}};
    for (const auto& [key, title] : kTitles)
        if (name == key) return sentenceText(title);
    return QString::fromStdString(name);
}

}  // namespace ringside
