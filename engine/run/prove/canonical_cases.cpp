// SPDX-License-Identifier: Apache-2.0
#include "run/prove/canonical_cases.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr const char* kSingle = "single";

class Layouts {
  public:
    Layouts(const RunConfig& config, std::int64_t steps, std::int64_t samples)
        : m_global(config.globalBatch()), m_base(withPlainDdp(config, 1)) {
        copyLearningRate(m_base, config);
        m_base.sampler.dropLast = m_base.loader.dropLast = true;
        m_base.loader.batchSize = m_global;
        m_base.training.maxSteps = steps;
        const std::int64_t perEpoch = std::max<std::int64_t>(1, samples / m_global);
        m_base.training.epochs = (steps + perEpoch - 1) / perEpoch;
    }

    bool fits(std::int64_t dataRanks) const {
        return m_global % dataRanks == 0 && m_base.training.leaves % dataRanks == 0;
    }
    RunConfig of(std::int64_t ranks, std::int64_t dataRanks) const {
        RunConfig config = m_base;
        config.parallel.worldSize = ranks;
        config.loader.batchSize = m_global / dataRanks;
        return config;
    }
    void add(const std::string& name, RunConfig config) {
        config.name = name;
        m_cases.push_back({name, std::move(config), kSingle});
    }
    std::vector<ProofCase> take() { return std::move(m_cases); }

  private:
    std::int64_t m_global;
    RunConfig m_base;
    std::vector<ProofCase> m_cases;
};

static_assert(kNamesOf<StrategyKind>.size() == 5, "add layouts of the new strategy");

void addReplicas(Layouts& layouts, std::int64_t dataRanks) {
    const std::string size = std::string(":").append(std::to_string(dataRanks));
    layouts.add("ddp" + size, layouts.of(dataRanks, dataRanks));
    RunConfig devices = layouts.of(dataRanks, 1);
    devices.parallel.strategy = StrategyKind::kDataParallel;
    layouts.add("data_parallel" + size, devices);
    for (const ShardedState shard : {ShardedState::kOptimizer, ShardedState::kGradients, ShardedState::kParameters}) {
        RunConfig sharded = layouts.of(dataRanks, dataRanks);
        sharded.parallel.strategy = StrategyKind::kFsdp;
        sharded.fsdp.shard = shard;
        layouts.add(std::string("fsdp:").append(nameOf(shard)) + size, sharded);
        if (dataRanks < 4 || shard != ShardedState::kParameters) continue;
        sharded.mesh.replicate = 2;
        layouts.add("hsdp" + size, sharded);
    }
}

void addPipelines(Layouts& layouts, std::int64_t dataRanks, std::int64_t leaves) {
    for (const PipelineScheduleKind schedule :
         {PipelineScheduleKind::kGpipe, PipelineScheduleKind::k1F1B, PipelineScheduleKind::kInterleaved,
          PipelineScheduleKind::kZeroBubble}) {
        RunConfig pipeline = layouts.of(2 * dataRanks, dataRanks);
        pipeline.parallel.strategy = StrategyKind::kPipeline;
        pipeline.pipeline.schedule = schedule;
        pipeline.pipeline.microBatches = std::min<std::int64_t>(4, leaves / dataRanks);
        if (schedule == PipelineScheduleKind::kInterleaved) pipeline.pipeline.stagesPerRank = 2;
        pipeline.mesh.replicate = dataRanks;
        layouts.add(std::string("pipeline:").append(nameOf(schedule)) + ":" + std::to_string(2 * dataRanks), pipeline);
        if (dataRanks == 1 || schedule != PipelineScheduleKind::k1F1B) continue;
        pipeline.mesh.replicate = 1;
        pipeline.mesh.shard = dataRanks;
        layouts.add("sharded_stages:" + std::to_string(2 * dataRanks), pipeline);
    }
}

}  // namespace

std::vector<ProofCase> canonicalCases(const RunConfig& config, std::int64_t steps, std::int64_t samples) {
    Layouts layouts(config, steps, samples);
    layouts.add(kSingle, layouts.of(1, 1));
    for (const std::int64_t dataRanks : {2, 4, 8})
        if (layouts.fits(dataRanks)) addReplicas(layouts, dataRanks);
    for (const std::int64_t dataRanks : {1, 2})
        if (layouts.fits(dataRanks)) addPipelines(layouts, dataRanks, config.training.leaves);
    RunConfig stages = layouts.of(2, 1);
    stages.parallel.strategy = StrategyKind::kModelParallel;
    layouts.add("model_parallel:2", stages);
    RunConfig again = layouts.of(2, 2);
    again.training.recompute = Recompute::kAll;
    if (layouts.fits(2)) layouts.add("recompute:2", again);
    return layouts.take();
}

}  // namespace ringside
