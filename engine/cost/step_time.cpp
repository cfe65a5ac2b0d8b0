// SPDX-License-Identifier: Apache-2.0
#include "cost/step_time.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "schedule/schedule_simulation.h"

namespace ringside {
namespace {

double stageFlops(const StrategyPlan& plan, std::size_t stage) {
    double flops = 0;
    for (std::size_t at = plan.stageBegin[stage]; at < plan.stageBegin[stage + 1]; ++at)
        flops += static_cast<double>(plan.layers[at].flops);
    return flops;
}

double againFlops(const StrategyPlan& plan, std::size_t stage) {
    double flops = 0;
    for (std::size_t at = plan.stageBegin[stage]; at < plan.stageBegin[stage + 1]; ++at)
        if (!plan.layers[at].group.empty()) flops += static_cast<double>(plan.layers[at].flops);
    return flops;
}

// Returns the number of rounds of the most frequent collective of a step: a gather or scatter of shards if the model is
// sharded, otherwise an all-reduce.
std::int64_t roundsOf(const Mesh& mesh) {
    return mesh.shard > 1 ? mesh.shard - 1 : 2 * (mesh.replicate - 1);
}

}  // namespace

MachineRates throttledRates(MachineRates rates, const ThrottleConfig& throttle, std::int64_t rounds) {
    if (throttle.gflops > 0) rates.flopsPerSecond = std::min(rates.flopsPerSecond, throttle.gflops * 1e9);
    if (throttle.gbitPerSecond > 0)
        rates.bytesPerSecond = std::min(rates.bytesPerSecond, throttle.gbitPerSecond * 1e9 / 8);
    rates.secondsPerCollective += throttle.latencyUs * 1e-6 * static_cast<double>(rounds);
    return rates;
}

StepLimit StepTime::limit() const {
    const std::array<std::pair<double, StepLimit>, 4> parts{{{arithmetic, StepLimit::kArithmetic},
                                                             {idle, StepLimit::kIdleRanks},
                                                             {crowded, StepLimit::kProcessors},
                                                             {links, StepLimit::kLinks}}};
    return std::ranges::max_element(parts, {}, &std::pair<double, StepLimit>::first)->second;
}

std::string limitText(StepLimit limit) {
    switch (limit) {
        case StepLimit::kArithmetic:
            return "arithmetic";
        case StepLimit::kIdleRanks:
            return "idle ranks";
        case StepLimit::kProcessors:
            return "too few processors";
        case StepLimit::kLinks:
            return "the links";
    }
    return {};
}

double stepFlops(const PlanSubject& subject, const StrategyPlan& plan) {
    double flops = 0;
    for (std::size_t stage = 0; stage < plan.stages(); ++stage)
        flops += 3 * stageFlops(plan, stage) + againFlops(plan, stage);
    return flops * static_cast<double>(subject.largestBatch() * subject.config.training.accumulateSteps);
}

double idleShareOf(const Schedule& schedule) {
    return simulate(schedule, {}).idleShare();
}

StepTime predictTime(const PlanSubject& subject, const StrategyPlan& plan, const StepTraffic& most,
                     const MachineRates& machine) {
    const ThrottleConfig& throttle = subject.config.parallel.throttle;
    const MachineRates rates = throttledRates(machine, throttle, roundsOf(plan.mesh));
    const auto passes = static_cast<double>(subject.config.training.accumulateSteps * plan.rounds());
    const auto devices = static_cast<double>(std::max<std::int64_t>(1, plan.devices));
    const double perMicroBatch = static_cast<double>(subject.largestBatch()) /
                                 static_cast<double>(plan.microBatches * plan.rounds()) / devices /
                                 rates.flopsPerSecond;
    SimulationTimes times;
    for (std::size_t stage = 0; stage < plan.stages(); ++stage) {
        const double forward = stageFlops(plan, stage) * perMicroBatch;
        times.stages.push_back({forward, forward, forward + againFlops(plan, stage) * perMicroBatch});
    }
    if (most.messages > 0)
        times.message = throttledRates(machine, throttle, 1).secondsPerCollective +
                        static_cast<double>(most.activations) / most.messages / rates.bytesPerSecond;
    const ScheduleSimulation run = simulate(plan.schedule, times);
    const double busy = std::accumulate(run.busy.begin(), run.busy.end(), 0.0);
    const auto replicas = static_cast<double>(plan.mesh.dataRanks()) * devices;
    StepTime time;
    time.arithmetic = passes * busy / static_cast<double>(run.busy.size());
    time.idle = passes * run.makespan - time.arithmetic;
    const double computing = busy * rates.flopsPerSecond / machine.flopsPerSecond;
    const double onProcessors = passes * computing * replicas / std::max(1, rates.processors);
    time.crowded = std::max(0.0, onProcessors - passes * run.makespan);
    // In data_parallel, the first device copies the parameters to each other device and receives the gradients back.
    double parameters = 0;
    for (std::size_t stage = 0; plan.devices > 0 && stage < plan.stages(); ++stage)
        for (const TensorSize& one : plan.parametersOf(stage))
            parameters += static_cast<double>(one.values * kFloatBytes);
    time.links = 2 * parameters * (devices - 1) / rates.bytesPerSecond +
                 static_cast<double>(most.total() - most.activations) / rates.bytesPerSecond +
                 most.collectives * rates.secondsPerCollective;
    return time;
}

}  // namespace ringside
