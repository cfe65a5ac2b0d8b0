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
#include "watch/audit/attempt_numbers.h"

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

// Samples that all ranks together have trained in one step. Equal for two steps with the same samples, regardless of
// the order of the samples and of the ranks.
struct StepSamples {
    std::int64_t count = 0;
    std::uint64_t hash = 0;  // sum of the hashes of all sample indices
    bool operator==(const StepSamples&) const = default;
};

// Number of optimizer steps made; 0: before the first step.
struct TensorStep {
    std::int64_t step = 0;
    std::int64_t optimizer = 0;
    auto operator<=>(const TensorStep&) const = default;  // NOLINT(modernize-use-nullptr): <=> compares with 0
};

// Norms and sums of the tensors of a watched run, from the "tensors" facts of its lowest rank.
class TensorRecord {
  public:
    static constexpr std::int64_t kMaxSteps = 1 << 16;  // limit of the number of steps whose samples are compared
    static constexpr std::size_t kMaxChecks = 1024;

    void add(const Event& event);

    // Steps of an attempt that were discarded by a restart, because the restarted ranks continue from the weights after
    // step `from`.
    struct Discarded {
        std::optional<std::int64_t> from;  // last step before the discarded ones, from whose weights the ranks
                                           // continue; empty if no recorded weights match those after the restart: then
                                           // no step counts as discarded
        std::int64_t to = 0;               // last step before the restart
        int attempt = 0;                   // number of the attempt that the restart began
        // True if a step of this attempt was discarded. The first step after the restart can have the same number as a
        // discarded step that some ranks could not finish, so the attempt is compared, and not only the number.
        bool contains(std::int64_t step, int ofAttempt) const { return from && ofAttempt < attempt && step > *from; }
    };
    // Returns the discarded steps of each restart within the run, in their order.
    const std::vector<Discarded>& discarded() const { return m_discarded; }

    bool isWatched() const { return m_watched; }
    int worldSize() const { return m_worldSize; }
    const std::map<TensorStep, TensorCheck>& checks() const { return m_checks; }
    // Returns the samples of each step, by the number of the step.
    const std::map<std::int64_t, StepSamples>& samples() const { return m_samples; }
    // Returns the steps in which the averaged gradients of the ranks differ, which shows that the script does not
    // average them.
    const std::set<TensorStep>& unequalGradients() const { return m_unequal; }
    // Returns the number of tensors that are not reported, such as shards.
    std::int64_t unreportedTensors() const { return m_unreportedTensors; }
    std::int64_t badFacts() const { return m_bad; }
    bool is16Bit() const { return m_is16Bit; }  // returns true if the weights are bfloat16 or float16

  private:
    void addTensors(int rank, const Json& facts);
    void beginAttempt(int attempt);
    void addStart(const TensorCheck& start);

    std::map<TensorStep, TensorCheck> m_checks;
    std::map<TensorStep, int> m_rankOf;  // lowest rank that has reported each step
    std::set<TensorStep> m_unequal;
    std::vector<Discarded> m_discarded;
    AttemptNumbers m_attempts;
    int m_attempt = 0;               // number of restarts of the run
    std::int64_t m_lastStep = 0;     // number of the latest finished step of the run
    std::int64_t m_lastTrained = 0;  // number of the latest step of the run, which may be unfinished
    std::int64_t m_stepsBefore = 0;  // number of steps before the latest restart
    std::map<std::int64_t, StepSamples> m_samples;
    std::int64_t m_unreportedTensors = 0;
    std::int64_t m_bad = 0;
    int m_worldSize = 1;
    bool m_watched = false;
    bool m_is16Bit = false;
};

// Returns the step of `before` after which its weights equalled the first weights of `after`: the step of the
// checkpoint from which `after` continues. Empty if no step with recorded weights matches. Weights are recorded at each
// step with a checkpoint.
std::optional<std::int64_t> resumedStep(const TensorRecord& before, const TensorRecord& after);

// Reads the norms and sums of the tensors of a recorded run. Returns a problem if its telemetry cannot be read. Blocks
// on the disk.
Result<TensorRecord> readTensorRecord(const std::filesystem::path& run);

}  // namespace ringside
