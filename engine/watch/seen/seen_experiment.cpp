// SPDX-License-Identifier: Apache-2.0
#include "watch/seen/seen_experiment.h"

#include <algorithm>
#include <initializer_list>

#include "base/json/json_members.h"
#include "config/optimizer_state.h"
#include "telemetry/events/script_topic.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxLoaders = 1000;
constexpr std::int64_t kMaxSamples = std::int64_t{1} << 40;

// Returns a member of an object that ranks have sent; null if it is missing.
const Json& member(const Json& json, const char* name) {
    static const Json kNull;
    if (!json.is_object()) return kNull;
    const auto found = json.find(name);
    return found == json.end() ? kNull : *found;
}

std::string text(const Json& json, const char* name) {
    const Json& value = member(json, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t number(const Json& json, const char* name, std::int64_t otherwise = 0) {
    const Json& value = member(json, name);
    if (!value.is_number_integer()) return otherwise;
    return std::clamp<std::int64_t>(value.get<std::int64_t>(), -kMaxSamples, kMaxSamples);
}

bool flag(const Json& json, const char* name) {
    const Json& value = member(json, name);
    return value.is_boolean() && value.get<bool>();
}

// Returns the number of samples of a loader's data set; 0: not known.
std::int64_t lengthOf(const Json& loader) {
    return std::max<std::int64_t>(0, number(member(loader, "dataset"), "length"));
}

// Returns the last part of a dotted class name.
std::string shortName(const std::string& dotted) {
    return dotted.substr(dotted.rfind('.') + 1);
}

// Returns the sampler that orders the samples: the innermost one.
const Json& innermost(const Json& sampler) {
    const Json* one = &sampler;
    for (int depth = 0; depth < 8 && member(*one, "inner").is_object(); ++depth) one = &member(*one, "inner");
    return *one;
}

std::optional<StrategyKind> strategyOf(const std::string& kind) {
    if (kind == "ddp") return StrategyKind::kDdp;
    if (kind == "fully_shard" || kind == "fsdp1") return StrategyKind::kFsdp;
    if (kind == "pipeline") return StrategyKind::kPipeline;
    return {};
}

std::optional<SamplerKind> samplerOf(const Json& innermostSampler) {
    const std::string name = shortName(text(innermostSampler, "class"));
    if (name == "DistributedSampler") return SamplerKind::kDistributed;
    if (name == "SequentialSampler") return SamplerKind::kSequential;
    if (name == "RandomSampler") return SamplerKind::kRandom;
    return {};
}

std::optional<OptimizerKind> optimizerOf(const Json& facts) {
    const std::string name = shortName(text(facts, "class"));
    for (std::size_t i = 0; i < kNamesOf<OptimizerKind>.size(); ++i)
        if (const auto kind = static_cast<OptimizerKind>(i); name == torchClass(kind)) return kind;
    return {};
}

// Returns an object with only the members of `json` that `names` lists.
Json membersOf(const Json& json, std::initializer_list<const char*> names) {
    Json result = Json::object();
    for (const char* const name : names) result[name] = json.at(name);
    return result;
}

}  // namespace

void SeenExperiment::add(const Event& event) {
    if (const auto* facts = std::get_if<ScriptFacts>(&event)) return addFacts(*facts);
    if (const auto* indices = std::get_if<ConsumedIndices>(&event); indices != nullptr && indices->rank == m_lowest)
        ++m_loaders[std::clamp<std::int64_t>(indices->loader, 0, kMaxLoaders)].trained;
    const auto* steps = std::get_if<StepsFrame>(&event);
    if (steps == nullptr || steps->rank != m_lowest || steps->step.empty()) return;
    m_steps = steps->step.back();
    m_epochs = std::max(m_epochs, steps->epoch + 1);
    if (steps->epoch < 2) m_stepsPerEpoch[steps->epoch] += static_cast<std::int64_t>(steps->step.size());
}

void SeenExperiment::addFacts(const ScriptFacts& facts) {
    const Result<Json> parsed = parseJson(facts.facts, "facts");
    if (!parsed || !parsed.value().is_object()) return;
    const Json& json = parsed.value();
    const std::optional<ScriptTopic> topic = topicOf(facts);
    if (topic == ScriptTopic::kProcess && (m_lowest < 0 || facts.rank <= m_lowest)) {
        m_lowest = facts.rank;
        m_loaders.clear();  // another process, also of the same rank after a restart, reports its own loaders
        m_stepsPerEpoch.clear();
        addProcess(json);
    }
    if (topic == ScriptTopic::kProcessGroupCreated && m_backend.empty()) {
        m_backend = text(json, "backend");
        m_backendWhere = text(json, "where");
    }
    if (facts.rank != m_lowest) return;
    if (topic == ScriptTopic::kDataParallel) addDataParallel(json);
    if (topic == ScriptTopic::kPipeline) m_parallelKind = "pipeline";
    if (topic == ScriptTopic::kLoader && m_loaders.size() < kMaxLoaders) m_loaders[number(json, "id")].facts = json;
    if (topic == ScriptTopic::kPassEnd) addPassEnd(json);
    if (topic == ScriptTopic::kOptimizer && m_optimizer.is_null()) m_optimizer = json;
    if (topic == ScriptTopic::kStepCounts && m_microBatches == 0) m_microBatches = microBatchesOf(json);
}

// Returns the number of backward passes of one optimizer step if they accumulate micro-batches, otherwise 1. Several
// losses, several optimizers, stages of a pipeline and closures that are evaluated several times also run several
// backward passes, but do not accumulate. Returns 0 (not known) if GradScaler has skipped a step before this one, or if
// the script has cleared gradients before it: the backward passes of this step are then not typical.
std::int64_t SeenExperiment::microBatchesOf(const Json& counts) const {
    const auto isSingle = [&](const char* name) {
        const Json& list = member(counts, name);
        return list.is_array() && list.size() == 1;
    };
    const bool hasClosures = text(m_optimizer, "class").find("LBFGS") != std::string::npos;
    if (number(counts, "skipped") > 0 || number(counts, "unused") > 0) return 0;
    if (!isSingle("losses") || !isSingle("optimizers") || hasClosures || m_parallelKind == "pipeline") return 1;
    return std::max<std::int64_t>(1, number(counts, "backwards"));
}

void SeenExperiment::addProcess(const Json& facts) {
    m_worldSize = std::clamp<std::int64_t>(number(facts, "world_size", 1), 1, 4096);
    m_script = text(facts, "script");
    m_torch = text(facts, "torch");
    m_launcher = text(facts, "launcher");
}

void SeenExperiment::addDataParallel(const Json& facts) {
    if (m_parallelKind.empty()) m_parallelKind = text(facts, "kind");
    const Json& devices = member(facts, "devices");
    if (devices.is_array() && !devices.empty() && devices.front().is_string())
        m_device = devices.front().get<std::string>().starts_with("cuda") ? "cuda" : "cpu";
}

void SeenExperiment::addPassEnd(const Json& facts) {
    Loader& loader = m_loaders[std::clamp<std::int64_t>(number(facts, "loader"), 0, kMaxLoaders)];
    loader.trained += number(facts, "trained");
    loader.untrained += number(facts, "untrained");
    loader.maxIndices = std::max(loader.maxIndices, number(facts, "indices"));
}

// Returns the first loader whose batches are trained; before the first step the first loader.
const SeenExperiment::Loader* SeenExperiment::trainingLoader() const {
    for (const auto& [id, loader] : m_loaders)
        if (loader.trained > 0) return &loader;
    return m_loaders.empty() || m_steps > 0 ? nullptr : &m_loaders.begin()->second;
}

// Returns the first loader whose batches are never trained.
const SeenExperiment::Loader* SeenExperiment::validationLoader() const {
    for (const auto& [id, loader] : m_loaders)
        if (loader.trained == 0 && loader.untrained > 0) return &loader;
    return nullptr;
}

// Returns the number of steps in the first epoch: counted if the epoch is complete, otherwise computed from the loader;
// 0 if it is not known.
std::int64_t SeenExperiment::stepsPerEpoch(bool ended) const {
    const auto first = m_stepsPerEpoch.find(0);
    if ((ended || m_epochs > 1) && first != m_stepsPerEpoch.end()) return first->second;
    const Loader* loader = trainingLoader();
    if (loader == nullptr) return 0;
    const std::int64_t batch = number(loader->facts, "batch_size");
    const std::int64_t samples = number(innermost(member(loader->facts, "sampler")), "num_samples");
    if (batch < 1 || samples < 1) return 0;
    const std::int64_t batches = flag(loader->facts, "drop_last") ? samples / batch : (samples + batch - 1) / batch;
    const std::int64_t each = std::max<std::int64_t>(1, m_microBatches);
    return (batches + each - 1) / each;
}

std::int64_t SeenExperiment::trainingSamples() const {
    const Loader* loader = trainingLoader();
    return loader == nullptr ? 0 : lengthOf(loader->facts);
}

std::int64_t SeenExperiment::batchSize() const {
    const Loader* loader = trainingLoader();
    return loader == nullptr ? 0 : std::max<std::int64_t>(0, number(loader->facts, "batch_size"));
}

std::int64_t SeenExperiment::epochs() const {
    return std::max<std::int64_t>(1, m_epochs);
}

RecordedRun SeenExperiment::recorded(bool ended) const {
    const Loader* validation = validationLoader();
    return {.name = m_name,
            .config = configText(),
            .compute = compute(),
            .worldSize = static_cast<int>(std::max<std::int64_t>(1, m_worldSize)),
            .trainingSamples = trainingSamples(),
            .validationSamples = validation == nullptr ? 0 : lengthOf(validation->facts),
            .batchSize = batchSize(),
            .stepsPerEpoch = stepsPerEpoch(ended),
            .epochs = epochs()};
}

RunConfig SeenExperiment::config() const {
    RunConfig config;
    config.name = m_name;
    config.dataset.kind = DatasetKind::kExternal;
    config.parallel.worldSize = std::max<std::int64_t>(1, m_worldSize);
    if (const auto strategy = strategyOf(m_parallelKind)) config.parallel.strategy = *strategy;
    fillLoader(config);
    fillOptimizer(config);
    config.training.accumulateSteps = std::max<std::int64_t>(1, m_microBatches);
    config.training.epochs = epochs();
    config.training.checkpointSeconds = 0;
    const ComputeChoice choice = compute();
    config.parallel.backend = choice.backend;
    config.parallel.device = choice.device;
    return config;
}

void SeenExperiment::fillLoader(RunConfig& config) const {
    const Loader* training = trainingLoader();
    if (training == nullptr) return;
    const Json& facts = training->facts;
    config.dataset.size = trainingSamples();
    config.loader.batchSize = batchSize();
    config.loader.dropLast = flag(facts, "drop_last");
    config.loader.numWorkers = number(facts, "num_workers");
    if (config.loader.numWorkers > 0) config.loader.prefetchFactor = number(facts, "prefetch_factor", 2);
    config.loader.persistentWorkers = flag(facts, "persistent_workers");
    config.loader.pinMemory = flag(facts, "pin_memory");
    fillSampler(config, facts);
}

void SeenExperiment::fillSampler(RunConfig& config, const Json& loader) const {
    const Json& sampler = innermost(member(loader, "sampler"));
    const auto kind = samplerOf(sampler);
    config.sampler.kind = kind.value_or(config.sampler.kind);
    if (kind != SamplerKind::kDistributed) return;
    config.sampler.shuffle = flag(sampler, "shuffle");
    config.sampler.seed = number(sampler, "seed");
    config.sampler.dropLast = flag(sampler, "drop_last");
}

void SeenExperiment::fillOptimizer(RunConfig& config) const {
    config.optimizer.kind = optimizerOf(m_optimizer).value_or(config.optimizer.kind);
    const Json& groups = member(m_optimizer, "groups");
    if (!groups.is_array() || groups.empty()) return;
    const Json& rate = member(groups.front(), "lr");
    if (rate.is_number()) config.optimizer.lr = rate.get<double>();
}

std::string SeenExperiment::configText(int indent) const {
    const Json all = config().toJson();
    Json json = membersOf(all, {"version", "name"});
    json["dataset"] = membersOf(all["dataset"], {"kind", "size"});
    json["parallel"] = membersOf(all["parallel"], {"world_size", "backend", "device"});
    if (strategyOf(m_parallelKind)) json["parallel"]["strategy"] = all["parallel"]["strategy"];
    json["training"] = membersOf(all["training"], {"epochs", "accumulate_steps", "checkpoint_seconds"});
    if (m_optimizer.is_object()) json["optimizer"] = membersOf(all["optimizer"], {"lr"});
    if (optimizerOf(m_optimizer)) json["optimizer"]["kind"] = all["optimizer"]["kind"];
    if (const Loader* const loader = trainingLoader()) {
        json["loader"] = membersOf(all["loader"], {"batch_size", "drop_last", "num_workers", "prefetch_factor",
                                                   "persistent_workers", "pin_memory"});
        const auto sampler = samplerOf(innermost(member(loader->facts, "sampler")));
        if (sampler) json["sampler"] = membersOf(all["sampler"], {"kind"});
        if (sampler == SamplerKind::kDistributed)
            json["sampler"] = membersOf(all["sampler"], {"kind", "shuffle", "seed", "drop_last"});
    }
    return jsonText(json, indent);
}

ComputeChoice SeenExperiment::compute() const {
    ComputeChoice choice;
    const std::string script = m_script.empty() ? "the script" : m_script;
    // A sentence begins with "The script", so that the first letter of the file name is not made a capital.
    const std::string named = m_script.empty() ? script : "the script " + script;
    choice.backend = choiceNamed<CollectiveBackend>(m_backend).value_or(CollectiveBackend::kAuto);
    choice.whyBackend = m_backend.empty() ? named + " has created no process group"
                                          : "process group of " + script + ": " + m_backend +
                                                (m_backendWhere.empty() ? "" : ", at " + m_backendWhere);
    choice.device = choiceNamed<DeviceChoice>(m_device).value_or(DeviceChoice::kAuto);
    choice.whyDevice = "PyTorch " + m_torch + " runs " + script +
                       (m_launcher.empty() ? "" : ", started by " + m_launcher) +
                       (m_device.empty() ? "" : ", on " + m_device);
    return choice;
}

std::optional<SummaryFramework> SeenExperiment::framework() const {
    if (m_torch.empty()) return {};
    return SummaryFramework{"torch", m_torch};
}

}  // namespace ringside
