// SPDX-License-Identifier: Apache-2.0
#include "experiment/config_command.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/errors/exit_code.h"
#include "base/json/json.h"
#include "config/config_schema.h"
#include "config/run_config.h"
#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"
#include "model/model_summary.h"
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

constexpr const char* kConfigDescription =
    "Prints the built-in experiment or the schema, or checks an experiment file.";

constexpr const char* kConfigFooter = R"(Examples:
  ringsidectl config --defaults > my.json                  start your own experiment
  ringsidectl config --defaults --set parallel.world_size=8 --set optimizer.lr=0.2 > eight.json
  ringsidectl config --validate my.json                    prints every problem, one per line; exit code 2
  ringsidectl config --summary my.json                     the model's layers, parameters, FLOPs and memory
  ringsidectl config --schema > ringside.schema.json       for editors that complete and check JSON

Fields that a file omits keep their defaults; unknown keys are refused.)";

struct ConfigOptions {
    bool defaults = false;
    bool schema = false;
    std::string validate;
    std::string summary;
    std::vector<std::string> assignments;
};

int report(const std::string& what, const Problems& problems) {
    for (const Problem& problem : problems) std::cerr << what << problem.text() << '\n';
    return static_cast<int>(problems.empty() ? ExitCode::kOk : ExitCode::kBadConfiguration);
}

Problems applyAssignments(RunConfig& config, const std::vector<std::string>& assignments) {
    Problems problems;
    for (const std::string& assignment : assignments) {
        for (Problem& problem : config.set(assignment)) problems.push_back(std::move(problem));
    }
    return problems;
}

// Returns the problems that can only be detected with the data: a missing file, an empty shard.
Problems checkData(const RunConfig& config, const std::filesystem::path& directory) {
    const Result<DataSplit> data = loadDataset(config.dataset, directory);
    if (!data) return {data.problem()};
    if (const auto model = describeModel(config.model, *data.value().training); !model) return {model.problem()};
    const ShardSpec spec = epochSpec(config, data.value().training, 0);
    Problems problems = planProblems(spec);
    std::ranges::copy(transformProblems(config.loader, data.value().training->shape()), std::back_inserter(problems));
    return problems;
}

int printDefaults(const ConfigOptions& options) {
    RunConfig config;
    Problems problems = applyAssignments(config, options.assignments);
    if (problems.empty()) problems = config.validate();
    if (problems.empty()) std::cout << config.toText(2) << '\n';
    return report("ringsidectl config: ", problems);
}

int validateFile(const ConfigOptions& options) {
    const std::filesystem::path path(options.validate);
    const Result<Json> json = readJsonFile(path);
    if (!json) return report("", {json.problem()});
    Problems problems;
    Result<RunConfig> config = RunConfig::fromJson(json.value(), &problems);
    if (config) {
        problems = applyAssignments(config.value(), options.assignments);
        if (problems.empty()) problems = config.value().validateForTraining();
        if (problems.empty()) problems = checkData(config.value(), path.parent_path());
    }
    if (problems.empty()) std::cout << path.string() << " is a valid experiment\n";
    return report(path.string() + ": ", problems);
}

int printModelSummary(const ConfigOptions& options) {
    const std::filesystem::path path(options.summary);
    const Result<Json> json = readJsonFile(path);
    if (!json) return report("", {json.problem()});
    Problems problems;
    Result<RunConfig> config = RunConfig::fromJson(json.value(), &problems);
    if (config) problems = applyAssignments(config.value(), options.assignments);
    if (problems.empty()) problems = config.value().validate();
    if (!problems.empty()) return report(path.string() + ": ", problems);
    const Result<DataSplit> data = loadDataset(config.value().dataset, path.parent_path());
    if (!data) return report(path.string() + ": ", {data.problem()});
    const Result<ModelDescription> model = describeModel(config.value().model, *data.value().training);
    if (!model) return report(path.string() + ": ", {model.problem()});
    std::cout << summaryText(summarizeModel(model.value(), config.value()));
    return static_cast<int>(ExitCode::kOk);
}

int runConfigCommand(const ConfigOptions& options) {
    if (options.schema) {
        std::cout << configSchema().dump(2) << '\n';
        return static_cast<int>(ExitCode::kOk);
    }
    if (!options.summary.empty()) return printModelSummary(options);
    return options.defaults ? printDefaults(options) : validateFile(options);
}

}  // namespace

void addConfigCommand(CLI::App& app, std::function<int()>& action) {
    const auto options = std::make_shared<ConfigOptions>();
    CLI::App* config = app.add_subcommand("config", kConfigDescription);
    config->footer(kConfigFooter);
    CLI::Option_group* what = config->add_option_group("Output");
    what->add_flag("--defaults", options->defaults,
                   "print the built-in experiment, which has the default value of every field");
    what->add_flag("--schema", options->schema,
                   "print the JSON Schema of an experiment, with help, limits and choices of each field");
    what->add_option("--validate", options->validate, "check this experiment file and its data")->type_name("FILE");
    what->add_option("--summary", options->summary,
                     "print the layers of the model in this file, with parameters, FLOPs and memory")
        ->type_name("FILE");
    what->require_option(1);
    config->add_option("--set", options->assignments, "change one field, as in --set loader.batch_size=64; repeatable")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->take_all();
    config->callback([options, &action] { action = [options] { return runConfigCommand(*options); }; });
}

}  // namespace ringside
