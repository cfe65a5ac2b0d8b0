// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/sample_audit.h"

#include <algorithm>
#include <limits>

#include "telemetry/events/script_topic.h"
#include "watch/audit/audit_notes.h"
#include "watch/audit/epoch_reasons.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

constexpr int kTraining = 0, kValidation = 1;
constexpr std::int64_t kLastPass = 1 << 30;  // limit of pass numbers; the numbers of a pass and of its attempt are
                                             // stored together in 64 bits
constexpr std::int64_t kContentBatches = 4;  // number of batches of a loader's first pass whose contents are reported
// number of samples; an epoch with fewer samples keeps the content of each drawn sample
constexpr std::int64_t kSmallEpoch = 1 << 14;

std::vector<const AttemptFacts*> attemptsOf(const std::vector<RecordedFacts>& facts) {
    std::vector<const AttemptFacts*> attempts;
    for (const RecordedFacts& run : facts) {
        for (const AttemptFacts& attempt : run.attempts()) attempts.push_back(&attempt);
    }
    return attempts;
}

const ContentSums* contentOf(const RankFacts& rank, std::int64_t loader, std::int64_t pass, std::int64_t batch) {
    const auto found = rank.contents.find({loader, pass, batch});
    return found == rank.contents.end() ? nullptr : &found->second;
}

// Begin of the first and end of the last pass of a loader on one rank, in microseconds since the run started. The end
// is the largest number if a pass has not ended.
struct PassSpan {
    std::int64_t firstUs = 0;
    std::int64_t lastUs = 0;
};
using PassTimes = std::map<int, PassSpan>;  // by rank

// Returns the times of the passes over a loader on each rank that has iterated over it in an attempt.
PassTimes passTimesOf(const ChainedAttempt& attempt, const std::vector<LoaderStream>& streams, int number) {
    PassTimes times;
    const auto position = static_cast<std::size_t>(number);
    if (position >= streams.size()) return times;
    for (const auto& [rank, loader] : streams[position].loaders) {
        for (const auto& [key, pass] : attempt.facts->at(rank).passes) {
            if (key.first != loader) continue;
            const std::int64_t endUs =
                pass.hasEnded ? std::max(pass.beganUs, pass.endedUs) : std::numeric_limits<std::int64_t>::max();
            const auto [found, isNew] = times.try_emplace(rank, PassSpan{pass.beganUs, endUs});
            found->second.firstUs = std::min(found->second.firstUs, pass.beganUs);
            found->second.lastUs = std::max(found->second.lastUs, endUs);
        }
    }
    return times;
}

SampleSet unionOf(const std::map<int, SampleSet>& sets) {
    SampleSet all;
    for (const auto& [number, one] : sets) one.forEach([&](std::int64_t sample) { all.insert(sample); });
    return all;
}

}  // namespace

SampleAuditor::SampleAuditor(std::vector<RecordedFacts> facts) : m_facts(std::move(facts)) {
    std::size_t first = 0;
    for (const RecordedFacts& run : m_facts) {
        m_firstAttempt.push_back(first);
        first += run.attempts().size();
    }
    m_chain = chainAttempts(attemptsOf(m_facts));
    m_spaces = std::make_unique<SampleSpaces>(m_chain);
}

void SampleAuditor::add(std::size_t run, const Event& event) {
    if (run != m_run) m_attempts = AttemptNumbers();
    m_run = run;
    m_attempts.apply(event);
    const auto attemptOf = [&](int rank) {
        return m_firstAttempt[run] + static_cast<std::size_t>(m_attempts.attemptOf(rank));
    };
    const auto* trained = std::get_if<ConsumedIndices>(&event);
    if (trained != nullptr && m_facts[run].isCounted(*trained, m_attempts.attemptOf(trained->rank)))
        addTrained(attemptOf(trained->rank), *trained);
    const auto* facts = std::get_if<ScriptFacts>(&event);
    if (facts == nullptr || topicOf(*facts) != ScriptTopic::kBatch) return;
    const Json batch = factsOf(*facts);
    if (batch.is_object()) addEvaluated(attemptOf(facts->rank), facts->rank, batch);
}

void SampleAuditor::addTrained(std::size_t attempt, const ConsumedIndices& event) {
    if (attempt >= m_chain.size()) return;
    const ChainedAttempt& facts = m_chain[attempt];
    const int stream = facts.find(facts.training, event.rank, event.loader);
    if (stream < 0) return;
    const std::int64_t epoch = facts.training[static_cast<std::size_t>(stream)].firstEpoch + event.epoch;
    const EpochKey key{kTraining, stream, facts.groupOf(event.rank), epoch};
    if (stream == 0) m_epochs[attempt][event.rank] = epoch;
    Counted& counted = m_counted[{attempt, event.rank, event.loader, event.epoch}];
    const RankFacts& rank = facts.facts->at(event.rank);
    const PassFacts* pass = rank.passOf(event.loader, event.epoch);
    const bool inOrder = pass != nullptr && pass->untrained == 0 && counted.batches < kContentBatches;
    const ContentSums* content = inOrder ? contentOf(rank, event.loader, pass->pass, counted.batches) : nullptr;
    counted.indices += static_cast<std::int64_t>(event.index.size());
    ++counted.batches;
    if (m_closed.contains(key)) {
        ++m_late[key];
        return;
    }
    Open& open = openOf(key, attempt);
    open.label = epoch;
    countDraws(open, attempt, event.rank, event.loader, event.index, content, kTraining, stream);
    closeBefore(key);
}

void SampleAuditor::addEvaluated(std::size_t attempt, int rank, const Json& batch) {
    if (attempt >= m_chain.size()) return;
    const ChainedAttempt& facts = m_chain[attempt];
    const std::int64_t loader = numberOf(batch, "loader", -1), pass = numberOf(batch, "pass", -1);
    const int stream = facts.find(facts.validation, rank, loader);
    const std::vector<std::int64_t> index = numbersOf(batch, "index");
    if (stream < 0 || pass < 0 || pass > kLastPass || index.empty()) return;
    const std::int64_t number = static_cast<std::int64_t>(attempt << 32) + pass;
    const EpochKey key{kValidation, stream, facts.groupOf(rank), number};
    if (m_closed.contains(key)) {
        ++m_late[key];
        return;
    }
    const bool isNew = !m_open.contains(key);
    Open& open = openOf(key, attempt);
    if (isNew) {
        const auto epochs = m_epochs.find(attempt);
        for (const auto& [one, epoch] : epochs == m_epochs.end() ? std::map<int, std::int64_t>() : epochs->second)
            open.label = std::max(open.label, epoch);
    }
    Counted& counted = m_counted[{attempt, rank, loader, -1 - pass}];
    counted.indices += static_cast<std::int64_t>(index.size());
    const std::int64_t inPass = numberOf(batch, "batch", -1);
    counted.batches += inPass != counted.lastBatch;  // a long batch arrives in several events, which have the same
                                                     // number
    counted.lastBatch = inPass;
    countDraws(open, attempt, rank, loader, index, contentOf(facts.facts->at(rank), loader, pass, inPass), kValidation,
               stream);
    closeBefore(key);
}

void SampleAuditor::countDraws(Open& open, std::size_t attempt, int rank, std::int64_t loader,
                               const std::vector<std::int64_t>& index, const ContentSums* content, int role,
                               int stream) {
    const SampleMap& map = m_spaces->mapOf(attempt, rank, loader);
    if (open.why.empty()) open.why = map.why;
    SampleCounts& counts = open.spaces[map.space];
    SampleSet& all = (role == kTraining ? m_trained : m_validated)[map.space][stream];
    for (std::size_t i = 0; i < index.size(); ++i) {
        const std::int64_t sample = map.sampleOf(index[i]);
        if (sample < 0 || (map.length >= 0 && sample >= map.length)) {
            ++open.outside;
            continue;
        }
        counts.add(sample, rank);
        all.insert(sample);
        if (content == nullptr || i >= content->samples.size()) continue;
        const std::uint32_t* label = i < content->labels.size() ? &content->labels[i] : nullptr;
        m_contents[{role, stream}].add(map.space, sample, rank, content->samples[i], label);
        auto& contents = role == kTraining ? m_trainedContents : m_validatedContents;
        if (contents.size() < ContentCheck::kMaxChecked) contents.try_emplace(content->samples[i], map.space);
        if (open.withContent < kSmallEpoch) open.contents.insert(content->samples[i]);
        ++open.withContent;
    }
    open.ranks[rank] += static_cast<std::int64_t>(index.size());
    open.attempts.insert(attempt);
}

// Returns the counts of an epoch; starts counting if the epoch is new. All ranks of the data-parallel group that use
// the loader get an entry, even before they have drawn a sample.
SampleAuditor::Open& SampleAuditor::openOf(const EpochKey& key, std::size_t attempt) {
    const auto [found, isNew] = m_open.try_emplace(key);
    if (isNew) {
        for (const int rank : ranksOf(key, attempt)) found->second.ranks.try_emplace(rank, 0);
        found->second.attempts.insert(attempt);
        const std::optional<std::int64_t> size = sizeOf(key, found->second);
        found->second.isSmall = size && *size <= kSmallSet;
    }
    return found->second;
}

// Completes the counting of old epochs, to bound the memory. While more than kMaxOpen epochs are counted (kMaxSmallOpen
// for a small data set), completes the oldest epoch of all loaders. Unless the data set is small, also completes the
// epoch of the same loader and group that is three epochs older than `key`.
void SampleAuditor::closeBefore(const EpochKey& key) {
    const bool isSmall = m_open.at(key).isSmall;
    while (m_open.size() > (isSmall ? kMaxSmallOpen : kMaxOpen)) {
        const auto oldest =
            std::ranges::min_element(m_open, {}, [](const auto& one) { return std::get<3>(one.first) & 0xFFFFFFFF; });
        closeEpoch(oldest->first, oldest->second);
        m_open.erase(oldest);
    }
    if (isSmall) return;
    EpochKey earlier = key;
    // the epoch of `key` and the two epochs before it are still counted, because ranks that do not wait for each other
    // can be in different epochs
    std::get<3>(earlier) -= 3;
    const auto found = m_open.find(earlier);
    if (found == m_open.end()) return;
    closeEpoch(found->first, found->second);
    m_open.erase(found);
}

void SampleAuditor::closeEpoch(const EpochKey& key, Open& open) {
    Done done{.key = key, .epoch = auditEpoch(key, open)};
    if (open.withContent == done.epoch.assigned && open.withContent < kSmallEpoch) {
        done.contents = static_cast<std::int64_t>(open.contents.size());
    }
    m_done.push_back(std::move(done));
    m_closed.insert(key);
}

const LoaderStream* SampleAuditor::streamOf(const EpochKey& key, std::size_t attempt) const {
    const ChainedAttempt& one = m_chain[attempt];
    const auto& streams = std::get<0>(key) == kTraining ? one.training : one.validation;
    const auto number = static_cast<std::size_t>(std::get<1>(key));
    return number < streams.size() ? &streams[number] : nullptr;
}

// Returns the ranks of the epoch's data-parallel group that have iterated over the epoch's loader in one attempt (one
// start of the script).
std::vector<int> SampleAuditor::ranksOf(const EpochKey& key, std::size_t attempt) const {
    std::vector<int> ranks;
    const LoaderStream* stream = streamOf(key, attempt);
    if (stream == nullptr) return ranks;
    for (const auto& [rank, loader] : stream->loaders) {
        if (m_chain[attempt].groupOf(rank) == std::get<2>(key)) ranks.push_back(rank);
    }
    return ranks;
}

// Returns the number of distinct samples that the loaders of all ranks can draw; empty if the length of a data set is
// not known.
std::optional<std::int64_t> SampleAuditor::sizeOf(const EpochKey& key, const Open& open) const {
    std::map<int, std::set<const SampleMap*>> bySpace;
    for (const std::size_t attempt : open.attempts) {
        for (const int rank : ranksOf(key, attempt)) {
            const SampleMap& map = m_spaces->mapOf(attempt, rank, streamOf(key, attempt)->loaders.at(rank));
            if (map.length < 0) return {};
            bySpace[map.space].insert(&map);
        }
    }
    std::int64_t size = 0;
    for (const auto& [space, maps] : bySpace) {
        const bool whole = std::ranges::any_of(maps, [](const SampleMap* map) { return map->subsets.empty(); });
        if (whole) {
            size += (*maps.begin())->length;
            continue;
        }
        const std::vector<const void*> memory(maps.begin(), maps.end());
        const auto known = m_sizes.find(memory);
        if (known != m_sizes.end()) {
            size += known->second;
            continue;
        }
        SampleSet selected;
        for (const SampleMap* map : maps) {
            for (std::size_t i = 0; i < map->subsets.front()->size(); ++i) {
                const std::int64_t sample = map->sampleOf(static_cast<std::int64_t>(i));
                if (sample >= 0) selected.insert(sample);
            }
        }
        size += m_sizes[memory] = selected.size();
    }
    return size;
}

EpochAudit SampleAuditor::auditEpoch(const EpochKey& key, const Open& open) const {
    EpochAudit result{.epoch = open.label, .group = std::get<2>(key)};
    for (const auto& [rank, assigned] : open.ranks) {
        result.ranks.push_back({rank, assigned});
        result.assigned += assigned;
    }
    const std::size_t last = *open.attempts.rbegin();
    const LoaderStream& stream = *streamOf(key, last);
    result.loader = stream.where;
    result.loaderNumber = stream.numberOfLine;
    std::set<std::size_t> runs;
    for (const std::size_t attempt : open.attempts)
        runs.insert(
            static_cast<std::size_t>(std::ranges::upper_bound(m_firstAttempt, attempt) - m_firstAttempt.begin()));
    result.runs = static_cast<int>(runs.size());
    if (std::get<0>(key) == kTraining) {
        result.isFinished = isFinished(*m_chain[last].facts, stream, result.epoch - stream.firstEpoch);
        const bool isLast = result.epoch - stream.firstEpoch == stream.lastEpoch;
        const bool hasNext = std::any_of(m_chain.begin() + static_cast<std::ptrdiff_t>(last) + 1, m_chain.end(),
                                         [&](const ChainedAttempt& one) {
                                             return one.training.size() > static_cast<std::size_t>(std::get<1>(key));
                                         });
        result.isAbandoned = !result.isFinished && isLast && hasNext;
    } else {
        const std::int64_t pass = std::get<3>(key) & 0xFFFFFFFF;
        result.isFinished = std::ranges::all_of(ranksOf(key, last), [&](int rank) {
            const auto& passes = m_chain[last].facts->at(rank).passes;
            const auto found = passes.find({stream.loaders.at(rank), pass});
            if (found == passes.end() || open.ranks.at(rank) == 0) return true;
            return hasReadAll(found->second, m_chain[last].facts->at(rank).loaders.at(stream.loaders.at(rank)));
        });
    }
    addKnown(result, key, open);
    return result;
}

// Returns a clause for users with the number of indices of a rank's epoch that the record lacks; empty if the record
// has all of them, or if the epoch has not ended.
std::string SampleAuditor::missingTrained(std::size_t attempt, int rank, std::int64_t loader,
                                          std::int64_t epoch) const {
    const PassFacts* pass = m_chain[attempt].facts->at(rank).passOf(loader, epoch);
    const auto counted = m_counted.find({attempt, rank, loader, epoch});
    const std::int64_t recorded = counted == m_counted.end() ? 0 : counted->second.indices;
    if (pass == nullptr || !pass->hasEnded || pass->epoch != epoch || pass->indices == recorded) return {};
    return std::to_string(recorded) + " of the " + std::to_string(pass->indices) + " indices of rank " +
           std::to_string(rank) + " were recorded";
}

// Returns a clause for users with the number of batches of a rank's validation pass that the record lacks; empty if the
// record has all of them, or if it has no batch with indices of this pass.
std::string SampleAuditor::missingEvaluated(std::size_t attempt, int rank, std::int64_t loader,
                                            std::int64_t pass) const {
    const auto& passes = m_chain[attempt].facts->at(rank).passes;
    const auto facts = passes.find({loader, pass});
    const auto counted = m_counted.find({attempt, rank, loader, -1 - pass});
    if (facts == passes.end() || !facts->second.hasEnded || counted == m_counted.end()) return {};
    if (counted->second.batches >= facts->second.untrained) return {};
    return std::to_string(counted->second.batches) + " of the " + std::to_string(facts->second.untrained) +
           " batches of rank " + std::to_string(rank) + " were recorded";
}

std::string SampleAuditor::missingOf(const EpochKey& key, const Open& open, std::int64_t epoch) const {
    for (const std::size_t attempt : open.attempts) {
        for (const int rank : ranksOf(key, attempt)) {
            const LoaderStream& stream = *streamOf(key, attempt);
            const std::int64_t loader = stream.loaders.at(rank);
            const std::string missing = std::get<0>(key) == kTraining
                                            ? missingTrained(attempt, rank, loader, epoch - stream.firstEpoch)
                                            : missingEvaluated(attempt, rank, loader, std::get<3>(key) & 0xFFFFFFFF);
            if (!missing.empty()) return "the record is incomplete: " + missing;
            const bool isTrained = !m_chain[attempt].facts->at(rank).hasEndedWithoutStep;
            if (std::get<0>(key) == kTraining && !isTrained)
                return "rank " + std::to_string(rank) +
                       " has reported no optimizer step, so it is not known whether it trained on these samples";
            const std::string lost = m_chain[attempt].facts->at(rank).incompletenessReason();
            if (!lost.empty()) return "the record of rank " + std::to_string(rank) + " may be incomplete: " + lost;
        }
    }
    return {};
}

// Sets distinct, twice, shared and never of `result` if all drawn samples are known; otherwise sets `why` to the
// reason.
void SampleAuditor::addKnown(EpochAudit& result, const EpochKey& key, const Open& open) const {
    const std::size_t last = *open.attempts.rbegin();
    result.why = missingOf(key, open, result.epoch);
    if (result.why.empty()) result.why = open.why;
    if (!result.why.empty()) return;
    std::int64_t distinct = 0, twice = 0, shared = 0;
    for (const auto& [space, counts] : open.spaces) {
        if (!counts.isExact()) {
            result.why = "the sample indices are too many or too large to count each sample";
            return;
        }
        distinct += counts.distinct();
        twice += counts.repeated();
        shared += counts.shared();
    }
    if (open.outside > 0) {
        result.why = std::to_string(open.outside) + " indices are outside the data set";
        return;
    }
    result.distinct = distinct;
    result.twice = twice;
    result.shared = shared;
    result.size = sizeOf(key, open);
    if (result.size) result.never = std::max<std::int64_t>(*result.size - distinct, 0);
    const LoaderStream& stream = *streamOf(key, last);
    const auto& [rank, loader] = *stream.loaders.begin();
    result.why = reasonOf(result, m_chain[last].facts->at(rank).loaders.at(loader));
    result.isByRule = !result.why.empty();
    if (result.why.empty() && open.spaces.size() > 1)
        result.why = "the ranks hold different data sets; samples that two of them contain are not recognised";
}

// Recounts, by content instead of index, the epochs whose indices do not name the same samples on all ranks. Numbers
// that contents do not determine become empty.
void SampleAuditor::correctByContent() {
    for (Done& done : m_done) {
        const auto found = m_contents.find({std::get<0>(done.key), std::get<1>(done.key)});
        EpochAudit& epoch = done.epoch;
        if (found == m_contents.end() || !found->second.contradicts() || epoch.ranks.size() < 2) continue;
        epoch.why = found->second.text();
        epoch.isByRule = false;
        epoch.shared = {};
        epoch.distinct = done.contents;
        epoch.twice = {};
        if (done.contents) epoch.twice = epoch.assigned - *done.contents;
        if (epoch.size && done.contents) {
            epoch.never = std::max<std::int64_t>(*epoch.size - *done.contents, 0);
        } else {
            epoch.never = {};
        }
    }
}

// True if training on a loader begins only after the last evaluation of a validation loader, for example because the
// script trains on all samples after it has chosen its settings. Both are numbers of loaders in the attempts of the
// chain.
bool SampleAuditor::beginsAfter(int training, int validation) const {
    std::optional<std::size_t> first, last;  // first attempt that trains, last attempt that evaluates
    for (std::size_t i = 0; i < m_chain.size(); ++i) {
        if (!first && !passTimesOf(m_chain[i], m_chain[i].training, training).empty()) first = i;
        if (!passTimesOf(m_chain[i], m_chain[i].validation, validation).empty()) last = i;
    }
    if (!first || !last || *first != *last) return first && last && *first > *last;
    const ChainedAttempt& attempt = m_chain[*first];
    const PassTimes evaluated = passTimesOf(attempt, attempt.validation, validation);
    const PassTimes trained = passTimesOf(attempt, attempt.training, training);
    const auto latest = std::ranges::max_element(evaluated, {}, [](const auto& one) { return one.second.lastUs; });
    // The ranks may begin at different times, so ranks that do both are compared if there are any.
    const bool hasBoth = std::ranges::any_of(trained, [&](const auto& one) { return evaluated.contains(one.first); });
    return std::ranges::all_of(trained, [&](const auto& one) {
        const auto own = evaluated.find(one.first);
        return own != evaluated.end() ? one.second.firstUs > own->second.lastUs
                                      : hasBoth || one.second.firstUs > latest->second.lastUs;
    });
}

// Adds the number of validation samples that were trained on, by data set. A loader that evaluates all trained samples
// measures the training accuracy, so its samples do not count as validation samples.
void SampleAuditor::addLeaks(SampleAudit& result) const {
    for (const auto& [space, validated] : m_validated) {
        const SampleSet all = unionOf(validated);
        const auto trained = m_trained.find(space);
        if (trained == m_trained.end()) {
            result.validated += all.size();
            continue;
        }
        const SampleSet allTrained = unionOf(trained->second);
        const std::int64_t common = all.countCommon(allTrained);
        if (common > 0 && common == allTrained.size()) continue;
        result.validated += all.size();
        SampleSet leaked;
        for (const auto& [validation, held] : validated)
            for (const auto& [training, samples] : trained->second)
                if (!beginsAfter(training, validation))
                    held.forEach([&](std::int64_t one) {
                        if (samples.contains(one)) leaked.insert(one);
                    });
        result.trainedOn = result.trainedOn.value_or(0) + leaked.size();
        result.trainedLater += common - leaked.size();
    }
    if (result.trainedOn.value_or(0) > 0) return;
    std::int64_t equal = 0;
    for (const auto& [content, space] : m_validatedContents) {
        const auto found = m_trainedContents.find(content);
        equal += found != m_trainedContents.end() && found->second != space;
    }
    if (equal == 0) return;
    result.notes.push_back("At least " + std::to_string(equal) + " of " + std::to_string(m_validatedContents.size()) +
                           " validation samples whose content was compared are equal to a training sample");
}

// Removes the numbers of epochs that are incomplete, because batches arrived after their counting was completed.
void SampleAuditor::discardIncomplete() {
    for (Done& done : m_done) {
        const auto late = m_late.find(done.key);
        if (late == m_late.end()) continue;
        EpochAudit& epoch = done.epoch;
        epoch.distinct = epoch.twice = epoch.never = epoch.shared = std::nullopt;
        epoch.why = std::to_string(late->second) +
                    " batches are not counted: the rank that read them was too many epochs behind the other ranks";
    }
}

SampleAudit SampleAuditor::finish() {
    for (auto& [key, open] : m_open) closeEpoch(key, open);
    m_open.clear();
    std::ranges::stable_sort(m_done, {}, &Done::key);
    correctByContent();
    discardIncomplete();
    SampleAudit result;
    for (Done& done : m_done)
        (std::get<0>(done.key) == kTraining ? result.training : result.validation).push_back(std::move(done.epoch));
    addUncountedEpochs(result, m_chain);
    addLeaks(result);
    // If the samples of some training epoch are not known, 0 would be wrong: a validation sample can be among them.
    const bool isKnown =
        std::ranges::all_of(result.training, [](const EpochAudit& one) { return one.distinct.has_value(); });
    if (result.trainedOn == 0 && !isKnown) result.trainedOn.reset();
    addAuditNotes(result, m_facts, m_chain);
    return result;
}

}  // namespace ringside
