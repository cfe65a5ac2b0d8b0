// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>

#include "controls/latest_work.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

class ExperimentModel;
class PlanModel;

// Joins the plan at the epoch cursor with the data that it deals. What is slow to read, the classes and the order's
// hash of a large set, comes later from a worker thread.
class SceneSource : public QObject {
    Q_OBJECT
  public:
    SceneSource(const ExperimentModel& experiment, const PlanModel& plan, QObject* parent = nullptr);

    const std::optional<ShardScene>& scene() const { return m_scene; }  // empty: no plan, or no data yet
    bool isSettled() const { return !m_scene || m_labels || m_scene->data->classCount() <= 0; }  // the classes are read
    QString orderHash() const { return m_orderHash; }

  Q_SIGNALS:
    void sceneChanged();
    void orderHashChanged();

  private:
    void refresh();
    void readLabels();
    void makeOrderHash();
    void startOrderHash();
    void setOrderHash(const QString& hash);

    const ExperimentModel& m_experiment;
    const PlanModel& m_plan;
    std::optional<ShardScene> m_scene;
    std::shared_ptr<const Dataset> m_labelsOf;
    Labels m_labels;
    ShardSpec m_hashOf;
    QString m_orderHash;
    QTimer m_pause;  // the picture comes first, and many epochs may pass by
    LatestWork m_hashWork;
    LatestWork m_labelsWork;
};

}  // namespace ringside
