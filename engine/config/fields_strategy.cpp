// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "config/field_tables.h"

namespace ringside {
namespace {

using std::string_view;

constexpr std::array<string_view, 4> kPipelineSchedules = {"gpipe", "1f1b", "interleaved", "zero_bubble"};
constexpr std::array<string_view, 3> kSharded = {"optimizer", "gradients", "parameters"};
constexpr std::array<string_view, 3> kUnits = {"layer", "block", "whole"};
constexpr std::array<string_view, 2> kPrefetches = {"none", "next"};

}  // namespace

std::vector<ConfigField> strategyFields() {
    using enum FieldType;
    return {
        {"mesh.replicate",
         kInteger,
         "How many whole copies of the model there are, each trained on its own samples. 0: as the strategy fills it "
         "in.",
         RINGSIDE_SLOT(mesh.replicate),
         {},
         0,
         4096},
        {"mesh.shard",
         kInteger,
         "Over how many ranks each copy's parameters are sharded (FSDP); each reads its own samples. 0: as the "
         "strategy fills it in.",
         RINGSIDE_SLOT(mesh.shard),
         {},
         0,
         4096},
        {"mesh.pipeline",
         kInteger,
         "Over how many ranks the layers are split; they work on the same samples, one after the other. 0: as the "
         "strategy fills it in.",
         RINGSIDE_SLOT(mesh.pipeline),
         {},
         0,
         4096},

        {"pipeline.schedule", kChoice,
         "In which order a stage takes its micro-batches. gpipe: all forward, then all backward; 1f1b: in turns, which "
         "holds fewer activations; interleaved: several stages on a rank, which idle less; zero_bubble: backward in "
         "two halves, of which the weights' fills the gaps.",
         RINGSIDE_SLOT(pipeline.schedule), kPipelineSchedules},
        {"pipeline.micro_batches",
         kInteger,
         "Parts that each batch is split into, so that the stages have something to do at the same time. More idle "
         "less; each is smaller. It divides loader.batch_size.",
         RINGSIDE_SLOT(pipeline.microBatches),
         {},
         1,
         4096},
        {"pipeline.stages_per_rank",
         kInteger,
         "interleaved and zero_bubble only: stages on each rank, dealt like cards.",
         RINGSIDE_SLOT(pipeline.stagesPerRank),
         {},
         1,
         64},
        {.path = "pipeline.split",
         .type = kIntegerList,
         .help = "How many layers each stage has, first to last. Empty, or auto: as even as they can be in arithmetic.",
         .slot = RINGSIDE_SLOT(pipeline.split),
         .min = 1,
         .max = 4096,
         .emptyIsAuto = true},
        {"pipeline.schedule_file", kText,
         "A CSV file with a row of actions for each rank, as torch.distributed.pipelining writes them "
         "(0F0,0F1,0B0,...), "
         "instead of pipeline.schedule. Empty: none.",
         RINGSIDE_SLOT(pipeline.scheduleFile)},

        {"fsdp.shard", kChoice,
         "What each rank of a shard group keeps only its part of. optimizer: what the optimizer remembers (ZeRO-1); "
         "gradients: those as well, and parameters between steps (ZeRO-2); parameters: also between forward and "
         "backward (ZeRO-3).",
         RINGSIDE_SLOT(fsdp.shard), kSharded},
        {"fsdp.unit", kChoice,
         "What is gathered at a time. layer: each layer, least memory; block: each residual block or layer outside of "
         "one; whole: the model at once.",
         RINGSIDE_SLOT(fsdp.unit), kUnits},
        {"fsdp.prefetch", kChoice,
         "next: the unit behind is gathered while one computes, at the price of its memory; none: when it is needed.",
         RINGSIDE_SLOT(fsdp.prefetch), kPrefetches},
        {"fsdp.cpu_offload", kBoolean,
         "Each rank's shards, their gradients and the optimizer's state stay in the host's memory; a device holds only "
         "what is gathered. On the CPU that is one memory, and only the count of what a device would hold differs.",
         RINGSIDE_SLOT(fsdp.cpuOffload)},
    };
}

}  // namespace ringside
