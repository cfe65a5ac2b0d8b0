// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/sets/common/dataset.h"
#include "models/plan_cache.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// Class of every sample, copied once so that drawing needs no virtual call per cell. Null: no classes, or not read yet.
using Labels = std::shared_ptr<const std::vector<std::uint16_t>>;

// Returns the class of every sample. Returns null if the data set has no classes, or soon after *stop is set.
Labels readLabels(const Dataset& data, const std::atomic<bool>* stop = nullptr);

// Data for drawing a shard view: the plan of one epoch and its data set. Cheap to copy.
struct ShardScene {
    ShardPlan plan;
    int epoch = 0;  // selected epoch, which the plan ignores if set_epoch is not called
    bool setEpoch = true;
    std::shared_ptr<const Dataset> data;
    Labels labels;
    std::int64_t epochs = 1;                    // number of epochs of the experiment
    std::shared_ptr<PlanCache> planCache = {};  // cache of other plans; may be null
    int devices = 1;  // number of devices over which the batches of a rank are split (data_parallel)

    // Returns the settings for another epoch, which have the same order if set_epoch is not called.
    ShardSpec specAt(std::int64_t other) const {
        ShardSpec spec = plan.spec();
        if (setEpoch) spec.epoch = other;
        return spec;
    }
    // Returns the plan of the settings from the cache. If the cache has none, computes the plan on the calling thread.
    Result<ShardPlan> planOf(const ShardSpec& spec, const std::atomic<bool>* stop = nullptr) const {
        return planCache ? planCache->findOrMake(spec, stop) : ShardPlan::make(spec, stop);
    }
    // Returns the number of columns of the grid: the slots, followed by columns for samples that the sampler's
    // drop_last drops: one, or more if whole batches are dropped.
    std::int64_t columns() const {
        const auto cut = static_cast<std::int64_t>(plan.dropped().size());
        return plan.samplesPerRank() + (cut + plan.spec().worldSize - 1) / plan.spec().worldSize;
    }
    int ranks() const { return static_cast<int>(plan.spec().worldSize); }
    // Returns the number of trained slots of the rank with the most samples: all slots, or the slots that the loader's
    // drop_last keeps.
    std::int64_t trainedSlots() const { return plan.trainedOf(0); }
};

enum class CellKind {
    Normal,
    Duplicate,         // second use of a sample (padding)
    DroppedByLoader,   // sample that is assigned to the rank, but lies in the incomplete last batch that the loader
                       // drops
    DroppedBySampler,  // sample that the sampler drops; shown in a column after the last slot
    None               // cell without a sample
};

struct CellContent {
    CellKind kind = CellKind::None;
    std::int64_t sample = -1;
    std::int64_t position = -1;  // index of the cell in the padded or truncated order
    std::int64_t step = -1;      // number of the step, from 0; -1 if the sample is not trained
};

CellContent cellContent(const ShardPlan& plan, int rank, std::int64_t slot);

// Returns the cell at which the grid shows a sample that the sampler drops; empty if the sampler does not drop the
// sample.
std::optional<SampleSlot> droppedPlace(const ShardPlan& plan, std::int64_t sample);

}  // namespace ringside
