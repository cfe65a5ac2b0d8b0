// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/run_config.h"

namespace ringside {

// How many replicas there are of the model, over how many ranks each replica's parameters are sharded, and in how many
// pipeline ranks its layers are cut. The product is the world size.
struct Mesh {
    std::int64_t replicate = 1;
    std::int64_t shard = 1;
    std::int64_t pipeline = 1;

    std::int64_t ranks() const { return replicate * shard * pipeline; }
    std::int64_t dataRanks() const { return replicate * shard; }
    std::string text() const;  // "2 x 2 x 1 (replicate x shard x pipeline)"
    bool operator==(const Mesh&) const = default;
};

// The configured mesh, its zeros filled in as parallel.strategy says. Its product is not the world size when that is a
// problem, which RunConfig::validate() reports.
Mesh meshOf(const RunConfig& config);

// A rank's place in the mesh: rank = (pipeline * replicate + r) * shard + s. Ranks that differ only in their place in
// the pipeline read the same samples.
struct RankLayout {
    Mesh mesh;
    int rank = 0;

    int shard() const { return static_cast<int>(rank % mesh.shard); }
    int replicate() const { return static_cast<int>(rank / mesh.shard % mesh.replicate); }
    int pipeline() const { return static_cast<int>(rank / mesh.dataRanks()); }
    // Among those who read different samples.
    int dataRank() const { return static_cast<int>(rank % mesh.dataRanks()); }
    int dataSize() const { return static_cast<int>(mesh.dataRanks()); }
    // The rank at this place of the pipeline that reads the same samples.
    int rankAtStage(int place) const { return static_cast<int>(place * mesh.dataRanks()) + dataRank(); }
    // Of the ranks that read the same samples, the first tells what they were.
    bool isReader() const { return pipeline() == 0; }
    // Every rank has the whole model.
    bool isWhole() const { return mesh.shard == 1 && mesh.pipeline == 1; }
};

// Of data_parallel: how many devices its one process has; 1 of others.
std::int64_t devicesOf(const RunConfig& config);
// The same experiment with as many ranks as it has processes: of data_parallel one.
RunConfig asProcesses(RunConfig config);

// Micro-batches that a batch is split into, 1 without a pipeline.
std::int64_t microBatchesOf(const RunConfig& config);
std::int64_t stagesPerRank(const RunConfig& config);
// Returns pipeline.stages_per_rank as far as a schedule allows it: 1 for gpipe and 1f1b, at least 2 for interleaved.
std::int64_t stagesPerRankFor(PipelineScheduleKind schedule, const RunConfig& config);

// What contradicts itself, in the order in which one would mend it.
void checkMesh(const RunConfig& config, Problems& problems);

}  // namespace ringside
