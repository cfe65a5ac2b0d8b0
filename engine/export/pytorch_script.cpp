// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch_script.h"

#include <functional>
#include <map>

#include "data/dataset.h"
#include "export/pytorch_data.h"
#include "export/pytorch_pieces.h"
#include "sampling/plan_sentences.h"

extern "C" {
extern const char ringsidePytorchTemplateBegin[];
extern const char ringsidePytorchTemplateEnd[];
}

namespace ringside {
namespace {

using Pieces = std::map<std::string, std::string, std::less<>>;

// The name inside @name@ at this place of the template, empty for any other @.
std::string_view markerAt(std::string_view text, std::size_t at) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
    if (end == std::string_view::npos || end == at + 1 || text[end] != '@') return {};
    return text.substr(at + 1, end - at - 1);
}

std::string filledTemplate(const Pieces& pieces) {
    const std::string_view text(ringsidePytorchTemplateBegin,
                                static_cast<std::size_t>(ringsidePytorchTemplateEnd - ringsidePytorchTemplateBegin));
    std::string filled;
    std::size_t from = 0;
    for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
        const std::string_view name = markerAt(text, at);
        if (name.empty()) continue;
        const auto piece = pieces.find(name);
        RINGSIDE_ASSERT(piece != pieces.end());
        filled.append(text.substr(from, at - from)).append(piece->second);
        at += name.size() + 1;
        from = at + 1;
    }
    return filled.append(text.substr(from));
}

// Inside the documentation string only what cannot end it.
std::string plain(const std::string& text) {
    std::string safe;
    for (const char c : text) safe += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    return safe;
}

std::string imports(const RunConfig& config, const PythonData& data) {
    std::string text = "import argparse\n";
    if (config.training.accumulateSteps > 1) text += "import contextlib\n";
    if (data.readsText) text += "import csv\n";
    text += "import datetime\n";
    if (data.readsText) text += "import gzip\n";
    return text + "import hashlib\nimport json\nimport math\nimport os\nimport pathlib\nimport sys\nimport tempfile";
}

std::string setEpoch(const SamplerConfig& config) {
    if (!config.shuffle) return "        # Nothing is shuffled, so there is no sampler.set_epoch(epoch).";
    if (config.setEpoch) return "        sampler.set_epoch(epoch)  # or every epoch has the order of the first";
    return "        # sampler.set_epoch(epoch) is left out, as in the experiment: every epoch has the order of the "
           "first.";
}

// "4 x 32 = 128 samples", with accumulation "4 x 32 x 2 = 256 samples"
std::string globalBatchText(const RunConfig& config) {
    std::string factors = std::to_string(config.parallel.worldSize) + " x " + std::to_string(config.loader.batchSize);
    if (config.training.accumulateSteps > 1) factors += " x " + std::to_string(config.training.accumulateSteps);
    return factors + " = " + std::to_string(config.globalBatch()) + " samples";
}

void addSettings(Pieces& pieces, const RunConfig& config) {
    const std::int64_t world = config.parallel.worldSize;
    pieces["title"] = plain(config.name);
    pieces["name"] = pythonText(config.name);
    pieces["world_size"] = std::to_string(world);
    pieces["batch_size"] = std::to_string(config.loader.batchSize);
    pieces["global_batch"] = globalBatchText(config);
    pieces["epochs"] = std::to_string(config.training.epochs);
    pieces["log_every"] = std::to_string(config.training.logEvery);
    pieces["checkpoint_every"] = std::to_string(config.training.checkpointEvery);
    pieces["headline"] = pythonText(config.training.validate);
    pieces["training_seed"] = std::to_string(config.training.seed);
    pieces["timeout"] = pythonNumber(config.parallel.timeoutSeconds);
    pieces["bucket_cap_mb"] = pythonNumber(config.parallel.bucketCapMb);
    pieces["device"] = config.parallel.device == "cuda" ? "cuda" : "cpu";
}

void addLoading(Pieces& pieces, const RunConfig& config) {
    pieces["split_seed"] = std::to_string(config.dataset.splitSeed);
    pieces["validation_fraction"] = pythonNumber(config.dataset.validationFraction);
    pieces["shuffle"] = pythonBool(config.sampler.shuffle);
    pieces["sampler_seed"] = std::to_string(config.sampler.seed);
    pieces["sampler_drop_last"] = pythonBool(config.sampler.dropLast);
    pieces["set_epoch"] = setEpoch(config.sampler);
    pieces["loader_drop_last"] = pythonBool(config.loader.dropLast);
    pieces["loader_options"] = "";
}

Result<PytorchScript> fill(const RunConfig& config, const DataSplit& data, PythonData source,
                           const std::string& scriptName, const std::string& dataName) {
    const Result<std::string> model = pythonModel(config.model, *data.training);
    if (!model) return model.problem();
    const Result<std::string> optimizer = pythonOptimizer(config);
    if (!optimizer) return optimizer.problem();
    Pieces pieces;
    addSettings(pieces, config);
    addLoading(pieces, config);
    pieces["script"] = plain(scriptName);
    pieces["imports"] = imports(config, source);
    pieces["load_data"] = source.function;
    pieces["standardize"] = source.standardize;
    pieces["data_path"] = source.path;
    pieces["model"] = model.value();
    pieces["losses"] = pythonLosses(*data.training);
    pieces["optimizer"] = optimizer.value();
    pieces["schedule"] = pythonSchedule(config);
    pieces["schedule_step"] =
        pieces["schedule"].empty() ? "" : "        for schedule in schedules:\n            schedule.step()\n";
    pieces["train_step"] = pythonTrainStep(config);
    return PytorchScript{filledTemplate(pieces), source.file.empty() ? "" : dataName, std::move(source.file)};
}

}  // namespace

Result<PytorchScript> exportPytorch(const RunConfig& config, const std::filesystem::path& baseDirectory,
                                    const std::string& scriptName, Problems* all) {
    const Problems problems = config.validateForTraining();
    if (all != nullptr) *all = problems;
    if (!problems.empty()) return problems.front();
    if (config.pitfalls.any()) {
        return Problem{"pitfalls", "are switched on, and deliberate mistakes are not exported", "switch them off"};
    }
    if (config.sampler.kind != "distributed") {
        return Problem{"sampler.kind", "is " + config.sampler.kind + ", which cannot be exported to PyTorch",
                       "choose distributed"};
    }
    const LoaderConfig& loader = config.loader;
    if (loader.randomCropPadding > 0 || loader.horizontalFlip || loader.normalize) {
        return Problem{"loader", "has transforms, which cannot be exported to PyTorch",
                       "switch random_crop_padding, horizontal_flip and normalize off"};
    }
    const Result<DataSplit> data = loadDataset(config.dataset, baseDirectory);
    if (!data) return data.problem();
    const Problems reasons = planProblems(epochSpec(config, data.value().training->size(), 0));
    if (!reasons.empty()) return reasons.front();

    const std::string dataName = std::filesystem::path(scriptName).stem().string() + "-data.csv.gz";
    Result<PythonData> source = pythonData(config.dataset, data.value(), baseDirectory, dataName);
    if (!source) return source.problem();
    return fill(config, data.value(), std::move(source).value(), scriptName, dataName);
}

}  // namespace ringside
