// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/leaves.h"
#include "nn/layer/layer.h"
#include "parallel/reduce/bucket_plan.h"

namespace ringside {

struct ReducerOptions {
    int keptLevels = 0;   // gradients of earlier passes that are kept apart; 0: one pass makes a step
    bool inTree = false;  // gradients are parts of a sum already, which the ranks add up in a tree
};

// Averages gradients over the ranks, bucket by bucket, while the backward pass goes on. Each gradient is multiplied by
// float(1/N) and then summed, as DDP does. Gradients live in the buckets' memory: nothing is copied.
// A signal of rank 0 rides in the last bucket, so that every rank learns it at the same step.
class GradientReducer {
  public:
    // Binds every parameter's gradient. Parameters and communicator outlive the reducer. With kept
    // levels, backward passes may be kept() before the one that is averaged.
    GradientReducer(const std::vector<Parameter*>& parameters, Communicator& communicator, Backend& backend,
                    BucketLimits limits, ReducerOptions options = {});

    // Sets the gradients of a finished backward pass aside, without communication, as DDP does under no_sync(): the
    // first ones of a step overwrite what was kept, others are added to it.
    void keep(bool first);
    // Only this one's, after those that it is added to.
    void keep(std::size_t parameter, const TreeTurn& turn);

    // Told of each gradient before it is averaged, as far as this rank alone knows it.
    using OwnGradient = std::function<void(std::size_t parameter, const Tensor& gradient)>;
    void watch(OwnGradient own) { m_own = std::move(own); }
    // The mistake of who writes the step by hand.
    void sumInsteadOfMean() { m_share = 1; }

    void begin(bool signal);  // of a step, before what may be recorded; signal counts on rank 0 only
    // Before the backward pass whose gradients, with those kept at these levels, are averaged.
    void beginPass(unsigned adds);
    void ready(std::size_t parameter);  // its gradient is complete; in decreasing order of parameters
    void finishPass();                  // what the backend does from now on finds all gradients averaged
    bool isInPass() const { return m_isInPass; }
    bool end();  // of the step: rank 0's signal; waits for the device

    double gradientNorm();  // of the averaged gradient, after finishPass()
    std::size_t bucketCount() const { return m_buckets.size(); }

  private:
    struct Bucket {
        std::span<float> memory;   // gradients, each at a multiple of 64 bytes; the last bucket also holds the signal
        std::vector<Tensor> kept;  // of earlier micro-batches, by level
        std::size_t gradientCount = 0;
        std::size_t parameters = 0;
        std::size_t pending = 0;
        CommHandle handle;
    };

    void launchReady();
    void checkComplete() const;
    void bind(const std::vector<Parameter*>& parameters, const std::vector<std::size_t>& members, bool last);
    Tensor gradientsOf(const Bucket& bucket) const;
    Tensor signalSlot() const;  // one value behind the last bucket's gradients, on the device

    Communicator& m_communicator;
    Backend& m_backend;
    std::vector<Bucket> m_buckets;
    std::vector<std::size_t> m_bucketOf;  // by parameter
    std::vector<Tensor> m_gradients;      // by parameter
    std::size_t m_nextLaunch = 0;
    bool m_isInPass = false;
    unsigned m_adds = 0;
    float m_share;
    ReduceOp m_op;
    bool m_signal = false;
    OwnGradient m_own;
    void tellOwn(std::size_t bucket) const;
};

}  // namespace ringside
