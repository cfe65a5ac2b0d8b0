// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/json/json.h"
#include "telemetry/data/current_findings.h"
#include "telemetry/events/events.h"

namespace ringside {

// Facts and findings about a watched PyTorch script, from the events of its run. Empty for runs that Ringside has
// trained. If the facts of several ranks differ, those of the lowest rank are shown.
class WatchedScript {
  public:
    // One line in the panel of the watched PyTorch script, such as "Sampler" (label) and "DistributedSampler, seed 0"
    // (value).
    struct Fact {
        QString label;
        QString value;
        QString tip;  // tool tip with more detail; may be empty
    };

    // Updates the facts and findings with an event of the run. Returns true if they may have changed.
    bool apply(const Event& event);

    bool isWatched() const { return m_isWatched; }
    QString script() const;          // returns the file name, such as "train.py"; empty if no rank has reported it
    QString torch() const;           // returns the version, such as "PyTorch 2.15.0"; empty if not reported
    QString python() const;          // returns the version of Python; empty if not reported
    QString launcher() const;        // returns, for example, "torchrun, 2 ranks"; empty if not reported
    std::int64_t batchSize() const;  // returns the batch size of the training loader; 0: not known
    QList<Fact> facts() const;       // returns facts about the data, the model and the training
    // Returns the present findings, the most severe first.
    const std::vector<Finding>& findings() const { return m_findings.all(); }

  private:
    struct Loader {
        Json facts;
        bool hasTrained = false;
    };
    void takeFacts(const ScriptFacts& event);
    const Loader* trainingLoader() const;
    const Loader* validationLoader() const;
    void addData(QList<Fact>& facts) const;
    void addModel(QList<Fact>& facts) const;
    void addTraining(QList<Fact>& facts) const;

    bool m_isWatched = false;
    int m_lowest = -1;  // lowest rank that has reported its process; -1: none yet
    std::optional<RunStarted> m_started;
    Json m_process, m_group, m_wrapper, m_buckets, m_loss, m_sees;
    std::map<std::int64_t, Loader> m_loaders;
    std::map<std::int64_t, Json> m_optimizers;
    CurrentFindings m_findings;
};

}  // namespace ringside
