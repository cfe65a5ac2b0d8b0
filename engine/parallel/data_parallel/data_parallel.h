// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "parallel/data_parallel/device_threads.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// How many samples each device gets, as torch.chunk deals them: as many as go round evenly, rounded up, until there are
// none left. Fewer devices than there are may get some.
std::vector<std::int64_t> chunkSizes(std::int64_t samples, int devices);

// torch.nn.DataParallel: one process with several devices. Each step copies the model from device 0 to the others,
// deals them the batch in chunks, gathers their outputs on device 0, which finds the loss of the whole batch and, after
// their backward passes, adds up their gradients and updates. On the CPU a device is a thread with a backend of its
// own.
class DataParallel final : public Strategy {
  public:
    static Result<std::unique_ptr<Strategy>> make(const RunConfig& config, const StrategyParts& parts);

    std::string name() const override { return "data_parallel"; }
    void synchronise() override {}
    SampleLosses accumulate(const Batch& batch) override;
    StepResult step(const Batch& batch, StepRequest request) override;
    void beginEvaluation() override { tellShares(); }
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }
    void setLearningRate(double lr) override { m_optimizer->setLearningRate(lr); }
    Optimizer& optimizer() override { return *m_optimizer; }
    Communicator& readers() override { return m_parts.communicator; }
    const std::vector<Parameter*>& wholeParameters() const override { return m_parts.model.parameters(); }
    const std::vector<Parameter*>& wholeState() const override { return m_parts.model.state(); }

  private:
    // What a device has. The first one's is the strategy's own.
    struct Device {
        std::unique_ptr<Backend> ownBackend;
        std::unique_ptr<Model> ownModel;
        std::unique_ptr<Loss> loss;  // only where leaves are summed: each device has that of its own
        Backend* backend = nullptr;
        Model* model = nullptr;
        std::vector<std::vector<Tensor>> kept;  // gradients of leaves, by level and parameter
        Tensor y;
    };
    // Where device 0 works while the others wait, and all together; ns.
    struct Shares {
        std::int64_t gather = 0, reduce = 0, update = 0, all = 0, steps = 0;
    };

    DataParallel(const RunConfig& config, const StrategyParts& parts);
    void addDevice(int number);
    void replicate(Device& device);
    void pass(const Batch& batch);  // gradients of the batch on device 0
    void forward(const Batch& batch, bool training);
    void gather(const Batch& batch);
    void addGradients();
    void keep(bool first);
    void tellMemory();
    void tellShares();
    Pass passOn(int device) const;

    // The canonical order: each device sums up its leaves, device 0 the devices' sums.
    void passLeaves(const Batch& batch);
    void leavesOf(int device);
    void recordLosses(int turn, const SampleLosses& losses);
    void addLeaves();
    double squaredNorm();
    SampleLosses leafLosses(const Batch& batch) const;

    RunConfig m_config;
    StrategyParts m_parts;
    DeviceThreads m_threads;
    std::vector<Device> m_devices;
    std::vector<std::int64_t> m_chunks;  // of the batch under way
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<LeafBatches> m_leaves;
    std::vector<float> m_losses;  // of leaves: losses, then hits
    Tensor m_output;              // of all devices, on the first
    std::vector<Tensor> m_kept;   // gradients of earlier micro-batches
    float m_share;
    std::int64_t m_microBatches = 0;
    Shares m_shares;
};

}  // namespace ringside
