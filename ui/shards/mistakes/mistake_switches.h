// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QWidget>

#include "shards/scene/shard_scene.h"

namespace ringside {

struct RunConfig;

// Common mistakes with a distributed sampler that the user can make on purpose.
enum class Mistake { ForgottenSetEpoch, SeedPerRank, DoubleSharding, WrongRank, WrongWorldSize, ShuffleWithSampler };

// Returns the experiment with the mistake switched on or off.
RunConfig withMistake(RunConfig config, Mistake mistake, bool made);

// Switches for the mistakes, with explanations in their tooltips.
class MistakeSwitches : public QWidget {
    Q_OBJECT
  public:
    explicit MistakeSwitches(QWidget* parent = nullptr);

    void setScene(const ShardScene& scene);  // turns on the switches of the mistakes that the scene contains, and
                                             // disables the switches that have no effect with its sampler

  Q_SIGNALS:
    void toggled(ringside::Mistake mistake, bool made);

  private:
    QList<QCheckBox*> m_switches;  // one switch for each mistake
};

}  // namespace ringside
