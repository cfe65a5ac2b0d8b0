// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/pipeline_stage.h"

#include <algorithm>

#include "backend/backend.h"

namespace ringside {

namespace {

// Returns the units (layers whose parameters are gathered together, fsdp.unit) of a stage's model. all: the units of
// all layers.
std::vector<Unit*> unitsWithin(const Model& model, const std::vector<Unit*>& all) {
    std::vector<Unit*> within;
    for (Unit* unit : all)
        if (std::ranges::find(model.parameters(), unit->parameters().front()) != model.parameters().end())
            within.push_back(unit);
    return within;
}

}  // namespace

PipelineStage::PipelineStage(const StageDependencies& dependencies)
    : m_number(dependencies.number), m_isLast(dependencies.isLast) {
    Backend& backend = dependencies.backend;
    const bool whole = !dependencies.plan.unit;
    const MemoryScope scope(backend.memory(), MemoryClass::kActivations);
    for (std::size_t i = 0; i < dependencies.microBatches; ++i) {
        Slot slot;
        std::vector<Unit*> units;
        slot.model = makeModel(dependencies.plan.layers, backend, units);
        const auto values = whole && i == 0 ? Model::Values::kOwn : Model::Values::kBoundLater;
        slot.model->prepare(dependencies.plan.microRows, dependencies.range, values);
        slot.units = unitsWithin(*slot.model, units);
        if (m_isLast)
            slot.loss =
                std::move(makeLoss(dependencies.config.training.loss, dependencies.classes, dependencies.targets,
                                   dependencies.plan.microRows, backend, dependencies.positions))
                    .value();
        else
            slot.gradOutput =
                backend.allocate(batchShape(slot.model->output(), dependencies.plan.microRows), DType::kFloat32);
        if (!isFirst())
            slot.input =
                backend.allocate(batchShape(slot.model->input(), dependencies.plan.microRows), DType::kFloat32);
        m_slots.push_back(std::move(slot));
    }
}

std::vector<Model*> PipelineStage::models() {
    std::vector<Model*> models;
    for (const Slot& slot : m_slots) models.push_back(slot.model.get());
    return models;
}

std::vector<std::vector<Unit*>> PipelineStage::units() {
    std::vector<std::vector<Unit*>> units;
    for (const Slot& slot : m_slots) units.push_back(slot.units);
    return units;
}

PipelineStage::Slot& PipelineStage::slotOf(int microBatch) {
    const auto found = std::ranges::find(m_slots, microBatch, &Slot::microBatch);
    RINGSIDE_ASSERT(found != m_slots.end());
    return *found;
}

PipelineStage::Slot& PipelineStage::takeSlot(int microBatch) {
    Slot& slot = slotOf(-1);
    finishSends(slot);
    slot.microBatch = microBatch;
    return slot;
}

void PipelineStage::finishSends(Slot& slot) {
    slot.sentForward.wait();
    slot.sentBackward.wait();
    slot.sentForward = slot.sentBackward = {};
}

void PipelineStage::abandonStep() {
    for (Slot& slot : m_slots) {
        slot.sentForward = slot.sentBackward = {};
        releaseSlot(slot);
    }
    m_store->abandonStep();
}

void PipelineStage::finishSends() {
    for (Slot& slot : m_slots) finishSends(slot);
}

void PipelineStage::releaseSlot(Slot& slot) {
    slot.microBatch = -1;
}

// Returns the memory for the received inputs of `rows` samples: the first rows of the slot's input. A sequence has one
// row for each of its positions.
Tensor PipelineStage::incomingInput(const Slot& slot, std::int64_t rows) const {
    const Shape& shape = slot.model->input();
    return slot.input.head(shape.dimensions() == 2 ? rows * shape[0] : rows);
}

Tensor PipelineStage::incomingGradient(const Slot& slot) const {
    Tensor gradient = slot.y;
    gradient.data = slot.gradOutput.data;
    return gradient;
}

}  // namespace ringside
