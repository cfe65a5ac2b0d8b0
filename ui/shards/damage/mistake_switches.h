// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QWidget>

#include "shards/scene/shard_scene.h"

namespace ringside {

struct RunConfig;

// The classic mistakes with a distributed sampler, to be made on purpose.
enum class Mistake { ForgottenSetEpoch, SeedPerRank, DoubleSharding, WrongRank, WrongWorldSize, ShuffleWithSampler };

// The experiment with the mistake made, or taken back.
RunConfig withMistake(RunConfig config, Mistake mistake, bool made);

// A switch for each mistake, with what it is in its tip.
class MistakeSwitches : public QWidget {
    Q_OBJECT
  public:
    explicit MistakeSwitches(QWidget* parent = nullptr);

    void setScene(const ShardScene& scene);  // which are made, and which can be

  Q_SIGNALS:
    void toggled(ringside::Mistake mistake, bool made);

  private:
    QList<QCheckBox*> m_switches;  // by mistake
};

}  // namespace ringside
