// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/run_config.h"
#include "data/loading/batch_memory.h"
#include "data/sets/common/dataset.h"
#include "train/parts/control_source.h"
#include "train/parts/trainer_observer.h"
#include "train/parts/wrong_index.h"

namespace ringside {

// What one rank trains with; all of it outlives the trainer.
struct TrainerParts {
    const RunConfig& config;
    const DataSplit& data;
    Communicator& communicator;
    Backend& backend;
    TrainerObserver& observer;
    ControlSource& control;
    std::filesystem::path runDirectory;  // checkpoints go here; empty: none are written
    BatchMemory* batchMemory = nullptr;  // what the device copies batches from best; null: ordinary memory
    std::optional<WrongIndex> wrongIndex = {};
    std::string reportSamples = "auto";  // as IndexReport takes it
};

}  // namespace ringside
