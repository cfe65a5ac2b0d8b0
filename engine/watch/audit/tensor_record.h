// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "base/json/json.h"
#include "telemetry/events/events.h"

namespace ringside {

// Norm and sum of one tensor. NaN: not known, for example of a weight without a gradient.
struct TensorNumbers {
    double norm = 0;
    double sum = 0;
};

// Weights and averaged gradients of one optimizer after one of its steps, in the optimizer's order.
struct TensorCheck {
    std::vector<std::string> names;
    std::vector<std::int64_t> sizes;
    std::vector<TensorNumbers> weights, gradients;
};

// Samples of one step of all ranks, independent of their order and of the ranks that they were assigned to.
struct StepSamples {
    std::int64_t count = 0;
    std::uint64_t hash = 0;  // sum of the hashes of all indices
    bool operator==(const StepSamples&) const = default;
};

// Number of optimizer steps made; 0: before the first step.
struct TensorStep {
    std::int64_t step = 0;
    std::int64_t optimizer = 0;
    auto operator<=>(const TensorStep&) const = default;  // NOLINT(modernize-use-nullptr): <=> compares with 0
};

// Numbers of the tensors of a watched run, from the "tensors" facts of its lowest rank.
class TensorRecord {
  public:
    static constexpr std::int64_t kMostSteps = 1 << 16;  // limit of the number of steps whose samples are compared
    static constexpr std::size_t kMostChecks = 1024;

    void add(const Event& event);

    // Steps of an attempt that do not count, because the restarted ranks continue from the weights of `from`.
    struct Discarded {
        std::optional<std::int64_t> from;  // latest step that counts; empty: no measured step fits, and all count
        std::int64_t to = 0;               // last step before the restart
        bool contains(std::int64_t step) const { return from && step > *from && step <= to; }
    };
    // Returns the discarded steps of each restart within the run, in their order.
    const std::vector<Discarded>& discarded() const { return m_discarded; }

    bool isWatched() const { return m_watched; }
    int worldSize() const { return m_worldSize; }
    const std::map<TensorStep, TensorCheck>& checks() const { return m_checks; }
    // Returns the samples of each step, by step.
    const std::map<std::int64_t, StepSamples>& samples() const { return m_samples; }
    // Returns the steps whose gradients differ between the ranks: they are not averaged.
    const std::set<TensorStep>& unequalGradients() const { return m_unequal; }
    // Returns the number of tensors that are not reported, such as shards.
    std::int64_t leftOut() const { return m_leftOut; }
    std::int64_t badFacts() const { return m_bad; }
    bool is16Bit() const { return m_is16Bit; }  // returns true if the weights are bfloat16 or float16

  private:
    void addTensors(int rank, const Json& facts);
    void addProcess(int rank);
    void addStart(const TensorCheck& start);

    std::map<TensorStep, TensorCheck> m_checks;
    std::map<TensorStep, int> m_rankOf;  // lowest rank that has reported each step
    std::set<TensorStep> m_unequal;
    std::vector<Discarded> m_discarded;
    std::map<int, int> m_attempts;   // number of restarts of each rank
    int m_attempt = 0;               // number of restarts of the run
    std::int64_t m_lastStep = 0;     // largest number of a step of the run
    std::int64_t m_stepsBefore = 0;  // number of steps before the latest restart
    std::map<std::int64_t, StepSamples> m_samples;
    std::int64_t m_leftOut = 0;
    std::int64_t m_bad = 0;
    int m_worldSize = 1;
    bool m_watched = false;
    bool m_is16Bit = false;
};

// Returns the step after which `before` had the weights that `after` starts with: the step of the checkpoint that
// `after` continues from. Empty if no measured step fits; steps with a checkpoint are measured.
std::optional<std::int64_t> resumedStep(const TensorRecord& before, const TensorRecord& after);

// Reads the tensors of a recorded run. Returns a problem if its telemetry cannot be read. Blocks on the disk.
Result<TensorRecord> readTensorRecord(const std::filesystem::path& run);

}  // namespace ringside
