// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "config/run_config.h"
#include "sampling/query/plan_query.h"
#include "shards/scene/shard_scene.h"
#include "shards/scene/shard_view.h"

namespace ringside {

// Search in the plan of the selected epoch. Small plans are searched at once, large ones on a worker thread; a newer
// search replaces the previous one.
class PlanFinder : public QObject {
    Q_OBJECT
  public:
    // largest number of cells that are searched without a worker thread; takes about half a millisecond
    static constexpr qint64 kInstantCells = 50'000;
    static constexpr int kPatienceMs = 100;  // time in milliseconds after which a running search is shown on the page

    explicit PlanFinder(QObject* parent = nullptr);
    ~PlanFinder() override;

    void setText(const QString& text);  // sets the text to search for; empty: no search
    void setScene(const ShardScene& scene, const RunConfig& config);

    bool isActive() const { return !m_text.isEmpty(); }
    // true while searching, or while waiting for the scene of the requested epoch
    bool isWorking() const { return m_working; }
    // Returns the reason why the text is not a valid search; empty if it is valid.
    QString problem() const { return m_problem; }
    const std::vector<PlanHit>& hits() const { return *m_hits; }
    Hits sharedHits() const { return m_hits; }
    // Returns the index of the current match in hits(); -1 before the first call of step().
    qint64 current() const { return m_current; }
    // makes the next match (direction 1) or the previous match (-1) current and returns it; after the last match
    // follows the first; null without matches
    const PlanHit* step(int direction);

  Q_SIGNALS:
    void changed();               // emitted when the matches, the problem or isWorking() have changed
    void epochWanted(int epoch);  // emitted when the text contains another epoch than that of the scene

  private:
    void search();
    void runQuery(const PlanQuery& query);
    bool resolveClass(PlanQuery& query);
    void setFound(std::shared_ptr<const Result<std::vector<PlanHit>>> found);
    void fail(const QString& problem, bool waiting = false);

    QString m_text;
    std::optional<ShardScene> m_scene;
    RunConfig m_config;
    QString m_problem;
    Hits m_hits = std::make_shared<std::vector<PlanHit>>();
    qint64 m_current = -1;
    bool m_working = false;
    QTimer m_patience;
    std::shared_ptr<std::atomic<bool>> m_stop;
    QThreadPool m_pool;
};

}  // namespace ringside
