// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/onednn_passes.h"

#include <new>
#include <string_view>
#include <utility>

namespace ringside::cpu {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

Tag orderOf(ImageLayout layout, memory::dim channels) {
    if (layout == ImageLayout::kChannelsLast) return Tag::nhwc;
    if (channels % kChannelBlock == 0) return Tag::nChw16c;
    return channels == 1 ? Tag::any : Tag::nchw;  // oneDNN 2.6 takes nchw of one channel for nhwc and finds nothing
}

ConvolutionShapes describe(const ConvolutionSpec& s, memory::dim batch) {
    constexpr auto kFloat = memory::data_type::f32;
    return {{{batch, s.inChannels, s.height, s.width}, kFloat, orderOf(s.layout, s.inChannels)},
            {{s.outChannels, s.inChannels, s.kernel, s.kernel}, kFloat, Tag::any},
            s.bias ? memory::desc{{s.outChannels}, kFloat, Tag::a} : memory::desc{},
            {{batch, s.outChannels, s.outHeight(), s.outWidth()}, kFloat, orderOf(s.layout, s.outChannels)},
            {s.stride, s.stride},
            {s.padding, s.padding}};
}

// By Winograd's algorithm where that is wanted and this oneDNN has it.
template <class MakePlan>
auto gradientPlan(bool winograd, const MakePlan& makePlan) {
    try {
        return makePlan(winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct);
    } catch (const dnnl::error&) {  // not before AVX-512, and no more in oneDNN 3
        return makePlan(dnnl::algorithm::convolution_direct);
    }
}

// oneDNN 2.6's 1x1 primitive for AVX2 first gathers every stride-th pixel, and where these are channels last and their
// channels fill no vector of 8 writes past its part of the scratchpad: into another thread's, or behind the end.
bool overruns(std::string_view name, const ConvolutionSpec& s) {
    constexpr std::int64_t kVector = 8;
    return name.find("jit_1x1:avx2") != std::string_view::npos && s.stride > 1 && s.inChannels % kVector != 0;
}

// An order of x that was left open must not fill up blocks of channels with what x does not have.
bool fits(const dnnl::primitive_desc_base& plan, const ConvolutionSpec& s, memory::dim batch) {
    const auto bytes = static_cast<std::size_t>(batch * s.inChannels * s.height * s.width) * sizeof(float);
    return plan.query_md(dnnl::query::src_md).get_size() == bytes;
}

// Memory of the caller, pointed at before each use.
memory borrowed(const memory::desc& description, const dnnl::engine& engine) {
    return memory(description, engine, DNNL_MEMORY_NONE);
}

memory::desc weightOrder(const ConvolutionSpec& s) {
    return {{s.outChannels, s.inChannels, s.kernel, s.kernel}, memory::data_type::f32, Tag::oihw};
}

template <class Plan, class Primitive>
BoundPrimitive bound(const Plan& plan, Primitive primitive, const dnnl::engine& engine) {
    return {std::move(primitive), plan.scratchpad_desc(), engine};
}

}  // namespace

Plans::Plans(const dnnl::engine& engine, const ConvolutionSpec& spec, memory::dim batch, bool winograd)
    : shapes(describe(spec, batch)),
      trusts([spec](const auto& plan) { return !overruns(plan.impl_info_str(), spec); }),
      forward(forwardPlan(engine, shapes, dnnl::algorithm::convolution_direct,
                          [&](const auto& plan) { return trusts(plan) && fits(plan, spec, batch); })),
      weights(gradientPlan(winograd,
                           [&](auto algorithm) { return weightsPlan(engine, settled(), algorithm, forward, trusts); })),
      data(gradientPlan(winograd,
                        [&](auto algorithm) { return dataPlan(engine, settled(), algorithm, forward, trusts); })) {}

const ConvolutionShapes& Plans::settled() {
    shapes.x = forward.src_desc();
    return shapes;
}

BoundPrimitive::BoundPrimitive(dnnl::primitive primitive, const memory::desc& scratch, const dnnl::engine& engine)
    : m_primitive(std::move(primitive)), m_scratchBytes(scratch.get_size()), m_scratch(borrowed(scratch, engine)) {
    if (m_scratchBytes > 0) bind(DNNL_ARG_SCRATCHPAD, m_scratch);
}

// dnnl::primitive::execute() would make a list of the arguments at each run.
void BoundPrimitive::run(const dnnl::stream& stream, Scratchpad& scratchpad) {
    if (m_scratchBytes > 0) {
        void* scratch = scratchpad.last(m_scratchBytes);
        if (!scratch) throw std::bad_alloc();
        m_scratch.set_data_handle(scratch);
    }
    dnnl::error::wrap_c_api(dnnl_primitive_execute(m_primitive.get(), stream.get(),
                                                   static_cast<int>(m_arguments.size()), m_arguments.data()),
                            "a primitive did not run");
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

BatchPasses::BatchPasses(const ConvolutionSpec& spec, memory::dim batch, bool winograd, const dnnl::engine& engine,
                         Scratchpad& scratchpad)
    : m_batch(batch),
      m_scratchpad(scratchpad),
      m_plans(engine, spec, batch, winograd),
      m_x(borrowed(m_plans.shapes.x, engine)),
      m_y(borrowed(m_plans.shapes.y, engine)),
      m_bias(spec.bias ? borrowed(m_plans.shapes.bias, engine) : memory()),
      m_weight(borrowed(weightOrder(spec), engine)),
      m_forwardWeight(owned(m_plans.forward.weights_desc(), engine)),
      m_gradWeight(owned(m_plans.weights.diff_weights_desc(), engine)),
      m_dataWeight(owned(m_plans.data.weights_desc(), engine)),
      m_packForward(reorder(m_weight, m_forwardWeight, engine)),
      m_packData(reorder(m_weight, m_dataWeight, engine)),
      m_unpackGradient(reorder(m_gradWeight, m_weight, engine)),
      m_forward(bound(m_plans.forward, dnnl::convolution_forward(m_plans.forward), engine)),
      m_weights(bound(m_plans.weights, dnnl::convolution_backward_weights(m_plans.weights), engine)),
      m_data(bound(m_plans.data, dnnl::convolution_backward_data(m_plans.data), engine)) {
    m_forward.bind(DNNL_ARG_SRC, m_x);
    m_forward.bind(DNNL_ARG_WEIGHTS, m_forwardWeight);
    m_forward.bind(DNNL_ARG_DST, m_y);
    m_weights.bind(DNNL_ARG_SRC, m_x);
    m_weights.bind(DNNL_ARG_DIFF_DST, m_y);
    m_weights.bind(DNNL_ARG_DIFF_WEIGHTS, m_gradWeight);
    m_data.bind(DNNL_ARG_DIFF_DST, m_y);
    m_data.bind(DNNL_ARG_WEIGHTS, m_dataWeight);
    m_data.bind(DNNL_ARG_DIFF_SRC, m_x);
    if (!spec.bias) return;
    m_forward.bind(DNNL_ARG_BIAS, m_bias);
    m_weights.bind(DNNL_ARG_DIFF_BIAS, m_bias);
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
    m_x.set_data_handle(x.data);
    m_y.set_data_handle(gradY.data);
    m_weight.set_data_handle(gradWeight.data);
    if (gradBias) m_bias.set_data_handle(gradBias.data);
    m_weights.run(stream, m_scratchpad);
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
