// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "export/pytorch/pytorch_layers.h"
#include "export/pytorch/pytorch_strategy.h"

namespace ringside {

// Returns the parts of a script that trains a pipeline with torch.distributed.pipelining. Also covers pipelines that
// are replicated, and pipelines whose stages are sharded.
Result<PythonStrategy> pythonPipeline(const RunConfig& config, const DataSplit& data, const PythonLayers& layers,
                                      bool hasBuffers);

// Returns the Python functions whole(tensor) and shard(model, mesh); shard() calls fully_shard. `units` is a Python
// list of the modules that are gathered together.
std::string pythonShard(bool reshards, const std::string& units, bool prefetches, bool offloads);

}  // namespace ringside
