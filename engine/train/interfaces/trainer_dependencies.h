// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/run_config.h"
#include "data/loading/batch_memory.h"
#include "data/sets/common/dataset.h"
#include "train/interfaces/control_source.h"
#include "train/interfaces/sample_report.h"
#include "train/interfaces/trainer_observer.h"
#include "train/interfaces/wrong_index.h"

namespace ringside {

// Dependencies of a Trainer. Each reference must outlive the trainer.
struct TrainerDependencies {
    const RunConfig& config;
    const DataSplit& data;
    Communicator& communicator;
    Backend& backend;
    TrainerObserver& observer;
    ControlSource& control;
    // run directory, in which checkpoints are written; empty: no checkpoints are written
    std::filesystem::path runDirectory;
    BatchMemory* batchMemory = nullptr;  // memory from which the device copies batches fastest; null: ordinary memory
    std::optional<WrongIndex> wrongIndex = {};
    SampleReport reportSamples = SampleReport::kAuto;
};

}  // namespace ringside
