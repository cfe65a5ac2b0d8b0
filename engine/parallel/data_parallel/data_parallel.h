// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "parallel/data_parallel/device_threads.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// Returns the number of samples of a batch that each device gets, by the rule of torch.chunk: each device gets
// ceil(samples / devices) samples until no samples are left. Devices without samples have no entry in the result.
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
        // only for training.reduction canonical: loss of one group of samples (leaf) of this device; null otherwise
        std::unique_ptr<Loss> loss;
        Backend* backend = nullptr;
        Model* model = nullptr;
        // For training.reduction canonical: sums of gradients of this device that are kept until they are added to
        // another sum, by level of the tree sum and then by parameter.
        std::vector<std::vector<Tensor>> kept;
        Tensor y;
        // Copies of this device's chunk of the batch and of the gradient of its outputs; empty if the device can access
        // the memory of device 0.
        Tensor input;
        Tensor outputGradient;
    };
    // Time in nanoseconds, over all steps, for which device 0 works while the other devices wait, for each kind of
    // work. Also the total time of all steps and their number.
    struct Shares {
        std::int64_t gather = 0, reduce = 0, update = 0, all = 0, steps = 0;
    };

    DataParallel(const RunConfig& config, const StrategyDependencies& dependencies);
    Device makeDevice(int number);
    // returns true if the device cannot access the memory of device 0
    bool hasSeparateMemory(const Device& device) const;
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
    // only for training.reduction canonical: losses of all samples of the batch, followed by their correct predictions
    // (1: correct, 0: wrong)
    std::vector<float> m_losses;
    Tensor m_output;  // outputs of all devices for the batch, in the memory of device 0
    // Buffer of device 0 for a copy of another device's gradient. Empty if device 0 can access the memory of all
    // devices.
    Tensor m_received;
    std::vector<Tensor> m_kept;  // for each parameter, the sum of the gradients of the step's earlier micro-batches
    float m_share;
    std::int64_t m_microBatches = 0;
    Shares m_shares;
};

}  // namespace ringside
