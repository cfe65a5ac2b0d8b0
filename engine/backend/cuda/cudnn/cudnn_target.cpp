// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cudnn/cudnn_target.h"

namespace ringside::cuda {

CudnnTarget CudnnTarget::onGpu(cudnnHandle_t handle) {
    CudnnTarget target;
    target.m_handle = handle;
    return target;
}

CudnnTarget CudnnTarget::withProperties(const std::string& json) {
    CudnnTarget target;
    target.m_properties = std::make_shared<CudnnDescriptor>(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    target.m_properties->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, json.data(), json.size());
    target.m_properties->finalize();
    return target;
}

void CudnnTarget::setDeviceOfGraph(CudnnDescriptor& graph) const {
    if (m_handle != nullptr) graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, m_handle);
}

void CudnnTarget::setDeviceOfHeuristics(CudnnDescriptor& heuristics) const {
    if (m_properties) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *m_properties);
}

void CudnnTarget::setDeviceOfExecutionPlan(CudnnDescriptor& plan) const {
    if (m_properties)
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *m_properties);
    else
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, m_handle);
}

}  // namespace ringside::cuda
