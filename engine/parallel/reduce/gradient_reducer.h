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
#include "plan/bucket_plan.h"

namespace ringside {

// Options of a GradientReducer.
struct ReducerOptions {
    int keptLevels = 0;   // number of partial sums of gradients that are kept for later backward passes of the same
                          // step; 0: a step has one pass
    bool inTree = false;  // true: the ranks add their gradients in a binary tree (training.reduction canonical)
};

// Averages gradients over the data-parallel ranks during the backward pass, as the reducer of
// torch.nn.parallel.DistributedDataParallel.
//
// Gradients are grouped into buckets (planBuckets()) and live in the buckets' memory, so that no gradient is copied.
// ready() counts the complete gradients of a bucket. When all are complete, the reducer adds the gradients kept from
// earlier micro-batches, multiplies by float(1/N), and starts an asynchronous all-reduce that sums, while the backward
// pass continues with earlier layers. Buckets are always launched in the same order on every rank. finishPass() reduces
// the last bucket and makes the backend wait for all buckets.
//
// With ReducerOptions::inTree the gradients are summed in a binary tree over the ranks and not multiplied.
//
// The last bucket also carries a signal of rank 0, so that every rank receives it in the same step.
class GradientReducer {
  public:
    // Binds every parameter's gradient. parameters and communicator must outlive the reducer. If keptLevels is above 0,
    // gradients of earlier backward passes can be kept with keepGradients() until the pass that is averaged.
    GradientReducer(const std::vector<Parameter*>& parameters, Communicator& communicator, Backend& backend,
                    BucketLimits limits, ReducerOptions options = {});

    // Keeps the gradients of a finished backward pass without communication, as DDP does under no_sync(). first:
    // overwrites the kept gradients of the previous step; otherwise adds to them.
    void keepGradients(bool first);
    // Keeps the gradient of one parameter for later passes of the step, at level turn.keepAt of the tree sum, after
    // adding the gradients kept at the levels in turn.adds.
    void keepGradients(std::size_t parameter, const TreeTurn& turn);

    // Sets a function that is called with each local gradient before it is averaged.
    using OwnGradient = std::function<void(std::size_t parameter, const Tensor& gradient)>;
    void watch(OwnGradient own) { m_own = std::move(own); }
    // Simulates a common mistake in handwritten training loops: gradients are summed, not averaged.
    void sumInsteadOfMean() { m_share = 1; }

    void begin(bool signal);  // starts a step, not while a CUDA graph is recorded; only the `signal` of rank 0 is used
    // Starts the backward pass whose gradients are averaged. adds: bit l is set if the gradients that earlier passes
    // kept at level l of the tree sum are added.
    void beginPass(unsigned adds);
    void ready(std::size_t parameter);  // reports that a gradient is complete; called in decreasing order of parameters
    void finishPass();                  // ends a pass: later work of the backend uses averaged gradients
    bool isInPass() const { return m_isInPass; }
    bool end();  // ends the step: returns rank 0's signal; blocks until the device has finished

    double gradientNorm();  // returns the norm of the averaged gradient, after finishPass()

    // The signal and the norm can be read through a slot, without waiting for the device: storeSignal() and storeNorm()
    // enqueue copies into the slot, and readSignal() and readNorm() read them.
    void storeSignal(ResultSlot& slot) const;
    // Returns rank 0's signal; sent: the signal that this rank passed to begin().
    bool readSignal(ResultSlot& slot, bool sent) const;
    void storeNorm(ResultSlot& slot) const;
    double readNorm(ResultSlot& slot) const;
    std::size_t slotBytes() const;  // returns the capacity that the signal and the norm need together

  private:
    // Gradients that are reduced together.
    struct Bucket {
        std::span<float> memory;   // gradients of the bucket, each aligned to 64 bytes; the last bucket also contains
                                   // the signal
        std::vector<Tensor> kept;  // sums of the gradients of earlier micro-batches, by level of the tree sum
        std::size_t gradientCount = 0;
        std::size_t parameters = 0;
        std::size_t pending = 0;
        CommHandle handle;
    };

    void launchCompleteBuckets();
    void checkComplete() const;
    void bindBucket(const std::vector<Parameter*>& parameters, const std::vector<std::size_t>& members, bool last);
    Tensor gradientsOf(const Bucket& bucket) const;
    // Returns the float behind the last bucket's gradients that carries the signal, in the device's memory.
    Tensor signalSlot() const;

    Communicator& m_communicator;
    Backend& m_backend;
    std::vector<Bucket> m_buckets;
    std::vector<std::size_t> m_bucketOf;  // bucket index of each parameter
    std::vector<Tensor> m_gradients;      // gradient of each parameter
    std::size_t m_nextLaunch = 0;
    bool m_isInPass = false;
    unsigned m_adds = 0;
    float m_share;
    ReduceOp m_op;
    bool m_signal = false;
    OwnGradient m_own;
    void reportLocalGradient(std::size_t bucket) const;
};

}  // namespace ringside
