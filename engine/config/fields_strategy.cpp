// SPDX-License-Identifier: Apache-2.0
#include "config/field_tables.h"

namespace ringside {
namespace {

// clang-format off
constexpr ConfigField kStrategyFields[] = {
    integer("mesh.replicate", RINGSIDE_SLOT(mesh.replicate), Within{0, 4096},
        "Number of whole copies of the model, each trained on its own samples. 0: derived from parallel.strategy."),
    integer("mesh.shard", RINGSIDE_SLOT(mesh.shard), Within{0, 4096},
        "Number of ranks over which each copy's parameters are sharded (FSDP); each rank reads its own samples. 0: "
        "derived from parallel.strategy."),
    integer("mesh.pipeline", RINGSIDE_SLOT(mesh.pipeline), Within{0, 4096},
        "Number of ranks over which the layers are split; these ranks process the same samples. 0: derived from "
        "parallel.strategy."),

    choice("pipeline.schedule", RINGSIDE_CHOICE(pipeline.schedule),
        "Order in which a stage processes its micro-batches. gpipe: all forward passes, then all backward passes. "
        "1f1b: forward and backward passes alternate, which keeps fewer activations. interleaved: several stages on a "
        "rank, which reduces idle time. zero_bubble: each backward pass has two halves, and the half for the weights "
        "fills the idle time."),
    integer("pipeline.micro_batches", RINGSIDE_SLOT(pipeline.microBatches), Within{1, 4096},
        "Number of parts into which each batch is split, so that the stages work at the same time. More and smaller "
        "parts reduce idle time. The number must divide loader.batch_size."),
    integer("pipeline.stages_per_rank", RINGSIDE_SLOT(pipeline.stagesPerRank), Within{1, 64},
        "Schedules interleaved and zero_bubble only: number of stages on each rank. Stages are assigned to the ranks "
        "in turn."),
    integerList("pipeline.split", RINGSIDE_SLOT(pipeline.split), Within{1, 4096},
        "Number of layers of each pipeline stage, from the first to the last. Empty, or auto: balanced by arithmetic "
        "operations.").orAuto(),
    file("pipeline.schedule_file", RINGSIDE_SLOT(pipeline.scheduleFile),
        "CSV file with a row of actions for each rank, in the notation of torch.distributed.pipelining "
        "(0F0,0F1,0B0,...), used instead of pipeline.schedule. Empty: none."),

    choice("fsdp.shard", RINGSIDE_CHOICE(fsdp.shard),
        "State of which each rank of a shard group keeps only its part. optimizer: the optimizer state (ZeRO-1). "
        "gradients: also the gradients (ZeRO-2). parameters: also the parameters, which are gathered for each use "
        "(ZeRO-3)."),
    choice("fsdp.unit", RINGSIDE_CHOICE(fsdp.unit),
        "Set of parameters that is gathered at a time. layer: each layer, which needs the least memory. block: each "
        "residual block, or each layer outside a block. whole: the whole model at once."),
    choice("fsdp.prefetch", RINGSIDE_CHOICE(fsdp.prefetch),
        "next: the next unit is gathered while the current unit computes, which needs memory for both. none: each unit "
        "is gathered when it is needed."),
    boolean("fsdp.cpu_offload", RINGSIDE_SLOT(fsdp.cpuOffload),
        "Keeps each rank's shards, their gradients and the optimizer state in host memory. Of the model, a device holds "
        "only the parameters that are gathered at the time. When training on the CPU, the memory stays the same, and "
        "only the predicted memory of a device changes."),
};
// clang-format on

}  // namespace

std::span<const ConfigField> strategyFields() {
    return kStrategyFields;
}

}  // namespace ringside
