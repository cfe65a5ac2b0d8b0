// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json.h"

namespace ringside {

// Sample indices of the batches of one pass or epoch, in order. Can store indices below 2^32; a larger index makes the
// list incomplete (see isWhole()).
class IndexList {
  public:
    struct Batch {
        // number of the batch in its pass; for a trained batch, the number of its optimizer step
        std::int64_t number = 0;
        std::size_t first = 0;  // position of the batch's first index in all()
    };

    // Appends a batch, or the next part of a batch that is too long for one event. budget: number of indices that may
    // still be kept; decreased by the number of kept indices. If the batch exceeds the budget, its indices are counted
    // but not kept.
    void append(std::int64_t number, const std::vector<std::int64_t>& index, std::size_t& budget);

    std::span<const std::uint32_t> all() const { return m_index; }
    std::size_t batches() const { return m_batches.size(); }
    const Batch& batch(std::size_t position) const { return m_batches[position]; }
    std::span<const std::uint32_t> indicesOf(std::size_t position) const;
    std::int64_t count() const { return m_count; }  // returns the number of indices, including those that are not kept
    bool isWhole() const { return m_isWhole; }      // returns true if all indices are kept
    void markIncomplete() { m_isWhole = false; }

  private:
    std::vector<std::uint32_t> m_index;
    std::vector<Batch> m_batches;
    std::int64_t m_count = 0;
    std::size_t m_lastPiece = 0;  // number of indices that the latest event has added
    bool m_isWhole = true;
};

// Checksums of the first samples of one batch, in the order of the batch.
struct BatchContent {
    std::int64_t batch = 0;             // number of the batch in its pass
    std::vector<std::int64_t> samples;  // CRC-32 of each sample
    std::vector<std::int64_t> labels;   // CRC-32 of each label; empty if there is none
};

// One iteration over a loader, from iter() until the iterator is exhausted or dropped.
struct PassEvidence {
    std::string where;                         // line of the script that begins the pass
    std::optional<std::int64_t> samplerEpoch;  // DistributedSampler.epoch at the begin of the pass
    std::int64_t beganUs = 0;
    std::optional<std::int64_t> collectives;  // number of collectives that the script itself had called before the pass
    bool hasEnded = false;
    std::int64_t endedUs = 0;                      // end of the pass; valid if hasEnded
    std::optional<std::int64_t> collectivesAtEnd;  // number of collectives that the script had called until the end
    bool isExhausted = false;           // true if the pass has reached the loader's end; false if the script has
                                        // dropped the iterator before
    bool isEvaluation = false;          // true if a model was in evaluation mode when the loader was exhausted
    std::int64_t batches = 0;           // number of batches; this member and the next ones are valid after the end of
                                        // the pass
    std::int64_t trained = 0;           // number of batches that were followed by a backward pass
    std::int64_t untrained = 0;         // number of batches without a backward pass
    std::optional<std::int64_t> epoch;  // number of the loader's epoch; empty if no batch was trained
    // SHA-256 of the sample indices of trained batches, as little-endian int64; empty if no index was seen
    std::string sha256;
    IndexList evaluated;                 // indices of batches without a backward pass
    std::vector<BatchContent> contents;  // contents of the first batches of the pass
};

// One DataLoader of one rank. A loader that the script makes again for each epoch is the same loader.
struct LoaderEvidence {
    static constexpr std::size_t kMaxPasses = 4096;

    std::int64_t id = 0;
    Json facts;                                   // latest facts "loader" of docs/watch-protocol.md
    std::map<std::int64_t, PassEvidence> passes;  // first kMaxPasses passes, by number from 0
    std::map<std::int64_t, IndexList> epochs;     // indices of trained batches, by epoch; the batches are numbered by
                                                  // optimizer step

    // Returns true if at least one batch whose sample indices are known was trained.
    bool isTrained() const { return !epochs.empty(); }
    // Returns true if at least one batch was trained, even if its sample indices are unknown.
    bool hasTrainedBatch() const;
    std::string sourceLine() const;  // returns the script line of the first iteration over the loader
    // Returns the line that created the loader. If the creating line is not known, returns sourceLine().
    std::string createdAt() const;
    // Returns the line that created the Subset from which the loader reads. If the loader reads from no Subset, or the
    // creating line is not known, returns createdAt().
    std::string subsetLine() const;
    // Returns the indices of a batch of a pass, or an empty span if they are not known.
    std::span<const std::uint32_t> indicesOf(std::int64_t pass, std::int64_t batch) const;
    // Returns the epoch that a pass trains; empty if it trains none. A pass that has not ended trains the epoch after
    // those of all ended passes.
    std::optional<std::int64_t> epochOf(std::int64_t pass) const;
};

// Facts from which it follows whether a rank uses the batches of a loader for evaluation.
struct LoaderUse {
    bool trainsOnLoader = false;     // true if the rank has trained on a batch of this loader
    bool trainsOnAny = false;        // true if the rank has trained on a batch of any loader
    bool hasSteps = false;           // true if the rank has made an optimizer step
    bool hasFailed = false;          // true if an exception has ended the rank
    bool hasEvaluationPass = false;  // true if a model was in evaluation mode at the end of a pass over this loader
};

// True if the rank uses the batches of the loader for evaluation. False if it trains on them, or may train on them: a
// script can load all batches into memory before its first step, so that no backward pass follows the loading of a
// batch, and a rank that has failed before its first step may have fetched its batches for training.
constexpr bool isEvaluation(const LoaderUse& use) {
    if (use.trainsOnLoader) return false;
    return use.trainsOnAny || (!use.hasSteps && !use.hasFailed) || use.hasEvaluationPass;
}

}  // namespace ringside
