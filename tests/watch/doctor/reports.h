// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "watch/evidence/evidence.h"
#include "watch/findings/diagnosis.h"

namespace ringside::testing {

// Replaces each "$R" by the rank.
inline std::string forRank(std::string text, int rank) {
    for (std::size_t at = text.find("$R"); at != std::string::npos; at = text.find("$R"))
        text.replace(at, 2, std::to_string(rank));
    return text;
}

// Handwritten reports of the ranks of a script, in the format of docs/watch-protocol.md.
class Reports {
  public:
    explicit Reports(int ranks) : m_ranks(ranks) {}

    // Adds facts of one rank. `facts` is a JSON object.
    Reports& fact(int rank, const std::string& about, const std::string& facts, std::int64_t timeUs = 0) {
        evidence.add(rank, ScriptFacts{rank, about, forRank(facts, rank), timeUs});
        return *this;
    }
    // Adds facts of all ranks.
    Reports& facts(const std::string& about, const std::string& text) {
        for (int rank = 0; rank < m_ranks; ++rank) fact(rank, about, text);
        return *this;
    }
    Reports& trained(int rank, std::int64_t loader, std::int64_t epoch, std::int64_t step, std::int64_t slot,
                     std::vector<std::int64_t> index) {
        evidence.add(rank, ConsumedIndices{rank, epoch, step, slot, std::move(index), loader});
        return *this;
    }
    // Adds a pass of one rank in which each of `batches` is trained, until the loader is exhausted.
    Reports& trainedPass(int rank, std::int64_t loader, std::int64_t pass, const std::string& more,
                         const std::vector<std::vector<std::int64_t>>& batches) {
        const std::string which = R"({"loader":)" + std::to_string(loader) + R"(,"pass":)" + std::to_string(pass);
        fact(rank, "pass", which + more + "}");
        std::int64_t slot = 0;
        for (const auto& one : batches) {
            trained(rank, loader, pass, ++m_step, slot, one);
            slot += static_cast<std::int64_t>(one.size());
        }
        fact(rank, "pass_end",
             which + R"(,"why":"exhausted","untrained":0,"trained":)" + std::to_string(batches.size()) +
                 R"(,"epoch":)" + std::to_string(pass) + "}");
        return *this;
    }
    // Adds an exhausted pass of one rank without a backward pass. evaluates: the model is in evaluation mode.
    Reports& evaluatedPass(int rank, std::int64_t loader, std::int64_t pass, const std::vector<std::int64_t>& index,
                           bool evaluates = true) {
        const std::string which = R"({"loader":)" + std::to_string(loader) + R"(,"pass":)" + std::to_string(pass);
        fact(rank, "pass", which + "}");
        std::string list;
        for (const std::int64_t one : index) list += (list.empty() ? "" : ",") + std::to_string(one);
        fact(rank, "batch", which + R"(,"batch":0,"index":[)" + list + "]}");
        return fact(rank, "pass_end",
                    which + R"(,"why":"exhausted","trained":0,"untrained":1,"evaluation_mode":)" +
                        (evaluates ? "true}" : "false}"));
    }
    Reports& state(int rank, RankStage state, std::int64_t pid = 0, std::int64_t timeUs = 0) {
        RankState one;
        one.rank = rank;
        one.state = state;
        one.pid = pid;
        one.timeUs = timeUs;
        evidence.add(rank, one);
        return *this;
    }
    Reports& checksums(int rank, std::int64_t step, std::vector<std::string> names, std::vector<std::int64_t> sums) {
        std::string hash;
        for (const std::int64_t one : sums) hash += std::to_string(one) + " ";
        evidence.add(rank, Replica{rank, step, hash, std::move(names), std::move(sums)});
        return *this;
    }
    // Adds steps 1, 2, ... of one rank with these losses, 10 ms each.
    Reports& steps(int rank, const std::vector<double>& losses, double learningRate = 0.1, std::int64_t dataUs = 0) {
        StepsFrame frame;
        frame.rank = rank;
        frame.learningRate = learningRate;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            frame.step.push_back(static_cast<std::int64_t>(i) + 1);
            frame.loss.push_back(losses[i]);
            frame.samples.push_back(4);
            frame.endUs.push_back(10000 * (static_cast<std::int64_t>(i) + 1));
            frame.dataUs.push_back(dataUs);
        }
        evidence.add(rank, frame);
        return *this;
    }
    Reports& event(int rank, const Event& one) {
        evidence.add(rank, one);
        return *this;
    }

    Diagnosis diagnosis() const { return findingsOf(evidence); }

    Evidence evidence;

  private:
    int m_ranks;
    std::int64_t m_step = 0;
};

// Returns the finding of a check. Without one, its text names the check's result.
inline Finding findingOf(const Diagnosis& diagnosis, const std::string& code) {
    const auto found = std::ranges::find(diagnosis.findings, code, &Finding::code);
    if (found != diagnosis.findings.end()) return *found;
    Finding none;
    none.text = "no finding " + code;
    return none;
}

// Returns the result of a check as in summary.json, or "found".
inline std::string resultOf(const Diagnosis& diagnosis, const std::string& code) {
    const auto found = std::ranges::find(diagnosis.checks, code, &CheckOutcome::code);
    if (found == diagnosis.checks.end()) return findingOf(diagnosis, code).code == code ? "found" : "missing";
    return std::string(namesOf(found->result)[static_cast<std::size_t>(found->result)]);
}

// Returns the reason of the result of a check without a finding; empty if there is none.
inline std::string reasonOfResult(const Diagnosis& diagnosis, const std::string& code) {
    const auto found = std::ranges::find(diagnosis.checks, code, &CheckOutcome::code);
    return found == diagnosis.checks.end() ? std::string() : found->why;
}

// Returns the codes of all findings except notes, in order.
inline std::vector<std::string> accusations(const Diagnosis& diagnosis) {
    std::vector<std::string> codes;
    for (const Finding& one : diagnosis.findings)
        if (one.severity != Severity::kNote) codes.push_back(one.code);
    return codes;
}

inline constexpr const char* kDistributedSampler =
    R"({"class":"torch.utils.data.sampler.BatchSampler","inner":{)"
    R"("class":"torch.utils.data.distributed.DistributedSampler","num_replicas":2,"rank":$R,"seed":0,"shuffle":true,)"
    R"("drop_last":false,"num_samples":8,"total_size":16}})";
inline constexpr const char* kRandomSampler =
    R"({"class":"torch.utils.data.sampler.BatchSampler","inner":{)"
    R"("class":"torch.utils.data.sampler.RandomSampler","replacement":false,"source_length":16}})";
inline constexpr const char* kData =
    R"({"class":"torch.utils.data.dataset.TensorDataset","object":1,"length":16,"content_crc32":[77,78]})";

// Returns the facts of loader `id` at train.py:`30 + id`. `more` replaces drop_last and num_workers.
inline std::string loaderFacts(int id, const std::string& sampler, const std::string& dataset,
                               const std::string& more = R"(,"drop_last":false,"num_workers":0)") {
    return R"({"id":)" + std::to_string(id) +
           R"(,"class":"torch.utils.data.dataloader.DataLoader","where":"train.py:)" + std::to_string(30 + id) +
           R"(","batch_size":4)" + more + R"(,"sampler":)" + sampler + R"(,"dataset":)" + dataset + "}";
}

// Reports of two ranks that train a model in DistributedDataParallel on 16 samples, without any mistake.
inline Reports healthyDdp(const std::string& sampler = kDistributedSampler, const std::string& dataset = kData) {
    Reports reports(2);
    reports.facts("process", R"({"world_size":2,"distributed":true,"script":"train.py"})");
    reports.facts("process_group_created", R"({"backend":"gloo","rank":$R,"world_size":2,"launcher_world_size":2})");
    reports.facts("data_parallel",
                  R"({"kind":"ddp","where":"train.py:20","ranks":[0,1],"find_unused_parameters":false,)"
                  R"("broadcast_buffers":true})");
    reports.facts("optimizer", R"({"id":0,"class":"torch.optim.sgd.SGD","where":"train.py:50","with_gradient":2,)"
                               R"("sharded":0,"groups":[{"lr":0.1,"tensors":2,"parameters":10}]})");
    reports.facts("loader", loaderFacts(0, sampler, dataset));
    reports.facts("step_counts", R"({"from_step":1,"backwards":1,"scheduler_steps":0,"all_reduces":1,"optimizers":[0],)"
                                 R"("batches":[0],"losses":["train.py:40"],"skipped":0})");
    reports.facts("loss", R"({"where":"train.py:40","function":"NllLossBackward0"})");
    for (int rank = 0; rank < 2; ++rank) {
        reports.steps(rank, {2.0 - rank, 1.5 - rank, 1.25 - rank, 1.0 - rank});
        for (const std::int64_t step : {0, 1, 2, 4}) reports.checksums(rank, step, {"w", "b"}, {step, step + 10});
    }
    return reports;
}

// Adds epochs in which two ranks read the 16 samples in two shards without padding, in another order for each epoch.
inline void healthyEpochs(Reports& reports) {
    reports.trainedPass(0, 0, 0, R"(,"sampler_epoch":0)", {{0, 2, 4, 6}, {8, 10, 12, 14}});
    reports.trainedPass(1, 0, 0, R"(,"sampler_epoch":0)", {{1, 3, 5, 7}, {9, 11, 13, 15}});
    reports.trainedPass(0, 0, 1, R"(,"sampler_epoch":1)", {{3, 7, 0, 1}, {9, 2, 15, 12}});
    reports.trainedPass(1, 0, 1, R"(,"sampler_epoch":1)", {{4, 5, 6, 8}, {10, 11, 13, 14}});
}

// Returns the numbers from `from` to `until` - 1.
inline std::vector<std::int64_t> range(std::int64_t from, std::int64_t until) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t one = from; one < until; ++one) numbers.push_back(one);
    return numbers;
}

// Returns the facts of a Subset of the 100 samples of data set object 7. Its indices must follow as facts "subset".
inline std::string subsetFacts(int object, int length, const std::string& hash) {
    return R"({"class":"torch.utils.data.dataset.Subset","object":)" + std::to_string(object) + R"(,"length":)" +
           std::to_string(length) + R"(,"indices_sha256":")" + hash +
           R"(","inner":{"class":"Base","object":7,"length":100,"content_crc32":[5]}})";
}

inline std::string listOf(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t one : numbers) text += (text.empty() ? "" : ",") + std::to_string(one);
    return "[" + text + "]";
}

}  // namespace ringside::testing
