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

// Returns a float that depends on rank and position. Sums of such floats are not exact, so their bits depend on the
// order of additions.
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

// Checks integer sums: the sum over r of (r + 1)(i + 1) is (i + 1) n (n + 1) / 2.
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

// The gathered values of rank r are 10 r + i; the sum over r of (r + 1)(b + 1) + i is (b + 1) n (n + 1) / 2 + n i. All
// of them are whole numbers that float holds.
void checkInPlace(Communicator& ranks, std::span<float> all, std::size_t count) {
    const auto n = static_cast<std::size_t>(ranks.size());
    const auto me = static_cast<std::size_t>(ranks.rank());
    const std::span<float> own = all.subspan(me * count, count);
    for (std::size_t i = 0; i < count; ++i) own[i] = static_cast<float>(10 * me + i);
    ranks.allGatherAsync(CommBuffer::of(own), CommBuffer::of(all)).wait();
    for (std::size_t i = 0; i < all.size(); ++i)
        require(all[i] == static_cast<float>(i / count * 10 + i % count), "wrong all-gather in place", count);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>((me + 1) * (i / count + 1) + i % count);
    ranks.reduceScatterAsync(CommBuffer::of(all), CommBuffer::of(own), ReduceOp::kSum).wait();
    for (std::size_t i = 0; i < count; ++i)
        require(own[i] == static_cast<float>((me + 1) * n * (n + 1) / 2 + n * i), "wrong reduce-scatter in place",
                count);
}

void checkInPlace(Communicator& ranks, std::size_t count) {
    std::vector<float> all(count * static_cast<std::size_t>(ranks.size()));
    checkInPlace(ranks, all, count);
    checkInPlace(ranks, ranks.allocate(all.size()), count);
}

// Passes data around the ring of ranks: even ranks send first, odd ranks receive first. Does nothing if there is one
// rank.
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

// Queues three asynchronous all-reduces of one buffer of ones. They run one after the other, so each multiplies the
// values by n.
void checkAsyncOrder(Communicator& ranks) {
    std::int64_t n = ranks.size();
    for (std::size_t count : {std::size_t{10}, std::size_t{300'000}}) {
        std::vector<std::int64_t> values(count, 1);
        std::vector<CommHandle> handles;
        for (int i = 0; i < 3; ++i) {
            handles.push_back(ranks.allReduceAsync(CommBuffer::of(std::span(values)), ReduceOp::kSum));
        }
        std::vector<std::int64_t> after(1, ranks.rank());
        ranks.allReduce(CommBuffer::of(std::span(after)), ReduceOp::kSum);  // runs after the queued ones
        require(values.front() == n * n * n && values.back() == n * n * n, "queued reductions not finished", count);
        require(after[0] == n * (n - 1) / 2, "wrong sum after queued ones", count);
        for (auto& handle : handles) handle.wait();
    }
}

void checkAsyncGatherAndScatter(Communicator& ranks) {
    const auto n = static_cast<std::size_t>(ranks.size());
    std::vector<std::int64_t> own{ranks.rank() + 10}, all(n), blocks(n), sum(1);
    for (std::size_t b = 0; b < n; ++b) blocks[b] = static_cast<std::int64_t>(b);
    const CommHandle gathered = ranks.allGatherAsync(CommBuffer::of(std::span(own)), CommBuffer::of(std::span(all)));
    const CommHandle scattered =
        ranks.reduceScatterAsync(CommBuffer::of(std::span(blocks)), CommBuffer::of(std::span(sum)), ReduceOp::kSum);
    gathered.wait();
    for (std::size_t rank = 0; rank < n; ++rank)
        require(all[rank] == static_cast<std::int64_t>(rank) + 10, "wrong asynchronous all-gather", 1);
    scattered.wait();
    require(sum[0] == static_cast<std::int64_t>(n) * ranks.rank(), "wrong asynchronous reduce-scatter", 1);
}

void checkCrossingMessages(Communicator& ranks) {
    const int peer = ranks.rank() ^ 1;
    if (peer >= ranks.size()) return;
    for (const std::size_t count : {std::size_t{3}, std::size_t{300'001}, std::size_t{0}, std::size_t{5000}}) {
        auto first = samples(ranks.rank(), count);
        auto second = samples(ranks.rank() + 100, count);
        std::vector<float> gotFirst(count), gotSecond(count);
        const CommHandle receivedFirst = ranks.recvAsync(CommBuffer::of(std::span(gotFirst)), peer);
        const CommHandle sentFirst = ranks.sendAsync(CommBuffer::of(std::span(first)), peer);
        const CommHandle sentSecond = ranks.sendAsync(CommBuffer::of(std::span(second)), peer);
        const CommHandle receivedSecond = ranks.recvAsync(CommBuffer::of(std::span(gotSecond)), peer);
        receivedSecond.wait();  // completes the first receive too
        require(gotFirst == samples(peer, count), "wrong first message", count);
        require(gotSecond == samples(peer + 100, count), "wrong second message", count);
        for (const CommHandle& handle : {receivedFirst, sentFirst, sentSecond}) handle.wait();
    }
}

void checkGroups(Communicator& ranks, bool inOrder) {
    const int me = ranks.rank();
    const int colour = me % 2;
    const auto group = ranks.split(colour, colour == 0 ? me : -me);
    const int size = (ranks.size() + 1 - colour) / 2;
    require(group && group->size() == size, "wrong size of a group", 0);
    require(group->rank() == (colour == 0 ? me / 2 : size - 1 - me / 2), "wrong place in a group", 0);
    for (const std::size_t count : {3U, 10'634U, 400'001U}) checkFloatSum(*group, count, inOrder);
    checkFloatSumInAllocatedMemory(*group, 5000, inOrder);
    checkBroadcast(*group, 1000);
    checkAllGather(*group, 1000);
    checkReduceScatter(*group, 1000);
    checkInPlace(*group, 1000);
    checkSendAndRecv(*group, 20'000);
    checkAsyncOrder(*group);

    const auto some = ranks.split(me == 0 ? -1 : 7, 0, GroupUse::kMessages);
    require((some == nullptr) == (me == 0), "a rank without a colour is in a group", 0);
    if (some) checkCrossingMessages(*some);
    if (some) checkFloatSum(*some, 100'001, inOrder);
    checkFloatSum(ranks, 100, inOrder);
    const auto inner = group->split(0, 0);
    checkFloatSum(*inner, 100, inOrder);
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
        checkInPlace(ranks, large ? 50'001 : count);
        checkSendAndRecv(ranks, count);
    }
    checkDoubleAndByteReductions(ranks);
    checkAsyncOrder(ranks);
    checkAsyncGatherAndScatter(ranks);
    checkCrossingMessages(ranks);
    checkGroups(ranks, inOrder);
    ranks.barrier();
}

}  // namespace ringside::test
