// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/whole_tensors.h"

#include <algorithm>
#include <cstring>

#include "backend/backend.h"
#include "config/optimizer_state.h"

namespace ringside {

namespace {

// Parameter or buffer found in the stages of this rank; `stage` is null if no stage of this rank contains it.
struct FoundTensor {
    PipelineStage* stage = nullptr;
    std::size_t parameter = 0;
    bool isParameter = false;
    Tensor value;  // value of a buffer; empty for a parameter
};

FoundTensor findTensor(std::vector<PipelineStage>& stages, const std::string& name) {
    for (PipelineStage& stage : stages) {
        const auto& parameters = stage.model().parameters();
        const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
        if (parameter != parameters.end())
            return {&stage, static_cast<std::size_t>(parameter - parameters.begin()), true, {}};
        for (const Parameter* one : stage.model().state())
            if (one->name == name) return {&stage, 0, false, one->value};
    }
    return {};
}

}  // namespace

// Reads or writes one tensor. Reading: the ranks of the tensor's stage gather it, and one of them in each pipeline
// broadcasts it to the ranks of the other stages. Writing: each rank of the stage keeps its part.
void WholeTensors::exchange(const WholeTensor& tensor, std::vector<float>& memory, const TensorVisitor& visit,
                            bool reading) {
    const std::size_t bytes = Tensor{nullptr, tensor.of.shape, tensor.of.type, {}}.bytes();
    memory.resize((bytes + sizeof(double) - 1) / sizeof(double) * 2);
    const auto shown = [&] {
        return WholeTensor{tensor.of, tensor.kept, std::as_writable_bytes(std::span(memory)).first(bytes)};
    };
    FoundTensor found = findTensor(m_dependencies.stages.allStages(), tensor.of.name);
    Tensor own = found.value;
    if (found.isParameter) {
        own = found.stage->store().localValue(found.parameter);
        if (*tensor.kept != '\0') {
            own = {};
            std::size_t firstOfStage = 0;
            for (PipelineStage* stage = &m_dependencies.stages.allStages().front(); stage != found.stage; ++stage)
                firstOfStage += stage->store().trained().size();
            for (const OptimizerTensor& one : m_dependencies.optimizer.state()) {
                if (one.parameter < firstOfStage || std::strcmp(one.name, tensor.kept) != 0) continue;
                const std::size_t trained = one.parameter - firstOfStage;
                const ParameterStore& store = found.stage->store();
                if (trained < store.trained().size() && store.parameterOf(trained) == found.parameter) own = one.value;
            }
        }
    }
    if (!reading) {
        visit(shown());
        if (found.isParameter && own) found.stage->store().scatter(found.parameter, memory, own);
        if (found.stage && !found.isParameter) m_dependencies.backend.upload(memory.data(), own);
        return;
    }
    if (found.isParameter) found.stage->store().gather(found.parameter, own, memory);
    if (found.stage && !found.isParameter) m_dependencies.backend.download(own, memory.data());
    if (m_dependencies.groups.layout().mesh.pipeline > 1) {
        std::int64_t owner = found.stage ? m_dependencies.groups.layout().pipelineIndex() : 0;
        m_dependencies.groups.pipelineGroup().allReduce(CommBuffer::of(std::span(&owner, 1)), ReduceOp::kMaximum);
        m_dependencies.groups.pipelineGroup().broadcast({memory.data(), bytes, CommType::kByte},
                                                        static_cast<int>(owner));
    }
    visit(shown());
}

std::vector<const char*> WholeTensors::optimizerTensorNames() const {
    std::vector<const char*> names;
    for (const std::string_view name : stateTensors(m_dependencies.config)) names.push_back(name.data());
    return names;
}

void WholeTensors::visitTensors(const TensorVisitor& visit, bool reading, bool optimizerToo) {
    std::vector<float> memory;
    for (const Parameter* one : m_dependencies.model.wholeState()) exchange({*one}, memory, visit, reading);
    if (!optimizerToo) return;
    const std::vector<const char*> names = optimizerTensorNames();
    for (const Parameter* one : m_dependencies.model.wholeParameters())
        for (const char* name : names) exchange({*one, name}, memory, visit, reading);
}

void WholeTensors::write(const TensorVisitor& fill) {
    visitTensors(fill, false, true);
    for (PipelineStage& stage : m_dependencies.stages.allStages()) stage.store().updated();
}

}  // namespace ringside
