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

// Combines the plan of the selected epoch with its data. Classes, and the order hash of a large data set, are computed
// on a worker thread and follow later.
class SceneSource : public QObject {
    Q_OBJECT
  public:
    SceneSource(const ExperimentModel& experiment, const PlanModel& plan, QObject* parent = nullptr);

    const std::optional<ShardScene>& scene() const { return m_scene; }  // empty: no plan or no data yet
    // true if the classes of the samples were read, or the data set has none
    bool isSettled() const { return !m_scene || !m_scene->data || m_labels || m_scene->data->classCount() <= 0; }
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
    QTimer m_pause;  // delays the hash until the epoch has not changed for a moment, so that drawing has precedence
    LatestWork m_hashWork;
    LatestWork m_labelsWork;
};

}  // namespace ringside
