// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "config/telemetry_config.h"

namespace ringside {

// What is recorded, each kind with a share of the disk of its own, so that none crowds out another.
enum class RecordKind {
    kSteps,      // telemetry of steps
    kMetrics,    // metrics.jsonl's steps
    kEpochs,     // results, checks of shards and replicas
    kSigns,      // heartbeats and states
    kSamples,    // which samples a step had
    kGradients,  // of steps that were looked at
    kLog,
    kVital  // first and last lines, checkpoints
};
inline constexpr std::size_t kRecordKinds = 8;

// How many bytes of a run directory may be written when. A run that lasts for ever comes near its total and never
// reaches it, and no hour of it gets more than an hour may.
class RecordBudget {
  public:
    explicit RecordBudget(const TelemetryConfig& limits);

    void advance(std::int64_t timeUs);  // run time; a step back is ignored
    // Bytes of all kinds together that may have been written by now.
    std::int64_t allowed() const { return allowedAt(m_nowUs); }
    // False where the kind's share holds no more: nothing is spent, and the line counts as left out.
    // Up to a part of the share, where what comes later must fit as well.
    bool spend(RecordKind kind, std::size_t bytes, double upTo = 1);
    // How often a kind should halve what it writes, so that what it has left lasts: looked at once a second, from half
    // of its share on. Falls again when there is room.
    int halvings(RecordKind kind) const { return m_parts[static_cast<std::size_t>(kind)].halvings; }
    // Files in the run directory that others write.
    void setOthers(std::int64_t bytes) { m_others = bytes; }

    std::int64_t spent() const;
    std::int64_t linesLeftOut() const;

  private:
    struct Part {
        std::int64_t spent = 0;
        std::int64_t leftOut = 0;
        std::int64_t wanted = 0;  // bytes since the last look, refused ones included
        std::int64_t lookedUs = 0;
        int halvings = 0;
    };
    struct Mark {
        std::int64_t timeUs = 0;
        std::array<std::int64_t, kRecordKinds> spent{};
    };
    Part& part(RecordKind kind) { return m_parts[static_cast<std::size_t>(kind)]; }
    // The part of what the kind may have by now, and of what it may have in an hour, whichever is more used.
    double used(RecordKind kind, std::int64_t bytes) const;
    std::int64_t allowedAt(std::int64_t timeUs) const;
    void adapt(RecordKind kind);

    double m_total;
    double m_perHour;
    std::int64_t m_nowUs = 0;
    std::int64_t m_others = 0;
    std::array<Part, kRecordKinds> m_parts;
    std::deque<Mark> m_marks;  // one a minute of the last hour
};

}  // namespace ringside
