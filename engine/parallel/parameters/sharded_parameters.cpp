// SPDX-License-Identifier: Apache-2.0
#include "parallel/parameters/sharded_parameters.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/errors/errors.h"
#include "parallel/reduce/kept_gradients.h"

namespace ringside {

namespace {

constexpr std::size_t kShardAlignment = 16;  // shards begin at multiples of this number of floats (64 bytes)

std::size_t roundedUp(std::size_t count) {
    return (count + kShardAlignment - 1) / kShardAlignment * kShardAlignment;
}

}  // namespace

ShardedParameters::ShardedParameters(const std::vector<Model*>& models, const std::vector<std::vector<Unit*>>& units,
                                     Communicator& shard, Communicator& data, Backend& backend,
                                     const ShardingOptions& options)
    : m_models(models),
      m_shard(shard),
      m_data(data),
      m_backend(backend),
      m_options(options),
      m_share(static_cast<float>(1.0 / data.size())),
      m_op(options.inTree ? ReduceOp::kTreeSum : ReduceOp::kSum),
      m_parts(models.front()->parameters().size()) {
    plan(units);
    allocatePools();
    for (UnitState& unit : m_units) allocateUnit(unit);
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if (m_parts[i].ownValues == 0) continue;
        m_trained.push_back(&m_parts[i].shard);
        m_trainedOf.push_back(i);
    }
    bindBuffers();
}

// Allocates the buffers of the first model. The models of the other slots (micro-batches in flight) use the same
// memory.
void ShardedParameters::bindBuffers() {
    for (std::size_t copy = 0; copy < m_models.size(); ++copy) {
        for (std::size_t i = 0; i < m_models[copy]->state().size(); ++i) {
            Parameter& one = *m_models[copy]->state()[i];
            const bool isBuffer =
                std::ranges::find(m_models[copy]->parameters(), &one) == m_models[copy]->parameters().end();
            if (isBuffer && copy == 0) bindValue(one, m_backend);
            if (isBuffer) one.value = m_models.front()->state()[i]->value;
        }
    }
}

std::span<float> ShardedParameters::take(std::size_t count) {
    const std::span<float> memory = m_shard.allocate(count);
    if (count > 0) m_backend.fill(vectorOf(memory), 0);
    return memory;
}

// Allocates the memory pools that units (layers whose parameters are gathered together) use one after the other. The
// pool for gradients has room for one unit, because the gradients of a unit are scattered before the backward pass of
// the next unit begins.
void ShardedParameters::allocatePools() {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < m_units.size(); ++i) largest = std::max(largest, m_units[i].wholeCount);
    const std::size_t units = m_units.size() - 1;
    const auto add = [&](std::vector<Memory>& pool, std::size_t count) {
        for (std::size_t i = 0; i < std::min(units, count); ++i) {
            m_backend.memory().add(MemoryClass::kGathered, largest * sizeof(float));
            pool.push_back({take(largest)});
        }
    };
    if (m_options.freesParameters) add(m_valuePool, m_options.prefetches ? 2 : 1);
    if (!m_options.keepsGradients && m_options.keptLevels == 0) add(m_gradientPool, 1);
}

// Assigns each parameter to its unit (layers whose parameters are gathered together) in the first model. The assignment
// holds for all models, because they have the same layers.
void ShardedParameters::plan(const std::vector<std::vector<Unit*>>& units) {
    const std::vector<Parameter*>& parameters = m_models.front()->parameters();
    std::map<const Parameter*, std::size_t> unitOf;
    for (std::size_t i = 0; i < units.front().size(); ++i)
        for (const Parameter* one : units.front()[i]->parameters()) unitOf[one] = i + 1;
    m_units.resize(units.front().size() + 1);
    for (const auto& ofModel : units)
        for (std::size_t i = 0; i < ofModel.size(); ++i) ofModel[i]->setHooks(*this, i + 1);
    const auto ranks = static_cast<std::size_t>(m_shard.size());
    const auto rank = static_cast<std::size_t>(m_shard.rank());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        Part& part = m_parts[i];
        part.shape = parameters[i]->shape;
        const auto rows = static_cast<std::size_t>(part.shape.dimensions() > 0 ? part.shape[0] : 1);
        const auto values = static_cast<std::size_t>(part.shape.count());
        part.valuesPerRow = rows == 0 ? 0 : values / rows;
        part.chunk = (rows + ranks - 1) / ranks * part.valuesPerRow;
        const std::size_t begin = std::min(values, rank * part.chunk);
        part.ownValues = std::min(part.chunk, values - begin);
        part.shard = {parameters[i]->name, {static_cast<std::int64_t>(part.ownValues)}, {}, {}};
        UnitState& unit = m_units[unitOf[parameters[i]]];
        part.wholePlace = unit.wholeCount;
        unit.wholeCount += roundedUp(part.chunk * ranks);
        unit.parameters.push_back(i);
    }
}

// Allocates the memory of a unit (layers whose parameters are gathered together): for this rank's shards, and, unless
// the unit uses the pools, for its whole values and whole gradients.
void ShardedParameters::allocateUnit(UnitState& unit) {
    const bool isRest = &unit == &m_units.front();
    const Whole values =
        allocateWhole(unit, isRest || !m_options.freesParameters, !m_options.freesParameters, MemoryClass::kParameters);
    const Whole gradients =
        allocateWhole(unit, isRest || m_gradientPool.empty(), m_options.keepsGradients, MemoryClass::kGradients);
    unit.values = values.values;
    unit.gradients = gradients.values;
    for (const std::size_t i : unit.parameters) {
        Part& part = m_parts[i];
        part.values = shardOf(part, values, MemoryClass::kParameters);
        part.gradients = shardOf(part, gradients, MemoryClass::kGradients);
        part.shard.value = vectorOf(part.values.first(part.ownValues));
        part.shard.gradient = vectorOf(part.gradients.first(part.ownValues));
    }
    if (!unit.values.empty()) bindValues(unit);
    if (!unit.gradients.empty()) bindGradients(unit, static_cast<std::size_t>(&unit - m_units.data()));
    const MemoryScope scope(m_backend.memory(), MemoryClass::kGathered);
    for (int level = 0; level < m_options.keptLevels && unit.wholeCount > 0; ++level)
        unit.kept.push_back(m_backend.allocate({static_cast<std::int64_t>(unit.wholeCount)}, DType::kFloat32));
}

// Allocates memory for the whole values or gradients of a unit (layers whose parameters are gathered together) if `own`
// is true; otherwise the unit uses a pool. stays: true to count the whole memory as `state` in the memory statistics;
// false to count only this rank's shards as `state`, and the other parts as MemoryClass::kGathered.
ShardedParameters::Whole ShardedParameters::allocateWhole(const UnitState& unit, bool own, bool stays,
                                                          MemoryClass state) {
    if (!own) return {};
    std::size_t shards = 0;
    for (const std::size_t i : unit.parameters) shards += m_parts[i].chunk;
    const std::size_t counted = stays ? unit.wholeCount : shards;
    m_backend.memory().add(state, counted * sizeof(float));
    m_backend.memory().add(MemoryClass::kGathered, (unit.wholeCount - counted) * sizeof(float));
    return {take(unit.wholeCount), true};
}

std::span<float> ShardedParameters::shardOf(const Part& part, const Whole& whole, MemoryClass state) {
    const std::size_t begin = part.wholePlace + static_cast<std::size_t>(m_shard.rank()) * part.chunk;
    if (whole.exists) return whole.values.subspan(begin, part.chunk);
    m_backend.memory().add(state, roundedUp(part.chunk) * sizeof(float));
    return take(roundedUp(part.chunk)).first(part.chunk);
}

Tensor ShardedParameters::vectorOf(std::span<float> values) const {
    return {values.data(), {static_cast<std::int64_t>(values.size())}, DType::kFloat32, m_backend.device()};
}

void ShardedParameters::bindValues(const UnitState& unit) {
    for (const std::size_t i : unit.parameters)
        for (Model* model : m_models)
            model->parameters()[i]->value = {unit.values.data() + m_parts[i].wholePlace, m_parts[i].shape,
                                             DType::kFloat32, m_backend.device()};
}

void ShardedParameters::bindGradients(UnitState& unit, std::size_t number) {
    if (unit.gradients.empty() && unit.wholeCount > 0)
        unit.gradients = takeMemory(m_gradientPool, static_cast<int>(number)).first(unit.wholeCount);
    for (const std::size_t i : unit.parameters)
        for (Model* model : m_models)
            model->parameters()[i]->gradient = {unit.gradients.data() + m_parts[i].wholePlace, m_parts[i].shape,
                                                DType::kFloat32, m_backend.device()};
}

std::span<float> ShardedParameters::takeMemory(std::vector<Memory>& pool, int unit) {
    for (Memory& one : pool) {
        if (one.unit >= 0) continue;
        one.unit = unit;
        return one.values;
    }
    return {};
}

void ShardedParameters::releaseMemory(std::vector<Memory>& pool, int unit) {
    for (Memory& one : pool)
        if (one.unit == unit) one.unit = -1;
}

void ShardedParameters::initialise(std::int64_t seed) {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < m_parts.size(); ++i) numbers[m_models.front()->parameters()[i]->name] = i;
    // Draws the values of each whole parameter into temporary memory, and stores only this rank's rows.
    for (Parameter* one : m_models.front()->parameters()) one->value = {};
    std::vector<float> values;
    m_models.front()->initialise(seed, [&](const Parameter& drawn) {
        const auto found = numbers.find(drawn.name);
        if (found == numbers.end()) return;
        values.resize(static_cast<std::size_t>(drawn.shape.count()));
        m_backend.download(drawn.value, values.data());
        scatter(found->second, values, localValue(found->second));
    });
    for (const UnitState& unit : m_units)
        if (!unit.values.empty()) bindValues(unit);
}

void ShardedParameters::startGather(std::size_t number) {
    UnitState& unit = m_units[number];
    if (unit.resident || unit.wholeCount == 0) return;
    if (unit.values.empty()) {
        const std::span<float> memory = takeMemory(m_valuePool, static_cast<int>(number));
        if (memory.empty()) return;
        unit.values = memory.first(unit.wholeCount);
    }
    unit.resident = true;
    const auto ranks = static_cast<std::size_t>(m_shard.size());
    m_calls.clear();
    for (const std::size_t i : unit.parameters) {
        const Part& part = m_parts[i];
        if (part.chunk == 0) continue;
        m_calls.push_back({CollectiveKind::kAllGather, CommBuffer::of(part.values),
                           CommBuffer::of(unit.values.subspan(part.wholePlace, part.chunk * ranks))});
    }
    m_shard.startTogether(m_calls, unit.gathering);
}

void ShardedParameters::enter(std::size_t number, Way way) {
    UnitState& unit = m_units[number];
    startGather(number);
    RINGSIDE_ASSERT(unit.resident || unit.wholeCount == 0);
    for (const CommHandle& handle : unit.gathering) handle.wait();
    unit.gathering.clear();
    bindValues(unit);
    if (way == Way::kBackward) {
        unit.closed = false;
        bindGradients(unit, number);
    }
    if (!m_options.prefetches || number == 0) return;
    const std::size_t next = way == Way::kForward ? number + 1 : number - 1;
    if (next >= 1 && next < m_units.size()) startGather(next);
}

void ShardedParameters::leave(std::size_t number, Way way) {
    UnitState& unit = m_units[number];
    if (way == Way::kBackward) closeUnit(number);
    if (!m_options.freesParameters || unit.wholeCount == 0) return;
    unit.resident = false;
    if (number == 0) return;
    releaseMemory(m_valuePool, static_cast<int>(number));
    unit.values = {};
}

void ShardedParameters::beginBackward(const PassPosition& pass) {
    m_pass = pass;
    enter(0, Way::kBackward);
}

// Averages or keeps the gradients of the units for which leave() was not called in this backward pass: the model's
// first unit, and the parameters outside of all units. A unit is a group of layers whose parameters are gathered
// together.
void ShardedParameters::endBackward(bool complete) {
    if (!complete) return;
    for (std::size_t number = m_units.size(); number-- > 0;)
        if (!m_units[number].closed) leave(number, Way::kBackward);
}

void ShardedParameters::closeUnit(std::size_t number) {
    UnitState& unit = m_units[number];
    unit.closed = true;
    if (unit.wholeCount == 0) return;
    const Tensor gradients = vectorOf(unit.gradients);
    const auto kept = [&unit](std::size_t level) { return unit.kept[level]; };
    if (!m_pass.isLastOfStep()) return addInTree(m_backend, gradients, m_pass.sumStep, kept);
    addKeptGradients(m_backend, m_pass.sumStep.adds, gradients, kept);
    reduceUnit(unit);
    if (number == 0 || m_gradientPool.empty()) return;
    for (const CommHandle& handle : unit.scattering) handle.wait();
    unit.scattering.clear();
    releaseMemory(m_gradientPool, static_cast<int>(number));
    unit.gradients = {};
}

// Averages the gradients of a unit (layers that are reduced together) and gives each rank its shard. With several
// replicas, the gradients are summed over all data-parallel ranks in the order of the ranks, so that the result has the
// same bits as DDP with the same number of ranks.
void ShardedParameters::reduceUnit(UnitState& unit) {
    const bool scatters = m_data.size() == m_shard.size();
    m_calls.clear();
    for (const std::size_t i : unit.parameters) {
        Part& part = m_parts[i];
        if (part.chunk == 0) continue;
        const auto values = static_cast<std::size_t>(part.shape.count());
        const std::span<float> mine = wholeGradient(unit, part);
        if (m_own) m_own(i, m_models.front()->parameters()[i]->gradient);
        if (values < mine.size()) m_backend.fill(vectorOf(mine.subspan(values)), 0);
        if (m_data.size() > 1 && !m_options.inTree) m_backend.scale(vectorOf(mine.first(values)), m_share);
        if (scatters)
            m_calls.push_back(
                {CollectiveKind::kReduceScatter, CommBuffer::of(mine), CommBuffer::of(part.gradients), m_op});
        else
            m_calls.push_back({CollectiveKind::kAllReduce, CommBuffer::of(mine), {}, m_op});
    }
    (scatters ? m_shard : m_data).startTogether(m_calls, unit.scattering);
    if (!scatters) keepOwnRows(unit);
}

// Waits for the all-reduces of a unit's gradients (layers that are reduced together), and copies this rank's rows of
// each gradient into its shard.
void ShardedParameters::keepOwnRows(UnitState& unit) {
    for (const CommHandle& handle : unit.scattering) handle.wait();
    unit.scattering.clear();
    for (const std::size_t i : unit.parameters) {
        Part& part = m_parts[i];
        const std::size_t begin = static_cast<std::size_t>(m_shard.rank()) * part.chunk;
        const std::span<float> reduced = wholeGradient(unit, part).subspan(begin, part.chunk);
        if (part.chunk > 0 && reduced.data() != part.gradients.data())
            m_backend.copy(vectorOf(reduced), vectorOf(part.gradients));
    }
}

std::span<float> ShardedParameters::wholeGradient(const UnitState& unit, const Part& part) const {
    return unit.gradients.subspan(part.wholePlace, part.chunk * static_cast<std::size_t>(m_shard.size()));
}

void ShardedParameters::finish() {
    for (UnitState& unit : m_units) {
        for (const CommHandle& handle : unit.scattering) handle.wait();
        unit.scattering.clear();
    }
}

// Discards the gathered parameters, because the optimizer has changed the shards.
void ShardedParameters::updated() {
    for (UnitState& unit : m_units) {
        for (const CommHandle& handle : unit.gathering) handle.wait();
        unit.gathering.clear();
        unit.resident = false;
        if (!m_options.freesParameters || &unit == &m_units.front()) continue;
        releaseMemory(m_valuePool, static_cast<int>(&unit - m_units.data()));
        unit.values = {};
    }
}

void ShardedParameters::abandonStep() {
    for (UnitState& unit : m_units) {
        unit.gathering.clear();
        unit.scattering.clear();
        unit.closed = true;
        if (m_gradientPool.empty() || &unit == &m_units.front()) continue;
        releaseMemory(m_gradientPool, static_cast<int>(&unit - m_units.data()));
        unit.gradients = {};
    }
    updated();
}

RowRange ShardedParameters::localRows(std::size_t parameter) const {
    const Part& part = m_parts[parameter];
    if (part.ownValues == 0) return {};
    return {static_cast<std::int64_t>(static_cast<std::size_t>(m_shard.rank()) * part.chunk / part.valuesPerRow),
            static_cast<std::int64_t>(part.ownValues / part.valuesPerRow)};
}

void ShardedParameters::gather(std::size_t parameter, const Tensor& own, std::vector<float>& whole) {
    const Part& part = m_parts[parameter];
    const std::size_t padded = part.chunk * static_cast<std::size_t>(m_shard.size());
    whole.resize(std::max(whole.size(), padded));
    if (part.chunk == 0) return;
    std::vector<float> chunk(part.chunk);
    if (own && part.ownValues > 0) m_backend.download(own, chunk.data());
    m_shard.allGather(CommBuffer::of(std::span(chunk)), CommBuffer::of(std::span(whole).first(padded)));
}

void ShardedParameters::scatter(std::size_t parameter, std::span<const float> wholeValues, const Tensor& own) {
    const Part& part = m_parts[parameter];
    if (part.ownValues == 0) return;
    m_backend.upload(wholeValues.data() + static_cast<std::size_t>(m_shard.rank()) * part.chunk, own);
}

}  // namespace ringside
