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

// Plan that the sampler of a watched PyTorch script follows, and the number of the data loader that uses the sampler.
struct WatchedPlan {
    SeenPlan plan;
    std::int64_t loader = 0;
    bool operator==(const WatchedPlan&) const = default;
};

struct VerificationState {
    int ranks = 0;
    qint64 epochs = 0;                     // number of epochs of the run; 0: not known
    qint64 verifiedEpochs = 0;             // number of epochs in which every rank has trained on the planned samples
    std::vector<PlanMismatch> mismatches;  // first kMaxMismatches differences from the plan, in the order in which
                                           // they were found
    bool operator==(const VerificationState&) const = default;
};

// Compares the samples that ranks report with the plan of the run's own configuration, in a thread of its own. A
// watched PyTorch script is compared once its plan is known.
class Verification : public QObject {
    Q_OBJECT
  public:
    static constexpr std::size_t kMaxMismatches = 1000;

    explicit Verification(const RunModel& run, QObject* parent = nullptr);
    ~Verification() override;

    // Sets the plan of the watched PyTorch script; empty: the plan is not known.
    void setWatched(const std::optional<WatchedPlan>& plan);

    const VerificationState& state() const { return m_state; }
    // True if the run ended without finishing, so that the verified epochs are only a part of it.
    bool isPartial() const;
    QString sentence() const;  // returns a sentence with the result; empty before a run
    // Returns a sentence about the first sample that is not as planned; empty if there is none.
    QString alarm() const;

    // configuration of the run; empty before the run's first telemetry line, and while the plan of a watched PyTorch
    // script is not known
    const std::optional<RunConfig>& config() const { return m_config; }
    qint64 samples() const { return m_samples; }
    // True if every epoch has the order of the first epoch, which matches the plan but is probably a mistake.
    bool repeatsOrder() const;
    // true if the hash of the samples of every rank in this epoch was compared with the plan
    bool isAudited(qint64 epoch) const { return m_audited.contains(epoch); }
    bool isWrong(int rank, qint64 epoch) const;
    // Returns the number of samples, from the start of the epoch, that the rank has trained as planned according to a
    // comparison one by one. Returns 0 if the rank's latest comparison was in another epoch.
    qint64 confirmed(int rank, qint64 epoch) const;

  Q_SIGNALS:
    void changed();

  private:
    struct Seen {  // numbers of a rank's reports, by kind, that were passed to the comparison
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
    // ranks and epochs with a mismatch, including those beyond kMaxMismatches
    std::set<std::pair<int, qint64>> m_wrong;
    std::vector<PlanResults::Confirmed> m_confirmed;  // samples that were compared one by one and are as planned, in
                                                      // the latest epoch of each rank
    // for each rank, the numbers of its reports that were passed to the comparison
    std::vector<Seen> m_seen;
    QString m_recorded;  // text of the mismatch in the last telemetry line of the run; empty
                         // if there is none
    quint64 m_runNumber = 0;
    std::unique_ptr<PlanWatch> m_watch;
    QThreadPool m_retired;  // pool that destroys earlier comparisons, because a destructor waits for its thread
};

}  // namespace ringside
