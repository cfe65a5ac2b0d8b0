// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

QString bytesText(double bytes);       // returns, for example, "20.8 MiB"
QString percentText(double share);     // returns, for example, "27.3 %"
QString stepTimeText(double seconds);  // returns, for example, "21.4 ms"

// Returns a text with the experiment's strategy, such as "pipeline of 4 stages, 8 micro-batches, 1F1B".
QString strategyTitle(const StrategyScene& scene);
// Returns a sentence about the schedule's idle time, such as "4 stages and 8 micro-batches: 3 of 11 slots are idle,
// 27.3 %; these stages: expected 31.5 %, measured 32.6 %".
QString scheduleSentence(const StrategyScene& scene);
// Returns a text with the meaning of the letters and strips in the picture of the model placement.
QString placementSentence(const StrategyScene& scene);
// Returns a text with the maximum number of micro-batches in flight on each rank, such as "in flight: 4, 3, 2, 1";
// empty if this number is 1 on every rank.
QString inFlightSentence(const StrategyScene& scene);
// Returns a sentence about the rank that sends the most bytes in a step: predicted bytes by content, and the measured
// total.
QString linksSentence(const StrategyScene& scene);
// Returns a sentence about the rank that uses the most memory: the largest predicted memory in use, its time as a share
// of the step, and the measured bytes that the rank has allocated.
QString memoryOverStepSentence(const StrategyScene& scene);
// Returns the position of a rank in the mesh, such as "stage 0" or "replica 1, shard 0 of 2".
QString meshPositionText(const StrategyPlan& plan, int rank);

// Returns the name on screen of a strategy, such as "FSDP, parameters (ZeRO-3)" for "fsdp:parameters".
QString choiceTitle(const std::string& name);

}  // namespace ringside
