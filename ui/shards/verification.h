// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/run_config.h"
#include "sampling/shard_plan.h"
#include "telemetry/run_data.h"

namespace ringside {

class RunModel;

// SHA-256, in hex, over what a rank trains by the plan: its indices without those that the loader drops, as
// little-endian int64. Equal to ShardPlan::hash when the loader drops nothing.
std::string trainedHash(const ShardPlan& plan, int rank);

// First 64 bits of the SHA-256 over the order of all samples: "4c22 6c41 bdd6 5c9e".
QString orderHash(const ShardPlan& plan);

// Where a rank trained something other than the plan.
struct Mismatch {
    int rank = 0;
    qint64 epoch = 0;
    bool operator==(const Mismatch&) const = default;
};

struct VerificationState {
    int ranks = 0;
    qint64 epochs = 0;          // of the run
    qint64 verifiedEpochs = 0;  // in which every rank was found equal to the plan
    std::vector<Mismatch> mismatches;
    bool operator==(const VerificationState&) const = default;
};

// Predicted against actual: compares what the ranks report to have trained with the plan of the run's own
// configuration, on a worker thread.
class Verification : public QObject {
    Q_OBJECT
  public:
    explicit Verification(const RunModel& run, QObject* parent = nullptr);
    ~Verification() override;

    const VerificationState& state() const { return m_state; }
    QString sentence() const;  // empty before a run

  Q_SIGNALS:
    void changed();

  private:
    void restart();
    void look();
    void check(qint64 epoch, const std::vector<Consumed>& consumed);

    const RunModel& m_run;
    std::optional<RunConfig> m_config;
    qint64 m_samples = 0;
    VerificationState m_state;
    std::set<qint64> m_asked;  // epochs that every rank has reported
    quint64 m_runNumber = 0;
    QThreadPool m_pool;
};

}  // namespace ringside
