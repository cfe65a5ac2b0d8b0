// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_convolution.h"
#include "base/errors/errors.h"

namespace ringside::cuda {

std::unique_ptr<ConvolutionMaker> makeConvolutionMaker(const CudaDevice& device, cudaStream_t, Precision) {
    throw DeviceError(device.name() +
                      " cannot compute convolutions: this build has no cuDNN. Install cuDNN 9 and build again, set "
                      "parallel.device to cpu, or choose a model without convolutions (model.kind)");
}

std::string cudnnVersion() {
    return {};
}

}  // namespace ringside::cuda
