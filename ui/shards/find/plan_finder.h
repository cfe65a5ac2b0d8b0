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

// What the find box looks for, in the plan at the epoch cursor: small plans are searched at once, large ones on a
// worker thread, where the latest search wins.
class PlanFinder : public QObject {
    Q_OBJECT
  public:
    static constexpr qint64 kInstantLooks = 50'000;  // looked at, about half a millisecond
    static constexpr int kPatienceMs = 100;          // nobody is told of a search that ends sooner

    explicit PlanFinder(QObject* parent = nullptr);
    ~PlanFinder() override;

    void setText(const QString& text);  // empty: looks for nothing
    void setScene(const ShardScene& scene, const RunConfig& config);

    bool isActive() const { return !m_text.isEmpty(); }
    bool isWorking() const { return m_working; }   // searching, or waiting for the scene of the epoch looked for
    QString problem() const { return m_problem; }  // why the text finds nothing at all
    const std::vector<PlanHit>& hits() const { return *m_hits; }
    Hits sharedHits() const { return m_hits; }
    qint64 current() const { return m_current; }  // -1 before the first step
    const PlanHit* step(int direction);           // to the next or previous hit, round and round; null without hits

  Q_SIGNALS:
    void changed();
    void epochWanted(int epoch);  // the text names another epoch than the scene's

  private:
    void search();
    void run(const PlanQuery& query);
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
