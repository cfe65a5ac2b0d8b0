// SPDX-License-Identifier: Apache-2.0
#include "results/prove_command.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <sstream>

#include "base/child_process.h"
#include "base/files.h"
#include "base/json.h"
#include "base/terminal_text.h"
#include "experiment/experiment_file.h"
#include "run/prepare/prepared_run.h"
#include "run/prove/proof.h"
#include "run/read/run_directory.h"
#include "run/read/run_summary.h"

namespace ringside {
namespace {

constexpr int kUnequal = 1;
constexpr std::int64_t kMostProofSteps = 100'000;

constexpr const char* kProveFooter =
    "CONFIG is an experiment file (JSON), - for standard input, or nothing for the built-in experiment. It is trained "
    "for\n"
    "some steps under each strategy, on the CPU over shared memory, and the weights are compared bit for bit. Where "
    "they\n"
    "differ, the first step and tensor that do are searched for, and why is said.\n"
    "\n"
    "Exit codes: 0 what must be equal is equal, 1 something is not, 2 the experiment cannot be trained.\n"
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

// A directory that goes with its owner.
class WorkDirectory {
  public:
    WorkDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "ringside-prove-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw IoError("no temporary directory can be made in " + name);
        m_path = name;
    }
    ~WorkDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    WorkDirectory(const WorkDirectory&) = delete;
    WorkDirectory& operator=(const WorkDirectory&) = delete;
    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

// Everything the program said; returns when it has ended.
std::string outputOf(ChildProcess& child) {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t count = 1; count > 0;) {
        count = ::read(child.outputFd(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR)
            count = 1;
        else if (count > 0)
            text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    pollfd end{child.exitFd(), POLLIN, 0};
    while (!child.poll()) ::poll(&end, 1, 1000);
    return text;
}

std::string lastLineOf(const std::string& text) {
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) last = line;
    return last;
}

Result<std::filesystem::path> trainCase(const ProofCase& what, std::int64_t steps,
                                        const std::filesystem::path& directory) {
    RunConfig config = what.config;
    config.training.maxSteps = steps;
    const Problems problems = config.validateForTraining();
    if (!problems.empty()) return problems.front();
    std::string name = what.name + "-" + std::to_string(steps);
    std::ranges::replace(name, ':', '-');
    const std::filesystem::path out = directory / name;
    writeFileAtomically(directory / (name + ".json"), config.toText(2));
    ChildOptions options;
    options.program = "/proc/self/exe";
    options.arguments = {"run", (directory / (name + ".json")).string(), "--out", out.string()};
    ChildProcess child(options);
    const std::string said = outputOf(child);
    const Result<RunSummary> summary = readRunSummary(RunPaths(out).summary());
    if (child.end()->signalled || child.end()->code != 0 || !summary) {
        const std::string verdict = summary ? summary.value().verdict : "";
        return Problem{what.name, verdict.empty() ? lastLineOf(said) : verdict,
                       "leave it out, or change the experiment"};
    }
    for (const auto& entry : std::filesystem::directory_iterator(out / "checkpoints"))
        if (std::filesystem::exists(entry.path() / "model.safetensors")) return entry.path() / "model.safetensors";
    return Problem{what.name, "left no weights", "see its log"};
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
    if (arguments.steps < 1 || arguments.steps > kMostProofSteps)
        return reportProblems({{"--steps", "is " + std::to_string(arguments.steps), "choose from 1 to 100000"}});
    Problems problems;
    const Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, problems);
    if (!experiment) return reportProblems(problems);
    RunConfig config = experiment.value().config;
    config.parallel.device = "cpu";
    const Result<PreparedRun> prepared = prepareRun(config, experiment.value().baseDirectory, &problems);
    if (!prepared) return reportProblems(problems.empty() ? Problems{prepared.problem()} : problems);
    config.dataset = prepared.value().config.dataset;  // with absolute paths

    const WorkDirectory directory;
    Proof proof(
        proofCases(config, arguments.steps, prepared.value().trainingSamples),
        [&directory](const ProofCase& what, std::int64_t steps) { return trainCase(what, steps, directory.path()); });
    const Result<std::vector<std::string>> names = chosenNames(arguments.strategies, proof.cases());
    if (!names) return reportProblems({names.problem()});
    bool asItMust = true;
    for (const std::string& name : names.value()) {
        const ProofLine line = proof.prove(*std::ranges::find(proof.cases(), name, &ProofCase::name));
        asItMust = asItMust && line.asItMust;
        std::cout << (arguments.json ? terminalJson(line.toJson().dump()) : terminalText(line.text())) << std::endl;
    }
    return asItMust ? 0 : kUnequal;
}

}  // namespace

void addProveCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("prove", "Train an experiment under every strategy and compare the bits");
    command->footer(kProveFooter);
    auto arguments = std::make_shared<ProveArguments>();
    command->add_option("CONFIG", arguments->config, "An experiment file");
    command->add_option("--set", arguments->assignments, "Change a setting: --set parallel.world_size=2");
    command->add_option("--steps", arguments->steps, "Steps to train, within the first epoch")->capture_default_str();
    command->add_option("--strategies", arguments->strategies, "Only these, separated by commas");
    command->add_flag("--json", arguments->json, "A line of JSON for each");
    command->callback([arguments, &action] { action = [arguments] { return runProve(*arguments); }; });
}

}  // namespace ringside
