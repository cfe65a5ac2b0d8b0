// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/json/json.h"
#include "config/run_config.h"
#include "run/read/run_summary.h"
#include "run/record/recorded_run.h"
#include "telemetry/events/events.h"

namespace ringside {

// Experiment that a watched script runs, as far as its facts describe it. The configuration has dataset.kind external;
// settings that no fact describes keep their defaults, and configText() leaves them out. Used by one thread.
class SeenExperiment {
  public:
    // name: name of the run, for example the name of the script without its suffix.
    explicit SeenExperiment(std::string name) : m_name(std::move(name)) {}

    // Processes an event with facts, a state, sample indices or steps of a rank; ignores other events. If ranks report
    // different values, the value of the lowest rank is used.
    void add(const Event& event);

    // Returns the number of ranks; 0 before the first rank has reported it.
    std::int64_t worldSize() const { return m_worldSize; }
    // True if the lowest rank has reported a step. The first line of the record can then be written.
    bool isTraining() const { return m_steps > 0; }
    // True if the loader of the trained batches is known. Before the first step, true if any loader is known.
    bool hasTrainingLoader() const { return trainingLoader() != nullptr; }
    // recorded() returns what the record of the run states about the experiment, config() the configuration of the
    // experiment, both as far as known. ended: true if the numbers of epochs and steps are final.
    RecordedRun recorded(bool ended) const;
    RunConfig config() const;
    // Returns the experiment file of config() with only the settings that facts describe. It lacks the defaults of a
    // sampler, optimizer, strategy or model that was not seen. indent: as in RunConfig::toText().
    std::string configText(int indent = -1) const;
    std::optional<SummaryFramework> framework() const;
    // Returns the script's file name, "train.py"; empty if it is not known.
    const std::string& script() const { return m_script; }

  private:
    struct Loader {
        Json facts;
        std::int64_t trained = 0;    // number of batches with a backward pass
        std::int64_t untrained = 0;  // number of batches without a backward pass
        std::int64_t maxIndices = 0;
    };
    void addFacts(const ScriptFacts& facts);
    void addProcess(const Json& facts);
    void addDataParallel(const Json& facts);
    void addPassEnd(const Json& facts);
    std::int64_t microBatchesOf(const Json& counts) const;
    const Loader* trainingLoader() const;
    const Loader* validationLoader() const;
    std::int64_t trainingSamples() const;
    std::int64_t batchSize() const;
    std::int64_t epochs() const;
    std::int64_t stepsPerEpoch(bool ended) const;
    void fillLoader(RunConfig& config) const;
    void fillSampler(RunConfig& config, const Json& loader) const;
    void fillOptimizer(RunConfig& config) const;
    ComputeChoice compute() const;

    const std::string m_name;
    int m_lowest = -1;  // lowest rank that has reported facts
    std::int64_t m_worldSize = 0;
    std::string m_script;
    std::string m_torch;
    std::string m_launcher;
    std::string m_backend;       // backend of the process group: gloo, nccl, mpi; empty: there is no group
    std::string m_backendWhere;  // line of the script that has created the group
    std::string m_device;        // device of the script: cpu or cuda; empty: not known
    std::string m_parallelKind;  // kind of parallel training: ddp, fully_shard, fsdp1, pipeline; empty: none
    std::map<std::int64_t, Loader> m_loaders;
    Json m_optimizer;
    // Number of micro-batches of one optimizer step; 0: no step was seen.
    std::int64_t m_microBatches = 0;
    std::int64_t m_steps = 0;  // number of optimizer steps of the lowest rank
    // Number of steps of the lowest rank in each epoch; only the first epochs are kept.
    std::map<std::int64_t, std::int64_t> m_stepsPerEpoch;
    std::int64_t m_epochs = 0;
};

}  // namespace ringside
