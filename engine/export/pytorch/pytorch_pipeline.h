// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "export/pytorch/pytorch_layers.h"
#include "export/pytorch/pytorch_strategy.h"

namespace ringside {

// Stages on the ranks of a pipeline, by torch.distributed.pipelining; their replicas and shards.
Result<PythonStrategy> pythonPipeline(const RunConfig& config, const DataSplit& data, const PythonLayers& layers,
                                      bool hasBuffers);

// whole(tensor), and shard(model, mesh) by fully_shard; `units` is the list of the modules that are gathered at a time.
std::string pythonShard(bool reshards, const std::string& units, bool prefetches, bool offloads);

}  // namespace ringside
