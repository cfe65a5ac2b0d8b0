// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "config/telemetry_config.h"

namespace ringside {

// Kinds of recorded data. Each kind has its own share of the budget, so that much data of one kind does not use up the
// share of another.
enum class RecordKind {
    kSteps,       // telemetry of steps, scalars that a watched script logs
    kMetrics,     // steps in metrics.jsonl
    kEpochs,      // results of epochs, hashes of the trained samples and of the replicas' parameters
    kHeartbeats,  // heartbeats and states of ranks
    kSamples,     // sample indices of steps, phases in slow motion, facts about watched scripts
    kGradients,   // gradients of inspected steps
    kLog,         // lines of the log
    kVital        // important lines, such as first and last lines and checkpoints; separate budget of 1 MiB
};
inline constexpr std::size_t kRecordKinds = 8;

// Budget of bytes: limit of the data that a run may write to its directory.
//
// The allowance grows with the run time: it approaches telemetry.megabytes_total without reaching it, and it never adds
// more than telemetry.megabytes_per_hour in an hour. halvings() requests that a kind of data near the limit of its
// share writes less; spend() refuses the lines beyond the share. Used by one thread. Times are microseconds since the
// start of the run.
class RecordBudget {
  public:
    explicit RecordBudget(const TelemetryConfig& limits);

    // Sets the current time, and updates the number of halvings for steps, metrics, epochs and heartbeats. Times before
    // the current time are ignored.
    void advance(std::int64_t timeUs);
    // Returns the number of bytes that all kinds together may have written by now.
    std::int64_t allowed() const { return allowedAt(m_nowUs); }
    // Subtracts the size of a line from the kind's share of the budget. Returns false, subtracts nothing and counts the
    // line as left out if the used fraction of the share would exceed `upTo`. upTo: below 1 to keep a reserve for later
    // lines.
    bool spend(RecordKind kind, std::size_t bytes, double upTo = 1);
    // Returns how many times the kind should halve its data so that its remaining share lasts. Updated at most once a
    // second. Increases while more than half of the share is used, and decreases when data is written at less than a
    // quarter of the affordable rate.
    int halvings(RecordKind kind) const { return m_parts[static_cast<std::size_t>(kind)].halvings; }
    // Sets the total size of the other files in the run directory, without checkpoints, in bytes. It reduces the
    // allowance.
    void setOtherFileBytes(std::int64_t bytes) { m_others = bytes; }

    // Returns the number of bytes that all kinds have spent.
    std::int64_t spent() const;
    // Returns the number of lines refused by spend(), over all kinds.
    std::int64_t linesLeftOut() const;

  private:
    struct Part {
        std::int64_t spent = 0;
        std::int64_t leftOut = 0;
        std::int64_t wanted = 0;     // number of bytes passed to spend() since updatedUs, including refused bytes
        std::int64_t updatedUs = 0;  // time of the last update of `halvings`, in microseconds of run time
        int halvings = 0;
    };
    struct Mark {
        std::int64_t timeUs = 0;
        std::array<std::int64_t, kRecordKinds> spent{};
    };
    Part& part(RecordKind kind) { return m_parts[static_cast<std::size_t>(kind)]; }
    // Returns the used fraction of the kind's share if `bytes` more are written. It is the larger of two fractions: of
    // the allowance since the start of the run, and of the hourly limit in the last hour.
    double used(RecordKind kind, std::int64_t bytes) const;
    std::int64_t allowedAt(std::int64_t timeUs) const;
    void adapt(RecordKind kind);

    double m_total;
    double m_perHour;
    std::int64_t m_nowUs = 0;
    std::int64_t m_others = 0;
    std::array<Part, kRecordKinds> m_parts;
    std::deque<Mark> m_marks;  // number of bytes written by each kind, stored once a minute for the last hour
};

}  // namespace ringside
