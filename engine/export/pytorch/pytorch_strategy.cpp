// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_strategy.h"

#include <optional>

#include "config/mesh.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_pipeline.h"
#include "export/pytorch/pytorch_template.h"

namespace ringside {
namespace {

constexpr const char* kDdpHow =
    "Every rank is a process that runs train(): it holds the whole model, a sampler assigns its samples, and\n"
    "DistributedDataParallel averages the gradients of all ranks.";
constexpr const char* kZeroHow =
    "Every rank is a process that runs train(): it holds the whole model, a sampler assigns its samples,\n"
    "DistributedDataParallel averages the gradients, and ZeroRedundancyOptimizer keeps what it needs for an update of "
    "some\n"
    "parameters on each rank (ZeRO-1).";
constexpr const char* kFsdpHow =
    "Every rank is a process that runs train(): fully_shard leaves it some rows of each parameter, and gathers the "
    "others\n"
    "where they are needed; a sampler assigns its samples.";
constexpr const char* kDataParallelHow =
    "One process splits each batch over @devices@ devices, as nn.DataParallel does; where there are no GPUs, the "
    "chunks "
    "go\n"
    "through the model one after the other.";

constexpr const char* kWorld = "    CONFIG[\"parallel\"][\"world_size\"] = dist.get_world_size()\n";
constexpr const char* kPlainValidation =
    "        metrics.add(*losses_and_correct(model(x.to(device)), y.to(device)))\n";

std::string needs(const std::string& module, const std::string& names, const std::string& version) {
    return "\ntry:\n    from " + module + " import " + names +
           "\nexcept (ImportError, ValueError):  # as 1.13 does under Python 3.11\n    sys.exit(\"this script needs "
           "PyTorch " +
           version + " or newer, for " + module + "; this is \" + torch.__version__)\n";
}

PythonStrategy ordinary(const RunConfig& config, bool hasBuffers) {
    PythonStrategy strategy;
    strategy.pieces = {{"how", kDdpHow},
                       {"strategy_imports", ""},
                       {"strategy_constants", ""},
                       {"strategy_functions", pythonPiece("whole_tensors")},
                       {"readers_only", ""},
                       {"readers", ""},
                       {"reader", "rank"},
                       {"validate_batch", kPlainValidation},
                       {"share_buffers", hasBuffers ? pythonPiece("share_buffers") : ""},
                       {"world", kWorld},
                       {"evaluated", "network"},
                       {"weights_hash", "sha256(network.parameters())"},
                       {"tensors", "tensors_of(network, optimizer)"}};
    strategy.trainStep = pythonTrainStep(config, SyncWay::kNoSync);
    return strategy;
}

std::string ddpWrap(const RunConfig& config) {
    std::string text = "    model = DistributedDataParallel(network, bucket_cap_mb=";
    text += pythonNumber(config.parallel.bucketCapMb);
    if (config.parallel.findUnusedParameters) text += ", find_unused_parameters=True";
    return text + ")  # starts all ranks from rank 0's weights\n";
}

PythonStrategy ddp(const RunConfig& config, bool hasBuffers) {
    PythonStrategy strategy = ordinary(config, hasBuffers);
    strategy.pieces["strategy_imports"] = "from torch.nn.parallel import DistributedDataParallel\n";
    strategy.pieces["wrap"] = ddpWrap(config);
    return strategy;
}

PythonStrategy zero(const RunConfig& config, bool hasBuffers) {
    PythonStrategy strategy = ddp(config, hasBuffers);
    strategy.pieces["how"] = kZeroHow;
    strategy.pieces["strategy_imports"] =
        "from torch.distributed.optim import ZeroRedundancyOptimizer\n" + strategy.pieces["strategy_imports"];
    strategy.pieces["strategy_functions"] = pythonPiece("zero_tensors");
    return strategy;
}

PythonStrategy dataParallel(const RunConfig& config, bool hasBuffers) {
    PythonStrategy strategy = ordinary(config, hasBuffers);
    const std::string devices = std::to_string(devicesOf(config));
    std::string how = kDataParallelHow;
    const std::string marker = "@devices@";
    strategy.pieces["how"] = how.replace(how.find(marker), marker.size(), devices);
    strategy.pieces["strategy_constants"] = "DEVICES = " + devices + "\n";
    strategy.pieces["strategy_functions"] = pythonPiece("chunks") + pythonPiece("whole_tensors");
    strategy.pieces["reader"] = "process";
    strategy.pieces["world"] = "";
    strategy.pieces["wrap"] =
        "    model = nn.DataParallel(network, list(range(DEVICES))) if device.type == \"cuda\" else Chunks(network)\n";
    strategy.trainStep = pythonTrainStep(config, SyncWay::kNothing);
    return strategy;
}

std::string unitsText(ShardUnit unit) {
    if (unit == ShardUnit::kLayer) return "[one for one in model.modules() if list(one.parameters(recurse=False))]";
    if (unit == ShardUnit::kBlock) return "[one for one in model if list(one.parameters())]";
    return "[]";
}

std::string meshText(const Mesh& mesh) {
    if (mesh.replicate == 1)
        return "init_device_mesh(device.type, (" + std::to_string(mesh.shard) + ",), mesh_dim_names=(\"shard\",))";
    return "init_device_mesh(device.type, (" + std::to_string(mesh.replicate) + ", " + std::to_string(mesh.shard) +
           "), mesh_dim_names=(\"replicate\", \"shard\"))";
}

PythonStrategy fsdp(const RunConfig& config, const PythonLayers& layers, bool hasBuffers) {
    PythonStrategy strategy = ordinary(config, hasBuffers);
    const Mesh mesh = meshOf(config);
    const bool offload = config.fsdp.cpuOffload;
    const bool reshards = config.fsdp.shard == ShardedState::kParameters;
    std::string how = kFsdpHow;
    if (mesh.replicate > 1)
        how += " Its mesh has " + std::to_string(mesh.replicate) + " replicas of " + std::to_string(mesh.shard) +
               " ranks (HSDP).";
    strategy.pieces["how"] = how;
    strategy.pieces["strategy_imports"] =
        needs("torch.distributed.fsdp",
              std::string(offload ? "CPUOffloadPolicy, " : "") + (reshards ? "" : "FSDPModule, ") + "fully_shard",
              "2.6") +
        "from torch.distributed.device_mesh import init_device_mesh\nfrom torch.distributed.tensor import DTensor\n";
    strategy.modelFunctions = layers.definition;
    strategy.pieces["strategy_functions"] =
        pythonShard(reshards, unitsText(config.fsdp.unit), config.fsdp.prefetch == Prefetch::kNext, offload) +
        pythonPiece("sharded_tensors");
    strategy.pieces["world"] = pythonPiece("mesh_world");
    strategy.pieces["wrap"] =
        "    mesh = " + meshText(mesh) +
        "\n    model = shard(nn.Sequential(*layers_of(network)), mesh)  # network has its names\n";
    strategy.pieces["evaluated"] = "model";
    if (!reshards) strategy.pieces["validate_batch"] += "    reshard(model)\n";
    strategy.pieces["weights_hash"] = "sha256(whole(one) for one in network.parameters())";
    strategy.trainStep = pythonTrainStep(config, SyncWay::kGradientSync);
    return strategy;
}

// Returns a problem if each rank skips residual layers at random although the ranks gather or average the weights of
// these layers together: the ranks that do not skip a layer would then wait forever.
std::optional<Problem> unequalSkips(const RunConfig& config, const ModelDescription& model) {
    const Mesh mesh = meshOf(config);
    const bool gathers = mesh.shard > 1 && (mesh.pipeline > 1 || config.fsdp.shard != ShardedState::kOptimizer);
    if (!skipsLayers(model.layers) || (!gathers && (mesh.pipeline == 1 || mesh.replicate == 1))) return {};
    return Problem{"model.layers",
                   "has a residual with a skip, and PyTorch's ranks that leave it out would not gather or average it "
                   "with the others and wait forever",
                   "set its skip to 0, or parallel.strategy to ddp"};
}

// Returns the script parts for a strategy with one process per rank: a pipeline, FSDP, ZeroRedundancyOptimizer or
// DistributedDataParallel, as the mesh of `config` requires.
Result<PythonStrategy> overMesh(const RunConfig& config, const DataSplit& data, bool hasBuffers) {
    const Mesh mesh = meshOf(config);
    if (mesh.pipeline == 1 && mesh.shard == 1) return ddp(config, hasBuffers);
    if (mesh.pipeline == 1 && config.fsdp.shard == ShardedState::kOptimizer) return zero(config, hasBuffers);
    const Result<ModelDescription> model = describeModel(config.model, *data.training);
    if (!model) return model.problem();
    if (auto problem = unequalSkips(config, model.value())) return *problem;
    const PythonLayers layers = pythonLayers(config.model, model.value());
    if (mesh.pipeline > 1) return pythonPipeline(config, data, layers, hasBuffers);
    return fsdp(config, layers, hasBuffers);
}

Result<PythonStrategy> withoutOptimizer(const RunConfig& config, const DataSplit& data, bool hasBuffers) {
    switch (config.parallel.strategy) {
        case StrategyKind::kDataParallel:
            return dataParallel(config, hasBuffers);
        case StrategyKind::kDdp:
        case StrategyKind::kModelParallel:
        case StrategyKind::kPipeline:
        case StrategyKind::kFsdp:
            break;
    }
    return overMesh(config, data, hasBuffers);
}

}  // namespace

Result<PythonStrategy> pythonStrategy(const RunConfig& config, const DataSplit& data, bool hasBuffers) {
    Result<PythonStrategy> strategy = withoutOptimizer(config, data, hasBuffers);
    if (!strategy) return strategy;
    const Mesh mesh = meshOf(config);
    const bool isZero = mesh.pipeline == 1 && mesh.shard > 1 && config.fsdp.shard == ShardedState::kOptimizer;
    PythonStrategy whole = std::move(strategy).value();
    whole.optimizer = pythonOptimizer(config, isZero);
    return whole;
}

}  // namespace ringside
