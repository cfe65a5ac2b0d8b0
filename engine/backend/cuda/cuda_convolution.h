// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend/convolution.h"
#include "backend/cuda/device/cuda_device.h"
#include "backend/cuda/kernels/precision.h"

namespace ringside::cuda {

// Makes a backend's convolutions, which share one library handle and its workspace, and which it outlives.
class ConvolutionMaker {
  public:
    virtual ~ConvolutionMaker() = default;
    virtual std::unique_ptr<Convolution> make(const ConvolutionSpec& spec) = 0;
};

// By cuDNN; in a build without cuDNN it throws DeviceError with the way out.
std::unique_ptr<ConvolutionMaker> makeConvolutionMaker(const CudaDevice& device, cudaStream_t stream,
                                                       Precision precision);

// Of the cuDNN this program runs with, "9.19.0"; empty in a build without.
std::string cudnnVersion();

}  // namespace ringside::cuda
