// SPDX-License-Identifier: Apache-2.0
#include "watch/evidence/rank_evidence.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "telemetry/events/script_topic.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxContents = 8;         // limit of the number of batches of one pass with checksums of samples
constexpr std::size_t kMaxContentSamples = 64;  // limit of the number of samples of one batch with checksums
constexpr std::size_t kMaxFactsBytes = 1U << 20;

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

template <class List, class Value>
void keepLatest(List& list, Value value, std::size_t most) {
    list.push_back(std::move(value));
    if (list.size() > most) list.pop_front();
}

std::vector<std::int64_t> firstOf(std::vector<std::int64_t> numbers, std::size_t most) {
    if (numbers.size() > most) numbers.resize(most);
    return numbers;
}

const std::vector<Json>& noFacts() {
    static const std::vector<Json> none;
    return none;
}

}  // namespace

void RankEvidence::add(const Event& event, std::size_t& budget) {
    const auto at = [this](std::int64_t timeUs) { latestUs = std::max(latestUs, timeUs); };
    const auto progress = [this, &at](std::int64_t timeUs) {
        at(timeUs);
        progressUs = std::max(progressUs, timeUs);
    };
    std::visit(Overloaded{[&](const RankState& one) {
                              applyState(one);
                              progress(one.timeUs);
                          },
                          [&](const ScriptFacts& one) {
                              if (topicOf(one) == ScriptTopic::kStalled)
                                  at(one.timeUs);
                              else
                                  progress(one.timeUs);
                              addFacts(one, budget);
                          },
                          [&](const StepsFrame& one) {
                              addSteps(one);
                              if (!one.endUs.empty()) progress(one.endUs.back());
                          },
                          [&](const Heartbeat& one) {
                              heartbeat = one;
                              at(one.timeUs);
                          },
                          [&](const LoggedScalar& one) {
                              addLogged(one);
                              progress(one.timeUs);
                          },
                          [&](const LogLine& one) { keepLatest(logs, one, kMaxLogs); },
                          [&](const Replica& one) { addReplica(one); }, [&](const StepTrace& one) { addTrace(one); },
                          [&](const ConsumedIndices& one) {
                              LoaderEvidence* const loader = loaderOf(one.loader);
                              if (loader == nullptr) return;
                              if (loader->epochs.size() < LoaderEvidence::kMaxPasses)
                                  loader->epochs[one.epoch].append(one.step, one.index, budget);
                          },
                          [](const auto&) {}},
               event);
}

void RankEvidence::applyState(const RankState& one) {
    const bool isNewProcess = one.state == RankStage::kStarting && state.has_value();
    if (isNewProcess) {
        const int before = restarts;
        const int number = rank;
        *this = RankEvidence{};
        rank = number;
        restarts = before + 1;
    }
    state = one.state;
    if (one.pid > 0) pid = one.pid;
    if (!one.host.empty()) host = one.host;
}

void RankEvidence::addFacts(const ScriptFacts& event, std::size_t& budget) {
    auto parsed = parseJson(event.facts, "facts", kMaxFactsBytes);
    if (!parsed || !parsed.value().is_object()) return;
    const Json& one = parsed.value();
    const std::optional<ScriptTopic> topic = topicOf(event);
    if (topic == ScriptTopic::kLoader) return addLoader(one);
    if (topic == ScriptTopic::kPass) return addPass(one, event.timeUs);
    if (topic == ScriptTopic::kPassEnd) return addPassEnd(one, event.timeUs);
    if (topic == ScriptTopic::kBatch) return addBatch(one, budget);
    if (topic == ScriptTopic::kContent) return addContent(one);
    if (topic == ScriptTopic::kSubset) return addSubset(one, budget);
    if (topic == ScriptTopic::kStalled) {
        stall = one;
        stallUs = event.timeUs;
        return;
    }
    if (facts.size() >= kMaxTopics && !facts.contains(event.about)) return;
    std::vector<Json>& list = facts[event.about];
    if (list.size() < kMaxFacts) list.push_back(one);
}

LoaderEvidence* RankEvidence::loaderOf(std::int64_t id) {
    if (id < 0 || (loaders.size() >= kMaxLoaders && !loaders.contains(id))) return nullptr;
    LoaderEvidence& loader = loaders[id];
    loader.id = id;
    return &loader;
}

PassEvidence* RankEvidence::passOf(const Json& one) {
    LoaderEvidence* const loader = loaderOf(numberOf(one, "loader", -1));
    const std::int64_t number = numberOf(one, "pass", -1);
    if (loader == nullptr || number < 0) return nullptr;
    if (loader->passes.size() >= LoaderEvidence::kMaxPasses && !loader->passes.contains(number)) return nullptr;
    return &loader->passes[number];
}

void RankEvidence::addLoader(const Json& one) {
    if (LoaderEvidence* const loader = loaderOf(numberOf(one, "id", -1))) loader->facts = one;
}

void RankEvidence::addPass(const Json& one, std::int64_t timeUs) {
    PassEvidence* const pass = passOf(one);
    if (pass == nullptr) return;
    pass->where = textOf(one, "where");
    pass->samplerEpoch = numberOf(one, "sampler_epoch");
    pass->beganUs = timeUs;
    pass->collectives = numberOf(one, "collectives");
}

void RankEvidence::addPassEnd(const Json& one, std::int64_t timeUs) {
    PassEvidence* const pass = passOf(one);
    if (pass == nullptr) return;
    pass->hasEnded = true;
    pass->endedUs = timeUs;
    pass->collectivesAtEnd = numberOf(one, "collectives");
    pass->isExhausted = textOf(one, "why") == "exhausted";
    pass->isEvaluation = flagOf(one, "evaluation_mode").value_or(false);
    pass->batches = numberOf(one, "batches", 0);
    pass->trained = numberOf(one, "trained", 0);
    pass->untrained = numberOf(one, "untrained", 0);
    pass->epoch = numberOf(one, "epoch");
    pass->sha256 = textOf(one, "sha256");
}

void RankEvidence::addBatch(const Json& one, std::size_t& budget) {
    PassEvidence* const pass = passOf(one);
    if (pass == nullptr) return;
    if (memberOf(one, "index") != nullptr)
        pass->evaluated.append(numberOf(one, "batch", 0), numbersOf(one, "index"), budget);
    else
        pass->evaluated.markIncomplete();
}

void RankEvidence::addContent(const Json& one) {
    PassEvidence* const pass = passOf(one);
    if (pass == nullptr || pass->contents.size() >= kMaxContents) return;
    pass->contents.push_back({numberOf(one, "batch", 0), firstOf(numbersOf(one, "sample_crc32"), kMaxContentSamples),
                              firstOf(numbersOf(one, "label_crc32"), kMaxContentSamples)});
}

void RankEvidence::addSubset(const Json& one, std::size_t& budget) {
    const std::int64_t object = numberOf(one, "object", -1);
    const std::vector<std::int64_t> index = numbersOf(one, "index");
    if (object < 0 || index.size() > budget || (subsets.size() >= kMaxLoaders && !subsets.contains(object))) return;
    std::vector<std::int64_t>& list = subsets[object];
    if (numberOf(one, "first", -1) != static_cast<std::int64_t>(list.size())) return;
    budget -= index.size();
    list.insert(list.end(), index.begin(), index.end());
}

void RankEvidence::addSteps(const StepsFrame& frame) {
    for (std::size_t i = 0; i < frame.step.size(); ++i) {
        const StepRow row{frame.step[i],    frame.loss[i],  frame.learningRate,
                          frame.samples[i], frame.endUs[i], frame.dataUs.empty() ? 0 : frame.dataUs[i]};
        stepCount = std::max(stepCount, row.step);
        if (steps.size() < kMaxSteps) steps.push_back(row);
        keepLatest(latestSteps, row, kMaxLatestSteps);
    }
}

void RankEvidence::addReplica(const Replica& one) {
    const auto found = replicas.find(one.step);
    if (found == replicas.end()) {
        if (replicas.size() < kMaxReplicas) replicas.emplace(one.step, one);
        return;
    }
    // Each optimizer reports its parameters before the first step: append them to those of the other optimizers.
    Replica& known = found->second;
    known.hash += one.hash;
    known.names.insert(known.names.end(), one.names.begin(), one.names.end());
    known.checksums.insert(known.checksums.end(), one.checksums.begin(), one.checksums.end());
}

void RankEvidence::addTrace(const StepTrace& trace) {
    ++tracedSteps;
    std::set<std::int64_t> groups;
    for (std::size_t i = 0; i < trace.collective.size() && trace.hasEqualColumnLengths(); ++i) {
        if (collectives.size() >= kMaxLoaders && !collectives.contains(trace.group[i])) continue;
        CollectiveUse& use = collectives[trace.group[i]];
        ++use.calls;
        use.bytes += trace.bytes[i];
        use.maxBytes = std::max(use.maxBytes, trace.bytes[i]);
        use.lastStep = trace.step;
        if (groups.insert(trace.group[i]).second) ++use.steps;
    }
}

void RankEvidence::addLogged(const LoggedScalar& scalar) {
    if (logged.size() >= kMaxTags && !logged.contains(scalar.tag)) return;
    LoggedSeries& series = logged[scalar.tag];
    if (series.count++ == 0) series.first = scalar.value;
    series.last = scalar.value;
    series.source = scalar.source;
}

const std::vector<Json>& RankEvidence::factsOf(const std::string& topic) const {
    const auto found = facts.find(topic);
    return found == facts.end() ? noFacts() : found->second;
}

const Json& RankEvidence::latest(const std::string& topic) const {
    static const Json none = Json::object();
    const std::vector<Json>& list = factsOf(topic);
    return list.empty() ? none : list.back();
}

const Json* RankEvidence::countsOf(std::int64_t step) const {
    const Json* latest = nullptr;
    for (const Json& one : factsOf("step_counts")) {
        if (numberOf(one, "from_step", 0) > step) break;
        latest = &one;
    }
    return latest;
}

std::vector<EqualSteps> RankEvidence::equalSteps() const {
    std::vector<EqualSteps> result;
    const std::vector<Json>& list = factsOf("step_counts");
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::int64_t from = numberOf(list[i], "from_step", 0);
        std::int64_t until = list.size() < kMaxFacts ? stepCount + 1 : from + 1;
        if (i + 1 < list.size()) until = numberOf(list[i + 1], "from_step", from);
        result.push_back({&list[i], std::max<std::int64_t>(1, until - from)});
    }
    return result;
}

bool RankEvidence::evaluates(const LoaderEvidence& loader) const {
    return isEvaluation(
        {.trainsOnLoader = loader.hasTrainedBatch(),
         .trainsOnAny = std::ranges::any_of(loaders, [](const auto& one) { return one.second.hasTrainedBatch(); }),
         .hasSteps = stepCount > 0,
         .hasFailed = !factsOf("exception").empty(),
         .hasEvaluationPass =
             std::ranges::any_of(loader.passes, [](const auto& one) { return one.second.isEvaluation; })});
}

bool RankEvidence::usesJoin() const {
    return std::ranges::any_of(factsOf("buckets"), [](const Json& one) { return flagOf(one, "join").value_or(false); });
}

bool RankEvidence::isDistributed() const {
    return flagOf(latest("process"), "distributed").value_or(false) || !factsOf("process_group_created").empty();
}

}  // namespace ringside
