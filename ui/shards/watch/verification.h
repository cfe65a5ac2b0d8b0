// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "config/run_config.h"
#include "run/record/plan_watch.h"

namespace ringside {

class RunModel;

struct VerificationState {
    int ranks = 0;
    qint64 epochs = 0;                     // of the run
    qint64 verifiedEpochs = 0;             // in which every rank was found equal to the plan
    std::vector<PlanMismatch> mismatches;  // the first kMostMismatches, in the order they were found
    bool operator==(const VerificationState&) const = default;
};

// Predicted against actual: compares what the ranks report to have trained with the plan of the run's own
// configuration, in a thread of its own.
class Verification : public QObject {
    Q_OBJECT
  public:
    static constexpr std::size_t kMostMismatches = 1000;

    explicit Verification(const RunModel& run, QObject* parent = nullptr);
    ~Verification() override;

    const VerificationState& state() const { return m_state; }
    QString sentence() const;  // empty before a run
    // What is wrong, in one sentence; empty while everything is as planned.
    QString alarm() const;

    const std::optional<RunConfig>& config() const { return m_config; }  // of the run; none before its first line
    qint64 samples() const { return m_samples; }
    // Every epoch repeats the order of the first one: as planned, but hardly as intended.
    bool repeatsOrder() const { return m_config && m_config->repeatsOrder(); }
    bool isAudited(qint64 epoch) const { return m_audited.contains(epoch); }  // every rank's hash was compared
    bool isWrong(int rank, qint64 epoch) const;
    // How many of the rank's first slots in the epoch were compared sample by sample.
    qint64 confirmed(int rank, qint64 epoch) const;

  Q_SIGNALS:
    void changed();

  private:
    struct Seen {  // of one rank's reports
        qint64 consumed = 0;
        qint64 indices = 0;
    };
    void restart();
    void look();
    bool begin();
    void pass(int rank);
    void addNews();

    const RunModel& m_run;
    std::optional<RunConfig> m_config;
    qint64 m_samples = 0;
    VerificationState m_state;
    std::set<qint64> m_audited;
    std::set<std::pair<int, qint64>> m_wrong;      // ranks and epochs with a mismatch, also beyond kMostMismatches
    std::vector<PlanNews::Confirmed> m_confirmed;  // by rank
    std::vector<Seen> m_seen;                      // by rank
    QString m_recorded;                            // what the run's own end line says is wrong
    quint64 m_runNumber = 0;
    std::unique_ptr<PlanWatch> m_watch;
    QThreadPool m_retired;  // where watches of earlier runs end
};

}  // namespace ringside
