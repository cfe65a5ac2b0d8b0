// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iostream>
#include <memory>
#include <optional>

#include "base/errors/exit_code.h"
#include "base/text/named_choice.h"
#include "base/text/number_text.h"
#include "devices/host_devices.h"
#include "plan/plan_answers.h"
#include "plan/plan_sample_history.h"
#include "plan/plan_settings.h"
#include "plan/plan_writers.h"
#include "plan/slow_progress.h"
#include "sampling/plan/plan_memory.h"

namespace ringside {
namespace {

constexpr const char* kPlanDescription =
    "Shows which rank gets which sample in one epoch, exactly as PyTorch's samplers and DataLoader assign them.";

constexpr const char* kPlanFooter = R"(Examples:
  ringsidectl plan --size 10 --world-size 4
      origin of the padding: ceil(10 / 4) = 3 samples per rank, so 2 samples are repeated (*)
  ringsidectl plan --size 10 --world-size 4 --drop-last
      the same without repeated samples: 2 samples are dropped, different samples in each epoch
  ringsidectl plan --size 1437 --world-size 4 --batch-size 32 --epoch 3 --rank 2
      the samples on which rank 2 trains in epoch 3
  ringsidectl plan --size 60000 --world-size 8 --format csv > plan.csv
  ringsidectl plan --size 1281167 --world-size 64 --format hash
      one SHA-256 per rank, over its indices as little-endian int64: compare with your own run
  ringsidectl plan --size 60000 --world-size 8 --find "#4242" --epoch 3
      the rank and the step that train on sample 4242
  ringsidectl plan --size 60000 --world-size 8 --batch-size 32 --biography 4242 --epochs 10
      its rank, step and batch in each of ten epochs
  ringsidectl plan --size 60000 --world-size 8 --seed-per-rank --damage
      how a different seed on each rank changes the coverage
  ringsidectl plan --config experiment.json --balance
      number of samples of each class on each rank, for the data of that experiment
  ringsidectl plan --data table.csv --world-size 4 --find class:1
      the ranks of the samples of a class, for a data file; a fifth of the file is the validation data

Formats:
  table  for people; long shards are shortened in the middle, duplicates have a *
  json   everything, with the batches of each rank; padded_positions count from 0 within a rank's indices
  csv    epoch,step,rank,slot,index,flag; epochs and slots count from 0, steps from 1; the step is empty where the
         loader's drop_last leaves a sample out, step, rank and slot are empty where the sampler's does
  hash   one line per rank: rank sha256)";

enum class PlanFormat : std::uint8_t { kTable, kJson, kCsv, kHash };
constexpr std::array<std::string_view, 4> namesOf(PlanFormat) {
    return {"table", "json", "csv", "hash"};
}

struct PlanOptions {
    PlanSettings settings;
    std::optional<int> rank = {};  // value of --rank; empty: all ranks
    std::string format = "table";
    std::string find;
    std::string diff;
    std::optional<std::int64_t> biography = {};
    bool neverSeen = false;
    bool balance = false;
    bool damage = false;
    std::optional<std::int64_t> epochs = {};  // value of --epochs; empty: the experiment's number of epochs, or 10
};

int refuse(const Problem& problem) {
    std::cerr << "ringsidectl plan: " << problem.text() << '\n';
    return static_cast<int>(ExitCode::kBadConfiguration);
}

// Returns the format chosen by --format. The word is valid, because it is checked when the command line is read.
PlanFormat formatOf(const PlanOptions& options) {
    return choiceNamed<PlanFormat>(options.format).value_or(PlanFormat::kTable);
}

int writeAnswer(const Result<PlanAnswer>& answer, PlanFormat format) {
    if (!answer) return refuse(answer.problem());
    TextOut out(stdout);
    switch (format) {
        case PlanFormat::kTable:
            out << answer.value().text;
            break;
        case PlanFormat::kJson:
            out << answer.value().json.dump() << "\n";
            break;
        case PlanFormat::kCsv:
        case PlanFormat::kHash:
            return refuse({"format", "is " + textOf(format) + ", which is for the complete plan",
                           "use --format table or json with a query"});
    }
    out.flush();
    return static_cast<int>(ExitCode::kOk);
}

Result<RankRange> wantedRanks(const PlanOptions& options, const ShardSpec& spec) {
    if (!options.rank) return RankRange{0, static_cast<int>(spec.worldSize)};
    if (*options.rank >= 0 && *options.rank < spec.worldSize) return RankRange{*options.rank, 1};
    return Problem{"rank",
                   "is " + std::to_string(*options.rank) + "; with world size " + std::to_string(spec.worldSize) +
                       " the last rank is " + std::to_string(spec.worldSize - 1),
                   "choose a rank from 0 to " + std::to_string(spec.worldSize - 1)};
}

int listPlan(const PlanOptions& options, const ShardSpec& spec) {
    std::atomic<std::int64_t> done{0};
    std::optional<SlowProgress> progress(std::in_place, ::isatty(STDERR_FILENO) == 1);
    progress->follow("assigning " + grouped(spec.datasetSize) + " samples", [&done, size = spec.datasetSize] {
        return static_cast<double>(done.load(std::memory_order_relaxed)) /
               static_cast<double>(std::max<std::int64_t>(size, 1));
    });
    const Result<ShardPlan> plan = ShardPlan::make(spec, {nullptr, &done});
    if (!plan) {
        progress.reset();
        return refuse(plan.problem());
    }
    const Result<RankRange> ranks = wantedRanks(options, spec);
    const PlanFormat format = formatOf(options);
    std::vector<std::string> hashes;
    if (ranks && format == PlanFormat::kHash) {
        const auto onProgress = [&](double share) { progress->show("computing the hashes", share); };
        onProgress(0);
        hashes = planHashes(plan.value(), ranks.value(), onProgress);
    }
    progress.reset();  // erases the progress line before other output
    if (!ranks) return refuse(ranks.problem());
    TextOut out(stdout);
    switch (format) {
        case PlanFormat::kTable:
            writePlanTable(plan.value(), ranks.value(), out);
            break;
        case PlanFormat::kJson:
            writePlanJson(plan.value(), ranks.value(), out);
            break;
        case PlanFormat::kCsv:
            writePlanCsv(plan.value(), ranks.value(), out);
            break;
        case PlanFormat::kHash:
            writePlanHashes(ranks.value(), hashes, out);
            break;
    }
    out.flush();
    return static_cast<int>(ExitCode::kOk);
}

int writePlan(const PlanOptions& options) {
    const Result<PlanSource> source = readPlanSource(options.settings);
    if (!source) return refuse(source.problem());
    const PlanSource& from = source.value();
    const std::int64_t epoch = options.settings.epoch;
    const std::int64_t epochs = options.epochs.value_or(from.config.training.epochs);
    if (epochs < 1 || epochs > 1000000) {
        return refuse({"epochs", "is " + std::to_string(epochs) + "; it is at least 1 and at most 1000000",
                       "choose a number of epochs, such as 10"});
    }
    const bool isQuestion = options.biography || options.neverSeen || options.balance || options.damage ||
                            !options.find.empty() || !options.diff.empty();
    const std::int64_t bytes = isQuestion ? kQueryBytesPerSample : kListBytesPerSample;
    if (const auto problem = planMemoryProblem(from.size, bytes, findHostDevices().availableBytes))
        return refuse(*problem);
    if (!options.find.empty()) return writeAnswer(queryFind(from, epoch, epochs, options.find), formatOf(options));
    if (options.biography) {
        return writeAnswer(querySampleHistory(from, *options.biography, epochs), formatOf(options));
    }
    if (options.neverSeen) return writeAnswer(queryNeverSeen(from, epochs), formatOf(options));
    if (!options.diff.empty()) return writeAnswer(queryDiff(from, epoch, options.diff), formatOf(options));
    if (options.balance) return writeAnswer(queryBalance(from, epoch), formatOf(options));
    if (options.damage) return writeAnswer(queryMistakeEffects(from, epoch), formatOf(options));
    return listPlan(options, from.specAt(epoch));
}

void addQuestions(CLI::App& plan, PlanOptions& options) {
    CLI::App* questions = plan.add_option_group("Questions", "Queries, shown instead of the plan");
    questions->add_option("--find", options.find,
                          "show the positions of \"#4242\", \"class:7\", \"rank:3 epoch:2\", dup, dropped");
    questions->add_option("--biography", options.biography,
                          "show one sample in epochs 0 to --epochs - 1: rank, step, slot, samples of the same batch");
    questions->add_flag("--never-seen", options.neverSeen,
                        "list the samples that no rank trains on in epochs 0 to --epochs - 1");
    questions->add_option("--diff", options.diff,
                          "compare the plan with that of other settings, such as seed=1,world_size=8,epoch=2");
    questions->add_flag("--balance", options.balance,
                        "count the samples of each class on each rank, compared with chance; needs --config or --data");
    questions->add_flag("--damage", options.damage,
                        "count the samples that are used, and those that two ranks share, compared with chance");
    questions->require_option(0, 1);
    plan.add_option("--epochs", options.epochs,
                    "number of epochs for --never-seen and --biography (default: the experiment's, or 10)");
}

}  // namespace

void addPlanCommand(CLI::App& app, std::function<int()>& action) {
    const auto options = std::make_shared<PlanOptions>();
    CLI::App* plan = app.add_subcommand("plan", kPlanDescription);
    plan->footer(kPlanFooter);
    addPlanSettings(*plan, options->settings);
    addQuestions(*plan, *options);
    plan->add_option("--rank", options->rank, "show only this rank (default: all ranks)");
    plan->add_option("--format", options->format, "output format: table, json, csv or hash")
        ->check(CLI::IsMember({"json", "csv", "table", "hash"}))
        ->capture_default_str();
    plan->callback([options, &action] { action = [options] { return writePlan(*options); }; });
}

}  // namespace ringside
