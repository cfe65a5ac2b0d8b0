// SPDX-License-Identifier: Apache-2.0
// Canonical reduction (training.reduction canonical) on the devices of one process.
#include <bit>
#include <cmath>

#include "config/leaves.h"
#include "nn/layer/value_hash.h"
#include "parallel/data_parallel/data_parallel.h"
#include "parallel/reduce/exact_norm.h"
#include "parallel/reduce/kept_gradients.h"

namespace ringside {

// Adds up the gradients of a device's leaves (groups of samples). The leaves of a device are consecutive in the tree
// sum, so that their sum is a node of the tree.
void DataParallel::processLeavesOf(int number) {
    Device& device = m_devices[static_cast<std::size_t>(number)];
    const int turns = m_leaves->turnCount() / m_threads.deviceCount();
    const int levels = std::countr_zero(static_cast<unsigned>(turns));
    const auto key = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    if (number > 0) replicate(device);
    for (int turn = number * turns; turn < (number + 1) * turns; ++turn) {
        if (!m_leaves->isFilled(turn)) continue;
        const Batch leaf = m_leaves->batch(turn);
        device.model->begin(
            {.training = true,
             .key = hashOf({key(m_config.training.seed), key(m_leaves->leafOf(turn)), key(m_optimizer->steps()), 0})});
        device.y = device.model->forward(leaf.features);
        recordLosses(turn, device.loss->evaluate(device.y, leaf, true));
        const auto share =
            static_cast<float>(static_cast<double>(m_leaves->rowsOf(turn)) / static_cast<double>(m_leaves->rows()));
        device.backend->scale(device.loss->gradient(), share);
        device.model->backward(device.loss->gradient(), [](std::size_t) {});
        TreeSumStep sumStep = treeSumStep(turn, m_leaves->turnCount(), m_leaves->filledLeaves());
        sumStep.adds &= (1U << levels) - 1;
        // Keeps the sum over all leaves of this device in the gradient, from which device 0 adds the sums of all
        // devices.
        if (sumStep.keepAt >= levels) sumStep.keepAt = -1;
        const std::vector<Parameter*>& parameters = device.model->parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const auto kept = [&](std::size_t level) { return device.kept[level][i]; };
            if (sumStep.keepAt >= 0)
                addInTree(*device.backend, parameters[i]->gradient, sumStep, kept);
            else
                addKeptGradients(*device.backend, sumStep.adds, parameters[i]->gradient, kept);
        }
    }
}

void DataParallel::recordLosses(int turn, const SampleLosses& losses) {
    const std::size_t half = m_losses.size() / 2;
    const auto place = [&](std::size_t i) {
        return static_cast<std::size_t>(m_leaves->rowOf(turn, static_cast<std::int64_t>(i)));
    };
    for (std::size_t i = 0; i < losses.loss.size(); ++i) m_losses[place(i)] = losses.loss[i];
    for (std::size_t i = 0; i < losses.correct.size(); ++i) m_losses[half + place(i)] = losses.correct[i];
}

void DataParallel::sumLeafGradients() {
    const int turns = m_leaves->turnCount() / m_threads.deviceCount();
    for (int step = 1; step < m_threads.deviceCount(); step *= 2) {
        for (int device = 0; device < m_threads.deviceCount(); device += 2 * step) {
            if (!m_leaves->isFilled((device + step) * turns)) continue;
            const auto& sums = m_devices[static_cast<std::size_t>(device)].model->parameters();
            const auto& others = m_devices[static_cast<std::size_t>(device + step)].model->parameters();
            for (std::size_t i = 0; i < sums.size(); ++i)
                m_dependencies.backend.add(others[i]->gradient, sums[i]->gradient);
        }
    }
}

void DataParallel::computeLeafGradients(const Batch& batch) {
    m_leaves->copySamples(batch);
    {
        const PhaseScope scope(m_dependencies.phase, Phase::kForward);
        m_threads.runOnAllDevices([this](int device) { processLeavesOf(device); });
    }
    const PhaseScope scope(m_dependencies.phase, Phase::kBackward);
    sumLeafGradients();
}

SampleLosses DataParallel::leafLosses(const Batch& batch) const {
    const auto rows = static_cast<std::size_t>(batch.rows());
    const std::span<const float> all(m_losses);
    return {all.first(rows),
            m_dependencies.loss.countsCorrect() ? all.subspan(all.size() / 2, rows) : std::span<const float>{}};
}

double DataParallel::squaredGradientNorm() {
    if (!m_leaves) {
        double sum = 0;
        for (const Parameter* one : m_dependencies.model.parameters())
            sum += m_dependencies.backend.squaredNorm(one->gradient);
        return sum;
    }
    ExactSquares squares;
    for (const Parameter* one : m_dependencies.model.parameters()) squares.add(one->gradient.floats());
    return squares.total();
}

}  // namespace ringside
