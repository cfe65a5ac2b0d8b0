// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend/convolution.h"
#include "backend/cuda/device/cuda_device.h"
#include "backend/cuda/kernels/precision.h"

namespace ringside::cuda {

// Makes a backend's convolutions, which share one library handle and its workspace. The maker must outlive its
// convolutions.
class ConvolutionMaker {
  public:
    virtual ~ConvolutionMaker() = default;
    virtual std::unique_ptr<Convolution> make(const ConvolutionSpec& spec) = 0;
};

// Makes a ConvolutionMaker that uses cuDNN. Throws DeviceError with a hint in a build without cuDNN.
std::unique_ptr<ConvolutionMaker> makeConvolutionMaker(const CudaDevice& device, cudaStream_t stream,
                                                       Precision precision);

// Returns the version of the loaded cuDNN, such as "9.19.0"; empty in a build without cuDNN.
std::string cudnnVersion();

}  // namespace ringside::cuda
