// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/only_replica.h"

#include <QCoreApplication>

#include "config/mesh.h"

namespace ringside {
namespace {

QString replicaWords(const char* text) {
    return QCoreApplication::translate("ranks", text);
}

}  // namespace

QStringList onlyReplicaTexts(const RunData& run) {
    const auto ranks = static_cast<int>(run.ranks().size());
    if (ranks == 1) return {replicaWords("only replica")};
    if (!run.started()) return {};
    Problems problems;
    const Result<RunConfig> parsed = RunConfig::parse(run.started()->config, "run", &problems);
    if (!parsed) return {};
    RunConfig config = parsed.value();
    config.parallel.worldSize = run.started()->worldSize;  // a restart may have reduced the world size
    RankLayout layout{meshOf(config), 0};
    if (layout.mesh.dataRanks() > 1 || layout.mesh.ranks() != ranks) return {};
    QStringList texts;
    for (; layout.rank < ranks; ++layout.rank)
        texts << (stagesPerRank(config) > 1 ? replicaWords("only replica of its stages")
                                            : replicaWords("only replica of stage %1").arg(layout.pipelineIndex()));
    return texts;
}

}  // namespace ringside
