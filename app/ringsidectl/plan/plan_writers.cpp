// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_writers.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <thread>

namespace ringside {
namespace {

const char* truth(bool value) {
    return value ? "true" : "false";
}

// Writes a JSON array of `count` values, valueAt(0) to valueAt(count-1).
template <class ValueAt>
void writeList(std::int64_t count, const ValueAt& valueAt, TextOut& out) {
    out << "[";
    for (std::int64_t i = 0; i < count; ++i) out << (i > 0 ? "," : "") << std::int64_t{valueAt(i)};
    out << "]";
}

std::int64_t firstPaddedSlot(const ShardPlan& plan, int rank) {
    // Padding is at the end of the order, so a rank's padded slots are its last ones.
    std::int64_t slot = plan.samplesOf(rank);
    while (slot > 0 && plan.isPadded(rank, slot - 1)) --slot;
    return slot;
}

void writeRankJson(const ShardPlan& plan, int rank, TextOut& out) {
    out << "{\"rank\":" << rank << ",\"indices\":";
    writeList(
        plan.samplesOf(rank), [&](std::int64_t slot) { return plan.index(rank, slot); }, out);
    const std::int64_t padded = firstPaddedSlot(plan, rank);
    out << ",\"padded_positions\":";
    writeList(
        plan.samplesOf(rank) - padded, [&](std::int64_t i) { return padded + i; }, out);
    out << ",\"batches\":[";
    for (std::int64_t step = 0; step < plan.stepsPerEpoch(); ++step) {
        const SlotRange slots = plan.batch(rank, step);
        if (slots.count == 0)
            break;  // without padding, a rank can have fewer batches than another rank, so this
                    // rank has none in later steps either
        out << (step > 0 ? "," : "");
        writeList(
            slots.count, [&](std::int64_t i) { return plan.index(rank, slots.first + i); }, out);
    }
    out << "]}";
}

struct CsvRow {
    std::int64_t epoch = 0;
    std::int64_t step = -1;  // number of the step; -1: the sample is in no step
    int rank = 0;
};

void writeSlotsCsv(const ShardPlan& plan, const CsvRow& row, SlotRange slots, TextOut& out) {
    for (std::int64_t slot = slots.first; slot < slots.first + slots.count; ++slot) {
        out << row.epoch << ",";
        if (row.step >= 0) out << row.step + 1;
        out << "," << row.rank << "," << slot << "," << plan.index(row.rank, slot)
            << (plan.isPadded(row.rank, slot) ? ",padded\n" : ",normal\n");
    }
}

}  // namespace

void writePlanJson(const ShardPlan& plan, RankRange ranks, TextOut& out) {
    const ShardSpec& spec = plan.spec();
    out << "{\"dataset_size\":" << spec.datasetSize << ",\"world_size\":" << spec.worldSize
        << ",\"epoch\":" << spec.epoch << ",\"seed\":" << spec.seed << ",\"shuffle\":" << truth(spec.shuffle)
        << ",\"drop_last\":" << truth(spec.dropLast) << ",\"batch_size\":" << spec.batchSize
        << ",\"loader_drop_last\":" << truth(spec.loaderDropLast) << ",\"sampler\":\"" << samplerName(spec.kind) << "\""
        << ",\"samples_per_rank\":" << plan.samplesPerRank() << ",\"total_size\":" << plan.totalSize()
        << ",\"padding\":" << plan.padding() << ",\"dropped\":";
    const auto dropped = plan.dropped();
    writeList(
        static_cast<std::int64_t>(dropped.size()), [&](std::int64_t i) { return dropped[static_cast<std::size_t>(i)]; },
        out);
    out << ",\"ranks\":[";
    for (int rank = ranks.first; rank < ranks.first + ranks.count; ++rank) {
        out << (rank > ranks.first ? ",\n" : "\n");
        writeRankJson(plan, rank, out);
    }
    out << "\n]}\n";
}

void writePlanCsv(const ShardPlan& plan, RankRange ranks, TextOut& out) {
    const std::int64_t epoch = plan.spec().epoch;
    const std::int64_t steps = plan.stepsPerEpoch();
    out << "epoch,step,rank,slot,index,flag\n";
    for (std::int64_t step = 0; step <= steps; ++step) {
        const bool isStep = step < steps;
        for (int rank = ranks.first; rank < ranks.first + ranks.count; ++rank) {
            const std::int64_t trained = plan.trainedOf(rank);
            const SlotRange left{trained, plan.samplesOf(rank) - trained};
            writeSlotsCsv(plan, {epoch, isStep ? step : -1, rank}, isStep ? plan.batch(rank, step) : left, out);
        }
    }
    for (const std::uint32_t index : plan.dropped()) out << epoch << ",,,," << std::int64_t{index} << ",dropped\n";
}

std::vector<std::string> planHashes(const ShardPlan& plan, RankRange ranks,
                                    const std::function<void(double share)>& onProgress) {
    constexpr int kMaxTogether = 512;
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int together = std::clamp((ranks.count + threads - 1) / threads, 1, kMaxTogether);
    const int last = ranks.first + ranks.count;
    std::vector<std::string> hashes;
    for (int rank = ranks.first; rank < last;) {
        std::vector<std::future<std::vector<std::string>>> parts;
        for (; rank < last && std::ssize(parts) < threads; rank += together) {
            const int count = std::min(together, last - rank);
            parts.push_back(std::async(std::launch::async, [&plan, rank, count] { return plan.hashes(rank, count); }));
        }
        for (auto& part : parts) std::ranges::move(part.get(), std::back_inserter(hashes));
        onProgress(static_cast<double>(hashes.size()) / ranks.count);
    }
    return hashes;
}

void writePlanHashes(RankRange ranks, const std::vector<std::string>& hashes, TextOut& out) {
    for (std::size_t at = 0; at < hashes.size(); ++at) {
        out << ranks.first + static_cast<int>(at) << " " << hashes[at] << "\n";
    }
}

}  // namespace ringside
