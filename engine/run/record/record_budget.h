// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "config/telemetry_config.h"

namespace ringside {

// Kinds of recorded data. Each kind has its own share of the budget, so that none displaces another.
enum class RecordKind {
    kSteps,      // telemetry of steps
    kMetrics,    // steps in metrics.jsonl
    kEpochs,     // results of epochs, checks of shards and replicas
    kSigns,      // heartbeats and states of ranks
    kSamples,    // sample indices of steps
    kGradients,  // gradients of inspected steps
    kLog,
    kVital  // lines that are always written, such as first and last lines and checkpoints
};
inline constexpr std::size_t kRecordKinds = 8;

// Budget of bytes that a run may write to its directory, over time.
//
// The allowance grows with the run time towards telemetry.megabytes_total and never reaches it, and no hour gets more
// than telemetry.megabytes_per_hour. A kind that approaches its share is asked to halve its data; lines beyond the
// share are left out. One thread; times are run time in microseconds.
class RecordBudget {
  public:
    explicit RecordBudget(const TelemetryConfig& limits);

    // Sets the current time and updates the number of halvings of each kind. Earlier times are ignored.
    void advance(std::int64_t timeUs);
    // Returns the number of bytes that may have been written by now, all kinds together.
    std::int64_t allowed() const { return allowedAt(m_nowUs); }
    // Subtracts the size of a line from the kind's share of the budget. Returns false if more than the fraction `upTo`
    // of the share would then be used: in this case nothing is subtracted, and the line counts as left out. upTo: below
    // 1 to keep a reserve for later lines.
    bool spend(RecordKind kind, std::size_t bytes, double upTo = 1);
    // Returns how many times the kind should halve its data, so that its remaining share lasts. Updated once a second
    // when more than half of the share is used; decreases again when there is room.
    int halvings(RecordKind kind) const { return m_parts[static_cast<std::size_t>(kind)].halvings; }
    // Sets the size of files in the run directory that are not part of the record.
    void setOthers(std::int64_t bytes) { m_others = bytes; }

    // Returns the number of bytes that all kinds have spent.
    std::int64_t spent() const;
    // Returns the number of lines refused by spend(), over all kinds.
    std::int64_t linesLeftOut() const;

  private:
    struct Part {
        std::int64_t spent = 0;
        std::int64_t leftOut = 0;
        std::int64_t wanted = 0;    // number of bytes requested since lookedUs, including refused ones
        std::int64_t lookedUs = 0;  // time of the last call of adapt(), in microseconds
        int halvings = 0;
    };
    struct Mark {
        std::int64_t timeUs = 0;
        std::array<std::int64_t, kRecordKinds> spent{};
    };
    Part& part(RecordKind kind) { return m_parts[static_cast<std::size_t>(kind)]; }
    // Returns the used fraction of the kind's share if `bytes` more are written: the larger of the fractions of the
    // total and of the hourly allowance.
    double used(RecordKind kind, std::int64_t bytes) const;
    std::int64_t allowedAt(std::int64_t timeUs) const;
    void adapt(RecordKind kind);

    double m_total;
    double m_perHour;
    std::int64_t m_nowUs = 0;
    std::int64_t m_others = 0;
    std::array<Part, kRecordKinds> m_parts;
    std::deque<Mark> m_marks;  // marks of the written bytes, one for each minute of the last hour
};

}  // namespace ringside
