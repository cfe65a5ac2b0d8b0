// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/text/number_text.h"
#include "plan/plan_writers.h"
#include "sampling/findings/plan_sentences.h"

namespace ringside {
namespace {

constexpr int kLineWidth = 110;
constexpr int kMaxRows = 32;
constexpr std::int64_t kMaxDropped = 16;

// Returns the items to show if only `room` of `count` items fit: the indices of the first items, -1 for the gap, and
// the indices of the last items, which include the samples that the sampler repeats as padding.
std::vector<std::int64_t> shownOf(std::int64_t count, std::int64_t room) {
    std::vector<std::int64_t> shown;
    const std::int64_t head = count <= room ? count : room - room / 3;
    for (std::int64_t i = 0; i < head; ++i) shown.push_back(i);
    if (count <= room) return shown;
    shown.push_back(-1);
    for (std::int64_t i = count - room / 3; i < count; ++i) shown.push_back(i);
    return shown;
}

std::string padded(const std::string& text, std::size_t width) {
    std::string wide(width > text.size() ? width - text.size() : 0, ' ');
    wide += text;
    return wide;
}

std::string withoutTrailingBlanks(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

// Table of the samples of each rank, with one column per slot (position in the rank's shard). The mark "|" precedes the
// first sample of a batch. The header marks the slots that no step uses, for the first rank, which has the most
// samples; a remark follows each rank with other unused slots.
class Grid {
  public:
    Grid(const ShardPlan& plan, RankRange ranks) : m_plan(plan), m_ranks(ranks) {
        const auto largest = std::max<std::int64_t>(0, plan.spec().datasetSize - 1);
        // width of a column in characters: the digits of the largest index, a blank and the mark of a duplicate
        m_cell = std::to_string(largest).size() + 2;
        const auto room = static_cast<std::int64_t>((kLineWidth - kHead) / (m_cell + 1));
        m_slots = shownOf(plan.samplesOf(ranks.first), std::max<std::int64_t>(room, 6));
        m_kept = plan.trainedOf(ranks.first);
    }

    void write(TextOut& out) const {
        writeSteps(out);
        for (const std::int64_t i : shownOf(m_ranks.count, kMaxRows)) {
            if (i < 0) out << "  ...\n";
            if (i >= 0) writeRank(m_ranks.first + static_cast<int>(i), out);
        }
    }

  private:
    static constexpr std::size_t kHead = 10;

    bool beginsBatch(std::int64_t slot, std::int64_t kept) const {
        return slot == kept || slot % m_plan.spec().batchSize == 0;
    }

    void writeSteps(TextOut& out) const {
        std::string line(kHead, ' ');
        std::size_t at = kHead;
        bool afterGap = false;
        for (const std::int64_t slot : m_slots) {
            const bool labelled = slot >= 0 && (beginsBatch(slot, m_kept) || afterGap);
            afterGap = slot < 0;
            // A label is written only where it does not overlap the previous label, so narrow batches have fewer labels
            // than steps.
            if (labelled && line.size() <= at) {
                line.resize(at + 1, ' ');
                line +=
                    slot < m_kept ? "step " + std::to_string(slot / m_plan.spec().batchSize + 1) : "samples in no step";
                line += ' ';
            }
            at += m_cell + 1;
        }
        out << withoutTrailingBlanks(line) << "\n";
    }

    void writeRank(int rank, TextOut& out) const {
        std::string line = "rank " + std::to_string(rank);
        line.resize(std::max(kHead, line.size() + 1), ' ');
        for (const std::int64_t slot : m_slots) line += slot < 0 ? padded("... ", m_cell + 1) : cell(rank, slot);
        const std::int64_t left = m_plan.samplesOf(rank) - m_plan.trainedOf(rank);
        if (left > 0 && m_plan.trainedOf(rank) != m_kept)
            line += "samples in no step: the last " + std::to_string(left);
        out << withoutTrailingBlanks(line) << "\n";
    }

    std::string cell(int rank, std::int64_t slot) const {
        if (slot >= m_plan.samplesOf(rank)) return padded("", m_cell + 1);
        std::string number = std::to_string(m_plan.index(rank, slot));
        number += m_plan.isPadded(rank, slot) ? '*' : ' ';
        std::string text(1, beginsBatch(slot, m_plan.trainedOf(rank)) ? '|' : ' ');
        text += padded(number, m_cell);
        return text;
    }

    const ShardPlan& m_plan;
    RankRange m_ranks;
    std::size_t m_cell;
    std::vector<std::int64_t> m_slots;
    std::int64_t m_kept;  // number of slots (positions in the shard) of the first rank whose samples are in a step
};

void writeTitle(const ShardSpec& spec, TextOut& out) {
    out << grouped(spec.datasetSize) << (spec.datasetSize == 1 ? " sample on " : " samples on ")
        << grouped(spec.worldSize) << (spec.worldSize == 1 ? " rank, epoch " : " ranks, epoch ") << spec.epoch;
    if (spec.shuffle) out << ", shuffled with seed " << spec.seed << " + " << spec.epoch;
    if (!spec.shuffle) out << ", not shuffled";
    out << ", batch size " << spec.batchSize << "\n";
    out << shardSentence(spec) << "\n" << stepSentence(spec) << "\n";
    if (spec.kind != SamplerKind::kDistributed) out << samplerSentence(spec.kind) << "\n";
    if (const std::string mistake = pitfallSentence(spec); !mistake.empty()) out << mistake << "\n";
}

void writeDropped(const ShardPlan& plan, TextOut& out) {
    const auto dropped = plan.dropped();
    if (dropped.empty()) return;
    out << "dropped by the sampler:";
    for (const std::int64_t i : shownOf(static_cast<std::int64_t>(dropped.size()), kMaxDropped)) {
        if (i < 0) out << " ...";
        if (i >= 0) out << " " << std::int64_t{dropped[static_cast<std::size_t>(i)]};
    }
    out << "\n";
}

}  // namespace

void writePlanTable(const ShardPlan& plan, RankRange ranks, TextOut& out) {
    writeTitle(plan.spec(), out);
    if (plan.samplesPerRank() > 0) {
        out << "\n";
        Grid(plan, ranks).write(out);
        out << "\n";
    }
    if (plan.padding() > 0) out << "* repeated, so that all ranks get the same number\n";
    writeDropped(plan, out);
}

}  // namespace ringside
