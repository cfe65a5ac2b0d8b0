// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

QString bytesText(double bytes);       // "20.8 MiB"
QString percentText(double share);     // "27.3 %"
QString stepTimeText(double seconds);  // "21.4 ms"

// What the experiment's strategy is called: "pipeline of 4 stages, 8 micro-batches, 1F1B".
QString strategyTitle(const StrategyScene& scene);
// "4 stages and 8 micro-batches: 3 of 11 slots are idle, 27.3 %; measured 28.6 %"
QString scheduleSentence(const StrategyScene& scene);
// "P parameters, ... Rank 0 sends 1.05 MiB a step"
QString holdsSentence(const StrategyScene& scene);
// "in flight: 4, 3, 2, 1"; empty where every rank has one batch
QString inFlightSentence(const StrategyScene& scene);
// What travels over each link in a step, in words.
QString linksSentence(const StrategyScene& scene);
// Which rank is fullest when: "Rank 0 is fullest after 41 % of the step: 20.8 MiB in use; measured 20.8 MiB"
QString memoryOverStepSentence(const StrategyScene& scene);
// A rank's place in the mesh: "stage 0", "replica 1, shard 0 of 2".
QString placeText(const StrategyPlan& plan, int rank);

// A strategy's name as people say it: "FSDP, parameters".
QString choiceTitle(const std::string& name);

}  // namespace ringside
