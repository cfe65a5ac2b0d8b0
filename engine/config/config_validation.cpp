// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json/json.h"
#include "base/text/number_text.h"
#include "config/config_fields.h"
#include "config/mesh.h"
#include "config/sampler_kind.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxHiddenLayers = 64;
// Largest size of synthetic data: 1 GiB of float32 values.
constexpr std::int64_t kMaxSyntheticValues = std::int64_t{1} << 28;

std::string rangeRemedy(const ConfigField& field) {
    const std::string low = (field.aboveMin ? "above " : "from ") + plainNumber(field.min);
    return "choose a value " + low + (field.aboveMin ? " up to " : " to ") + plainNumber(field.max);
}

std::optional<Problem> checkRange(const ConfigField& field, double value, const std::string& shown) {
    const std::string path(field.path);
    if (!std::isfinite(value)) return Problem{path, "is " + shown + "; it must be finite", rangeRemedy(field)};
    if (value < field.min && !field.belowMin.empty())
        return Problem{path, "is " + shown + "; PyTorch raises: " + std::string(field.belowMin), rangeRemedy(field)};
    if (value < field.min) {
        return Problem{path, "is " + shown + "; the minimum is " + plainNumber(field.min), rangeRemedy(field)};
    }
    if (field.aboveMin && value <= field.min) {
        return Problem{path, "is " + shown + "; it must be above " + plainNumber(field.min), rangeRemedy(field)};
    }
    if (value > field.max) {
        return Problem{path, "is " + shown + "; the maximum is " + plainNumber(field.max), rangeRemedy(field)};
    }
    return {};
}

class FieldCheck {
  public:
    explicit FieldCheck(const ConfigField& field) : m_field(field) {}

    std::optional<Problem> operator()(const std::string*) const { return {}; }
    std::optional<Problem> operator()(ChoiceSlot) const { return {}; }
    std::optional<Problem> operator()(const std::int64_t* value) const {
        return checkRange(m_field, static_cast<double>(*value), std::to_string(*value));
    }
    std::optional<Problem> operator()(const double* value) const {
        return checkRange(m_field, *value, std::isfinite(*value) ? Json(*value).dump() : std::to_string(*value));
    }
    std::optional<Problem> operator()(const bool*) const { return {}; }
    std::optional<Problem> operator()(const std::vector<std::int64_t>* values) const {
        for (const std::int64_t value : *values) {
            if (auto problem =
                    checkRange(m_field, static_cast<double>(value), "a list that contains " + std::to_string(value))) {
                return problem;
            }
        }
        return {};
    }

  private:
    const ConfigField& m_field;
};

bool needsPath(const DatasetConfig& dataset) {
    return dataset.kind != DatasetKind::kDigits && dataset.kind != DatasetKind::kSynthetic &&
           dataset.kind != DatasetKind::kText && dataset.kind != DatasetKind::kExternal;
}

bool alwaysHasClasses(const DatasetConfig& dataset) {
    const bool files = dataset.kind == DatasetKind::kCifar10 || dataset.kind == DatasetKind::kCifar100 ||
                       dataset.kind == DatasetKind::kImageFolder;
    return files || dataset.kind == DatasetKind::kDigits || dataset.kind == DatasetKind::kText ||
           (dataset.kind == DatasetKind::kSynthetic && dataset.shape != SyntheticShape::kRegression);
}

void checkSynthetic(const DatasetConfig& dataset, Problems& problems) {
    // The limit does not apply to the shape imagenet, whose samples are computed on access and not kept in memory.
    if (dataset.shape == SyntheticShape::kImagenet) return;
    const bool regression = dataset.shape == SyntheticShape::kRegression;
    // The product of the factors cannot overflow, because each factor has passed its range check.
    const std::int64_t values = dataset.size * (dataset.features + (regression ? dataset.targets : 0));
    if (values > kMaxSyntheticValues) {
        problems.push_back({"dataset.size",
                            "is " + std::to_string(dataset.size) + ", which requires " + std::to_string(values) +
                                " random numbers; the maximum is " + std::to_string(kMaxSyntheticValues),
                            "use fewer samples or fewer features and targets"});
    }
    if (!regression && dataset.size < dataset.classes) {
        problems.push_back({"dataset.classes",
                            "is " + std::to_string(dataset.classes) + ", but there are only " +
                                std::to_string(dataset.size) + " samples",
                            "use fewer classes or more samples"});
    }
}

void checkDataset(const RunConfig& config, Problems& problems) {
    const DatasetConfig& dataset = config.dataset;
    if (dataset.kind == DatasetKind::kCsv && dataset.path.empty()) {
        problems.push_back(
            {"dataset.path", "is empty; a csv data set needs a file", "set dataset.path to the CSV file"});
    } else if (needsPath(dataset) && dataset.path.empty()) {
        problems.push_back({"dataset.path", "is empty; a data set of the kind " + textOf(dataset.kind) + " needs one",
                            "name the file or directory"});
    }
    if (dataset.kind == DatasetKind::kSynthetic) checkSynthetic(dataset, problems);
    if (alwaysHasClasses(dataset) && config.training.loss == LossKind::kMse) {
        const std::string data = dataset.kind == DatasetKind::kDigits ? "the digits data set" : "the data set";
        problems.push_back(
            {"training.loss", "is mse, but " + data + " has classes", "set training.loss to auto or cross_entropy"});
    }
    const bool numbers = dataset.kind == DatasetKind::kSynthetic && dataset.shape == SyntheticShape::kRegression;
    if (numbers && config.training.loss == LossKind::kCrossEntropy) {
        problems.push_back({"training.loss", "is cross_entropy, but synthetic data has numbers to predict",
                            "set training.loss to auto or mse, or choose a dataset.shape with classes"});
    }
}

void checkTransformer(const RunConfig& config, Problems& problems) {
    const bool isText = config.dataset.kind == DatasetKind::kText;
    if (isText && config.model.kind != ModelKind::kTransformer && config.model.kind != ModelKind::kLayers)
        problems.push_back({"model.kind",
                            "is " + textOf(config.model.kind) + ", but a text data set predicts each next character",
                            "set model.kind to transformer"});
    if (config.model.kind != ModelKind::kTransformer) return;
    if (!isText)
        problems.push_back({"model.kind", "is transformer, but the data set is not a text",
                            "set dataset.kind to text, or choose another model.kind"});
    if (config.model.width % config.model.heads != 0)
        problems.push_back({"model.heads",
                            "is " + std::to_string(config.model.heads) + ", which does not divide the width " +
                                std::to_string(config.model.width),
                            "choose a width that is a multiple of model.heads"});
}

// Checks that model.layers is a JSON list. Does not check the layers themselves, because their shapes depend on the
// data.
void checkLayers(const RunConfig& config, Problems& problems) {
    if (config.model.kind != ModelKind::kLayers) return;
    const char* remedy = R"(write the list as [{"kind": "linear", "out": 64}, {"kind": "relu"}, {"kind": "linear"}])";
    if (config.model.layers.empty()) {
        problems.push_back({"model.layers", "is empty", remedy});
        return;
    }
    const Result<Json> list = parseJson(config.model.layers, "the list");
    if (!list || !list.value().is_array()) problems.push_back({"model.layers", "is not a list of layers", remedy});
}

// Reports combinations that DataLoader.__init__ of PyTorch 1.13 refuses. In PyTorch, prefetch_factor is 2 by default,
// even without workers.
void checkLoader(const LoaderConfig& loader, Problems& problems) {
    if (loader.numWorkers > 0) return;
    const char* remedy = "set loader.num_workers above 0, or omit the field that needs workers";
    if (loader.prefetchFactor != LoaderConfig().prefetchFactor)
        problems.push_back(
            {"loader.prefetch_factor",
             "is " + std::to_string(loader.prefetchFactor) +
                 ", but loader.num_workers is 0; PyTorch raises: prefetch_factor option could only be specified in "
                 "multiprocessing",
             remedy});
    if (loader.persistentWorkers)
        problems.push_back(
            {"loader.persistent_workers",
             "is true, but loader.num_workers is 0; PyTorch raises: persistent_workers option needs num_workers > 0",
             remedy});
}

// Reports pitfalls and settings of parallel.pace that the strategy, the reduction or the device cannot apply.
void checkPitfalls(const RunConfig& config, Problems& problems) {
    if (config.stepPitfalls.sumGradients && config.parallel.strategy != StrategyKind::kDdp)
        problems.push_back({"pitfalls.sum_gradients", "is true, but this mistake exists only with ddp",
                            "set pitfalls.sum_gradients to false, or parallel.strategy to ddp"});
    if (config.stepPitfalls.sumGradients && config.training.reduction != ReductionOrder::kRank)
        problems.push_back({"pitfalls.sum_gradients",
                            "is true, but this mistake does not exist with training.reduction canonical",
                            "set pitfalls.sum_gradients to false, or training.reduction to rank"});
    if (config.parallel.throttle.any() && config.parallel.strategy == StrategyKind::kDataParallel)
        problems.push_back({"parallel.pace.gflops",
                            "throttles one process per rank, but data_parallel uses one process with several threads",
                            "set parallel.pace.gflops to 0, or parallel.strategy to ddp"});
    if (config.parallel.throttle.any() && config.parallel.device == DeviceChoice::kCuda)
        problems.push_back({"parallel.pace.gflops", "throttles ranks on the CPU, but parallel.device is cuda",
                            "set parallel.pace.gflops to 0, or parallel.device to cpu"});
}

void checkTogether(const RunConfig& config, Problems& problems) {
    checkDataset(config, problems);
    checkLoader(config.loader, problems);
    checkLayers(config, problems);
    checkTransformer(config, problems);
    checkMesh(config, problems);
    checkPitfalls(config, problems);
    if (config.name.find_first_not_of(" \t") == std::string::npos) {
        problems.push_back({"name", "is empty", "give the experiment a name"});
    }
    if (config.model.hidden.size() > kMaxHiddenLayers) {
        problems.push_back({"model.hidden",
                            "has " + std::to_string(config.model.hidden.size()) + " layers; the maximum is 64",
                            "use fewer layers"});
    }
    if (config.parallel.device == DeviceChoice::kCpu && config.training.precision != TrainingPrecision::kFp32) {
        problems.push_back({"training.precision",
                            "is " + textOf(config.training.precision) + ", which the CPU does not support",
                            "set training.precision to fp32, or parallel.device to auto or cuda"});
    }
    const OptimizerConfig& optimizer = config.optimizer;
    if (optimizer.kind == OptimizerKind::kSgd && optimizer.nesterov &&
        (optimizer.momentum <= 0 || optimizer.dampening != 0)) {
        problems.push_back({"optimizer.nesterov", "is true, which needs momentum above 0 and dampening 0",
                            "set optimizer.momentum to 0.9, or optimizer.nesterov to false"});
    }
    if (config.schedule.kind == RateScheduleKind::kCosine && config.schedule.etaMin > config.scaledLearningRate()) {
        problems.push_back({"schedule.eta_min",
                            "is " + Json(config.schedule.etaMin).dump() + ", which is above the learning rate of " +
                                Json(config.scaledLearningRate()).dump(),
                            "lower schedule.eta_min, or raise optimizer.lr"});
    }
}

}  // namespace

bool RunConfig::repeatsOrder() const {
    if (sampler.setEpoch || training.epochs < 2 || !usesSetEpoch(sampler.kind)) return false;
    return sampler.shuffle || mayRepeatSamples(sampler.kind);
}

std::int64_t RunConfig::dataRanks() const {
    // RunConfig::validate() reports a world size below 1, so this function does not report it again for the mesh.
    if (parallel.worldSize < 1) return parallel.worldSize;
    return std::max<std::int64_t>(1, meshOf(*this).dataRanks());
}

double RunConfig::scaledLearningRate() const {
    if (optimizer.scaleLr != RateScaling::kLinear) return optimizer.lr;
    return optimizer.lr * static_cast<double>(globalBatch()) / static_cast<double>(optimizer.scaleBaseBatch);
}

Problems RunConfig::validate() const {
    Problems problems;
    for (const ConfigField& field : configFields()) {
        if (auto problem = std::visit(FieldCheck(field), field.slot(const_cast<RunConfig&>(*this)))) {
            problems.push_back(*problem);
        }
    }
    if (problems.empty()) checkTogether(*this, problems);
    return problems;
}

Problems RunConfig::validateForTraining() const {
    Problems problems = validate();
    if (dataset.kind == DatasetKind::kExternal)
        problems.push_back({"dataset.kind", "is external: the samples belong to a script that Ringside only watched",
                            "choose another data set, or start the script with ringsidectl watch"});
    if (parallel.worldSize > kMaxTrainingWorldSize && parallel.worldSize <= 4096) {
        problems.push_back({"parallel.world_size",
                            "is " + std::to_string(parallel.worldSize) + "; training runs at most " +
                                std::to_string(kMaxTrainingWorldSize) + " ranks",
                            "train with fewer ranks; only sample plans can be shown for up to 4096 ranks"});
    }
    return problems;
}

}  // namespace ringside
