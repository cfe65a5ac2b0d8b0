// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "watch/audit/content_check.h"
#include "watch/audit/epoch_chain.h"
#include "watch/audit/recorded_facts.h"
#include "watch/audit/sample_counts.h"
#include "watch/audit/sample_spaces.h"

namespace ringside {

// Numbers of samples that one rank used in an epoch.
struct RankSamples {
    int rank = 0;
    std::int64_t assigned = 0;
    bool operator==(const RankSamples&) const = default;
};

// Use of the samples of one loader in one epoch, over all ranks of a data-parallel group. A value is empty
// if it is not known; `why` states the reason.
struct EpochAudit {
    std::int64_t epoch = 0;  // number of the epoch, from 0; in a chain of runs, each run continues the numbers of the
                             // previous one
    std::string loader{};    // line that creates the loader, such as "train.py:48"
    int loaderNumber = 0;    // if the line creates several loaders: number of this one, from 1; otherwise 0
    int group = 0;           // number of the data-parallel group
    std::int64_t assigned = 0;
    std::optional<std::int64_t> size{};      // number of distinct samples that the loaders of all ranks can deliver
    std::optional<std::int64_t> distinct{};  // number of samples that were used at least once
    std::optional<std::int64_t> twice{};     // number of uses beyond the first of each sample: `assigned` minus
                                             // `distinct`
    std::optional<std::int64_t> never{};
    std::optional<std::int64_t> shared{};  // number of uses of a sample that another rank had already used in the epoch
    bool isFinished = false;               // true if each rank has read its loader to the end
    // true if the epoch is unfinished and the next run of the chain did not continue it, but began a new epoch
    bool isAbandoned = false;
    int runs = 1;                      // number of runs of the chain that trained a part of this epoch
    std::vector<RankSamples> ranks{};  // numbers of samples of each rank, in ascending order of ranks
    // reason why samples are repeated or missing, or why the numbers are not known
    std::string why{};
    // true if `why` is a rule of the sampler or the loader; false if it is a mistake
    bool isByRule = false;

    // True if each sample was used exactly once.
    bool isExact() const { return isFinished && twice == 0 && never == 0; }
    bool operator==(const EpochAudit&) const = default;
};

// Answer to the question whether each sample was trained exactly once.
struct SampleAudit {
    std::vector<EpochAudit> training, validation;  // audit of each epoch, by loader, group and epoch
    std::int64_t validated = 0;                    // number of distinct samples that were used for validation
    // number of validation samples that were also trained on in an epoch that begins before their last evaluation;
    // empty: not known
    std::optional<std::int64_t> trainedOn{};
    // number of validation samples that were trained on only after the last evaluation of their loader; not in
    // trainedOn
    std::int64_t trainedLater = 0;
    // False if it is not known from which step a run of the chain continues: samples of the earlier run may then be
    // counted although they were trained again.
    bool knowsStarts = true;
    std::vector<std::string> notes{};  // parts of the audit that could not be judged, with the reason; one sentence
                                       // each
    bool operator==(const SampleAudit&) const = default;
};

// Counts the samples of a chain of watched runs. The events of the runs are read twice: first the facts of all runs are
// collected, because ranks report them at different times; then the indices are counted. Exact for data sets of up to
// 10^8 samples. Memory: 2 bytes per sample for each epoch that is still counted, and 2 bytes per sample and loader for
// the results of the whole chain.
class SampleAuditor {
  public:
    // facts: facts of each run of the chain, oldest run first.
    explicit SampleAuditor(std::vector<RecordedFacts> facts);

    // Counts an event of a run of the chain. Runs are read in order, each from its first event.
    void add(std::size_t run, const Event& event);
    // Returns the result. Must be called only once.
    SampleAudit finish();

  private:
    static constexpr std::size_t kMaxOpen = 12;  // limit of the number of epochs that are counted at the same time
    // Limit of the number of epochs that are counted at the same time, for data sets of at most kSmallSet samples. In a
    // short run, a rank can report many epochs before another rank reports its first epoch.
    static constexpr std::size_t kMaxSmallOpen = 64;
    static constexpr std::int64_t kSmallSet = 1 << 20;
    // Key of an epoch: (role, loader, data-parallel group, epoch). Role 0 is training, 1 validation. In validation, the
    // last number counts the passes of the loader over all attempts.
    using EpochKey = std::tuple<int, int, int, std::int64_t>;
    using LoaderEpoch = std::tuple<std::size_t, int, std::int64_t, std::int64_t>;  // (attempt, rank, loader, epoch)

    struct Open {
        std::map<int, SampleCounts> spaces;
        std::map<int, std::int64_t> ranks;           // number of draws by rank
        std::set<std::size_t> attempts;              // attempts that have drawn samples
        std::unordered_set<std::uint32_t> contents;  // contents of the drawn samples; for small epochs only
        std::int64_t withContent = 0;                // number of draws of samples whose content is known
        bool isSmall = false;                        // true if the data set has at most kSmallSet samples
        std::int64_t outside = 0;                    // number of draws whose index is outside of the data set
        std::int64_t label = 0;                      // number of the epoch in EpochAudit; for a validation pass, the
                                                     // latest training epoch at that time
        std::string why;                             // reason why the samples cannot be compared; empty if they can
    };
    struct Done {
        EpochKey key;
        EpochAudit epoch;
        // Number of distinct contents; empty unless the content of each sample is known.
        std::optional<std::int64_t> contents{};
    };
    struct Counted {
        std::int64_t indices = 0;
        std::int64_t batches = 0;
        std::int64_t lastBatch = -1;  // number in its pass of the latest counted batch; for validation only
    };

    void addTrained(std::size_t attempt, const ConsumedIndices& event);
    void addEvaluated(std::size_t attempt, int rank, const Json& batch);
    void countDraws(Open& open, std::size_t attempt, int rank, std::int64_t loader,
                    const std::vector<std::int64_t>& index, const ContentSums* content, int role, int stream);
    Open& openOf(const EpochKey& key, std::size_t attempt);
    void closeBefore(const EpochKey& key);
    void closeEpoch(const EpochKey& key, Open& open);
    EpochAudit auditEpoch(const EpochKey& key, const Open& open) const;
    void addKnown(EpochAudit& result, const EpochKey& key, const Open& open) const;
    std::string missingTrained(std::size_t attempt, int rank, std::int64_t loader, std::int64_t epoch) const;
    std::string missingEvaluated(std::size_t attempt, int rank, std::int64_t loader, std::int64_t pass) const;
    std::string missingOf(const EpochKey& key, const Open& open, std::int64_t epoch) const;
    std::optional<std::int64_t> sizeOf(const EpochKey& key, const Open& open) const;
    const LoaderStream* streamOf(const EpochKey& key, std::size_t attempt) const;
    std::vector<int> ranksOf(const EpochKey& key, std::size_t attempt) const;
    void correctByContent();
    void discardIncomplete();
    void addLeaks(SampleAudit& result) const;
    bool beginsAfter(int training, int validation) const;

    std::vector<RecordedFacts> m_facts;
    std::vector<std::size_t> m_firstAttempt;  // number of the first attempt of each run
    std::vector<ChainedAttempt> m_chain;
    std::unique_ptr<SampleSpaces> m_spaces;
    std::size_t m_run = 0;
    AttemptNumbers m_attempts;                                    // current attempt of each rank within the run
    std::map<std::size_t, std::map<int, std::int64_t>> m_epochs;  // latest epoch of each rank in the first training
                                                                  // loader, by attempt and rank
    std::map<EpochKey, Open> m_open;
    std::set<EpochKey> m_closed;
    std::vector<Done> m_done;
    std::map<LoaderEpoch, Counted> m_counted;
    std::map<std::pair<int, int>, ContentCheck> m_contents;  // comparison of contents, by role (training or validation)
                                                             // and loader
    // samples that were used for training or for validation, by the number of their data set (SampleMap::space) and by
    // the number of the loader
    std::map<int, std::map<int, SampleSet>> m_trained, m_validated;
    std::map<std::uint32_t, int> m_trainedContents;  // data set of each trained sample, by the checksum of its
                                                     // content
    std::map<std::uint32_t, int> m_validatedContents;
    mutable std::map<std::vector<const void*>, std::int64_t> m_sizes;
    // number of batches that arrived after the counting of their epoch was completed, by epoch
    std::map<EpochKey, std::int64_t> m_late;
};

}  // namespace ringside
