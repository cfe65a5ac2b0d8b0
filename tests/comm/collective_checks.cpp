// SPDX-License-Identifier: Apache-2.0
#include "comm/collective_checks.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringside::test {
namespace {

void require(bool condition, const char* what, std::size_t count) {
    if (!condition) throw std::runtime_error(std::string(what) + " at " + std::to_string(count) + " values");
}

// A float that differs by rank and position and is not exact in sums: order matters.
float sample(int rank, std::size_t index) {
    auto mixed = static_cast<std::uint32_t>(index * 2654435761U + static_cast<std::size_t>(rank) * 40503U + 1);
    return static_cast<float>(mixed % 20011) / 977.0F - 10.0F;
}

std::vector<float> samples(int rank, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = sample(rank, i);
    return values;
}

std::int64_t fingerprint(std::span<const float> values) {
    std::uint64_t hash = 1469598103934665603U;
    for (float value : values) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 1099511628211U;
    }
    return static_cast<std::int64_t>(hash);
}

void requireSameBitsEverywhere(Communicator& ranks, std::span<const float> values) {
    std::vector<std::int64_t> own{fingerprint(values)};
    std::vector<std::int64_t> all(static_cast<std::size_t>(ranks.size()));
    ranks.allGather(CommBuffer::of(std::span(own)), CommBuffer::of(std::span(all)));
    for (auto other : all) require(other == own[0], "ranks hold different bits", values.size());
}

void requireSum(Communicator& ranks, std::span<const float> values, bool inOrder) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        float ordered = sample(0, i);
        double exact = sample(0, i);
        double magnitude = std::abs(exact);
        for (int rank = 1; rank < ranks.size(); ++rank) {
            ordered += sample(rank, i);
            exact += sample(rank, i);
            magnitude += std::abs(sample(rank, i));
        }
        bool right = inOrder ? values[i] == ordered : std::abs(values[i] - exact) <= 1e-6 * magnitude;
        if (!right) require(false, ("wrong float sum at position " + std::to_string(i)).c_str(), values.size());
    }
}

}  // namespace

void checkFloatSum(Communicator& ranks, std::size_t count, bool inOrder) {
    auto values = samples(ranks.rank(), count);
    ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    requireSum(ranks, values, inOrder);
    requireSameBitsEverywhere(ranks, values);
}

void checkFloatSumInAllocatedMemory(Communicator& ranks, std::size_t count, bool inOrder) {
    auto values = ranks.allocate(count);
    require(values.size() == count, "allocate gave another size", count);
    for (int repetition = 0; repetition < 2; ++repetition) {
        for (std::size_t i = 0; i < count; ++i) values[i] = sample(ranks.rank(), i);
        ranks.allReduce(CommBuffer::of(values), ReduceOp::kSum);
        requireSum(ranks, values, inOrder);
    }
    requireSameBitsEverywhere(ranks, values);
}

void checkFloatMaximum(Communicator& ranks, std::size_t count) {
    auto values = samples(ranks.rank(), count);
    ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kMaximum);
    for (std::size_t i = 0; i < count; ++i) {
        float largest = sample(0, i);
        for (int rank = 1; rank < ranks.size(); ++rank) largest = std::fmax(largest, sample(rank, i));
        require(values[i] == largest, "wrong maximum", count);
    }
}

// sum over r of (r + 1)(i + 1) = (i + 1) n (n + 1) / 2
void checkIntegerSum(Communicator& ranks, std::size_t count) {
    std::vector<std::int64_t> values(count);
    std::int64_t n = ranks.size();
    for (std::size_t i = 0; i < count; ++i) values[i] = (ranks.rank() + 1) * static_cast<std::int64_t>(i + 1);
    ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    for (std::size_t i = 0; i < count; ++i) {
        require(values[i] == static_cast<std::int64_t>(i + 1) * n * (n + 1) / 2, "wrong integer sum", count);
    }
}

void checkDoubleAndByteReductions(Communicator& ranks) {
    constexpr std::size_t kCount = 257;
    int n = ranks.size();
    std::vector<double> halves(kCount, 0.5 * (ranks.rank() + 1));
    ranks.allReduce(CommBuffer::of(std::span(halves)), ReduceOp::kSum);
    for (double value : halves) require(value == 0.25 * n * (n + 1), "wrong double sum", kCount);

    std::vector<std::byte> flags(kCount, static_cast<std::byte>(ranks.rank() + 200));
    ranks.allReduce(CommBuffer::of(std::span(flags)), ReduceOp::kMaximum);
    for (auto flag : flags) require(flag == static_cast<std::byte>(n - 1 + 200), "wrong byte maximum", kCount);

    std::vector<std::int64_t> negative(kCount, -5 - ranks.rank());
    ranks.allReduce(CommBuffer::of(std::span(negative)), ReduceOp::kMaximum);
    for (auto value : negative) require(value == -5, "wrong integer maximum", kCount);
}

void checkBroadcast(Communicator& ranks, std::size_t count) {
    for (int root : {0, ranks.size() - 1}) {
        auto values = samples(ranks.rank(), count);
        ranks.broadcast(CommBuffer::of(std::span(values)), root);
        require(values == samples(root, count), "wrong broadcast", count);
    }
}

void checkAllGather(Communicator& ranks, std::size_t count) {
    auto own = samples(ranks.rank(), count);
    std::vector<float> all(count * static_cast<std::size_t>(ranks.size()));
    ranks.allGather(CommBuffer::of(std::span(own)), CommBuffer::of(std::span(all)));
    for (int rank = 0; rank < ranks.size(); ++rank) {
        auto expected = samples(rank, count);
        bool same =
            std::equal(expected.begin(), expected.end(), all.begin() + rank * static_cast<std::ptrdiff_t>(count));
        require(same, "wrong all-gather", count);
    }
}

// Block b of rank r holds (r + 1)(b + 1) + i; the sum over r is (b + 1) n (n + 1) / 2 + n i.
void checkReduceScatter(Communicator& ranks, std::size_t count) {
    auto n = static_cast<std::size_t>(ranks.size());
    auto own = static_cast<std::size_t>(ranks.rank());
    std::vector<std::int64_t> in(n * count);
    std::vector<std::int64_t> out(count);
    for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t i = 0; i < count; ++i) in[b * count + i] = static_cast<std::int64_t>((own + 1) * (b + 1) + i);
    }
    ranks.reduceScatter(CommBuffer::of(std::span(in)), CommBuffer::of(std::span(out)), ReduceOp::kSum);
    for (std::size_t i = 0; i < count; ++i) {
        auto expected = static_cast<std::int64_t>((own + 1) * n * (n + 1) / 2 + n * i);
        require(out[i] == expected, "wrong reduce-scatter", count);
    }
}

// Around the ring: even ranks send first, odd ones receive first; alone, nothing.
void checkSendAndRecv(Communicator& ranks, std::size_t count) {
    int n = ranks.size();
    if (n == 1) return;
    int next = (ranks.rank() + 1) % n;
    int previous = (ranks.rank() + n - 1) % n;
    auto own = samples(ranks.rank(), count);
    std::vector<float> received(count);
    if (ranks.rank() % 2 == 0) ranks.send(CommBuffer::of(std::span(own)), next);
    ranks.recv(CommBuffer::of(std::span(received)), previous);
    if (ranks.rank() % 2 == 1) ranks.send(CommBuffer::of(std::span(own)), next);
    require(received == samples(previous, count), "wrong message", count);
}

// Three queued reductions of one buffer, each after the other: the sums multiply by n each time.
void checkAsyncOrder(Communicator& ranks) {
    std::int64_t n = ranks.size();
    for (std::size_t count : {std::size_t{10}, std::size_t{300'000}}) {
        std::vector<std::int64_t> values(count, 1);
        std::vector<CommHandle> handles;
        for (int i = 0; i < 3; ++i) {
            handles.push_back(ranks.allReduceAsync(CommBuffer::of(std::span(values)), ReduceOp::kSum));
        }
        std::vector<std::int64_t> after(1, ranks.rank());
        ranks.allReduce(CommBuffer::of(std::span(after)), ReduceOp::kSum);  // takes its turn after the queued ones
        require(values.front() == n * n * n && values.back() == n * n * n, "queued reductions not finished", count);
        require(after[0] == n * (n - 1) / 2, "wrong sum after queued ones", count);
        for (auto& handle : handles) handle.wait();
    }
}

void checkEverything(Communicator& ranks, bool inOrder) {
    for (std::size_t count : {0U, 1U, 3U, 1000U, 10'634U, 1'000'001U}) {
        bool large = count > 100'000;
        if (large && ranks.size() > 4) continue;
        checkFloatSum(ranks, count, inOrder);
        checkFloatSumInAllocatedMemory(ranks, count, inOrder);
        if (!large) checkFloatMaximum(ranks, count);
        if (!large) checkIntegerSum(ranks, count);
        checkBroadcast(ranks, count);
        checkAllGather(ranks, large ? 300'001 : count);
        checkReduceScatter(ranks, large ? 200'001 : count);
        checkSendAndRecv(ranks, count);
    }
    checkDoubleAndByteReductions(ranks);
    checkAsyncOrder(ranks);
    ranks.barrier();
}

}  // namespace ringside::test
