// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/errors/result.h"
#include "config/choices.h"
#include "tensor/tensor.h"

namespace ringside {

class Backend;
class ResultSlot;

// Inputs and expected outputs of a batch: labels(B) as int64, labels(B, positions) for sequences, or targets(B, T).
struct Batch {
    Tensor features;
    Tensor labels;
    Tensor targets;
    std::int64_t rows() const { return features.rows(); }
};

// Values for each sample of a batch, in host memory, valid until the next call of the loss. The value of a sequence is
// the mean over its positions.
struct SampleLosses {
    std::span<const float> loss;
    std::span<const float> correct;  // 1 or 0 for each sample, or for a sequence its share of correct positions; empty
                                     // for regression
};

// Results of a loss on the device for each row of the output: the loss, and 1 if the prediction is correct, otherwise
// 0. A sequence has a row for each position. `correct` is empty for regression.
struct LossRows {
    Tensor loss;
    Tensor correct;
};

// Returns the mean of the values of a sequence's positions.
float meanOfPositions(std::span<const float> values);

// A loss averaged over the batch's rows, as torch.nn.CrossEntropyLoss() and torch.nn.MSELoss().
class Loss {
  public:
    virtual ~Loss() = default;
    virtual std::string name() const = 0;  // returns the name of the loss in the configuration
    virtual bool countsCorrect() const = 0;

    // Computes the per-sample losses on the device. withGradient: also computes gradient(), the gradient of the mean
    // loss with respect to the model's output.
    virtual void compute(const Tensor& output, const Batch& batch, bool withGradient) = 0;
    // Returns the results of compute() for this batch on the device.
    virtual LossRows rows(const Batch& batch) const = 0;
    // Returns the results of compute() for this batch; blocks until the device has finished.
    virtual SampleLosses fetch(const Batch& batch) = 0;
    // Enqueues copies of the results of compute() for this batch into a slot: page-locked memory that the host reads
    // later.
    virtual void store(const Batch& batch, ResultSlot& slot) = 0;
    // Returns the results that store() copied; valid until the next call, or until the slot (page-locked memory) is
    // used again.
    virtual SampleLosses read(ResultSlot& slot) = 0;
    virtual std::size_t slotBytes() const = 0;  // returns the capacity that store() needs for the largest batch
    SampleLosses evaluate(const Tensor& output, const Batch& batch, bool withGradient) {
        compute(output, batch, withGradient);
        return fetch(batch);
    }
    virtual Tensor gradient() const = 0;  // returns the gradient of the mean loss with respect to the output, for the
                                          // last evaluated batch
};

// Makes a loss. kind kAuto: cross-entropy for labels (classes > 0), otherwise squared error. positions: number of
// positions of a sequence, each with a row of outputs and a label.
Result<std::unique_ptr<Loss>> makeLoss(LossKind kind, std::int64_t classes, std::int64_t targets, std::int64_t maxBatch,
                                       Backend& backend, std::int64_t positions = 1);

}  // namespace ringside
