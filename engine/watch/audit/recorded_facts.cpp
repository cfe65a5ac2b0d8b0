// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/recorded_facts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "base/json/json_members.h"
#include "telemetry/events/limits.h"
#include "telemetry/events/script_topic.h"
#include "watch/evidence/fact_reader.h"
#include "watch/evidence/loader_evidence.h"

namespace ringside {
namespace {

constexpr int kMaxLayers = 8;
constexpr std::size_t kMaxSubset = 1U << 20;    // limit of the number of indices of one Subset; Python reports at most
                                                // 1,000,000
constexpr std::size_t kMaxSubsets = 64;         // limit of the number of Subsets of one rank
constexpr std::size_t kMaxPasses = 1U << 16;    // limit of the number of passes of one rank
constexpr std::size_t kMaxContents = 1U << 10;  // limit of the number of batches of one rank whose contents are kept

// Returns the numbers of a JSON array if each number is from 0 to `most`, otherwise an empty list.
std::vector<std::int64_t> numbersUpTo(const Json& object, std::string_view key, std::int64_t most) {
    std::vector<std::int64_t> numbers = numbersOf(object, key);
    const bool fits = std::ranges::all_of(numbers, [most](std::int64_t one) { return one >= 0 && one <= most; });
    return fits ? numbers : std::vector<std::int64_t>();
}

std::vector<int> ranksAt(const Json& object, std::string_view key) {
    const std::vector<std::int64_t> numbers = numbersUpTo(object, key, limits::kMaxRanks - 1);
    return {numbers.begin(), numbers.end()};
}

// True if this member of a data set's facts is computed from the contents of the data set, such as a checksum.
bool isContent(const std::string& key, const Json& value) {
    if (key == "fingerprint") return true;
    if (key == "content_crc32")
        return value.is_array() && std::ranges::any_of(value, [](const Json& one) { return one.is_number(); });
    return key != "indices_sha256" && key.ends_with("_sha256");
}

// Returns the description of a data set without the numbers of objects, which differ between processes.
Json comparable(const Json& dataset) {
    Json result = Json::object();
    for (const auto& [key, value] : dataset.items()) {
        if (key == "object" || key == "inner") continue;
        if (key != "parts" || !value.is_array()) {
            result[key] = value;
            continue;
        }
        for (const Json& part : value) {
            if (part.is_object()) result[key].push_back(comparable(part));
        }
    }
    return result;
}

std::vector<DatasetLayer> layersOf(const Json& loader) {
    std::vector<DatasetLayer> layers;
    const Json* dataset = &loader;
    for (const char* key = "dataset"; static_cast<int>(layers.size()) < kMaxLayers; key = "inner") {
        const auto found = dataset->find(key);
        if (found == dataset->end() || !found->is_object()) break;
        dataset = &*found;
        DatasetLayer layer;
        layer.object = static_cast<int>(std::min<std::int64_t>(numberOf(*dataset, "object", -1), 1 << 30));
        layer.length = numberOf(*dataset, "length", -1);
        layer.name = textOf(*dataset, "class");
        if (dataset->contains("inner")) layer.indicesSha256 = textOf(*dataset, "indices_sha256");
        for (const auto& [name, value] : dataset->items()) layer.hasContent |= isContent(name, value);
        layer.description = jsonText(comparable(*dataset));
        layers.push_back(std::move(layer));
    }
    if (layers.empty()) layers.emplace_back();
    return layers;
}

void addLoader(RankFacts& rank, const Json& facts) {
    LoaderFacts loader;
    loader.id = numberOf(facts, "id", 0);
    loader.where = textOf(facts, "where");
    loader.batchSize = numberOf(facts, "batch_size", 0);
    loader.dropLast = flagOf(facts, "drop_last").value_or(false);
    loader.sampler = facts.value("sampler", Json::object());
    loader.dataset = layersOf(facts);
    rank.loaders[loader.id] = std::move(loader);
}

// Adds a piece of the indices of a Subset. Pieces arrive in order; if one is missing, all indices of the Subset are
// removed.
void addSubset(RankFacts& rank, const Json& facts) {
    const auto object = static_cast<int>(std::min<std::int64_t>(numberOf(facts, "object", -1), 1 << 30));
    const std::vector<std::int64_t> index = numbersUpTo(facts, "index", limits::kMaxBatch);
    if (object < 0 || (rank.subsets.size() >= kMaxSubsets && !rank.subsets.contains(object))) return;
    std::vector<std::uint32_t>& indices = rank.subsets[object];
    const auto first = static_cast<std::size_t>(numberOf(facts, "first", 0));
    if (first != indices.size() || indices.size() + index.size() > kMaxSubset) {
        rank.subsets.erase(object);
        return;
    }
    for (const std::int64_t one : index) indices.push_back(static_cast<std::uint32_t>(one));
}

// Counts the batches of one loader in a step. A batch of limits::kMaxColumn indices or more arrives in several events.
void countBatch(RankFacts& rank, const ConsumedIndices& event) {
    const std::pair<std::int64_t, std::int64_t> step{event.loader, event.step};
    if (std::exchange(rank.latestStep, step) != step) rank.batchesOfStep = 0;
    if (event.index.size() < limits::kMaxColumn) ++rank.batchesOfStep;
    rank.maxBatches = std::max(rank.maxBatches, rank.batchesOfStep);
}

void addTrainedEpoch(RankFacts& rank, std::int64_t loader, std::int64_t epoch) {
    std::int64_t& last = rank.lastEpoch.try_emplace(loader, epoch).first->second;
    last = std::max(last, epoch);
}

PassFacts* passOfFacts(RankFacts& rank, const Json& facts) {
    const std::int64_t loader = numberOf(facts, "loader", -1), pass = numberOf(facts, "pass", -1);
    if (loader < 0 || pass < 0) return nullptr;
    if (rank.passes.size() >= kMaxPasses && !rank.passes.contains({loader, pass})) return nullptr;
    PassFacts& one = rank.passes[{loader, pass}];
    one.loader = loader;
    one.pass = pass;
    return &one;
}

void addPass(RankFacts& rank, const Json& facts) {
    PassFacts* pass = passOfFacts(rank, facts);
    if (pass == nullptr) return;
    const std::int64_t epoch = numberOf(facts, "sampler_epoch", -1);
    if (epoch >= 0) pass->samplerEpoch = epoch;
}

void addPassEnd(RankFacts& rank, const Json& facts) {
    PassFacts* pass = passOfFacts(rank, facts);
    if (pass == nullptr) return;
    pass->hasEnded = true;
    pass->isExhausted = textOf(facts, "why") == "exhausted";
    pass->isEvaluation = flagOf(facts, "evaluation_mode").value_or(false);
    pass->batches = numberOf(facts, "batches", 0);
    pass->trained = numberOf(facts, "trained", 0);
    pass->untrained = numberOf(facts, "untrained", 0);
    pass->indices = numberOf(facts, "indices", 0);
    const std::int64_t epoch = numberOf(facts, "epoch", -1);
    if (epoch < 0) return;
    pass->epoch = epoch;
    addTrainedEpoch(rank, pass->loader, epoch);
}

void addContent(RankFacts& rank, const Json& facts) {
    const std::tuple key{numberOf(facts, "loader", -1), numberOf(facts, "pass", -1), numberOf(facts, "batch", -1)};
    if (rank.contents.size() >= kMaxContents) return;
    ContentSums& content = rank.contents[key];
    for (const std::int64_t sum : numbersUpTo(facts, "sample_crc32", 0xFFFFFFFF))
        content.samples.push_back(static_cast<std::uint32_t>(sum));
    for (const std::int64_t sum : numbersUpTo(facts, "label_crc32", 0xFFFFFFFF))
        content.labels.push_back(static_cast<std::uint32_t>(sum));
}

void addDataParallel(RankFacts& rank, const Json& facts) {
    if (std::vector<int> ranks = ranksAt(facts, "ranks"); !ranks.empty()) rank.dataParallel.push_back(std::move(ranks));
}

// Records the failure of a hook that observes which samples a step has trained on. Failures of other hooks are ignored.
void addHookFailed(RankFacts& rank, const Json& facts) {
    constexpr std::array<std::string_view, 6> kParts{"loader",  "backward",   "optimizer",
                                                     "process", "the report", "writing the last events of the report"};
    const std::string hook = textOf(facts, "hook");
    if (rank.failedHook.empty() && std::ranges::find(kParts, hook) != kParts.end()) rank.failedHook = hook;
}

using FactHandler = void (*)(RankFacts&, const Json&);

const std::map<ScriptTopic, FactHandler>& factHandlers() {
    static const std::map<ScriptTopic, FactHandler> table = {
        {ScriptTopic::kLoader, addLoader},
        {ScriptTopic::kSubset, addSubset},
        {ScriptTopic::kPass, addPass},
        {ScriptTopic::kPassEnd, addPassEnd},
        {ScriptTopic::kContent, addContent},
        {ScriptTopic::kDataParallel, addDataParallel},
        {ScriptTopic::kGroup,
         [](RankFacts& rank, const Json& facts) {
             rank.groups[numberOf(facts, "group", -1)] = ranksAt(facts, "ranks");
         }},
        {ScriptTopic::kShardGroup,
         [](RankFacts& rank, const Json& facts) { rank.shardGroups.push_back(numberOf(facts, "group", -1)); }},
        {ScriptTopic::kStepCounts,
         [](RankFacts& rank, const Json& facts) {
             rank.maxBackwards = std::max(rank.maxBackwards, numberOf(facts, "backwards", 0));
         }},
        {ScriptTopic::kException, [](RankFacts& rank, const Json&) { rank.hasFailed = true; }},
        {ScriptTopic::kPipeline, [](RankFacts& rank, const Json&) { rank.hasPipeline = true; }},
        {ScriptTopic::kHookFailed, addHookFailed},
        {ScriptTopic::kEnd,
         [](RankFacts& rank, const Json& facts) {
             rank.droppedLines = numberOf(facts, "dropped_lines", 0) + numberOf(facts, "dropped_observations", 0);
             rank.hasEndedWithoutStep = numberOf(facts, "steps") == 0;
         }},
    };
    return table;
}

}  // namespace

Json factsOf(const ScriptFacts& event) {
    Json facts = Json::parse(event.facts, nullptr, false);
    return facts.is_object() ? facts : Json();
}

bool RankFacts::evaluates(std::int64_t loader) const {
    return isEvaluation({.trainsOnLoader = hasTrained(loader),
                         .trainsOnAny = !lastEpoch.empty(),
                         .hasSteps = hasSteps,
                         .hasFailed = hasFailed,
                         .hasEvaluationPass = std::ranges::any_of(passes, [loader](const auto& one) {
                             return one.second.loader == loader && one.second.isEvaluation;
                         })});
}

std::string RankFacts::incompletenessReason() const {
    if (!failedHook.empty()) return "a hook that observes the script has failed (" + failedHook + ")";
    if (droppedLines > 0) return std::to_string(droppedLines) + " observations could not be sent";
    return {};
}

const PassFacts* RankFacts::passOf(std::int64_t loader, std::int64_t epoch) const {
    const PassFacts* open = nullptr;  // latest pass of the loader whose end was not reported
    for (auto one = passes.lower_bound({loader, 0}); one != passes.end() && one->first.first == loader; ++one) {
        if (one->second.epoch == epoch) return &one->second;
        if (!one->second.hasEnded) open = &one->second;
    }
    return open;
}

bool RecordedFacts::isCounted(const ConsumedIndices& event, int attempt) const {
    if (event.step > m_lastStep) return false;
    return std::ranges::none_of(m_discarded, [&](const auto& one) { return one.contains(event.step, attempt); });
}

RankFacts& RecordedFacts::factsOfRank(int rank) {
    const auto attempt = static_cast<std::size_t>(attemptOf(rank));
    if (m_attempts.size() <= attempt) m_attempts.resize(attempt + 1);
    return m_attempts[attempt][rank];
}

void RecordedFacts::addFacts(const ScriptFacts& event) {
    const std::optional<ScriptTopic> topic = topicOf(event);
    m_watched = true;
    if (topic == ScriptTopic::kBatch) return;  // SampleAuditor counts the facts "batch" itself
    if (topic == ScriptTopic::kProcess) {
        std::erase_if(m_later, [&](const auto& one) { return std::get<0>(one) == event.rank; });
        factsOfRank(event.rank);
        return;
    }
    if (!topic) return;
    const auto handler = factHandlers().find(*topic);
    if (handler == factHandlers().end()) return;
    const Json facts = factsOf(event);
    if (!facts.is_object()) {
        ++m_bad;
        return;
    }
    if (topic == ScriptTopic::kPassEnd && ignoreDiscardedEnd(event.rank, facts)) return;
    handler->second(factsOfRank(event.rank), facts);
    if (topic != ScriptTopic::kPass && topic != ScriptTopic::kPassEnd) return;
    PassFacts* const pass = passOfFacts(factsOfRank(event.rank), facts);
    if (pass == nullptr) return;
    (topic == ScriptTopic::kPass ? pass->beganUs : pass->endedUs) = event.timeUs;
}

// True if at least one step of the pass is ignored (lastStep, discarded), so that the "pass_end" facts must be ignored.
// If other steps of the pass count, the pass is kept as unfinished; otherwise it is removed.
bool RecordedFacts::ignoreDiscardedEnd(int rank, const Json& passEnd) {
    const std::int64_t loader = numberOf(passEnd, "loader", -1), epoch = numberOf(passEnd, "epoch", -1);
    if (!m_later.contains({rank, loader, epoch})) return false;
    RankFacts& facts = factsOfRank(rank);
    const auto pass = facts.passes.find({loader, numberOf(passEnd, "pass", -1)});
    if (pass == facts.passes.end()) return true;
    const auto last = facts.lastEpoch.find(loader);
    if (last != facts.lastEpoch.end() && last->second >= epoch) {
        pass->second.epoch = epoch;
    } else {
        facts.passes.erase(pass);
    }
    return true;
}

void RecordedFacts::add(const Event& event) {
    m_numbers.apply(event);
    if (const auto* facts = std::get_if<ScriptFacts>(&event)) addFacts(*facts);
    if (const auto* started = std::get_if<RunStarted>(&event); started != nullptr && !m_started) m_started = *started;
    if (const auto* trained = std::get_if<ConsumedIndices>(&event)) {
        if (isCounted(*trained, attemptOf(trained->rank))) {
            addTrainedEpoch(factsOfRank(trained->rank), trained->loader, trained->epoch);
            countBatch(factsOfRank(trained->rank), *trained);
        } else {
            m_later.insert({trained->rank, trained->loader, trained->epoch});
        }
    }
    if (const auto* frame = std::get_if<StepsFrame>(&event)) {
        RankFacts& rank = factsOfRank(frame->rank);
        rank.hasSteps |= !frame->step.empty();
        for (std::size_t i = 0; i < frame->samples.size(); ++i) {
            const std::int64_t steps = i < frame->count.size() ? frame->count[i] : 1;
            rank.samplesOfSteps[frame->epoch] += frame->samples[i];
            rank.steps += steps;
            if (frame->samples[i] == 0) rank.stepsWithoutBatch += steps;
        }
    }
}

}  // namespace ringside
