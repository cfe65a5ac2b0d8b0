// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/text/named_choice.h"

namespace ringside {

// Choices of an experiment. Each is an enumeration with one table of names, in the order of the enumerators. Parsing,
// serialisation, the schema, shell completion, help and the form read that table.
//
// The underlying type is std::uint8_t, so that ConfigField can address the value.

enum class DatasetKind : std::uint8_t {
    kDigits,
    kCsv,
    kIdx,
    kCifar10,
    kCifar100,
    kNpy,
    kImageFolder,
    kSynthetic,
    kText,
    kExternal  // samples of a watched script: only their number is known, so that no rank can train on them
};
constexpr std::array<std::string_view, 10> namesOf(DatasetKind) {
    return {"digits", "csv", "idx", "cifar10", "cifar100", "npy", "image_folder", "synthetic", "text", "external"};
}

enum class CsvHeader : std::uint8_t { kAuto, kYes, kNo };
constexpr std::array<std::string_view, 3> namesOf(CsvHeader) {
    return {"auto", "yes", "no"};
}

enum class MissingCells : std::uint8_t { kRefuse, kDrop, kMean };
constexpr std::array<std::string_view, 3> namesOf(MissingCells) {
    return {"refuse", "drop", "mean"};
}

enum class SyntheticShape : std::uint8_t { kRegression, kBlobs, kSpirals, kImbalanced, kImagenet };
constexpr std::array<std::string_view, 5> namesOf(SyntheticShape) {
    return {"regression", "blobs", "spirals", "imbalanced", "imagenet"};
}

enum class ModelKind : std::uint8_t { kToyLinear, kMlp, kSimpleCnn, kResidualCnn, kTransformer, kLayers };
constexpr std::array<std::string_view, 6> namesOf(ModelKind) {
    return {"toy_linear", "mlp", "simple_cnn", "residual_cnn", "transformer", "layers"};
}

enum class StrategyKind : std::uint8_t { kDdp, kDataParallel, kModelParallel, kPipeline, kFsdp };
constexpr std::array<std::string_view, 5> namesOf(StrategyKind) {
    return {"ddp", "data_parallel", "model_parallel", "pipeline", "fsdp"};
}

enum class CollectiveBackend : std::uint8_t { kAuto, kShm, kGloo, kMpi, kNccl };
constexpr std::array<std::string_view, 5> namesOf(CollectiveBackend) {
    return {"auto", "shm", "gloo", "mpi", "nccl"};
}

enum class DeviceChoice : std::uint8_t { kAuto, kCpu, kCuda };
constexpr std::array<std::string_view, 3> namesOf(DeviceChoice) {
    return {"auto", "cpu", "cuda"};
}

enum class DelayedPhase : std::uint8_t { kData, kForward, kBackward, kOptimizer };
constexpr std::array<std::string_view, 4> namesOf(DelayedPhase) {
    return {"data", "forward", "backward", "optimizer"};
}

enum class PipelineScheduleKind : std::uint8_t { kGpipe, k1F1B, kInterleaved, kZeroBubble };
constexpr std::array<std::string_view, 4> namesOf(PipelineScheduleKind) {
    return {"gpipe", "1f1b", "interleaved", "zero_bubble"};
}

enum class ShardedState : std::uint8_t { kOptimizer, kGradients, kParameters };
constexpr std::array<std::string_view, 3> namesOf(ShardedState) {
    return {"optimizer", "gradients", "parameters"};
}

enum class ShardUnit : std::uint8_t { kLayer, kBlock, kWhole };
constexpr std::array<std::string_view, 3> namesOf(ShardUnit) {
    return {"layer", "block", "whole"};
}

enum class Prefetch : std::uint8_t { kNone, kNext };
constexpr std::array<std::string_view, 2> namesOf(Prefetch) {
    return {"none", "next"};
}

enum class OptimizerKind : std::uint8_t { kSgd, kAdam, kAdamW };
constexpr std::array<std::string_view, 3> namesOf(OptimizerKind) {
    return {"sgd", "adam", "adamw"};
}

enum class RateScaling : std::uint8_t { kNone, kLinear };
constexpr std::array<std::string_view, 2> namesOf(RateScaling) {
    return {"none", "linear"};
}

enum class RateScheduleKind : std::uint8_t { kConstant, kStep, kCosine };
constexpr std::array<std::string_view, 3> namesOf(RateScheduleKind) {
    return {"constant", "step", "cosine"};
}

enum class LossKind : std::uint8_t { kAuto, kCrossEntropy, kMse };
constexpr std::array<std::string_view, 3> namesOf(LossKind) {
    return {"auto", "cross_entropy", "mse"};
}

enum class TrainingPrecision : std::uint8_t { kFp32, kBf16, kFp16 };
constexpr std::array<std::string_view, 3> namesOf(TrainingPrecision) {
    return {"fp32", "bf16", "fp16"};
}

enum class ValidationMode : std::uint8_t { kExact, kPadded };
constexpr std::array<std::string_view, 2> namesOf(ValidationMode) {
    return {"exact", "padded"};
}

enum class Recompute : std::uint8_t { kNone, kBlocks, kAll };
constexpr std::array<std::string_view, 3> namesOf(Recompute) {
    return {"none", "blocks", "all"};
}

enum class ReductionOrder : std::uint8_t { kRank, kCanonical };
constexpr std::array<std::string_view, 2> namesOf(ReductionOrder) {
    return {"rank", "canonical"};
}

enum class OnNonFinite : std::uint8_t { kStop, kContinue };
constexpr std::array<std::string_view, 2> namesOf(OnNonFinite) {
    return {"stop", "continue"};
}

enum class TraceLevel : std::uint8_t { kOff, kSteps, kPhases, kLayers };
constexpr std::array<std::string_view, 4> namesOf(TraceLevel) {
    return {"off", "steps", "phases", "layers"};
}

}  // namespace ringside
