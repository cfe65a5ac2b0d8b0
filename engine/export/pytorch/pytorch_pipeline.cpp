// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_pipeline.h"

#include <optional>

#include "config/leaves.h"
#include "config/mesh.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"
#include "plan/strategy_plan.h"
#include "sampling/plan/epoch_spec.h"
#include "sampling/plan/shard_layout.h"

namespace ringside {
namespace {

constexpr const char* kHow =
    "Every rank is a process that runs train(): it has some stages of the model, and torch.distributed.pipelining "
    "takes\n"
    "micro-batches through all of them. Ranks that share a pipeline read the same samples.";

std::string scheduleClass(const RunConfig& config) {
    if (config.parallel.strategy == StrategyKind::kModelParallel ||
        config.pipeline.schedule == PipelineScheduleKind::kGpipe)
        return "ScheduleGPipe";
    if (config.pipeline.schedule == PipelineScheduleKind::k1F1B) return "Schedule1F1B";
    if (config.pipeline.schedule == PipelineScheduleKind::kInterleaved) return "ScheduleInterleaved1F1B";
    return "ScheduleInterleavedZeroBubble";
}

std::int64_t microBatches(const RunConfig& config) {
    return isCanonical(config) ? leavesPerRank(config) : microBatchesOf(config);
}

// Returns a problem if batches differ in size: a PyTorch schedule supports one micro-batch size only.
std::optional<Problem> unevenBatches(const RunConfig& config, const DataSplit& data) {
    const std::int64_t batch = config.loader.batchSize;
    const std::int64_t parts = microBatches(config);
    if (batch % parts != 0)
        return Problem{"loader.batch_size",
                       "is " + std::to_string(batch) + ", which makes no " + std::to_string(parts) +
                           " equal micro-batches, and PyTorch's stages take one size only",
                       "use a multiple of " + std::to_string(parts)};
    const ShardLayout layout = ShardLayout::of(epochSpec(config, data.training, 0));
    const std::int64_t rest = layout.samplesPerRank % batch;
    if (config.loader.dropLast || rest == 0) return {};
    if (layout.samplesPerRank < batch)
        return Problem{"loader.batch_size",
                       "is " + std::to_string(batch) + ", and a rank's shard has " +
                           std::to_string(layout.samplesPerRank) +
                           " samples, but PyTorch's stages take batches of one size only",
                       "set it to " + std::to_string(layout.samplesPerRank)};
    return Problem{"loader.drop_last",
                   "is false, and the last batch of an epoch has " + std::to_string(rest) + " of " +
                       std::to_string(batch) + " samples, but PyTorch's stages take batches of one size only",
                   "set it to true"};
}

std::string trainStepOf(const RunConfig& config, bool averages) {
    const bool accumulates = config.training.accumulateSteps > 1;
    std::string text;
    if (accumulates)
        text += "    accumulate = " + std::to_string(config.training.accumulateSteps) +
                "  # batches whose gradients are added up for one step\n"
                "    sums = torch.zeros(3, dtype=torch.float64, device=device)\n"
                "    for number, (x, y, index) in enumerate(loader, start=1):\n";
    else
        text += "    for x, y, index in loader:\n";
    text +=
        "        used.append(index)\n"
        "        outcome = model.step(x.to(device), y.to(device))\n";
    if (accumulates)
        text +=
            "        if outcome:\n            sums += metrics.add(*outcome)\n"
            "        if number % accumulate != 0 and number != len(loader):\n            continue\n";
    if (averages) text += "        model.average()\n";
    if (config.optimizer.clipGradNorm > 0)
        text += "        model.clip(" + pythonNumber(config.optimizer.clipGradNorm) + ")\n";
    text += "        optimizer.step()\n        optimizer.zero_grad()\n        step += 1\n";
    text += accumulates
                ? "        step_sums, sums = sums, torch.zeros_like(sums)\n"
                : "        step_sums = metrics.add(*outcome) if outcome else torch.zeros(3, dtype=torch.float64, "
                  "device=device)\n";
    if (const std::string check = pythonFiniteCheck(config); !check.empty())
        text += "        if outcome:\n    " + check;
    return text;
}

std::string constantsOf(const RunConfig& config, const Mesh& mesh, const std::vector<std::int64_t>& cuts) {
    const auto line = [](const std::string& name, std::int64_t value, const std::string& comment) {
        return name + " = " + std::to_string(value) + "  # " + comment + "\n";
    };
    return line("PIPELINE", mesh.pipeline, "ranks that share the model's stages") +
           line("REPLICATE", mesh.replicate, "pipelines, each with a copy of the model") +
           line("SHARD", mesh.shard, "ranks that share each stage's parameters") +
           "READERS = REPLICATE * SHARD  # data-parallel ranks, each with its own samples; rank r is reader r % "
           "READERS\n" +
           "CUTS = " + pythonList(cuts) + "  # where each stage begins in layers_of(), and the end\n" +
           line("STAGES", static_cast<std::int64_t>(cuts.size()) - 1,
                "stage s is on rank s % PIPELINE of its pipeline") +
           line("MICRO_BATCHES", microBatches(config), "parts into which each reader's batch is split");
}

std::string pipelineClass(const RunConfig& config, const Mesh& mesh) {
    const std::string schedule = scheduleClass(config);
    const bool oneStage = schedule == "ScheduleGPipe" || schedule == "Schedule1F1B";
    std::string share = "MICRO_BATCHES";
    if (config.training.accumulateSteps > 1)
        share = "(MICRO_BATCHES * " + std::to_string(config.training.accumulateSteps) + ")";
    const std::string dimensions = mesh.replicate > 1 ? "mesh[\"replicate\", \"shard\"]" : "mesh[\"shard\"]";
    std::string text =
        pythonPiece("pipeline", {{"schedule", schedule},
                                 {"stages", oneStage ? "stages[0]" : "stages"},
                                 {"share", share},
                                 {"own", mesh.shard > 1 ? "shard(module, " + dimensions + ")" : "module"}});
    if (mesh.shard == 1 && mesh.replicate > 1) text += pythonPiece("average");
    if (config.optimizer.clipGradNorm > 0) text += pythonPiece("clip");
    return text + "\n";
}

std::string importsOf(const RunConfig& config, const Mesh& mesh) {
    std::string text = "\ntry:\n";
    if (mesh.shard > 1) {
        text += "    from torch.distributed.fsdp import ";
        if (config.fsdp.cpuOffload) text += "CPUOffloadPolicy, ";
        text += "FSDPModule, fully_shard\n";
    }
    return text + "    from torch.distributed.pipelining import PipelineStage, " + scheduleClass(config) +
           "\nexcept (ImportError, ValueError):  # as 1.13 does under Python 3.11\n    sys.exit(\"this script needs "
           "PyTorch 2.6 or newer, for "
           "torch.distributed.pipelining; this is \" + torch.__version__)\n"
           "from torch.distributed.device_mesh import init_device_mesh\nfrom torch.distributed.tensor import DTensor\n";
}

}  // namespace

std::string pythonShard(bool reshards, const std::string& units, bool prefetches, bool offloads) {
    std::string text = pythonPiece("whole");
    text +=
        "\ndef shard(model, mesh):\n"
        "    \"\"\"Each rank keeps some rows of every parameter; a unit's others are gathered when it "
        "computes.\"\"\"\n";
    std::string options = "mesh=mesh, reshard_after_forward=" + pythonBool(reshards);
    if (offloads) {
        text += "    offload = {\"offload_policy\": CPUOffloadPolicy()} if mesh.device_type == \"cuda\" else {}\n";
        options += ", **offload";
    }
    if (units != "[]") {
        text += "    units = " + units +
                "\n    for unit in units:\n"
                "        fully_shard(unit, " +
                options + ")\n";
        if (prefetches)
            text +=
                "    for unit, behind in zip(units, units[1:]):\n"
                "        unit.set_modules_to_forward_prefetch([behind])\n";
    }
    text += "    return fully_shard(model, " + options + ")\n\n";
    return reshards ? text : text + pythonPiece("reshard");
}

Result<PythonStrategy> pythonPipeline(const RunConfig& config, const DataSplit& data, const PythonLayers& layers,
                                      bool hasBuffers) {
    if (!config.pipeline.scheduleFile.empty() && config.parallel.strategy == StrategyKind::kPipeline)
        return Problem{"pipeline.schedule_file",
                       "is set, but PyTorch has no public class that runs a schedule of your own",
                       "empty it, and choose pipeline.schedule"};
    if (auto problem = unevenBatches(config, data)) return *problem;
    const Result<PlanSubject> subject = planSubject(config, data);
    if (!subject) return subject.problem();
    const Result<StrategyPlan> plan = planStrategy(subject.value());
    if (!plan) return plan.problem();
    std::vector<std::size_t> tensors;
    for (std::size_t stage = 0; stage < plan.value().stages(); ++stage)
        tensors.push_back(plan.value().parametersOf(stage).size());
    const Result<std::vector<std::int64_t>> cuts = pythonCuts(layers, tensors);
    if (!cuts) return cuts.problem();
    const Mesh mesh = meshOf(config);
    const bool shards = mesh.shard > 1;
    PythonStrategy strategy;
    std::string functions =
        shards ? pythonShard(false, "[one for one in model if list(one.parameters())]", false, config.fsdp.cpuOffload)
               : pythonPiece("whole");
    functions += pipelineClass(config, mesh);
    strategy.pieces = {
        {"how", kHow},
        {"strategy_imports", importsOf(config, mesh)},
        {"strategy_constants", constantsOf(config, mesh, cuts.value())},
        {"strategy_functions", functions},
        {"readers_only", "[:READERS]"},
        {"reader", "reader"},
        {"validate_batch", pythonPiece("validate_batch") + (shards ? pythonPiece("reshard_stages") : "")},
        {"share_buffers", hasBuffers ? pythonPiece("share_buffers_of_stages") : ""},
        {"world", pythonPiece("mesh_world")},
        {"wrap",
         "    mesh = init_device_mesh(device.type, (PIPELINE, REPLICATE, SHARD), mesh_dim_names=(\"pipeline\", "
         "\"replicate\", \"shard\"))\n    model = Pipeline(network, mesh, device)\n"},
        {"evaluated", "model"},
        {"weights_hash", "model.weights_hash(network)"},
        {"tensors", "model.tensors(network, optimizer)"}};
    strategy.readers = ", num_replicas=READERS, rank=dist.get_rank() % READERS";
    strategy.modelFunctions = layers.definition;
    strategy.trainStep = trainStepOf(config, !shards && mesh.replicate > 1);
    return strategy;
}

}  // namespace ringside
