// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend/cuda/cudnn/cudnn_descriptor.h"

namespace ringside::cuda {

// Device for which cuDNN chooses execution plans: a GPU of this machine, or the properties of a GPU. Plans for
// properties can be found on a machine without a GPU ("deviceless", since cuDNN 9.8), but cannot be executed.
class CudnnTarget {
  public:
    // The handle must outlive the target.
    static CudnnTarget onGpu(cudnnHandle_t handle);
    // Reads device properties in the JSON form of CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION. Throws DeviceError if
    // cuDNN refuses them.
    static CudnnTarget withProperties(const std::string& json);

    // Sets the device of a descriptor that is not yet complete.
    void setDeviceOfGraph(CudnnDescriptor& graph) const;
    void setDeviceOfHeuristics(CudnnDescriptor& heuristics) const;
    void setDeviceOfExecutionPlan(CudnnDescriptor& plan) const;

  private:
    CudnnTarget() = default;

    cudnnHandle_t m_handle = nullptr;               // cuDNN handle of a GPU; null if the target is described by
                                                    // properties
    std::shared_ptr<CudnnDescriptor> m_properties;  // properties of a GPU that is not present; null for a GPU of this
                                                    // host
};

}  // namespace ringside::cuda
