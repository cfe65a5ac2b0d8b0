// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/run_config.h"

namespace ringside {

// Dimensions of the parallel layout: replicas of the model, ranks over which each replica's parameters are sharded, and
// pipeline ranks over which its layers are split. The product is the world size.
struct Mesh {
    std::int64_t replicate = 1;
    std::int64_t shard = 1;
    std::int64_t pipeline = 1;

    std::int64_t ranks() const { return replicate * shard * pipeline; }
    std::int64_t dataRanks() const { return replicate * shard; }
    std::string text() const;  // returns, for example, "2 x 2 x 1 (replicate x shard x pipeline)"
    bool operator==(const Mesh&) const = default;
};

// Returns the configured mesh. Zeros are replaced according to parallel.strategy. If the product is not the world size,
// RunConfig::validate() reports a problem.
Mesh meshOf(const RunConfig& config);

// Position of a rank in the mesh: rank = (p * replicate + r) * shard + s, where p, r and s are the rank's indices in
// the pipeline, replicate and shard dimension, counted from 0. Ranks that differ only in p use the same samples.
struct RankLayout {
    Mesh mesh;
    int rank = 0;

    // Return the position of the rank in each dimension of the mesh, counted from 0.
    int shardIndex() const { return static_cast<int>(rank % mesh.shard); }
    int replicateIndex() const { return static_cast<int>(rank / mesh.shard % mesh.replicate); }
    int pipelineIndex() const { return static_cast<int>(rank / mesh.dataRanks()); }
    // Returns the rank within the data-parallel group.
    int dataRank() const { return static_cast<int>(rank % mesh.dataRanks()); }
    int dataRankCount() const { return static_cast<int>(mesh.dataRanks()); }
    // Returns the rank with this pipelineIndex() that uses the same samples as this rank.
    int rankAtStage(int index) const { return static_cast<int>(index * mesh.dataRanks()) + dataRank(); }
    // True for the first pipeline rank, which reports the samples of its pipeline.
    bool isFirstPipelineRank() const { return pipelineIndex() == 0; }
    // True if every rank has the whole model.
    bool isWhole() const { return mesh.shard == 1 && mesh.pipeline == 1; }
};

// Returns the number of devices of the single process of data_parallel; 1 for other strategies.
std::int64_t devicesOf(const RunConfig& config);
// Returns the configuration with the number of processes as its world size, which is 1 for data_parallel.
RunConfig withProcessesAsRanks(RunConfig config);

// Returns the number of micro-batches of a rank's batch; 1 without a pipeline and for model_parallel.
std::int64_t microBatchesOf(const RunConfig& config);
// Returns the number of pipeline stages of each rank; 1 for model_parallel.
std::int64_t stagesPerRank(const RunConfig& config);
// Returns pipeline.stages_per_rank, changed to a value that the schedule allows: 1 for gpipe and 1f1b, at least 2 for
// interleaved.
std::int64_t stagesPerRankFor(PipelineScheduleKind schedule, const RunConfig& config);

// Adds a problem for each contradiction within the parallel layout, in the order in which a user should correct them.
void checkMesh(const RunConfig& config, Problems& problems);

}  // namespace ringside
