// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watch/evidence/evidence.h"
#include "watch/findings/judgement.h"

// The judging functions of the checks, in the order of the table in checks.cpp. docs/watch-findings.md explains each.
namespace ringside {

// The next functions are implemented in process_checks.cpp.
Judgement judgeProcessGroup(const Evidence& evidence);
Judgement judgeHang(const Evidence& evidence);
Judgement judgeUnusedParameters(const Evidence& evidence);

// The next functions are implemented in sampler_checks.cpp.
Judgement judgeSamplerRank(const Evidence& evidence);
Judgement judgeSamplerSeed(const Evidence& evidence);
Judgement judgeSetEpoch(const Evidence& evidence);
Judgement judgeRepeatedOrder(const Evidence& evidence);
Judgement judgeWorkerCopies(const Evidence& evidence);

// The next functions are implemented in sample_checks.cpp.
Judgement judgeDataSetDiffers(const Evidence& evidence);
Judgement judgeEveryRankReadsAll(const Evidence& evidence);
Judgement judgeOverlap(const Evidence& evidence);
Judgement judgeSamplesNeverSeen(const Evidence& evidence);

// The next functions are implemented in validation_checks.cpp.
Judgement judgeTrainedOnValidation(const Evidence& evidence);
Judgement judgeLocalMetrics(const Evidence& evidence);
Judgement judgeValidationEverywhere(const Evidence& evidence);
Judgement judgeValidationPadding(const Evidence& evidence);

// The next functions are implemented in replica_checks.cpp.
Judgement judgeModelNotWrapped(const Evidence& evidence);
Judgement judgeDifferentStart(const Evidence& evidence);
Judgement judgeLearningRateDiffers(const Evidence& evidence);
Judgement judgeOutsideDdp(const Evidence& evidence);
Judgement judgeForwardAroundDdp(const Evidence& evidence);
Judgement judgeReplicasDiffer(const Evidence& evidence);
Judgement judgeBatchNorm(const Evidence& evidence);

// The next functions are implemented in gradient_checks.cpp.
Judgement judgeOptimizerWithoutGradients(const Evidence& evidence);
Judgement judgeNotOptimized(const Evidence& evidence);
Judgement judgeClippedScaled(const Evidence& evidence);
Judgement judgeNeverCleared(const Evidence& evidence);
Judgement judgeClearedUnused(const Evidence& evidence);
Judgement judgeUndividedLoss(const Evidence& evidence);
Judgement judgeSyncEveryMicroBatch(const Evidence& evidence);
Judgement judgeFindUnusedNeedless(const Evidence& evidence);
Judgement judgeGatheredFeatures(const Evidence& evidence);
Judgement judgeLeftOverGradients(const Evidence& evidence);

// The next functions are implemented in step_checks.cpp.
Judgement judgeLossNotFinite(const Evidence& evidence);
Judgement judgeSkippedSteps(const Evidence& evidence);
Judgement judgeScheduler(const Evidence& evidence);
Judgement judgeUnevenSteps(const Evidence& evidence);
Judgement judgeEffectiveBatch(const Evidence& evidence);

// The next functions are implemented in resume_check.cpp.
Judgement judgeResume(const Evidence& evidence);

// The next functions are implemented in time_checks.cpp.
Judgement judgeStraggler(const Evidence& evidence);
Judgement judgeLoaderSlow(const Evidence& evidence);

}  // namespace ringside
