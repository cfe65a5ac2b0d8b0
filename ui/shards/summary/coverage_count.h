// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <optional>

#include "config/run_config.h"
#include "controls/latest_work.h"
#include "sampling/findings/coverage.h"

namespace ringside {

// Counts the distinct samples that are trained in an epoch. Uses a worker thread if counting takes long. A newer
// request replaces the previous one.
class UniqueCount : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    void requestLatest(const ShardPlan& plan);
    // Returns the number of distinct samples of the epoch; empty while they are counted.
    std::optional<qint64> result() const { return m_result; }

  Q_SIGNALS:
    void resultChanged();

  private:
    std::optional<qint64> m_result;
    LatestWork m_work;
};

// Counts on a worker thread how many samples no rank trains on in any epoch (Coverage). A newer request replaces the
// previous one.
class CoverageCount : public QObject {
    Q_OBJECT
  public:
    explicit CoverageCount(QObject* parent = nullptr);
    ~CoverageCount() override;

    void requestLatest(const RunConfig& config, qint64 datasetSize, std::shared_ptr<const ClassLabels> classes = {});
    // Returns the result of the latest request; null while it is computed.
    const Coverage* result() const { return m_known ? &m_result : nullptr; }

  Q_SIGNALS:
    void resultChanged();

  private:
    RunConfig m_config;
    qint64 m_size = -1;
    std::shared_ptr<const ClassLabels> m_classes;
    Coverage m_result;
    bool m_known = false;
    std::shared_ptr<std::atomic<bool>> m_stop;
    QThreadPool m_pool;
};

}  // namespace ringside
