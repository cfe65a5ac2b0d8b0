// SPDX-License-Identifier: Apache-2.0
#include "results/prove_command.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <sstream>

#include "base/json/json.h"
#include "base/system/signal_input.h"
#include "base/system/work_directory.h"
#include "base/text/terminal_text.h"
#include "experiment/experiment_file.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/prepare/prepared_run.h"
#include "run/prove/proof.h"
#include "run/training/training_child.h"

namespace ringside {
namespace {

constexpr int kUnequal = 1;
constexpr std::int64_t kMaxProofSteps = 100'000;

constexpr const char* kProveFooter =
    "CONFIG is an experiment file (JSON), - for standard input, or nothing for the built-in experiment. It is trained "
    "for\n"
    "some steps with each strategy, on the CPU over shared memory, and the weights are compared bit by bit. If they\n"
    "differ, the command reports the first step and tensor that differ, with the reason.\n"
    "\n"
    "Exit codes: 0 all strategies that must be equal are equal, 1 one differs, 2 the experiment cannot be trained, or "
    "no\n"
    "strategy could be tested.\n"
    "Strategies that could not be tested do not count: the last line has their number, and --json has \"equal\": "
    "null.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl prove my.json\n"
    "  ringsidectl prove --steps 50 --strategies fsdp:parameters,pipeline:1f1b,large_batch --json";

struct ProveArguments {
    std::string config;
    std::vector<std::string> assignments;
    std::int64_t steps = 20;
    std::string strategies;
    bool json = false;
};

Result<std::filesystem::path> trainCase(const ProofCase& what, std::int64_t steps,
                                        const std::filesystem::path& directory, int stopFd) {
    RunConfig config = what.config;
    config.training.maxSteps = steps;
    const Problems problems = config.validateForTraining();
    if (!problems.empty()) return problems.front();
    std::string name = what.name + "-" + std::to_string(steps);
    std::ranges::replace(name, ':', '-');
    const Result<TrainedChild> child = TrainingChild("/proc/self/exe", config, name, directory).wait(stopFd);
    if (!child) return child.problem();
    for (const auto& entry : std::filesystem::directory_iterator(child.value().run / kCheckpointsName))
        if (std::filesystem::exists(entry.path() / "model.safetensors")) return entry.path() / "model.safetensors";
    return Problem{"", "the training saved no weights", "see the log of the training"};
}

Result<std::vector<std::string>> chosenNames(const std::string& list, const std::vector<ProofCase>& cases) {
    std::vector<std::string> names;
    std::string known;
    for (const ProofCase& one : cases) known += (known.empty() ? "" : ", ") + one.name;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        if (std::ranges::find(cases, word, &ProofCase::name) == cases.end())
            return Problem{"--strategies", "has \"" + word + "\"", "choose from " + known};
        names.push_back(word);
    }
    if (names.empty())
        for (const ProofCase& one : cases) names.push_back(one.name);
    return names;
}

int runProve(const ProveArguments& arguments) {
    if (arguments.steps < 1 || arguments.steps > kMaxProofSteps)
        return reportProblems({{"--steps", "is " + std::to_string(arguments.steps), "choose from 1 to 100000"}});
    Problems problems;
    const Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, problems);
    if (!experiment) return reportProblems(problems);
    RunConfig config = experiment.value().config;
    config.parallel.device = DeviceChoice::kCpu;
    const Result<PreparedRun> prepared = prepareRun(config, experiment.value().baseDirectory, &problems);
    if (!prepared) return reportProblems(problems.empty() ? Problems{prepared.problem()} : problems);
    config.dataset = prepared.value().config.dataset;  // the data set with absolute paths

    const UniqueFd signals = signalInput({SIGINT, SIGTERM});
    const WorkDirectory directory("prove");
    Proof proof(proofCases(config, arguments.steps, prepared.value().trainingSamples),
                [&](const ProofCase& what, std::int64_t steps) {
                    return trainCase(what, steps, directory.path(), signals.get());
                });
    const Result<std::vector<std::string>> names = chosenNames(arguments.strategies, proof.cases());
    if (!names) return reportProblems({names.problem()});
    if (const std::vector<std::string> leftOut = settingsLeftOut(config); !leftOut.empty())
        std::cerr << "ringsidectl prove: no tested strategy uses these settings: "
                  << terminalText(fmt::to_string(fmt::join(leftOut, ", "))) << std::endl;
    ProofTally tally;
    for (const std::string& name : names.value()) {
        const ProofLine line = proof.prove(*std::ranges::find(proof.cases(), name, &ProofCase::name));
        tally.add(line);
        std::cout << (arguments.json ? terminalJson(line.toJson().dump()) : terminalText(line.text())) << std::endl;
    }
    if (!arguments.json) std::cout << tally.text() << std::endl;
    if (!tally.hasResult()) return static_cast<int>(ExitCode::kBadConfiguration);
    return tally.isAsExpected() ? 0 : kUnequal;
}

}  // namespace

void addProveCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command =
        app.add_subcommand("prove", "Trains an experiment with every strategy and compares the weights bit by bit");
    command->footer(kProveFooter);
    auto arguments = std::make_shared<ProveArguments>();
    command->add_option("CONFIG", arguments->config, "Experiment file (default: the built-in experiment)");
    command->add_option("--set", arguments->assignments, "Change a setting: --set parallel.world_size=2");
    command
        ->add_option("--steps", arguments->steps,
                     "Number of steps to train, within the first epoch unless training.reduction is canonical")
        ->capture_default_str();
    command->add_option("--strategies", arguments->strategies, "Test only these strategies, separated by commas");
    command->add_flag("--json", arguments->json, "Print one line of JSON per strategy");
    command->callback([arguments, &action] { action = [arguments] { return runProve(*arguments); }; });
}

}  // namespace ringside
