// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment_sentences.h"

#include <QCoreApplication>
#include <QStringList>
#include <cmath>

#include "experiment/field_text.h"
#include "sampling/shard_layout.h"
#include "sampling/shard_plan.h"

namespace ringside {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("sentences", text);
}

QString counted(std::int64_t count, const char* one, const char* many) {
    return groupedText(count) + QLatin1Char(' ') + tr(count == 1 ? one : many);
}

struct EpochNumbers {
    std::int64_t perRank = 0;
    std::int64_t steps = 0;
    std::int64_t lastBatch = 0;
};

// The arithmetic of one epoch, without dealing any sample; nothing when the numbers make no sense yet.
bool epochNumbers(const RunConfig& c, const DataSplit* data, EpochNumbers& out) {
    if (!data || c.parallel.worldSize < 1 || c.loader.batchSize < 1) return false;
    ShardSpec spec;
    spec.datasetSize = data->training->size();
    spec.worldSize = c.parallel.worldSize;
    spec.dropLast = c.sampler.dropLast;
    out.perRank = ShardLayout::roundRobin(spec).samplesPerRank;
    const std::int64_t full = out.perRank / c.loader.batchSize;
    const std::int64_t rest = out.perRank % c.loader.batchSize;
    const bool keepsRest = rest > 0 && !c.loader.dropLast;
    out.steps = full + (keepsRest ? 1 : 0);
    out.lastBatch = keepsRest ? rest : c.loader.batchSize;
    return true;
}

std::vector<std::int64_t> layerWidths(const RunConfig& c, const DataSplit& data) {
    std::vector<std::int64_t> widths{data.training->shape().features};
    if (c.model.kind == "mlp") widths.insert(widths.end(), c.model.hidden.begin(), c.model.hidden.end());
    const std::int64_t classes = data.training->classCount();
    widths.push_back(classes > 0 ? classes : data.training->targetCount());
    return widths;
}

QString bytesText(double bytes) {
    if (bytes < 1e6) return QStringLiteral("%1 kB").arg(std::max(1.0, std::round(bytes / 1e3)));
    return QStringLiteral("%1 MB").arg(bytes / 1e6, 0, 'f', 1);
}

}  // namespace

QString dataSentence(const RunConfig& config, const DataSplit* data) {
    if (data) return QString::fromStdString(data->summary) + QLatin1Char('.');
    if (config.dataset.kind == "csv" && config.dataset.path.empty())
        return tr("Choose a CSV file, or drop one on the window.");
    return {};
}

QString modelSentence(const RunConfig& config, const DataSplit* data) {
    if (!data) return {};
    const std::vector<std::int64_t> widths = layerWidths(config, *data);
    QStringList parts;
    double parameters = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        if (widths[i] < 1) return {};
        parts << groupedText(widths[i]);
        if (i > 0) parameters += (static_cast<double>(widths[i - 1]) + 1) * static_cast<double>(widths[i]);
    }
    return tr("%1: %2 parameters, so %3 of gradients are averaged in every step.")
        .arg(parts.join(QStringLiteral(" \u2192 ")), groupedText(std::llround(parameters)), bytesText(parameters * 4));
}

QString parallelSentence(const RunConfig& config) {
    const std::int64_t world = config.parallel.worldSize;
    if (world < 1) return {};
    const QString ranks = world == 1 ? tr("1 process, rank 0: nothing to average.")
                                     : tr("%1 processes, ranks 0 to %2.").arg(groupedText(world)).arg(world - 1);
    if (world == 1) return ranks;
    if (config.parallel.backend == "gloo") return ranks + tr(" Gradients travel over TCP.");
    if (config.parallel.backend == "shm") return ranks + tr(" Gradients travel through shared memory.");
    return ranks + tr(" Auto takes the fastest way that all ranks share, and the status bar says why.");
}

QString loadingSentence(const RunConfig& config, const DataSplit* data) {
    EpochNumbers epoch;
    if (!epochNumbers(config, data, epoch)) return {};
    const std::int64_t n = data->training->size();
    const std::int64_t world = config.parallel.worldSize;
    const std::int64_t batch = config.loader.batchSize;
    if (epoch.perRank == 0) {
        return tr("floor(%1 / %2) = 0 samples per rank: with drop_last (sampler) every rank is left empty. Turn it "
                  "off, or "
                  "use at most %1 ranks.")
            .arg(n)
            .arg(world);
    }
    const std::int64_t surplus = epoch.perRank * world - n;
    const bool rounded = n % world != 0;
    QStringList lines;
    lines << tr("%1%2 / %3%4 = %5 per rank%6")
                 .arg(rounded ? (config.sampler.dropLast ? tr("floor(") : tr("ceil(")) : QString())
                 .arg(n)
                 .arg(world)
                 .arg(rounded ? QStringLiteral(")") : QString(), groupedText(epoch.perRank),
                      surplus == 0 ? QStringLiteral(".") : QStringLiteral(";"));
    if (surplus > 0)
        lines << tr("%1 repeated so that all ranks get %2.")
                     .arg(counted(surplus, "is", "are"), groupedText(epoch.perRank));
    if (surplus < 0)
        lines << tr("%1 dropped by the sampler in each epoch.").arg(counted(-surplus, "sample is", "samples are"));
    if (epoch.steps == 0) {
        lines << tr("A batch of %1 is never full, and drop_last (loader) drops it: no step is left.")
                     .arg(groupedText(batch));
        return lines.join(QLatin1Char('\n'));
    }
    lines << tr("%1 of %2 \u00d7 %3 = %4%5")
                 .arg(counted(epoch.steps, "step", "steps"))
                 .arg(world)
                 .arg(groupedText(batch), groupedText(world * batch),
                      epoch.lastBatch == batch ? QStringLiteral(".") : QStringLiteral(";"));
    if (epoch.lastBatch != batch) lines << tr("the last step has %1 per rank.").arg(groupedText(epoch.lastBatch));
    if (config.loader.dropLast && epoch.perRank % batch > 0) {
        lines << tr("%1 per rank dropped by the loader.").arg(counted(epoch.perRank % batch, "is", "are"));
    }
    return lines.join(QLatin1Char('\n'));
}

QString optimisationSentence(const RunConfig& config, const DataSplit* data) {
    EpochNumbers epoch;
    if (!epochNumbers(config, data, epoch) || epoch.steps == 0 || config.training.epochs < 1) return {};
    return tr("%1 \u00d7 %2 = %3, each with the mean gradient of %4.")
        .arg(
            counted(config.training.epochs, "epoch", "epochs"), counted(epoch.steps, "step", "steps"),
            counted(config.training.epochs * epoch.steps, "step", "steps"),
            counted(config.parallel.worldSize * std::min(config.loader.batchSize, epoch.perRank), "sample", "samples"));
}

}  // namespace ringside
