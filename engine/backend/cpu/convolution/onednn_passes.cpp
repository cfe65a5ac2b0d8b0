// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/onednn_passes.h"

#include <new>
#include <utility>

namespace ringside::cpu {

namespace {

using dnnl::memory;

// Returns oneDNN's memory object for this layout, without an address: the address of the caller's memory is set before
// each use.
memory borrowed(const memory::desc& description, const dnnl::engine& engine) {
    return memory(description, engine, DNNL_MEMORY_NONE);
}

memory::desc weightOrder(const ConvolutionSpec& s) {
    return {{s.outChannels, s.inChannels, s.kernel, s.kernel}, memory::data_type::f32, memory::format_tag::oihw};
}

template <class Plan, class Primitive>
BoundPrimitive bound(const Plan& plan, Primitive primitive, const dnnl::engine& engine) {
    return {std::move(primitive), plan.scratchpad_desc(), engine};
}

}  // namespace

BoundPrimitive::BoundPrimitive(dnnl::primitive primitive, const memory::desc& scratch, const dnnl::engine& engine)
    : m_primitive(std::move(primitive)), m_scratchBytes(scratch.get_size()), m_scratch(borrowed(scratch, engine)) {
    if (m_scratchBytes > 0) bind(DNNL_ARG_SCRATCHPAD, m_scratch);
}

// Runs the primitive through the C interface, because dnnl::primitive::execute() would build a list of arguments at
// each run.
void BoundPrimitive::run(const dnnl::stream& stream, Scratchpad& scratchpad) {
    if (m_scratchBytes > 0) {
        void* scratch = scratchpad.last(m_scratchBytes);
        if (!scratch) throw std::bad_alloc();
        m_scratch.set_data_handle(scratch);
    }
    dnnl::error::wrap_c_api(dnnl_primitive_execute(m_primitive.get(), stream.get(),
                                                   static_cast<int>(m_arguments.size()), m_arguments.data()),
                            "oneDNN could not run the primitive");
}

memory BatchPasses::owned(const memory::desc& description, const dnnl::engine& engine) {
    m_blocks.emplace_back(m_scratchpad.memory(), description.get_size());
    if (!m_blocks.back().data()) throw std::bad_alloc();
    return memory(description, engine, m_blocks.back().data());
}

BoundPrimitive BatchPasses::reorder(const memory& from, const memory& to, const dnnl::engine& engine) {
    const dnnl::reorder::primitive_desc plan(from, to, ownScratchpad());
    BoundPrimitive primitive = bound(plan, dnnl::reorder(plan), engine);
    primitive.bind(DNNL_ARG_FROM, from);
    primitive.bind(DNNL_ARG_TO, to);
    return primitive;
}

BatchPasses::BatchPasses(const ConvolutionSpec& spec, memory::dim batch, bool winograd, int threads,
                         const dnnl::engine& engine, Scratchpad& scratchpad)
    : m_batch(batch),
      m_scratchpad(scratchpad),
      m_plans(engine, spec, batch, winograd),
      m_weights(spec, batch, winograd, threads, engine, scratchpad),
      m_x(borrowed(m_plans.shapes.x, engine)),
      m_y(borrowed(m_plans.shapes.y, engine)),
      m_bias(spec.bias ? borrowed(m_plans.shapes.bias, engine) : memory()),
      m_weight(borrowed(weightOrder(spec), engine)),
      m_forwardWeight(owned(m_plans.forward.weights_desc(), engine)),
      m_gradWeight(owned(m_weights.order(), engine)),
      m_dataWeight(owned(m_plans.data.weights_desc(), engine)),
      m_packForward(reorder(m_weight, m_forwardWeight, engine)),
      m_packData(reorder(m_weight, m_dataWeight, engine)),
      m_unpackGradient(reorder(m_gradWeight, m_weight, engine)),
      m_forward(bound(m_plans.forward, dnnl::convolution_forward(m_plans.forward), engine)),
      m_data(bound(m_plans.data, dnnl::convolution_backward_data(m_plans.data), engine)) {
    m_forward.bind(DNNL_ARG_SRC, m_x);
    m_forward.bind(DNNL_ARG_WEIGHTS, m_forwardWeight);
    m_forward.bind(DNNL_ARG_DST, m_y);
    m_data.bind(DNNL_ARG_DIFF_DST, m_y);
    m_data.bind(DNNL_ARG_WEIGHTS, m_dataWeight);
    m_data.bind(DNNL_ARG_DIFF_SRC, m_x);
    if (spec.bias) m_forward.bind(DNNL_ARG_BIAS, m_bias);
}

void BatchPasses::forward(dnnl::stream& stream, const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const Tensor& y) {
    m_weight.set_data_handle(weight.data);
    if (bias) m_bias.set_data_handle(bias.data);
    m_x.set_data_handle(x.data);
    m_y.set_data_handle(y.data);
    m_packForward.run(stream, m_scratchpad);
    m_forward.run(stream, m_scratchpad);
    stream.wait();
}

void BatchPasses::backwardParameters(dnnl::stream& stream, const Tensor& x, const Tensor& gradY,
                                     const Tensor& gradWeight, const Tensor& gradBias) {
    m_weights.run(static_cast<float*>(x.data), static_cast<float*>(gradY.data),
                  static_cast<float*>(m_gradWeight.get_data_handle()), static_cast<float*>(gradBias.data));
    m_weight.set_data_handle(gradWeight.data);
    m_unpackGradient.run(stream, m_scratchpad);
    stream.wait();
}

void BatchPasses::backwardInput(dnnl::stream& stream, const Tensor& gradY, const Tensor& weight, const Tensor& gradX) {
    m_y.set_data_handle(gradY.data);
    m_weight.set_data_handle(weight.data);
    m_x.set_data_handle(gradX.data);
    m_packData.run(stream, m_scratchpad);
    m_data.run(stream, m_scratchpad);
    stream.wait();
}

}  // namespace ringside::cpu
