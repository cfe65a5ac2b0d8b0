// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "parallel/data_parallel/device_threads.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// Returns the number of samples of each device by torch.chunk's rule: samples / devices, rounded up, until no samples
// are left. The result may have fewer entries than there are devices.
std::vector<std::int64_t> chunkSizes(std::int64_t samples, int devices);

// torch.nn.DataParallel: one process with several devices. Each step copies the model from device 0 to the others,
// assigns each device a chunk of the batch, and gathers the outputs on device 0, which computes the loss of the whole
// batch. After the backward passes of all devices, device 0 adds their gradients and updates. Each device has its own
// thread and backend; on the CPU, a device is just a thread. Devices that cannot use each other's memory copy the
// chunks of the batch, the loss' gradient and the gradients of the parameters.
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
    // Model and memory of one of the devices. Device 0 uses the model and the memory of the strategy.
    struct Device {
        std::unique_ptr<Backend> ownBackend;
        std::unique_ptr<Model> ownModel;
        std::unique_ptr<Loss> loss;  // training.reduction canonical: loss of this device's leaves (groups of samples);
                                     // null otherwise
        Backend* backend = nullptr;
        Model* model = nullptr;
        // training.reduction canonical: partial sums of gradients, kept until the other half of their subtree is
        // summed; indexed by level of the tree and by parameter
        std::vector<std::vector<Tensor>> kept;
        Tensor y;
        // Copies of this device's chunk of the batch and of the loss' gradient; empty if it can use device 0's memory.
        Tensor input;
        Tensor outputGradient;
    };
    // Time in which device 0 works alone while the other devices wait, by kind of work, and time of all steps, in
    // nanoseconds.
    struct Shares {
        std::int64_t gather = 0, reduce = 0, update = 0, all = 0, steps = 0;
    };

    DataParallel(const RunConfig& config, const StrategyDependencies& dependencies);
    Device makeDevice(int number);
    bool hasSeparateMemory(const Device& device) const;  // true if the device cannot use the memory of device 0
    void allocateCopies(Device& device);
    // Returns a tensor with device 0's values that `device` can access: a copy in `memory`, or `values` itself if
    // `memory` is empty.
    static Tensor copyToDevice(const Device& device, const Tensor& values, const Tensor& memory);
    Tensor copyToFirstDevice(
        const Tensor& values);  // returns the values of any device as a tensor that device 0 can use
    void replicate(Device& device);
    // Runs forward and backward pass of the whole batch on all devices and sums the gradients on device 0.
    void computeGradients(const Batch& batch);
    void forward(const Batch& batch, bool training);
    void gatherOutputs(const Batch& batch);
    void addGradients();
    void keepGradients(bool first);
    void logMemory();
    void logTimeShares();
    Pass passOn(int device) const;

    // For training.reduction canonical: each device adds the gradients of its leaves (groups of samples), device 0 adds
    // the sums of the devices.
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
    std::vector<float> m_losses;  // training.reduction canonical: losses of all samples, followed by their hits (1 if
                                  // the prediction is right)
    Tensor m_output;              // outputs of all devices, on device 0
    // Copy of one gradient of another device; empty if device 0 can access the memory of all devices.
    Tensor m_received;
    std::vector<Tensor> m_kept;  // sum of the gradients of earlier micro-batches
    float m_share;
    std::int64_t m_microBatches = 0;
    Shares m_shares;
};

}  // namespace ringside
