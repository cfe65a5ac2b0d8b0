// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "parallel/data_parallel/device_threads.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// Returns the number of samples that each device gets by the rule of torch.chunk: samples / devices, rounded up, for
// each device until no samples are left. The result has fewer entries than there are devices if some devices get no
// samples.
std::vector<std::int64_t> chunkSizes(std::int64_t samples, int devices);

// torch.nn.DataParallel: one process with several devices.
//
// In each step, the model is copied from device 0 to the other devices, each device gets a chunk of the batch, and the
// outputs are gathered on device 0, which computes the loss of the whole batch. After the backward passes on all
// devices, device 0 adds up their gradients and updates the parameters.
//
// Each device has its own thread and backend; on the CPU, a device is only a thread. A device that cannot access the
// memory of device 0 gets copies of its chunk of the batch and of the gradient of its outputs, and its parameter
// gradients are copied to device 0.
class DataParallel final : public Strategy {
  public:
    static Result<std::unique_ptr<Strategy>> make(const RunConfig& config, const StrategyDependencies& dependencies);

    std::string name() const override { return "data_parallel"; }
    void synchronise() override {}
    SampleLosses accumulate(const Batch& batch) override;
    StepResult step(const Batch& batch, StepRequest request) override;
    void beginEvaluation() override { logTimeShares(); }
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }
    void setLearningRate(double lr) override { m_optimizer->setLearningRate(lr); }
    Optimizer& optimizer() override { return *m_optimizer; }
    Communicator& dataParallelGroup() override { return m_dependencies.communicator; }
    const std::vector<Parameter*>& wholeParameters() const override { return m_dependencies.model.parameters(); }
    const std::vector<Parameter*>& wholeState() const override { return m_dependencies.model.state(); }

  private:
    // Model and memory of one device. Device 0 uses the model and the backend of StrategyDependencies.
    struct Device {
        std::unique_ptr<Backend> ownBackend;
        std::unique_ptr<Model> ownModel;
        std::unique_ptr<Loss> loss;  // training.reduction canonical: loss of this device's leaves (groups of samples);
                                     // null otherwise
        Backend* backend = nullptr;
        Model* model = nullptr;
        // training.reduction canonical: partial sums of this device's gradients that still have to be added to another
        // partial sum; indexed by level of the tree sum, then by parameter
        std::vector<std::vector<Tensor>> kept;
        Tensor y;
        // Copies of this device's chunk of the batch and of the gradient of its outputs; empty if the device can access
        // the memory of device 0.
        Tensor input;
        Tensor outputGradient;
    };
    // Time in nanoseconds in which device 0 works alone while the other devices wait, by kind of work; and the time and
    // number of all steps.
    struct Shares {
        std::int64_t gather = 0, reduce = 0, update = 0, all = 0, steps = 0;
    };

    DataParallel(const RunConfig& config, const StrategyDependencies& dependencies);
    Device makeDevice(int number);
    bool hasSeparateMemory(const Device& device) const;  // true if the device cannot use the memory of device 0
    void allocateCopies(Device& device);
    // Returns `values`, which are on device 0, as a tensor that `device` can access: a copy in `memory`, or `values`
    // itself if `memory` is empty.
    static Tensor copyToDevice(const Device& device, const Tensor& values, const Tensor& memory);
    Tensor copyToFirstDevice(
        const Tensor& values);  // returns values of any device as a tensor that device 0 can access: a copy if needed
    void replicate(Device& device);
    // Runs forward and backward pass of the whole batch on all devices and sums the gradients on device 0.
    void computeGradients(const Batch& batch);
    void forward(const Batch& batch, bool training);
    void gatherOutputs(const Batch& batch);
    void addGradients();
    void keepGradients(bool first);
    void logMemory();
    void logTimeShares();
    Pass passOfDevice(int device) const;

    // For training.reduction canonical: each device adds up the gradients of its leaves (groups of samples), and device
    // 0 adds up the sums of the devices.
    void computeLeafGradients(const Batch& batch);
    void processLeavesOf(int device);
    void recordLosses(int turn, const SampleLosses& losses);
    void sumLeafGradients();
    double squaredGradientNorm();
    SampleLosses leafLosses(const Batch& batch) const;

    const RunConfig& m_config;
    StrategyDependencies m_dependencies;
    DeviceThreads m_threads;
    std::vector<Device> m_devices;
    std::vector<std::int64_t> m_chunks;  // number of samples of each device in the current batch
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<LeafBatches> m_leaves;
    std::vector<float> m_losses;  // training.reduction canonical: losses of all samples of the batch, followed by their
                                  // correct predictions (1: correct, 0: wrong)
    Tensor m_output;              // outputs of all devices, on device 0
    // Copy of one gradient of another device; empty if device 0 can access the memory of all devices.
    Tensor m_received;
    std::vector<Tensor> m_kept;  // sum of the gradients of the step's earlier micro-batches, by parameter
    float m_share;
    std::int64_t m_microBatches = 0;
    Shares m_shares;
};

}  // namespace ringside
