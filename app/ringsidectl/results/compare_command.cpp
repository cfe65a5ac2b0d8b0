// SPDX-License-Identifier: Apache-2.0
#include "results/compare_command.h"

#include <cmath>
#include <iostream>
#include <memory>

#include "base/text/terminal_text.h"
#include "experiment/experiment_file.h"
#include "run/read/run_comparison.h"

namespace ringside {
namespace {

constexpr int kDifferent = 1;  // exit code, as for diff(1)

constexpr const char* kCompareFooter =
    "A and B are run directories, or any directories with a metrics.jsonl, such as an exported script's --out.\n"
    "Losses are compared step by step and epoch by epoch, relative to the larger of the two; shards, weights,\n"
    "accuracy and configuration are reported and decide nothing. Steps of a long run that were recorded together\n"
    "are compared by mean, minimum and maximum. A run that goes on from a checkpoint is compared from its first\n"
    "step on.\n"
    "\n"
    "Exit codes: 0 the same steps with losses within the tolerance, 1 different, 2 a run cannot be read.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl compare runs/mine runs/pytorch\n"
    "  ringsidectl compare runs/first runs/again --tolerance 0      equal to the last bit\n"
    "  ringsidectl compare runs/a runs/b --json | python3 -m json.tool";

struct CompareArguments {
    std::string a;
    std::string b;
    double tolerance = 1e-5;
    bool json = false;
};

int runCompare(const CompareArguments& arguments) {
    if (!(arguments.tolerance >= 0) || std::isinf(arguments.tolerance)) {
        return reportProblems({{"--tolerance", "must be a number from 0", "give one such as 1e-5"}});
    }
    Problems problems;
    const Result<RunRecord> a = readRunRecord(arguments.a);
    const Result<RunRecord> b = readRunRecord(arguments.b);
    for (const auto* run : {&a, &b}) {
        if (!*run) problems.push_back(run->problem());
    }
    if (!problems.empty()) return reportProblems(problems);
    const Result<RunComparison> comparison = compareRuns(a.value(), b.value(), arguments.tolerance);
    if (!comparison) return reportProblems({comparison.problem()});
    std::cout << terminalJson(arguments.json ? comparison.value().toJson().dump(2) + '\n' : comparison.value().text());
    return comparison.value().equal() ? 0 : kDifferent;
}

}  // namespace

void addCompareCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("compare", "How far two runs are apart, and from which step on");
    command->footer(kCompareFooter);
    auto arguments = std::make_shared<CompareArguments>();
    command->add_option("A", arguments->a, "A run directory")->required();
    command->add_option("B", arguments->b, "Another one")->required();
    command
        ->add_option("--tolerance", arguments->tolerance, "Largest relative difference of losses that counts as equal")
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "Print the findings as JSON");
    command->callback([arguments, &action] { action = [arguments] { return runCompare(*arguments); }; });
}

}  // namespace ringside
