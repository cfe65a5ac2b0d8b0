// SPDX-License-Identifier: Apache-2.0
#include "plan_command.h"

#include <iostream>
#include <memory>
#include <optional>

#include "base/exit_code.h"
#include "plan_writers.h"

namespace ringside {
namespace {

constexpr const char* kDescription =
    "Which rank gets which sample in one epoch, exactly as torch.utils.data.DistributedSampler and DataLoader deal "
    "them.";

constexpr const char* kFooter = R"(Examples:
  ringsidectl plan --size 10 --world-size 4
      where the padding comes from: ceil(10 / 4) = 3 per rank, so 2 samples are repeated (*)
  ringsidectl plan --size 10 --world-size 4 --drop-last
      the same without repeats: 2 samples are dropped, others in each epoch
  ringsidectl plan --size 1437 --world-size 4 --batch-size 32 --epoch 3 --rank 2
      what rank 2 trains in epoch 3
  ringsidectl plan --size 60000 --world-size 8 --format csv > plan.csv
  ringsidectl plan --size 1281167 --world-size 64 --format hash
      one SHA-256 per rank, over its indices as little-endian int64: compare with your own run

Formats:
  table  for people; long shards are shortened in the middle, duplicates have a *
  json   everything, with the batches of each rank; padded_positions count from 0 within a rank's indices
  csv    epoch,step,rank,slot,index,flag; epochs and slots count from 0, steps from 1; the step is empty where the
         loader's drop_last leaves a sample out, step, rank and slot are empty where the sampler's does
  hash   one line per rank: rank sha256)";

struct PlanOptions {
    ShardSpec spec;
    std::optional<int> rank = {};  // empty: all
    std::string format = "table";
};

int refuse(const Problem& problem) {
    std::cerr << "ringsidectl plan: " << problem.text() << '\n';
    return static_cast<int>(ExitCode::kBadConfiguration);
}

int writePlan(const PlanOptions& options) {
    const ShardSpec& spec = options.spec;
    Result<ShardPlan> plan = ShardPlan::make(spec);
    if (!plan) return refuse(plan.problem());
    if (options.rank && (*options.rank < 0 || *options.rank >= spec.worldSize)) {
        return refuse({"rank",
                       "is " + std::to_string(*options.rank) + "; with world size " + std::to_string(spec.worldSize) +
                           " the last one is " + std::to_string(spec.worldSize - 1),
                       "choose a rank from 0 to " + std::to_string(spec.worldSize - 1)});
    }
    const RankRange ranks = options.rank ? RankRange{*options.rank, 1} : RankRange{0, static_cast<int>(spec.worldSize)};
    TextOut out(stdout);
    if (options.format == "json") writePlanJson(plan.value(), ranks, out);
    if (options.format == "csv") writePlanCsv(plan.value(), ranks, out);
    if (options.format == "hash") writePlanHashes(plan.value(), ranks, out);
    if (options.format == "table") writePlanTable(plan.value(), ranks, out);
    out.flush();
    return static_cast<int>(ExitCode::kOk);
}

}  // namespace

void addPlanCommand(CLI::App& app, std::function<int()>& action) {
    const auto options = std::make_shared<PlanOptions>();
    ShardSpec& spec = options->spec;
    CLI::App* plan = app.add_subcommand("plan", kDescription);
    plan->footer(kFooter);
    plan->add_option("--size", spec.datasetSize, "number of samples, 0 to 2147483647")->required();
    plan->add_option("--world-size", spec.worldSize, "number of ranks, 1 to 4096")->required();
    plan->add_option("--epoch", spec.epoch, "epoch, as given to set_epoch")->capture_default_str();
    plan->add_option("--seed", spec.seed, "the sampler's seed; the shuffle uses seed + epoch")->capture_default_str();
    plan->add_flag("--shuffle,!--no-shuffle", spec.shuffle, "shuffle (default), or keep the order of the data set");
    plan->add_flag("--drop-last", spec.dropLast, "the sampler drops what does not divide evenly, instead of repeating");
    plan->add_option("--batch-size", spec.batchSize, "samples per rank and step")->capture_default_str();
    plan->add_flag("--loader-drop-last", spec.loaderDropLast, "the loader drops each rank's last, incomplete batch");
    plan->add_option("--rank", options->rank, "only this rank (default: all)");
    plan->add_option("--format", options->format, "table, json, csv or hash")
        ->check(CLI::IsMember({"json", "csv", "table", "hash"}))
        ->capture_default_str();
    plan->callback([options, &action] { action = [options] { return writePlan(*options); }; });
}

}  // namespace ringside
