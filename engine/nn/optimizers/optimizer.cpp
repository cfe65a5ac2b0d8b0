// SPDX-License-Identifier: Apache-2.0
#include "nn/optimizers/optimizer.h"

#include <cstddef>
#include <type_traits>

#include "backend/backend.h"
#include "nn/optimizers/adam.h"
#include "nn/optimizers/sgd.h"

namespace ringside {

static_assert(std::is_trivially_copyable_v<UpdateState> && offsetof(UpdateState, lr) == 0);

Optimizer::Optimizer(const std::vector<Parameter*>& parameters, const UpdateRules& rules, double lr, Backend& backend)
    : m_backend(backend),
      m_parameters(parameters),
      m_rules(rules),
      m_lr(lr),
      m_progress(backend.allocate({sizeof(UpdateState)}, DType::kUInt8)) {
    UpdateState first;
    if (rules.scalesLoss) first.lossScale = kFirstLossScale;
    restore(first);
}

void Optimizer::update() {
    if (m_gradients.empty())
        for (const Parameter* parameter : m_parameters) m_gradients.push_back(parameter->gradient);
    m_backend.decideUpdate(m_gradients, m_rules, m_progress);
    updateAll();
}

void Optimizer::updateWith(double squaredNorm) {
    decideUpdateWith(m_backend, squaredNorm, m_rules, m_progress);
    updateAll();
}

void Optimizer::updateFrom(const Tensor& squares, ReductionKernels& kernels) {
    kernels.decideUpdate(squares, m_rules, m_progress);
    updateAll();
}

void Optimizer::setLearningRate(double lr) {
    if (lr == m_lr) return;
    m_lr = lr;
    m_backend.upload(&m_lr, m_progress.head(sizeof m_lr));
}

void Optimizer::scaleLoss(const Tensor& gradient, float share) {
    if (share != 1 || m_rules.scalesLoss) m_backend.scaleLoss(gradient, share, m_progress);
}

UpdateState Optimizer::progress() const {
    UpdateState progress;
    m_backend.download(m_progress, &progress);
    return progress;
}

void Optimizer::restore(const UpdateState& progress) {
    UpdateState restored = progress;
    restored.lr = m_lr;
    m_backend.upload(&restored, m_progress);
    m_steps = progress.updates + progress.skippedSteps;
}

Result<std::unique_ptr<Optimizer>> makeOptimizer(const OptimizerConfig& config,
                                                 const std::vector<Parameter*>& parameters, Backend& backend,
                                                 bool scalesLoss) {
    const MemoryScope scope(backend.memory(), MemoryClass::kOptimizer);
    UpdateRules rules;
    rules.clipNorm = config.clipGradNorm;
    rules.scalesLoss = scalesLoss;
    std::unique_ptr<Optimizer> optimizer;
    switch (config.kind) {
        case OptimizerKind::kSgd:
            if (config.nesterov && (config.momentum <= 0 || config.dampening != 0))
                return Problem{"optimizer.nesterov", "is on, which needs momentum above 0 and dampening 0",
                               "set optimizer.momentum to 0.9 and optimizer.dampening to 0"};
            optimizer = std::make_unique<Sgd>(config, rules, parameters, backend);
            break;
        case OptimizerKind::kAdam:
        case OptimizerKind::kAdamW:
            optimizer = std::make_unique<Adam>(config, rules, parameters, backend);
            break;
    }
    return optimizer;
}

}  // namespace ringside
