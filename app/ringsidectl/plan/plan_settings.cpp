// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_settings.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "config/config_fields.h"
#include "data/preview/preview.h"
#include "experiment/experiment_file.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

struct ValueOption {
    const char* name;
    const char* path;
    const char* help;
};

constexpr std::array kNumbers = {
    ValueOption{"--world-size", "parallel.world_size", "number of ranks, 1 to 4096"},
    ValueOption{"--seed", "sampler.seed", "seed of the sampler; the shuffle uses seed + epoch (default 0)"},
    ValueOption{"--batch-size", "loader.batch_size", "samples per rank and step (default 1)"},
    ValueOption{"--num-samples", "sampler.num_samples", "weighted samplers, class_balanced: samples drawn per epoch"},
    ValueOption{"--subset-seed", "sampler.subset_seed",
                "sampler subset: seed of the random choice of samples (default 0)"},
    ValueOption{"--wrong-rank", "pitfalls.wrong_rank",
                "imitate a mistake: every process passes this rank to the sampler"},
    ValueOption{"--wrong-world-size", "pitfalls.wrong_world_size",
                "imitate a mistake: num_replicas is this number, not the number of ranks"},
};

constexpr std::array kLists = {
    ValueOption{"--class-weights", "sampler.class_weights",
                "weighted samplers: the weight of each class, whole numbers such as 1,5,2"},
    ValueOption{"--subset-indices", "sampler.subset_indices",
                "sampler subset: indices of the samples to use, such as 3,1,4"},
    ValueOption{"--subset-fraction", "sampler.subset_fraction",
                "sampler subset: fraction of the samples that is used (default 0.5)"},
};

constexpr std::array kFlags = {
    ValueOption{"--shuffle,!--no-shuffle", "sampler.shuffle", "shuffle (default), or keep the order of the data set"},
    ValueOption{"--drop-last", "sampler.drop_last",
                "the sampler drops the samples that do not divide evenly, instead of repeating some"},
    ValueOption{"--loader-drop-last", "loader.drop_last", "the loader drops each rank's last, incomplete batch"},
    ValueOption{"--no-set-epoch", "",
                "imitate a mistake: set_epoch is not called, so every epoch has the order of epoch 0"},
    ValueOption{"--seed-per-rank", "pitfalls.seed_per_rank", "imitate a mistake: every rank shuffles with seed + rank"},
    ValueOption{"--double-sharding", "pitfalls.double_sharding", "imitate a mistake: the data is split by rank twice"},
    ValueOption{"--shuffle-with-sampler", "pitfalls.shuffle_with_sampler",
                "imitate a mistake: DataLoader gets shuffle=True together with a sampler"},
};

// Returns the configuration path of a key of --diff, such as "seed" or "drop_last". Searches the sampler's section
// first.
std::string pathOf(const std::string& key) {
    if (key.find('.') != std::string::npos) return key;
    for (const char* section : {"sampler", "parallel", "loader", "pitfalls"}) {
        const std::string path = std::string(section) + '.' + key;
        if (findConfigField(path) != nullptr) return path;
    }
    return "sampler." + key;
}

Problem badDiff(const std::string& part) {
    return {"--diff", "has \"" + part + "\"", "write it as --diff seed=1,world_size=8,epoch=2"};
}

Result<PlanSource> fromExperiment(const std::string& file) {
    Problems all;
    const Result<Experiment> experiment = loadExperiment(file, {}, all);
    if (!experiment) return experiment.problem();
    const Result<DataSplit> data = loadDataset(experiment.value().config.dataset, experiment.value().baseDirectory);
    if (!data) return data.problem();
    const auto training = data.value().training;
    return PlanSource{experiment.value().config, training->size(), training};
}

// Replaces the remedy of a problem that names a setting of an experiment file by one that names an option of
// `ringsidectl plan`.
Problem withPlanOptions(Problem problem) {
    constexpr std::string_view kSetting = "set dataset.missing to";
    if (const auto at = problem.remedy.find(kSetting); at != std::string::npos)
        problem.remedy.replace(at, kSetting.size(), "give --missing");
    return problem;
}

// Loads a data file without an experiment. Detects its format as the desktop application does.
Result<PlanSource> fromData(const DatasetConfig& known) {
    const Result<DataPreview> preview = previewFile(known.path, known);
    if (!preview) return preview.problem();
    const DataPreview::Found found = preview.value().found;
    if (found == DataPreview::Found::kExperiment)
        return Problem{"--data", "is an experiment file", "give the experiment file with --config"};
    if (found == DataPreview::Found::kRunDirectory)
        return Problem{"--data", "is a run directory",
                       "give the data of the run with --data, or its experiment with --config"};
    DatasetConfig dataset = preview.value().dataset;
    dataset.labelsPath = known.labelsPath;
    const Result<DataSplit> data = loadDataset(dataset);
    if (!data) return withPlanOptions(data.problem());
    PlanSource source;
    source.config.dataset = dataset;
    source.config.loader.batchSize = 1;
    source.data = data.value().training;
    source.size = source.data->size();
    return source;
}

Problem missingOption(const std::string& name) {
    return {name, "is missing", "see ringsidectl plan --help"};
}

// Returns the experiment or data that the options name, before the options that change single settings are applied.
Result<PlanSource> startingSource(const PlanSettings& settings) {
    const bool hasData = !settings.data.path.empty();
    if (hasData && !settings.configFile.empty()) {
        return Problem{"--data", "cannot be combined with --config, which defines the data", "use only one of them"};
    }
    if (!settings.configFile.empty()) return fromExperiment(settings.configFile);
    if (!hasData && !settings.size) return missingOption("--size");
    const bool hasRanks =
        std::ranges::any_of(settings.changes, [](const auto& change) { return change.first == "parallel.world_size"; });
    if (!hasRanks) return missingOption("--world-size");
    if (hasData) return fromData(settings.data);
    PlanSource source;
    source.config.loader.batchSize = 1;
    return source;
}

}  // namespace

ShardSpec PlanSource::specAt(std::int64_t epoch) const {
    return data ? epochSpec(config, data, epoch) : epochSpec(config, size, epoch);
}

void addPlanSettings(CLI::App& plan, PlanSettings& settings) {
    plan.add_option("--config", settings.configFile,
                    "take settings and data from an experiment; other options override them");
    plan.add_option("--data", settings.data.path,
                    "assign the training part of this data: CSV, IDX, .npy, CIFAR .bin, a text or a folder of images")
        ->type_name("PATH");
    plan.add_option("--label-column", settings.data.labelColumn, "CSV: label column, by name or number");
    plan.add_option_function<std::string>(
            "--missing",
            [&settings](const std::string& name) { settings.data.missing = choiceNamed<MissingCells>(name).value(); },
            "CSV: treatment of missing values: refuse (default), drop or mean")
        ->check(CLI::IsMember({"refuse", "drop", "mean"}));
    plan.add_option("--labels", settings.data.labelsPath, "IDX and .npy: the file with the labels")->type_name("PATH");
    plan.add_option("--size", settings.size, "number of samples, 0 to 2147483647");
    plan.add_option("--epoch", settings.epoch, "epoch whose plan is shown, as given to set_epoch")
        ->capture_default_str();
    plan.add_option_function<std::string>(
        "--sampler", [&settings](const std::string& kind) { settings.changes.emplace_back("sampler.kind", kind); },
        "distributed (default), sequential, random, batch_sharded, contiguous, unpadded, weighted, "
        "distributed_weighted, class_balanced or subset");
    for (const ValueOption& option : kNumbers) {
        plan.add_option_function<std::int64_t>(
            option.name,
            [&settings, path = option.path](std::int64_t value) {
                settings.changes.emplace_back(path, std::to_string(value));
            },
            option.help);
    }
    for (const ValueOption& option : kLists) {
        plan.add_option_function<std::string>(
            option.name,
            [&settings, path = option.path](const std::string& text) { settings.changes.emplace_back(path, text); },
            option.help);
    }
    for (const ValueOption& option : kFlags) {
        const bool negative = *option.path == '\0';
        plan.add_flag_function(
            option.name,
            [&settings, negative, path = negative ? "sampler.set_epoch" : option.path](std::int64_t count) {
                settings.changes.emplace_back(path, (count > 0) != negative ? "true" : "false");
            },
            option.help);
    }
}

Result<PlanSource> readPlanSource(const PlanSettings& settings) {
    Result<PlanSource> start = startingSource(settings);
    if (!start) return start.problem();
    PlanSource source = std::move(start).value();
    if (settings.size) source.size = *settings.size;
    if (source.data && source.size != source.data->size()) source.data = nullptr;
    for (const auto& [path, value] : settings.changes) {
        if (const Problems problems = source.config.set(path + '=' + value); !problems.empty()) return problems.front();
    }
    return source;
}

Result<PlanSource> changedSource(const PlanSource& source, const std::string& changes, std::int64_t& epoch) {
    PlanSource changed = source;
    for (const std::string& part : CLI::detail::split(changes, ',')) {
        const auto equals = part.find('=');
        if (equals == std::string::npos || equals == 0) return badDiff(part);
        const std::string key = part.substr(0, equals);
        const std::string value = part.substr(equals + 1);
        if (key == "epoch") {
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), epoch);
            if (error != std::errc() || end != value.data() + value.size()) return badDiff(part);
            continue;
        }
        const Problems problems = changed.config.set(pathOf(key) + '=' + value);
        if (!problems.empty()) return problems.front();
    }
    return changed;
}

}  // namespace ringside
