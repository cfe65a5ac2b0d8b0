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
#include "watch/plan/seen_plan.h"

namespace ringside {

class RunModel;

// Plan that the sampler of a watched script follows, and the loader that trains it.
struct WatchedPlan {
    SeenPlan plan;
    std::int64_t loader = 0;
    bool operator==(const WatchedPlan&) const = default;
};

struct VerificationState {
    int ranks = 0;
    qint64 epochs = 0;                     // epochs of the run; 0: not known
    qint64 verifiedEpochs = 0;             // epochs in which every rank matched the plan
    std::vector<PlanMismatch> mismatches;  // the first kMostMismatches, in the order in which they were found
    bool operator==(const VerificationState&) const = default;
};

// Compares the samples that ranks report with the plan of the run's own configuration, in a thread of its own. A
// watched script is compared once its plan is known.
class Verification : public QObject {
    Q_OBJECT
  public:
    static constexpr std::size_t kMostMismatches = 1000;

    explicit Verification(const RunModel& run, QObject* parent = nullptr);
    ~Verification() override;

    // Sets the plan of the watched script; empty: not known.
    void setWatched(const std::optional<WatchedPlan>& plan);

    const VerificationState& state() const { return m_state; }
    QString sentence() const;  // returns a sentence with the result; empty before a run
    // Returns a sentence about the mismatch; empty if there is none.
    QString alarm() const;

    // config of the run; empty before its first telemetry line
    const std::optional<RunConfig>& config() const { return m_config; }
    qint64 samples() const { return m_samples; }
    // True if every epoch has the order of the first epoch, which matches the plan but is probably a mistake.
    bool repeatsOrder() const { return m_config && m_config->repeatsOrder(); }
    // true if the hash of every rank was compared
    bool isAudited(qint64 epoch) const { return m_audited.contains(epoch); }
    bool isWrong(int rank, qint64 epoch) const;
    // Returns how many of the rank's first slots in the epoch were compared sample by sample.
    qint64 confirmed(int rank, qint64 epoch) const;

  Q_SIGNALS:
    void changed();

  private:
    struct Seen {  // number of reports of a rank that were passed on
        qint64 consumed = 0;
        qint64 indices = 0;
    };
    void restart();
    void checkEpochs();
    bool begin();
    void passReports(int rank);
    void addNews();

    const RunModel& m_run;
    std::optional<RunConfig> m_config;
    std::optional<WatchedPlan> m_watched;
    qint64 m_samples = 0;
    VerificationState m_state;
    std::set<qint64> m_audited;
    // ranks and epochs with a mismatch, including those beyond kMostMismatches
    std::set<std::pair<int, qint64>> m_wrong;
    std::vector<PlanNews::Confirmed> m_confirmed;  // confirmed slots, by rank
    std::vector<Seen> m_seen;                      // reports that were passed on, by rank
    QString m_recorded;                            // text of the mismatch in the last telemetry line of the run; empty
                                                   // if there is none
    quint64 m_runNumber = 0;
    std::unique_ptr<PlanWatch> m_watch;
    QThreadPool m_retired;  // pool in which the threads of watches of earlier runs end
};

}  // namespace ringside
