// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/convolution.h"
#include "backend/cuda/cudnn/cudnn_target.h"
#include "backend/cuda/kernels/precision.h"

namespace ringside::cuda {

enum class ConvolutionPass { kForward, kParameters, kInput };
enum class MemoryOrder { kChannelsLast, kChannelsFirst };  // NHWC, NCHW

// Describes one pass of a convolution over a batch of images for cuDNN. Images, results and weights have the same order
// in memory, and 16-bit precisions have 16-bit values.
struct ConvolutionProblem {
    ConvolutionPass pass = ConvolutionPass::kForward;
    ConvolutionSpec spec;
    std::int64_t batch = 1;
    Precision precision = Precision::kFloat32;
    MemoryOrder order = MemoryOrder::kChannelsLast;
};

// Identifiers of the tensors of an execution plan, for cuDNN's variant packs.
enum class ConvolutionTensor : std::int64_t { kX = 1, kWeight = 2, kY = 3 };

// A convolution's execution plan in cuDNN, with the size of the workspace that it needs.
struct ConvolutionPlan {
    CudnnDescriptor descriptor;
    std::int64_t workspaceBytes = 0;
    std::int64_t engine = 0;       // cuDNN's number of the algorithm
    bool usesTensorCores = false;  // true if the algorithm uses tensor cores; never for Precision::kFloat32
};

// Returns the first plan, in the order of cuDNN's heuristics (fastest first), that is deterministic and needs at most
// `workspaceBudget` bytes of workspace. For float32 the plan computes without tensor cores and without reduced
// precision. Returns nothing if cuDNN has no such plan. Throws DeviceError if cuDNN cannot describe the problem.
std::optional<ConvolutionPlan> findConvolutionPlan(const CudnnTarget& target, const ConvolutionProblem& problem,
                                                   std::int64_t workspaceBudget);

}  // namespace ringside::cuda
