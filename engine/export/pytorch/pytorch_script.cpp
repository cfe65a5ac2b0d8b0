// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_script.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "config/mesh.h"
#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"
#include "export/pytorch/pytorch_carried.h"
#include "export/pytorch/pytorch_data.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_sampler.h"
#include "export/pytorch/pytorch_strategy.h"
#include "export/pytorch/pytorch_template.h"
#include "export/pytorch/pytorch_transforms.h"
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

// Replaces characters that would end or break a Python docstring by spaces.
std::string plain(const std::string& text) {
    std::string safe;
    for (const char c : text) safe += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    return safe;
}

// Returns the script's import lines: first modules of the standard library in alphabetical order, then packages.
std::string imports(const RunConfig& config, std::set<std::string> names) {
    for (const char* name :
         {"argparse", "atexit", "datetime", "hashlib", "json", "math", "os", "pathlib", "sys", "tempfile"})
        names.insert(name);
    const bool pausesSync =
        config.parallel.strategy == StrategyKind::kDdp || config.parallel.strategy == StrategyKind::kFsdp;
    if (config.training.accumulateSteps > 1 && pausesSync) names.insert("contextlib");
    const bool numpy = names.erase("numpy") > 0;
    const bool images = names.erase("PIL") > 0;
    std::string text;
    for (const std::string& name : names) text += "import " + name + "\n";
    if (numpy) text += "\nimport numpy";
    return text + (images ? "\nfrom PIL import Image, __version__ as pillow_version" : "");
}

std::string dataImports(const RunConfig& config, const PythonSampler& sampler) {
    const bool own = !sampler.definition.empty();
    const bool weighted =
        config.sampler.kind == SamplerKind::kWeighted || config.sampler.kind == SamplerKind::kDistributedWeighted;
    return std::string("DataLoader, Dataset") + (own ? ", Sampler" : "") + (sampler.usesSubset ? ", Subset" : "") +
           (weighted ? ", WeightedRandomSampler" : "");
}

constexpr const char* kDropoutNote =
    "Dropout draws other numbers in PyTorch than in Ringside, so that the losses part from the first step on.";

constexpr const char* kCanonicalNote =
    "PyTorch has no canonical reduction: its sums round otherwise with every world size.";

// Fills the pieces of the template that implement training.max_steps. Training may end in the middle of an epoch; that
// epoch is validated too.
void addMaxSteps(PythonPieces& pieces, const TrainingConfig& training) {
    const std::array kNames = {"max_steps", "last_step", "cut_epoch", "count_epochs", "cut_training", "end_training"};
    for (const char* name : kNames) pieces[name] = "";
    pieces["epochs_done"] = "EPOCHS";
    if (training.maxSteps == 0) return;
    pieces["max_steps"] = "MAX_STEPS = " + std::to_string(training.maxSteps) + "  # maximum number of steps\n";
    pieces["last_step"] = "        if step == MAX_STEPS:\n            break\n";
    pieces["cut_epoch"] =
        "    if len(used) < len(loader):  # cut short by MAX_STEPS: these are not the samples of an epoch\n"
        "        return step\n";
    pieces["count_epochs"] = "    epochs_done, steps_of_epoch = 0, math.ceil(len(loader) / " +
                             std::to_string(training.accumulateSteps) + ")\n";
    pieces["cut_training"] =
        "        if step < (epoch + 1) * steps_of_epoch:  # a run that resumes here repeats this epoch from its start\n"
        "            break\n        epochs_done = epoch + 1\n";
    pieces["end_training"] = "        if step == MAX_STEPS:\n            break\n";
    pieces["epochs_done"] = "epochs_done";
}

std::string splitFunction(const DatasetConfig& config, const PythonData& source) {
    if (source.hasValidation) return "";
    return pythonPiece("split", {{"split_seed", std::to_string(config.splitSeed)},
                                 {"validation_fraction", pythonNumber(config.validationFraction)},
                                 {"standardize", source.standardize}});
}

// Returns "4 x 32 = 128 samples", or with accumulation "4 x 32 x 2 = 256 samples".
std::string globalBatchText(const RunConfig& config) {
    std::string factors = std::to_string(config.dataRanks()) + " x " + std::to_string(config.loader.batchSize);
    if (config.training.accumulateSteps > 1) factors += " x " + std::to_string(config.training.accumulateSteps);
    return factors + " = " + std::to_string(config.globalBatch()) + " samples";
}

void addSettings(PythonPieces& pieces, const RunConfig& config) {
    const std::int64_t world = config.parallel.worldSize;  // number of processes
    pieces["title"] = plain(config.name);
    pieces["name"] = pythonText(config.name);
    pieces["world_size"] = std::to_string(world);
    pieces["batch_size"] = std::to_string(config.loader.batchSize);
    pieces["global_batch"] = globalBatchText(config);
    pieces["epochs"] = std::to_string(config.training.epochs);
    pieces["log_every"] = std::to_string(config.training.logEvery);
    pieces["checkpoint_every"] = std::to_string(config.training.checkpointEvery);
    pieces["headline"] = pythonText(nameOf(config.training.validate));
    pieces["training_seed"] = std::to_string(config.training.seed);
    pieces["timeout"] = pythonNumber(config.parallel.timeoutSeconds);
    pieces["optimizer_kind"] = textOf(config.optimizer.kind);
    pieces["reduced_precision"] = pythonBool(config.training.tf32);
    pieces["stop"] = pythonFiniteCheck(config).empty() ? "" : pythonPiece("stop_unless_finite");
    pieces["config"] = pythonConfig(config);
    pieces["device"] = config.parallel.device == DeviceChoice::kCuda ? "cuda" : "cpu";
}

void addData(PythonPieces& pieces, const RunConfig& config, const PythonData& source) {
    pieces["load_data"] = source.function;
    pieces["data_path"] = source.path;
    pieces["split"] = splitFunction(config.dataset, source);
    pieces["make_parts"] =
        source.hasValidation
            ? "    training, validation = (Part(data, torch.arange(len(data))) for data in load_data(args.data))"
            : "    training, validation = split(load_data(args.data))";
}

void addSampler(PythonPieces& pieces, const RunConfig& config, const PythonSampler& sampler) {
    pieces["data_imports"] = dataImports(config, sampler);
    pieces["sampler"] = sampler.definition.empty() ? "" : sampler.definition + "\n";
    pieces["make_sampler"] = sampler.make;
    pieces["set_epoch"] = sampler.setEpoch;
    pieces["planned"] = sampler.planned;
    pieces["own_positions"] = sampler.positions;
    pieces["loader_drop_last"] = pythonBool(config.loader.dropLast);
    pieces["loader_options"] = pythonLoaderOptions(config.loader);
}

void addTransforms(PythonPieces& pieces, const PythonTransforms& transforms) {
    if (transforms.definition.empty()) return;
    pieces["split"] += transforms.definition + "\n";
    pieces["make_parts"] += "\n" + transforms.wrap;
    pieces["set_epoch"] += (pieces["set_epoch"].empty() ? "" : "\n") + transforms.setEpoch;
}

std::string joined(const std::string& one, const std::string& other) {
    return one + (one.empty() || other.empty() ? "" : " ") + other;
}

Result<PytorchScript> fill(const RunConfig& requested, const DataSplit& data, PythonData source,
                           const std::string& scriptName, const std::string& dataName) {
    const RunConfig config = withProcessesAsRanks(requested);
    const Result<PythonModel> model = pythonModel(config.model, *data.training);
    if (!model) return model.problem();
    const Result<PythonStrategy> strategy = pythonStrategy(config, data, model.value().hasBuffers);
    if (!strategy) return strategy.problem();
    const std::string& readers = strategy.value().readers;
    PythonPieces pieces = strategy.value().pieces;
    pieces["readers"] = readers;
    addSettings(pieces, config);
    addData(pieces, config, source);
    addSampler(pieces, config, pythonSampler(config, epochSpec(config, data.training, 0), readers));
    addTransforms(pieces, pythonTransforms(config, data.training->shape()));
    addMaxSteps(pieces, config.training);
    const std::vector<UnexportedSetting> unexported = unexportedSettings(config);
    pieces["not_carried"] = unexportedComment(unexported);
    pieces["script"] = plain(scriptName);
    pieces["imports"] = imports(config, source.imports);
    const std::string note = joined(config.training.reduction == ReductionOrder::kCanonical ? kCanonicalNote : "",
                                    model.value().hasDropout ? kDropoutNote : "");
    pieces["model"] = model.value().definition + strategy.value().modelFunctions;
    pieces["note"] = note.empty() ? "" : "\n" + note + "\n";
    pieces["losses"] = pythonLosses(*data.training);
    pieces["optimizer"] = strategy.value().optimizer;
    pieces["schedule"] = pythonSchedule(config);
    pieces["schedule_step"] =
        pieces["schedule"].empty() ? "" : "        for schedule in schedules:\n            schedule.step()\n";
    pieces["train_step"] = strategy.value().trainStep;
    return PytorchScript{pythonFrame(pieces), source.file.empty() ? "" : dataName, std::move(source.file),
                         joined(note, unexportedSentence(unexported))};
}

std::filesystem::path absolute(const std::string& path, const std::filesystem::path& baseDirectory) {
    if (path.empty()) return {};
    return std::filesystem::absolute(baseDirectory / path).lexically_normal();
}

bool hasPitfalls(const RunConfig& config) {
    const StepPitfalls& steps = config.stepPitfalls;
    return config.pitfalls.any() || steps.any() || steps.earlyExit || steps.sumGradients || steps.localMetrics;
}

// Returns a problem for a setting that cannot be exported to PyTorch; empty if there is none.
std::optional<Problem> notExportable(const RunConfig& config) {
    if (hasPitfalls(config))
        return Problem{"pitfalls", "are switched on, and deliberate mistakes are not exported", "switch them off"};
    if (!config.training.resume.empty())
        return Problem{"training.resume", "resumes from a checkpoint, which the script cannot",
                       "empty it, and start the script with --weights FILE for the same first weights"};
    if (config.training.precision != TrainingPrecision::kFp32)
        return Problem{"training.precision",
                       "is " + textOf(config.training.precision) + ", and scripts compute in fp32", "set it to fp32"};
    return {};
}

}  // namespace

Result<PytorchScript> exportPytorch(const RunConfig& config, const std::filesystem::path& baseDirectory,
                                    const std::string& scriptName, Problems* all) {
    const Problems problems = exportProblems(config);
    if (all != nullptr) *all = problems;
    if (!problems.empty()) return problems.front();
    const Result<DataSplit> data = loadDataset(config.dataset, baseDirectory);
    if (!data) return data.problem();
    return exportPytorch(config, data.value(), baseDirectory, scriptName);
}

Problems exportProblems(const RunConfig& config) {
    Problems problems = config.validateForTraining();
    if (!problems.empty()) return problems;
    if (auto problem = notExportable(config)) problems.push_back(*problem);
    return problems;
}

Result<PytorchScript> exportPytorch(const RunConfig& config, const DataSplit& data,
                                    const std::filesystem::path& baseDirectory, const std::string& scriptName) {
    if (const Problems problems = exportProblems(config); !problems.empty()) return problems.front();
    const Problems reasons = planProblems(epochSpec(config, data.training, 0));
    if (!reasons.empty()) return reasons.front();
    const Problems untransformable = transformProblems(config.loader, data.training->shape());
    if (!untransformable.empty()) return untransformable.front();

    const char* const dataKind = config.dataset.kind == DatasetKind::kText ? "-data.txt" : "-data.csv.gz";
    const std::string dataName = std::filesystem::path(scriptName).stem().string() + dataKind;
    Result<PythonData> source = pythonData({.config = config.dataset,
                                            .data = data,
                                            .path = absolute(config.dataset.path, baseDirectory),
                                            .labels = absolute(config.dataset.labelsPath, baseDirectory),
                                            .flat = takesRows(config.model),
                                            .dataName = dataName});
    if (!source) return source.problem();
    RunConfig resolved = config;
    resolved.dataset.path = absolute(config.dataset.path, baseDirectory).string();
    resolved.dataset.labelsPath = absolute(config.dataset.labelsPath, baseDirectory).string();
    return fill(resolved, data, std::move(source).value(), scriptName, dataName);
}

void writePytorch(const PytorchScript& script, const std::filesystem::path& path) {
    writeFileAtomically(path, script.text);
    if (script.dataName.empty()) return;
    try {
        writeFileAtomically(path.parent_path() / script.dataName, script.data);
    } catch (const IoError&) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        throw;
    }
}

}  // namespace ringside
