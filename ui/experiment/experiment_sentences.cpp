// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment_sentences.h"

#include <QCoreApplication>
#include <QStringList>
#include <QThread>
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text/number_text.h"
#include "config/leaves.h"
#include "config/mesh.h"
#include "model/layer_list.h"
#include "model/model_description.h"
#include "model/model_summary.h"
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr std::int64_t kMaxRanks = 4096;

QString tr(const char* text) {
    return QCoreApplication::translate("sentences", text);
}

QString counted(std::int64_t count, const char* one, const char* many) {
    return groupedText(count) + QLatin1Char(' ') + tr(count == 1 ? one : many);
}

// Returns the parameters of the shard plan of the first epoch, which determine the samples of each rank; empty if a
// setting is out of range or if there is no data.
std::optional<ShardSpec> specOf(const RunConfig& c, const DataSplit* data) {
    if (!data || c.parallel.worldSize < 1 || c.parallel.worldSize > kMaxRanks || c.loader.batchSize < 1) return {};
    return epochSpec(c, data->training, 0);
}

std::vector<std::int64_t> layerWidths(const RunConfig& c, const DataSplit& data) {
    std::vector<std::int64_t> widths{data.training->shape().features};
    if (c.model.kind == ModelKind::kMlp) widths.insert(widths.end(), c.model.hidden.begin(), c.model.hidden.end());
    const std::int64_t classes = data.training->classCount();
    widths.push_back(classes > 0 ? classes : data.training->targetCount());
    return widths;
}

// Returns the number of layers. The inner layers of a residual block are counted, the block itself is not.
std::int64_t layerCount(const std::vector<LayerDescription>& layers) {
    std::int64_t count = 0;
    for (const LayerDescription& layer : layers)
        count += layer.kind == LayerKind::kResidual ? layerCount(layer.body) + layerCount(layer.shortcut) : 1;
    return count;
}

QString bytesText(double bytes) {
    return QString::fromStdString(memoryText(static_cast<std::int64_t>(bytes)));
}

}  // namespace

QString dataSentence(const RunConfig& config, const DataSplit* data) {
    if (data) {
        const QString summary = QString::fromStdString(data->summary) + QLatin1Char('.');
        const bool hasSize =
            config.dataset.kind == DatasetKind::kSynthetic || config.dataset.kind == DatasetKind::kText;
        const std::int64_t all = data->training->size() + (data->validation ? data->validation->size() : 0);
        return hasSize ? tr("Of %1 samples: %2").arg(groupedText(all), summary) : summary;
    }
    if (config.dataset.kind == DatasetKind::kCsv && config.dataset.path.empty())
        return tr("Choose a CSV file, or drop one on the window.");
    const bool builtIn = config.dataset.kind == DatasetKind::kDigits ||
                         config.dataset.kind == DatasetKind::kSynthetic || config.dataset.kind == DatasetKind::kText;
    if (!builtIn && config.dataset.path.empty()) return tr("Choose the file or directory with the samples.");
    return {};
}

QString modelSentence(const RunConfig& config, const DataSplit* data) {
    if (!data) return {};
    for (const std::int64_t width : config.model.hidden)
        if (width < 1) return {};  // no sentence: the form reports this problem at the field of the layer widths
    const Result<ModelDescription> described = describeModel(config.model, *data->training);
    if (!described) return {};  // no sentence: the form reports the problem at the field that causes it
    const ModelDescription& model = described.value();
    const auto parameters = static_cast<double>(model.parameters());
    const QString size = tr("%1 parameters (%2)").arg(groupedText(model.parameters()), bytesText(parameters * 4));
    if (config.model.kind == ModelKind::kMlp || config.model.kind == ModelKind::kToyLinear) {
        QStringList parts;
        for (const std::int64_t width : layerWidths(config, *data)) parts << groupedText(width);
        return tr("%1: %2.").arg(parts.join(QStringLiteral(" \u2192 ")), size);
    }
    // Counts a training step as three times the FLOPs of a forward pass: the forward pass itself, the gradients of the
    // inputs, and the gradients of the weights.
    return tr("%1 layers, %2. Each sample needs %3 MFLOP per training step, and %4 of memory for activations.")
        .arg(groupedText(layerCount(model.layers)), size)
        .arg(static_cast<double>(3 * model.flops()) / 1e6, 0, 'f', 1)
        .arg(bytesText(static_cast<double>(model.activations()) * 4));
}

namespace {

// Returns sentences about how the model is divided into replicas, pipeline stages and shards; empty if each rank holds
// the whole model (ddp).
QString meshSentence(const RunConfig& config) {
    const Mesh mesh = meshOf(config);
    if (mesh.ranks() != config.parallel.worldSize) return {};  // no sentence: the form reports this problem at a field
    const QString replicas = groupedText(mesh.replicate);
    const QString stages = groupedText(mesh.pipeline);
    const QString shards = groupedText(mesh.shard);
    if (mesh.pipeline > 1 && mesh.shard > 1)
        return mesh.replicate > 1
                   ? tr("%1 replicas, each a pipeline of %2 ranks; each stage is sharded over %3 ranks. ")
                         .arg(replicas, stages, shards)
                   : tr("The model is a pipeline of %1 ranks; each stage is sharded over %2 ranks. ")
                         .arg(stages, shards);
    if (mesh.pipeline > 1)
        return mesh.replicate > 1 ? tr("%1 replicas, each a pipeline of %2 ranks. ").arg(replicas, stages)
                                  : tr("The model is a pipeline of %1 ranks. ").arg(stages);
    if (mesh.shard > 1)
        return mesh.replicate > 1 ? tr("%1 replicas, each sharded over %2 ranks. ").arg(replicas, shards)
                                  : tr("The model is sharded over %1 ranks. ").arg(shards);
    return {};
}

QString statisticsSentence(const RunConfig& config) {
    const std::int64_t parts = microBatchesOf(config);
    if (parts < 2 || isCanonical(config) || !hasBatchNorm(config.model)) return {};
    return tr(" Batch norm computes its statistics over micro-batches of %1.")
        .arg(counted((config.loader.batchSize + parts - 1) / parts, "sample", "samples"));
}

}  // namespace

QString transportSentence(const RunConfig& config, const ComputeChoice& choice) {
    const bool isOpen =
        config.parallel.backend == CollectiveBackend::kAuto && choice.backend == CollectiveBackend::kShm;
    if (!isOpen) return sentenceText(choice.whyBackend);
    return tr("Shared memory on one host; Gloo over TCP between several hosts.");
}

QString parallelSentence(const RunConfig& config, const QString& why) {
    const std::int64_t world = config.parallel.worldSize;
    if (world < 1 || world > kMaxRanks) return {};  // no sentence: the form reports this problem at "World size"
    if (devicesOf(config) > 1)
        return tr("1 process with %1 devices, one thread each: device 0 scatters the batch and adds up the gradients.")
            .arg(groupedText(devicesOf(config)));
    if (world == 1) return tr("1 process, rank 0: no gradients to average.");
    const QString ranks =
        tr("%1 processes, ranks 0 to %2. ").arg(groupedText(world)).arg(world - 1) + meshSentence(config);
    const QString last = statisticsSentence(config);
    if (config.parallel.backend == CollectiveBackend::kAuto) return ranks + why + last;
    return ranks +
           tr("The ranks communicate through %1, the chosen backend.")
               .arg(config.parallel.backend == CollectiveBackend::kShm
                        ? tr("shared memory")
                        : choiceLabel(choiceText(config.parallel.backend))) +
           last;
}

QString samplingSentence(const RunConfig& config, const DataSplit* data) {
    const std::optional<ShardSpec> spec = specOf(config, data);
    if (!spec) return {};
    std::string text = shardSentence(*spec) + '\n' + stepSentence(*spec);
    if (spec->kind != SamplerKind::kDistributed) text += '\n' + samplerSentence(spec->kind);
    if (const std::string mistake = pitfallSentence(*spec); !mistake.empty()) text += '\n' + mistake;
    return QString::fromStdString(text).replace(QStringLiteral(" x "), QStringLiteral(" \u00d7 "));
}

QString workersSentence(const RunConfig& config, const QString& device) {
    QStringList lines;
    const std::int64_t workers = config.loader.numWorkers;
    const std::int64_t ranks = config.parallel.worldSize;
    if (workers > 0 && ranks > 0) {
        const int cpus = QThread::idealThreadCount();
        lines << tr("%1 \u00d7 %2 = %3 on %4%5.")
                     .arg(groupedText(ranks), groupedText(workers),
                          counted(ranks * workers, "worker thread", "worker threads"), counted(cpus, "CPU", "CPUs"),
                          ranks * workers > cpus
                              ? tr(": more worker threads than this computer can run at the same time")
                              : QString());
    }
    if (config.loader.pinMemory && choiceNamed<DeviceChoice>(device.toStdString()) != DeviceChoice::kCuda)
        lines << tr("Pinned memory has no effect: the ranks compute on the CPU.");
    return lines.join(QLatin1Char('\n'));
}

QString optimisationSentence(const RunConfig& config, const DataSplit* data) {
    const std::optional<ShardSpec> spec = specOf(config, data);
    if (!spec || config.training.epochs < 1) return {};
    const ShardNumbers numbers = shardNumbers(*spec);
    if (numbers.stepsPerEpoch == 0) return {};
    const std::int64_t group = std::max<std::int64_t>(1, config.training.accumulateSteps);
    const std::int64_t steps = (numbers.stepsPerEpoch + group - 1) / group;
    const std::int64_t batch = globalBatch(numbers, group);
    return tr("Epochs \u00d7 steps per epoch: %1 \u00d7 %2 = %3. Each step uses the mean gradient of %4.")
        .arg(counted(config.training.epochs, "epoch", "epochs"), counted(steps, "step", "steps"),
             counted(config.training.epochs * steps, "step", "steps"), counted(batch, "sample", "samples"));
}

}  // namespace ringside
