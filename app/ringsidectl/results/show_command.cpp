// SPDX-License-Identifier: Apache-2.0
#include "results/show_command.h"

#include <cstdio>
#include <iostream>
#include <memory>

#include "base/json.h"
#include "base/terminal_text.h"
#include "experiment/experiment_file.h"
#include "run/record/run_directory.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxSummaryBytes = 16U << 20;

constexpr const char* kShowFooter =
    "Examples:\n"
    "  ringsidectl show runs/first\n"
    "  ringsidectl show runs/first --json | python3 -m json.tool";

std::string text(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return "-";
    return found->is_string() ? found->get<std::string>() : found->dump();
}

double number(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

bool has(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number();
}

void row(const char* name, const std::string& value) {
    std::printf("%-14s %s\n", name, terminalText(value).c_str());
}

std::string metrics(const Json& json, const char* lossKey, const char* accuracyKey) {
    char line[96];
    if (has(json, accuracyKey)) {
        std::snprintf(line, sizeof line, "accuracy %.2f %%, loss %.4f", 100 * number(json, accuracyKey),
                      number(json, lossKey));
    } else {
        std::snprintf(line, sizeof line, "loss %.4f", number(json, lossKey));
    }
    return line;
}

void printMetrics(const Json& summary) {
    const Json last = summary.value("final", Json::object());
    const Json best = summary.value("best", Json::object());
    if (has(last, "train_loss")) row("training", metrics(last, "train_loss", "train_accuracy"));
    if (has(last, "val_loss")) {
        row("validation", metrics(last, "val_loss", "val_accuracy") + " (" + text(last, "val_samples") + " samples)");
    }
    if (has(best, "val_loss")) {
        row("best", metrics(best, "val_loss", "val_accuracy") + ", after epoch " +
                        std::to_string(static_cast<long long>(number(best, "epoch")) + 1));
    }
}

void printShards(const Json& summary) {
    const auto verified = summary.find("plan_verified");
    if (verified == summary.end() || !verified->is_boolean()) return;
    const auto mismatch = summary.find("plan_mismatch");
    const bool told = mismatch != summary.end() && mismatch->is_object();
    const auto audited = static_cast<long long>(number(summary, "plan_audited_epochs"));
    row("shards", verified->get<bool>()
                      ? "verified in " + std::to_string(audited) + (audited == 1 ? " epoch" : " epochs") +
                            ": every rank trained on the samples planned for it"
                      : "not as planned: " + (told ? text(*mismatch, "text") : "in epoch 0"));
}

void printSummary(const RunPaths& paths, const Json& summary) {
    char speed[128];
    std::snprintf(speed, sizeof speed, "%s steps in %.2f s (%.0f steps/s, %.0f samples/s)",
                  text(summary, "steps").c_str(), number(summary, "train_seconds"), number(summary, "steps_per_second"),
                  number(summary, "samples_per_second"));
    row("name", text(summary, "name"));
    row("state", text(summary, "state") + ": " + text(summary, "verdict"));
    if (has(summary, "first_failed_rank")) row("first failed", "rank " + text(summary, "first_failed_rank"));
    for (const Json& line : summary.value("last_lines", Json::array())) {
        if (line.is_string()) std::printf("  | %s\n", terminalText(line.get<std::string>()).c_str());
    }
    row("ranks", text(summary, "world_size"));
    row("device", text(summary, "why_device"));
    row("backend", text(summary, "why_backend"));
    row("trained", speed);
    printMetrics(summary);
    printShards(summary);
    if (!text(summary, "time_verdict").empty() && text(summary, "time_verdict") != "-")
        row("time", text(summary, "time_verdict"));
    row("run directory", paths.directory.string());
}

int showCommand(const std::string& directory, bool asJson) {
    const Result<RunPaths> paths = openRunDirectory(directory);
    if (!paths) return reportProblems({paths.problem()});
    std::error_code ignored;
    if (!std::filesystem::exists(paths.value().summary(), ignored)) {
        const bool alive = isRunAlive(paths.value().directory);
        return reportProblems({{directory, alive ? "is still running" : "has no summary: its supervisor was killed",
                                "ringsidectl attach " + directory + " shows what there is"}});
    }
    const Result<Json> summary = readJsonFile(paths.value().summary(), kMaxSummaryBytes);
    if (!summary) return reportProblems({summary.problem()});
    if (!summary.value().is_object()) {
        return reportProblems({{paths.value().summary().string(), "is no run summary", "name another run directory"}});
    }
    if (asJson) {
        std::cout << terminalJson(summary.value().dump(2)) << '\n';
    } else {
        printSummary(paths.value(), summary.value());
    }
    return 0;
}

}  // namespace

void addShowCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("show", "What a run came to: state, verdict, speed, metrics");
    command->footer(kShowFooter);
    auto directory = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    command->add_option("RUN_DIR", *directory, "The run directory")->required();
    command->add_flag("--json", *json, "Print summary.json");
    command->callback(
        [directory, json, &action] { action = [directory, json] { return showCommand(*directory, *json); }; });
}

}  // namespace ringside
