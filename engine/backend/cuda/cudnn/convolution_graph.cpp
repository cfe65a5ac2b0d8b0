// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cudnn/convolution_graph.h"

#include <numeric>

namespace ringside::cuda {
namespace {

// Names of cuDNN's attributes for one pass of a convolution.
struct PassAttributes {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t convolution, x, weight, y, alpha, beta;
};

PassAttributes attributesOf(ConvolutionPass pass) {
    switch (pass) {
        case ConvolutionPass::kForward:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
        case ConvolutionPass::kParameters:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
        case ConvolutionPass::kInput:
            break;
    }
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
}

cudnnDataType_t typeOf(Precision precision) {
    switch (precision) {
        case Precision::kBfloat16:
            return CUDNN_DATA_BFLOAT16;
        case Precision::kFloat16:
            return CUDNN_DATA_HALF;
        case Precision::kFloat32:
        case Precision::kTf32:
            break;
    }
    return CUDNN_DATA_FLOAT;
}

// Dimensions of a tensor: images and channels, or filters and channels, then height and width.
struct Dimensions {
    std::int64_t outer, channels, height, width;
};

std::vector<std::int64_t> stridesOf(const Dimensions& size, MemoryOrder order) {
    const std::int64_t image = size.channels * size.height * size.width;
    if (order == MemoryOrder::kChannelsLast) return {image, 1, size.width * size.channels, size.channels};
    return {image, size.height * size.width, size.width, 1};
}

// Returns the alignment in bytes of each image of a batch, at most 16. A batch may be a part of a larger tensor, so
// that only the size of an image determines the alignment.
std::int64_t alignmentOf(const Dimensions& size, Precision precision) {
    const std::int64_t valueBytes = isNarrow(precision) ? 2 : 4;
    return std::gcd(std::int64_t{16}, size.channels * size.height * size.width * valueBytes);
}

CudnnDescriptor tensor(ConvolutionTensor name, const Dimensions& size, const ConvolutionProblem& problem) {
    CudnnDescriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const cudnnDataType_t type = typeOf(problem.precision);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, &type, 1);
    made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, {size.outer, size.channels, size.height, size.width});
    made.set(CUDNN_ATTR_TENSOR_STRIDES, stridesOf(size, problem.order));
    made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, static_cast<std::int64_t>(name));
    made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignmentOf(size, problem.precision));
    made.finalize();
    return made;
}

CudnnDescriptor convolution(const ConvolutionSpec& spec) {
    CudnnDescriptor made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;  // mode of torch.nn.Conv2d: the kernel is not flipped
    made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, &sums, 1);
    made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, &mode, 1);
    made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
    made.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
    made.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {spec.stride, spec.stride});
    made.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {spec.padding, spec.padding});
    made.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {spec.padding, spec.padding});
    made.finalize();
    return made;
}

CudnnDescriptor operation(const ConvolutionProblem& problem) {
    const ConvolutionSpec& spec = problem.spec;
    const PassAttributes names = attributesOf(problem.pass);
    CudnnDescriptor made(names.operation);
    made.set(names.convolution, convolution(spec));
    made.set(names.x,
             tensor(ConvolutionTensor::kX, {problem.batch, spec.inChannels, spec.height, spec.width}, problem));
    made.set(names.weight, tensor(ConvolutionTensor::kWeight,
                                  {spec.outChannels, spec.inChannels, spec.kernel, spec.kernel}, problem));
    made.set(names.y, tensor(ConvolutionTensor::kY,
                             {problem.batch, spec.outChannels, spec.outHeight(), spec.outWidth()}, problem));
    made.set(names.alpha, 1.0F);
    made.set(names.beta, 0.0F);
    made.finalize();
    return made;
}

}  // namespace

CudnnDescriptor convolutionGraph(const CudnnTarget& target, const ConvolutionProblem& problem) {
    CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    target.setDeviceOfGraph(graph);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation(problem));
    graph.finalize();
    return graph;
}

}  // namespace ringside::cuda
