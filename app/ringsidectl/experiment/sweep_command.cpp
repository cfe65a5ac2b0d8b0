// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>
#include <set>
#include <span>
#include <sstream>

#include "base/json/json.h"
#include "base/text/number_text.h"
#include "data/loading/loader_sweep.h"
#include "devices/host_devices.h"
#include "experiment/experiment_file.h"
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

constexpr std::int64_t kMaxWorkers = 128;
constexpr std::size_t kMaxValues = 16;
constexpr double kMinSeconds = 0.01;
constexpr double kMaxSeconds = 600;

constexpr const char* kSweepFooter =
    "CONFIG is an experiment file (JSON), - for standard input, or nothing for the built-in experiment. Nothing is\n"
    "trained: the batches of all ranks (at most 16) are loaded at the same time, transformed and discarded, because "
    "the\n"
    "ranks of a computer share its CPUs. During training the ranks also compute while the workers load.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl sweep my.json\n"
    "  ringsidectl sweep my.json --num-workers 0,1,2,3 --seconds 10\n"
    "  ringsidectl sweep --json            one line per measurement, and the advice at the end";

struct SweepArguments {
    std::string config;
    std::vector<std::string> assignments;
    std::string numWorkers = "0,1,2,4,8";
    double seconds = 2;
    bool json = false;
};

// Parses a comma-separated list of numbers of loader workers. Returns them sorted, without duplicates.
Result<std::vector<std::int64_t>> workersToTry(const std::string& text) {
    std::set<std::int64_t> numbers;
    std::istringstream list(text);
    for (std::string word; std::getline(list, word, ',');) {
        std::int64_t number = -1;
        const char* end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, number);
        if (error != std::errc() || stop != end || number < 0 || number > kMaxWorkers)
            return Problem{"--num-workers", "has \"" + word + "\"; each must be a whole number from 0 to 128",
                           "write them as --num-workers 0,1,2,4"};
        numbers.insert(number);
    }
    if (numbers.empty() || numbers.size() > kMaxValues)
        return Problem{"--num-workers", "has " + std::to_string(numbers.size()) + " numbers; 1 to 16 can be tried",
                       "write them as --num-workers 0,1,2,4"};
    return std::vector<std::int64_t>(numbers.begin(), numbers.end());
}

// Returns the problems that prevent loading samples. Checks the same conditions that `ringsidectl run` checks before
// training.
Problems problemsOf(const RunConfig& config, const Result<DataSplit>& data) {
    if (!data) return {data.problem()};
    Problems problems = planProblems(epochSpec(config, data.value().training, 0));
    std::ranges::copy(transformProblems(config.loader, data.value().training->shape()), std::back_inserter(problems));
    return problems;
}

Json toJson(const LoaderRate& rate) {
    return {{"kind", "loader_rate"},
            {"num_workers", rate.numWorkers},
            {"ranks", rate.ranks},
            {"samples_per_second", rate.samplesPerSecond()},
            {"wait_ms", rate.loadMsPerBatch()},
            {"samples", rate.samples},
            {"batches", rate.batches},
            {"seconds", rate.seconds}};
}

// Returns the measured load as text: "batches of 32 for each of 4 ranks at once".
std::string loadText(const RunConfig& config, std::int64_t ranks) {
    const std::int64_t all = config.parallel.worldSize;
    std::string text = "batches of " + std::to_string(config.loader.batchSize);
    if (all == 1) return text;
    return text + " for each of " + std::to_string(ranks) + " ranks at once" +
           (ranks < all ? " (of " + std::to_string(all) + ")" : "");
}

void printHead(bool asJson, const RunConfig& config, const DataSplit& data, std::int64_t ranks, int cpus) {
    if (asJson) {
        const Json head = {{"kind", "loader_sweep"},
                           {"data", data.summary},
                           {"batch_size", config.loader.batchSize},
                           {"ranks", ranks},
                           {"cpus", cpus}};
        std::cout << head.dump() << std::endl;
        return;
    }
    std::cout << data.summary << "; " << loadText(config, ranks) << ", " << cpus << (cpus == 1 ? " CPU" : " CPUs")
              << "\n\nworkers    samples/s   ms per batch\n"
              << std::flush;
}

void printRate(bool asJson, const LoaderRate& rate) {
    if (asJson) {
        std::cout << toJson(rate).dump() << std::endl;
        return;
    }
    std::cout << fmt::format("{:7} {:>12} {:14.3f}\n", rate.numWorkers, grouped(std::llround(rate.samplesPerSecond())),
                             rate.loadMsPerBatch())
              << std::flush;
}

void printAdvice(bool asJson, const LoaderAdvice& advice) {
    if (asJson) {
        const Json line = {{"kind", "loader_advice"}, {"num_workers", advice.numWorkers}, {"text", advice.text}};
        std::cout << line.dump() << std::endl;
        return;
    }
    std::cout << '\n' << advice.text << "\nuse it: --set loader.num_workers=" << advice.numWorkers << '\n';
}

int measureAll(const SweepArguments& arguments, std::span<const std::int64_t> workers, const RunConfig& config,
               const DataSplit& data) {
    const SteadyClock clock;
    const int cpus = findHostDevices().cpus;
    const LoaderSweep sweep(config, data, clock);
    printHead(arguments.json, config, data, sweep.ranks(), cpus);
    std::vector<LoaderRate> rates;
    for (const std::int64_t count : workers) {
        rates.push_back(sweep.measure(count, std::chrono::duration<double>(arguments.seconds)));
        printRate(arguments.json, rates.back());
        if (!std::cout) throw IoError("the program that reads the measurements has closed the pipe");
    }
    printAdvice(arguments.json, adviseWorkers(rates, cpus));
    return 0;
}

int runSweep(const SweepArguments& arguments) {
    const Result<std::vector<std::int64_t>> workers = workersToTry(arguments.numWorkers);
    if (!workers) return reportProblems({workers.problem()});
    if (!(arguments.seconds >= kMinSeconds && arguments.seconds <= kMaxSeconds))
        return reportProblems(
            {{"--seconds", "must be from 0.01 to 600 seconds", "use 2 seconds, which are enough for most data sets"}});
    Problems problems;
    const Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, problems);
    if (!experiment) return reportProblems(problems);
    const RunConfig& config = experiment.value().config;
    problems = config.validate();
    if (!problems.empty()) return reportProblems(problems);
    const Result<DataSplit> data = loadDataset(config.dataset, experiment.value().baseDirectory);
    problems = problemsOf(config, data);
    if (!problems.empty()) return reportProblems(problems);
    return measureAll(arguments, workers.value(), config, data.value());
}

}  // namespace

void addSweepCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("sweep", "Measures how fast samples load with different numbers of workers");
    command->footer(kSweepFooter);
    auto arguments = std::make_shared<SweepArguments>();
    command->add_option("CONFIG", arguments->config, "Experiment file (default: the built-in experiment)");
    command
        ->add_option("--num-workers", arguments->numWorkers,
                     "Numbers of loader workers per rank to try, separated by commas")
        ->type_name("LIST")
        ->capture_default_str();
    command->add_option("--seconds", arguments->seconds, "Seconds to measure each number of workers")
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "Print one line of JSON per number of workers");
    command
        ->add_option("--set", arguments->assignments, "Change one field, as in --set loader.batch_size=64; repeatable")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->take_all();
    command->callback([arguments, &action] { action = [arguments] { return runSweep(*arguments); }; });
}

}  // namespace ringside
