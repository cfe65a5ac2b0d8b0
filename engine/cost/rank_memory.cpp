// SPDX-License-Identifier: Apache-2.0
#include "cost/rank_memory.h"

#include <algorithm>
#include <bit>

#include "config/optimizer_state.h"
#include "plan/stage_plan.h"

namespace ringside {
namespace {

constexpr std::int64_t kLine = 16;         // number of floats in a cache line of 64 bytes
constexpr std::int64_t kUpdateState = 64;  // bytes of UpdateState: counters and scalars of the optimizer

std::int64_t inLines(std::int64_t values) {
    return (values + kLine - 1) / kLine * kLine;
}

std::int64_t optimizerWords(const OptimizerConfig& optimizer) {
    return static_cast<std::int64_t>(stateTensors(optimizer).size());
}

class Count {
  public:
    Count(const PlanSubject& subject, const StrategyPlan& plan, int rank)
        : m_subject(subject), m_plan(plan), m_layout{plan.mesh, rank} {}

    PredictedMemory all() {
        m_memory.optimizer = kUpdateState;
        if (m_plan.leaves > 0) takeLeaves();
        if (m_plan.devices > 0) {
            firstDevice();
            return m_memory;
        }
        if (m_plan.isWhole() && m_plan.leaves == 0) {
            whole();
            return m_memory;
        }
        // Counts the loss object of the trainer, which has memory for one sample. In a pipeline the last stage has its
        // own loss object for each micro-batch in flight.
        m_memory.activations += lossBytes(1);
        for (const std::size_t stage : m_plan.stagesOf(m_layout.pipelineIndex())) mesh(stage);
        return m_memory;
    }

  private:
    std::int64_t lossBytes(std::int64_t samples) const {
        const ModelInterface& interface = m_subject.interface;
        const std::int64_t rows = samples * (interface.isSequence ? interface.sample[0] : 1);
        const bool classes = m_subject.isClassification;
        return (rows * interface.outputs + (classes ? 2 * rows : samples)) * kFloatBytes;
    }

    void whole() {
        const std::int64_t batch = m_plan.maxBatch;
        m_memory.activations += activationBytes(m_plan.layers, 0, m_plan.layers.size(), batch) + lossBytes(batch);
        takeWhole(m_plan.parametersOf(0), m_subject.config.training.accumulateSteps > 1 ? 1 : 0);
        takeBuffers(0);
    }

    // Counts the memory of the first device of data_parallel. Other devices have their own memory.
    void firstDevice() {
        const TrainingConfig& training = m_subject.config.training;
        const std::int64_t batch = m_plan.maxBatch;
        std::int64_t values = 0;
        for (const TensorSize& one : m_plan.parametersOf(0)) values += one.values;
        m_memory.activations += activationBytes(m_plan.layers, 0, m_plan.layers.size(), batch) + lossBytes(batch);
        m_memory.parameters += values * kFloatBytes;
        m_memory.gradients += values * kFloatBytes;
        m_memory.optimizer += values * kFloatBytes * optimizerWords(m_subject.config.optimizer);
        m_memory.gathered += m_plan.layers.back().output.count() * batch * kFloatBytes;
        if (training.accumulateSteps > 1) m_memory.gathered += values * kFloatBytes;
        if (m_plan.leaves > 0) {
            const auto perDevice = static_cast<std::uint64_t>(m_plan.leaves / m_plan.devices);
            m_memory.activations += lossBytes((batch + m_plan.leaves - 1) / m_plan.leaves);
            m_memory.gradients += values * kFloatBytes * std::countr_zero(perDevice);
        }
        takeBuffers(0);
    }

    // Counts the memory for the samples of all leaves (training.reduction canonical: a leaf is a group of samples whose
    // gradients are added first).
    void takeLeaves() {
        const ModelInterface& interface = m_subject.interface;
        const std::int64_t rows = (m_plan.maxBatch + m_plan.leaves - 1) / m_plan.leaves;
        const std::int64_t labels = interface.isSequence ? interface.sample[0] : 1;
        const std::int64_t sample = (interface.sample.count() + interface.outputs) * kFloatBytes + labels * 8;
        m_memory.buffers += m_plan.leaves * rows * sample;
    }

    void takeBuffers(std::size_t stage) {
        for (std::size_t layer = m_plan.stageBegin[stage]; layer < m_plan.stageBegin[stage + 1]; ++layer)
            m_memory.buffers += m_plan.layers[layer].bufferBytes;
    }

    void takeWhole(const std::vector<TensorSize>& parameters, int kept) {
        std::int64_t values = 0;
        for (const TensorSize& one : parameters) values += one.values;
        m_memory.parameters += values * kFloatBytes;
        m_memory.optimizer += values * kFloatBytes * optimizerWords(m_subject.config.optimizer);
        const auto buckets = bucketBytes(parameters, m_plan.buckets);
        for (const std::int64_t bytes : buckets) m_memory.gradients += bytes * (1 + kept);
        // The last bucket contains 64 bytes for signals between ranks, which are not part of the accumulated gradients.
        if (!buckets.empty()) m_memory.gradients -= kept * kLine * kFloatBytes;
    }

    void mesh(std::size_t stage) {
        takeSlots(stage);
        takeBuffers(stage);
        if (m_plan.mesh.shard == 1)
            takeWhole(m_plan.parametersOf(stage), m_plan.keptLevels);
        else
            takeShards(unitsOf(m_plan, stage));
    }

    // Counts the memory of the micro-batches in flight of a stage: each of them has its own activations and receive
    // buffers.
    void takeSlots(std::size_t stage) {
        const std::size_t first = m_plan.stageBegin[stage];
        const std::size_t last = m_plan.stageBegin[stage + 1];
        const auto& actions = m_plan.schedule.ranks[static_cast<std::size_t>(m_layout.pipelineIndex())];
        const auto slots = static_cast<std::int64_t>(maxInFlight(actions, static_cast<int>(stage)));
        const std::int64_t rows = m_plan.microRows;
        std::int64_t bytes = activationBytes(m_plan.layers, first, last, rows);
        const bool isLast = stage + 1 == m_plan.stages();
        bytes += isLast ? lossBytes(rows) : m_plan.layers[last - 1].output.count() * rows * kFloatBytes;
        if (stage > 0) bytes += m_plan.layers[first].input.count() * rows * kFloatBytes;
        m_memory.activations += slots * bytes;
    }

    // Counts the shards in the same way as ShardedParameters: a shard is a part of the whole tensor if the unit has its
    // own memory for whole tensors.
    void takeShards(const std::vector<std::vector<TensorSize>>& units) {
        const ShardingChoice& choice = m_plan.sharding;
        const auto others = static_cast<std::int64_t>(units.size()) - 1;
        const int kept = m_plan.keptLevels;
        const bool gradientPool = others > 0 && !choice.keepsGradients && kept == 0;
        std::int64_t largest = 0;
        for (std::size_t i = 0; i < units.size(); ++i) {
            const UnitBytes unit = bytesOf(units[i]);
            const bool isRest = i == 0;
            takeUnit(unit, isRest || !choice.freesParameters, !choice.freesParameters, &PredictedMemory::parameters);
            takeUnit(unit, isRest || !gradientPool, choice.keepsGradients, &PredictedMemory::gradients);
            m_memory.gathered += kept * unit.whole;
            m_memory.optimizer += unit.trained * optimizerWords(m_subject.config.optimizer);
            if (!isRest) largest = std::max(largest, unit.whole);
        }
        if (choice.freesParameters)
            m_memory.gathered += std::min<std::int64_t>(others, choice.prefetches ? 2 : 1) * largest;
        if (gradientPool) m_memory.gathered += largest;
    }

    // Sizes of a unit (layers whose parameters are gathered together, fsdp.unit), in bytes. whole: the whole tensors;
    // shards: this rank's shards if they are parts of the whole tensors; alone: this rank's shards if they have
    // separate memory; trained: this rank's shards without padding.
    struct UnitBytes {
        std::int64_t whole = 0, shards = 0, alone = 0, trained = 0;
    };
    UnitBytes bytesOf(const std::vector<TensorSize>& unit) const {
        UnitBytes bytes;
        for (const TensorSize& one : unit) {
            const std::int64_t chunk = shardValueCount(one, m_plan.mesh.shard);
            const std::int64_t begin = std::min(one.values, m_layout.shardIndex() * chunk);
            bytes.whole += inLines(chunk * m_plan.mesh.shard) * kFloatBytes;
            bytes.shards += chunk * kFloatBytes;
            bytes.alone += inLines(chunk) * kFloatBytes;
            bytes.trained += std::min(chunk, one.values - begin) * kFloatBytes;
        }
        return bytes;
    }

    // Counts the memory of a unit (layers whose parameters are gathered together, fsdp.unit). own: true if the unit has
    // its own memory for whole tensors. stays: true if this memory is never freed and therefore counts as `state`.
    void takeUnit(const UnitBytes& unit, bool own, bool stays, std::int64_t PredictedMemory::*state) {
        const std::int64_t counted = !own ? unit.alone : stays ? unit.whole : unit.shards;
        m_memory.*state += counted;
        if (own) m_memory.gathered += unit.whole - counted;
    }

    const PlanSubject& m_subject;
    const StrategyPlan& m_plan;
    RankLayout m_layout;
    PredictedMemory m_memory;
};

}  // namespace

std::vector<std::int64_t> bucketBytes(const std::vector<TensorSize>& parameters, BucketLimits limits) {
    std::vector<std::size_t> exact;
    for (const TensorSize& one : parameters) exact.push_back(static_cast<std::size_t>(one.values * kFloatBytes));
    std::vector<std::int64_t> buckets;
    for (const std::vector<std::size_t>& bucket : planBuckets(exact, limits)) {
        buckets.push_back(0);
        for (const std::size_t parameter : bucket)
            buckets.back() += inLines(parameters[parameter].values) * kFloatBytes;
    }
    if (!buckets.empty()) buckets.back() += kLine * kFloatBytes;
    return buckets;
}

std::vector<std::vector<TensorSize>> unitsOf(const StrategyPlan& plan, std::size_t stage) {
    const ShardUnit unit = plan.unit.value_or(ShardUnit::kWhole);
    std::vector<std::vector<TensorSize>> units(1);
    for (std::size_t at = plan.stageBegin[stage]; at < plan.stageBegin[stage + 1]; ++at) {
        const BuiltLayer& layer = plan.layers[at];
        if (unit == ShardUnit::kWhole) {
            units[0].insert(units[0].end(), layer.parameters.begin(), layer.parameters.end());
            continue;
        }
        const std::vector<BuiltLayer> alone =
            // The layers of a recomputed group are counted one by one, because such a group is not gathered as one unit
            // (fsdp.unit).
            layer.group.empty() ? std::vector<BuiltLayer>{layer} : layer.group;
        for (const BuiltLayer& one : alone) {
            if (one.parameters.empty()) continue;
            if (unit == ShardUnit::kBlock) {
                units.push_back(one.parameters);
                continue;
            }
            auto next = one.parameters.begin();
            for (const std::size_t count : one.parametersOfUnits) {
                units.emplace_back(next, next + static_cast<std::ptrdiff_t>(count));
                next += static_cast<std::ptrdiff_t>(count);
            }
        }
    }
    return units;
}

PredictedMemory predictMemory(const PlanSubject& subject, const StrategyPlan& plan, int rank) {
    return Count(subject, plan, rank).all();
}

std::size_t activationsInFlight(const StrategyPlan& plan, int rank) {
    const RankLayout layout{plan.mesh, rank};
    std::size_t all = 0;
    for (const std::size_t stage : plan.stagesOf(layout.pipelineIndex()))
        all +=
            maxInFlight(plan.schedule.ranks[static_cast<std::size_t>(layout.pipelineIndex())], static_cast<int>(stage));
    return all;
}

}  // namespace ringside
