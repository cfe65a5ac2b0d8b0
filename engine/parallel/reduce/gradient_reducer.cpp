// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/gradient_reducer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors/errors.h"
#include "parallel/reduce/kept_gradients.h"

namespace ringside {

namespace {

constexpr std::size_t kAlignedFloats = 16;  // gradients begin at multiples of this number of floats (64 bytes)

std::size_t aligned(std::size_t count) {
    return (count + kAlignedFloats - 1) / kAlignedFloats * kAlignedFloats;
}

}  // namespace

GradientReducer::GradientReducer(const std::vector<Parameter*>& parameters, Communicator& communicator,
                                 Backend& backend, BucketLimits limits, ReducerOptions options)
    : m_communicator(communicator),
      m_backend(backend),
      m_bucketOf(parameters.size()),
      m_gradients(parameters.size()),
      m_share(options.inTree ? 1.0F : static_cast<float>(1.0 / communicator.size())),
      m_op(options.inTree ? ReduceOp::kTreeSum : ReduceOp::kSum) {
    std::vector<std::size_t> bytes;
    for (const Parameter* parameter : parameters)
        bytes.push_back(static_cast<std::size_t>(parameter->shape.count()) * sizeof(float));
    const auto plan = planBuckets(bytes, limits);
    for (std::size_t i = 0; i < plan.size(); ++i) bindBucket(parameters, plan[i], i + 1 == plan.size());
    const MemoryScope scope(backend.memory(), MemoryClass::kGradients);
    for (Bucket& bucket : m_buckets)
        for (int level = 0; level < options.keptLevels; ++level)
            bucket.kept.push_back(backend.allocate({static_cast<std::int64_t>(bucket.gradientCount)}, DType::kFloat32));
}

void GradientReducer::keepGradients(bool first) {
    for (const Bucket& bucket : m_buckets) {
        if (first)
            m_backend.copy(gradientsOf(bucket), bucket.kept.at(0));
        else
            m_backend.add(gradientsOf(bucket), bucket.kept.at(0));
    }
}

void GradientReducer::keepGradients(std::size_t parameter, const TreeSumStep& sumStep) {
    const Bucket& bucket = m_buckets[m_bucketOf[parameter]];
    const Tensor& gradient = m_gradients[parameter];
    const auto offset = static_cast<const float*>(gradient.data) - bucket.memory.data();
    addInTree(m_backend, gradient, sumStep, [&](std::size_t level) {
        Tensor kept = gradient;
        kept.data = static_cast<float*>(bucket.kept[level].data) + offset;
        return kept;
    });
}

void GradientReducer::bindBucket(const std::vector<Parameter*>& parameters, const std::vector<std::size_t>& members,
                                 bool last) {
    Bucket bucket;
    bucket.parameters = members.size();
    for (std::size_t member : members)
        bucket.gradientCount += aligned(static_cast<std::size_t>(parameters[member]->shape.count()));
    bucket.memory = m_communicator.allocate(bucket.gradientCount + (last ? kAlignedFloats : 0));
    m_backend.memory().add(MemoryClass::kGradients, bucket.memory.size_bytes());
    m_backend.fill(
        {bucket.memory.data(), {static_cast<std::int64_t>(bucket.memory.size())}, DType::kFloat32, m_backend.device()},
        0);
    float* place = bucket.memory.data();
    for (std::size_t member : members) {
        Parameter& parameter = *parameters[member];
        parameter.gradient = {place, parameter.shape, DType::kFloat32, m_backend.device()};
        m_gradients[member] = parameter.gradient;
        place += aligned(static_cast<std::size_t>(parameter.shape.count()));
        m_bucketOf[member] = m_buckets.size();
    }
    m_buckets.push_back(bucket);
}

Tensor GradientReducer::gradientsOf(const Bucket& bucket) const {
    return {
        bucket.memory.data(), {static_cast<std::int64_t>(bucket.gradientCount)}, DType::kFloat32, m_backend.device()};
}

Tensor GradientReducer::signalSlot() const {
    return {&m_buckets.back().memory.back(), {1}, DType::kFloat32, m_backend.device()};
}

void GradientReducer::begin(bool signal) {
    m_signal = signal;
    if (m_communicator.size() == 1) return;
    const float mine = m_communicator.rank() == 0 && signal ? 1.0F : 0.0F;
    m_backend.upload(&mine, signalSlot());
}

// Resets the state of all buckets, because the previous pass may have been interrupted, for example when a step could
// not be recorded as a CUDA graph.
void GradientReducer::beginPass(unsigned adds) {
    for (Bucket& bucket : m_buckets) {
        bucket.pending = bucket.parameters;
        bucket.handle = {};
    }
    m_nextLaunch = 0;
    m_isInPass = true;
    m_adds = adds;
}

void GradientReducer::ready(std::size_t parameter) {
    Bucket& bucket = m_buckets[m_bucketOf[parameter]];
    RINGSIDE_ASSERT(bucket.pending > 0);
    if (--bucket.pending > 0) return;
    addKeptGradients(m_backend, m_adds, gradientsOf(bucket), [&](std::size_t level) { return bucket.kept[level]; });
    if (m_own) reportLocalGradient(m_bucketOf[parameter]);
    if (m_communicator.size() == 1) return;
    if (m_op == ReduceOp::kSum) m_backend.scale(gradientsOf(bucket), m_share);
    launchCompleteBuckets();
}

// Launches the all-reduces of complete buckets in the fixed order of the buckets, which is the same on all ranks. A
// bucket is not launched before all buckets in front of it.
void GradientReducer::launchCompleteBuckets() {
    for (; m_nextLaunch < m_buckets.size() && m_buckets[m_nextLaunch].pending == 0; ++m_nextLaunch) {
        Bucket& bucket = m_buckets[m_nextLaunch];
        if (&bucket != &m_buckets.back())
            bucket.handle = m_communicator.allReduceAsync(CommBuffer::of(bucket.memory), m_op);
    }
}

// Throws if ready() was not called for a gradient. The message is that of PyTorch
// (torch/csrc/distributed/c10d/reducer.cpp, ensure_prior_reduction_finished), which detects the same mistake one step
// later.
void GradientReducer::checkComplete() const {
    const auto waiting = std::ranges::find_if(m_buckets, [](const Bucket& one) { return one.pending > 0; });
    if (waiting == m_buckets.end()) return;
    throw Error(
        "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates "
        "that your module has parameters that were not used in producing loss: " +
            std::to_string(waiting->pending) + " gradients of bucket " + std::to_string(waiting - m_buckets.begin()) +
            " were not computed. Set parallel.find_unused_parameters to true, which counts them as zeros",
        ExitCode::kBadConfiguration);
}

void GradientReducer::reportLocalGradient(std::size_t bucket) const {
    for (std::size_t i = 0; i < m_bucketOf.size(); ++i)
        if (m_bucketOf[i] == bucket) m_own(i, m_gradients[i]);
}

void GradientReducer::finishPass() {
    m_isInPass = false;
    checkComplete();
    if (m_communicator.size() == 1) return;
    // No backward pass is left that could run during the all-reduce of the last bucket: a blocking call is sufficient.
    m_communicator.allReduce(CommBuffer::of(m_buckets.back().memory), m_op);
    for (Bucket& bucket : m_buckets) {
        bucket.handle.wait();
        bucket.handle = {};
    }
}

bool GradientReducer::end() {
    if (m_communicator.size() == 1) return m_signal;
    float largest = 0;
    m_backend.download(signalSlot(), &largest);
    return largest != 0;
}

std::size_t GradientReducer::slotBytes() const {
    constexpr std::size_t kSignalBytes = 64;
    return kSignalBytes + m_buckets.size() * ResultSlot::kNormParts * sizeof(double);
}

void GradientReducer::storeSignal(ResultSlot& slot) const {
    if (m_communicator.size() > 1) slot.add(signalSlot());
}

bool GradientReducer::readSignal(ResultSlot& slot, bool sent) const {
    return m_communicator.size() == 1 ? sent : slot.nextValues<float>().front() != 0;
}

void GradientReducer::storeNorm(ResultSlot& slot) const {
    for (const Bucket& bucket : m_buckets) slot.addSquares(gradientsOf(bucket));
}

double GradientReducer::readNorm(ResultSlot& slot) const {
    double sum = 0;
    for (std::size_t bucket = 0; bucket < m_buckets.size(); ++bucket) {
        double squares = 0;
        for (const double part : slot.nextValues<double>()) squares += part;
        sum += squares;
    }
    return std::sqrt(sum);
}

double GradientReducer::gradientNorm() {
    double sum = 0;
    for (const Bucket& bucket : m_buckets) sum += m_backend.squaredNorm(gradientsOf(bucket));
    return std::sqrt(sum);
}

}  // namespace ringside
