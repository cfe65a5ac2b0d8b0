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
    // number of gradient sums that are kept until later backward passes of the step are added to them: one for each
    // level of the tree sum; 0 if each step has one backward pass
    int keptLevels = 0;
    bool inTree = false;  // true: the ranks add their gradients in a binary tree (training.reduction canonical)
};

// Averages gradients over the data-parallel ranks during the backward pass, as the reducer of
// torch.nn.parallel.DistributedDataParallel.
//
// Gradients are grouped into buckets (planBuckets()) and stored in the buckets' memory, so that no gradient is copied.
// ready() counts the complete gradients of a bucket. When all of them are complete, the reducer adds the gradients kept
// from earlier micro-batches, multiplies the sums by float(1/N) for N ranks, and starts an asynchronous all-reduce that
// sums them, while the backward pass continues with earlier layers. Buckets are always launched in the same order on
// every rank. finishPass() reduces the last bucket and makes the backend wait for all buckets.
//
// With ReducerOptions::inTree, the gradients are summed in a binary tree over the ranks and not multiplied.
//
// The last bucket also contains the signal of rank 0 (StepAgreement), so that every rank receives the signal in the
// same step.
class GradientReducer {
  public:
    // Binds the gradient of each parameter to the memory of its bucket. parameters and communicator must outlive the
    // reducer. If options.keptLevels is above 0, keepGradients() can keep gradients of earlier backward passes until
    // the last pass of the step.
    GradientReducer(const std::vector<Parameter*>& parameters, Communicator& communicator, Backend& backend,
                    BucketLimits limits, ReducerOptions options = {});

    // Keeps the gradients of a finished backward pass on this rank, without communication, as DDP does under no_sync().
    // first: true for the first pass of a step, which replaces the kept gradients; the gradients of later passes are
    // added to them.
    void keepGradients(bool first);
    // Keeps the gradient of one parameter for later passes of the step. First adds to it the sums that are kept at the
    // levels of the tree sum in sumStep.adds; then keeps the result at level sumStep.keepAt.
    void keepGradients(std::size_t parameter, const TreeSumStep& sumStep);

    // Sets a function that is called with each local gradient before it is averaged.
    using OwnGradient = std::function<void(std::size_t parameter, const Tensor& gradient)>;
    void watch(OwnGradient own) { m_own = std::move(own); }
    // Adds up the gradients of all ranks without dividing by their number. Demonstrates a common mistake in
    // hand-written training loops.
    void sumInsteadOfMean() { m_share = 1; }

    void begin(bool signal);  // starts a step; not part of a recorded CUDA graph. signal: used on rank 0 only
    // Starts the last backward pass of a step, whose gradients are averaged. adds: bit l is set if the sum that is kept
    // at level l of the tree sum must be added to the gradients before they are averaged.
    void beginPass(unsigned adds);
    void ready(std::size_t parameter);  // reports that a gradient is complete; called in decreasing order of parameters
    void finishPass();                  // ends the pass: operations that are enqueued afterwards use averaged gradients
    bool isInPass() const { return m_isInPass; }
    bool end();  // ends the step and returns rank 0's signal; blocks until the device has finished

    double gradientNorm();  // returns the norm of the averaged gradient, after finishPass()

    // Replace end() and gradientNorm() if the host must not wait for the device. storeSignal() and storeNorm() enqueue
    // copies to page-locked memory (a slot); readSignal() and readNorm() read them after the step has finished.
    void storeSignal(ResultSlot& slot) const;
    // Returns rank 0's signal. sent: value that this rank passed to begin(), which is the result if there is only one
    // rank.
    bool readSignal(ResultSlot& slot, bool sent) const;
    void storeNorm(ResultSlot& slot) const;
    double readNorm(ResultSlot& slot) const;
    std::size_t slotBytes() const;  // returns the capacity that a slot needs for the signal and the norm, in bytes

  private:
    // Gradients that are reduced together.
    struct Bucket {
        std::span<float> memory;   // gradients of the bucket, each aligned to 64 bytes, and in the last bucket also the
                                   // signal
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
    // Returns the last float of the last bucket, which contains the signal.
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
