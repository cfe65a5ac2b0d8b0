// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/sets/common/dataset.h"
#include "models/plan_shelf.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// Class of every sample, copied once so that drawing needs no virtual call per cell. Null: no classes, or not read yet.
using Labels = std::shared_ptr<const std::vector<std::uint16_t>>;

// Null as well soon after *stop is set.
Labels readLabels(const Dataset& data, const std::atomic<bool>* stop = nullptr);

// What every shard view draws from: one epoch's plan and what its samples look like. Cheap to copy.
struct ShardScene {
    ShardPlan plan;
    int epoch = 0;  // the cursor's, which the plan ignores when set_epoch is forgotten
    bool setEpoch = true;
    std::shared_ptr<const Dataset> data;
    Labels labels;
    std::int64_t epochs = 1;                // of the experiment
    std::shared_ptr<PlanShelf> shelf = {};  // where other plans may lie ready; may be null
    int devices = 1;                        // among which a rank's batches are cut up (data_parallel)

    // The same settings in another epoch: the same order when set_epoch is forgotten.
    ShardSpec specAt(std::int64_t other) const {
        ShardSpec spec = plan.spec();
        if (setEpoch) spec.epoch = other;
        return spec;
    }
    // From the shelf, or made on the calling thread.
    Result<ShardPlan> planOf(const ShardSpec& spec, const std::atomic<bool>* stop = nullptr) const {
        return shelf ? shelf->findOrMake(spec, stop) : ShardPlan::make(spec, stop);
    }
    // Columns of the loom: the slots, and after them those for samples that the sampler's drop_last keeps from every
    // rank: one, unless it cuts whole batches.
    std::int64_t columns() const {
        const auto cut = static_cast<std::int64_t>(plan.dropped().size());
        return plan.samplesPerRank() + (cut + plan.spec().worldSize - 1) / plan.spec().worldSize;
    }
    int ranks() const { return static_cast<int>(plan.spec().worldSize); }
    // Slots of every rank that are really trained: all, or those before the loader's drop_last cuts.
    std::int64_t trainedSlots() const { return plan.samplesPerRank() - plan.droppedByLoader(); }
};

enum class CellKind {
    Normal,
    Duplicate,         // padding: a second use of a sample
    DroppedByLoader,   // dealt to the rank, but in the last short batch that the loader leaves out
    DroppedBySampler,  // where the sample would have gone without drop_last
    None               // no sample here
};

struct CellContent {
    CellKind kind = CellKind::None;
    std::int64_t sample = -1;
    std::int64_t position = -1;  // in the padded or cut order
    std::int64_t step = -1;      // 0-based; -1 when not trained
};

CellContent cellContent(const ShardPlan& plan, int rank, std::int64_t slot);

// The cell of a sample that no rank gets.
std::optional<SamplePlace> droppedPlace(const ShardPlan& plan, std::int64_t sample);

}  // namespace ringside
