// SPDX-License-Identifier: Apache-2.0
#include "results/compare_command.h"

#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include "base/text/terminal_text.h"
#include "experiment/experiment_file.h"
#include "run/read/run_comparison.h"
#include "watch/compare/tensor_comparison.h"

namespace ringside {
namespace {

constexpr int kDifferent = 1;  // exit code if the runs differ, the same as that of diff(1)

constexpr const char* kCompareFooter =
    "A and B are run directories, or any directories with a metrics.jsonl, such as an exported script's --out.\n"
    "Losses are compared step by step and epoch by epoch, relative to the larger of the two. Shards, weights,\n"
    "accuracy and configuration are reported but do not change the result. Steps of a long run that were recorded "
    "together\n"
    "are compared by mean, minimum and maximum. A run that continues from a checkpoint is compared from its first\n"
    "step on. A watched run whose ranks were restarted is compared up to the restart, and is never called equal.\n"
    "Of two watched runs, for example on one process and on several, weights and averaged gradients are compared\n"
    "after the steps 1, 2, 4, 8, ..., and the first tensor that differs by more than rounding is named.\n"
    "\n"
    "Exit codes: 0 the same steps with losses within the tolerance and no tensor that differs, 1 different or\n"
    "not completely compared, 2 a run cannot be read.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl compare runs/mine runs/pytorch\n"
    "  ringsidectl compare runs/first runs/again --tolerance 0      equal to the last bit\n"
    "  ringsidectl compare runs/a runs/b --json | python3 -m json.tool";

struct CompareArguments {
    std::string a;
    std::string b;
    double tolerance = 1e-5;
    double tensorTolerance = 1e-4;
    bool json = false;
};

// Compares the gradients and weights that two watched runs recorded. Returns an empty value if neither run was watched,
// because only watched runs record tensors.
std::optional<TensorComparison> tensorsOf(const CompareArguments& arguments, std::optional<std::int64_t> lastStep) {
    const Result<TensorRecord> a = readTensorRecord(arguments.a);
    const Result<TensorRecord> b = readTensorRecord(arguments.b);
    const TensorRecord none;
    const TensorRecord& ofA = a ? a.value() : none;
    const TensorRecord& ofB = b ? b.value() : none;
    if (!ofA.isWatched() && !ofB.isWatched()) return {};
    return compareTensors(ofA, ofB, arguments.tensorTolerance, lastStep);
}

Json jsonOf(const RunComparison& comparison, const std::optional<TensorComparison>& tensors) {
    Json json = comparison.toJson();
    json["tensors"] = tensors ? tensors->toJson() : Json(nullptr);
    return json;
}

bool isTolerance(double value) {
    return value >= 0 && !std::isinf(value);
}

int runCompare(const CompareArguments& arguments) {
    if (!isTolerance(arguments.tolerance))
        return reportProblems({{"--tolerance", "must be a number of at least 0", "use a number such as 1e-5"}});
    if (!isTolerance(arguments.tensorTolerance))
        return reportProblems({{"--tensor-tolerance", "must be a number of at least 0", "use a number such as 1e-4"}});
    Problems problems;
    const Result<RunRecord> a = readRunRecord(arguments.a);
    const Result<RunRecord> b = readRunRecord(arguments.b);
    for (const auto* run : {&a, &b}) {
        if (!*run) problems.push_back(run->problem());
    }
    if (!problems.empty()) return reportProblems(problems);
    const Result<RunComparison> comparison = compareRuns(a.value(), b.value(), arguments.tolerance);
    if (!comparison) return reportProblems({comparison.problem()});
    const std::optional<TensorComparison> tensors = tensorsOf(arguments, comparison.value().lastStep);
    std::cout << terminalJson(arguments.json ? jsonOf(comparison.value(), tensors).dump(2) + '\n'
                                             : comparison.value().text() + (tensors ? tensors->text() : ""));
    return comparison.value().equal() && !(tensors && tensors->first) ? 0 : kDifferent;
}

}  // namespace

void addCompareCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("compare", "Compares two runs step by step");
    command->footer(kCompareFooter);
    auto arguments = std::make_shared<CompareArguments>();
    command->add_option("A", arguments->a, "First run directory")->required();
    command->add_option("B", arguments->b, "Second run directory")->required();
    command
        ->add_option("--tolerance", arguments->tolerance, "Largest relative difference of losses that counts as equal")
        ->capture_default_str();
    command
        ->add_option("--tensor-tolerance", arguments->tensorTolerance,
                     "Largest relative difference of weights and averaged gradients of watched runs that counts as "
                     "rounding")
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "Print the findings as JSON");
    command->callback([arguments, &action] { action = [arguments] { return runCompare(*arguments); }; });
}

}  // namespace ringside
