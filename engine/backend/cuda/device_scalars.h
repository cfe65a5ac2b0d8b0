// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/optimizer_scalars.h"
#include "tensor/tensor.h"

namespace ringside::cuda {

// An optimizer's scalars in device memory. A recorded step reads them there, so that it follows a learning rate that
// changes between its launches.
template <class Step, class Scalars>
class DeviceScalars {
  public:
    explicit DeviceScalars(const CudaDevice& device)
        : m_memory(device.allocate(sizeof(Scalars), "an optimizer's scalars")) {}

    // Uploads the step's when the device has others. upload(from, to) may throw.
    template <class Upload>
    void hold(const Step& step, const Upload& upload) {
        if (m_held == step) return;
        m_held.reset();
        const Scalars scalars = scalarsOf(step);
        upload(&scalars, Tensor{m_memory.get(), {sizeof(Scalars)}, DType::kUInt8, {Device::Kind::kCuda, 0}});
        m_held = step;
    }
    const Scalars* place() const { return static_cast<const Scalars*>(m_memory.get()); }

  private:
    UniqueDeviceMemory m_memory;
    std::optional<Step> m_held;
};

}  // namespace ringside::cuda
