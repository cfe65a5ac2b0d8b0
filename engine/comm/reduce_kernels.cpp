// SPDX-License-Identifier: Apache-2.0
#include "comm/reduce_kernels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/errors/errors.h"

namespace ringside {
namespace {

struct Sum {
    template <class T>
    static T apply(T left, T right) {
        return static_cast<T>(left + right);
    }
};

struct Maximum {
    template <class T>
    static T apply(T left, T right) {
        return left < right ? right : left;
    }
};

// size, in bytes, of the blocks in which a sum along a binary tree (ReduceOp::kTreeSum) is computed
constexpr std::size_t kTreeBlock = 2048;

// Integers are added as unsigned values, so that an overflow wraps instead of being undefined.
template <class T, class Op>
struct Arithmetic {
    using Value = T;
};
template <>
struct Arithmetic<std::int64_t, Sum> {
    using Value = std::uint64_t;
};

// The pragma ivdep declares that the iterations are independent, which is true even if `out` is one of the
// sources. Without the pragma, the compiler assumes that the memory may overlap and does not vectorise the loop.
template <class T, class Op>
void combineTwo(T* out, const T* a, const T* b, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) out[i] = Op::apply(a[i], b[i]);
}

template <class T, class Op>
void combineThree(T* out, const T* a, const T* b, const T* c, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) out[i] = Op::apply(Op::apply(a[i], b[i]), c[i]);
}

template <class T, class Op>
void combineFour(T* out, const T* a, const T* b, const T* c, const T* d, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) out[i] = Op::apply(Op::apply(Op::apply(a[i], b[i]), c[i]), d[i]);
}

// Reduces the sources in passes: the first pass combines four sources, each further pass three more.
template <class T, class Op>
void combineAll(T* out, std::span<const std::byte* const> sources, std::size_t start, std::size_t count) {
    auto at = [&](std::size_t i) { return reinterpret_cast<const T*>(sources[i]) + start; };
    const T* left = at(0);
    if (sources.size() == 1 && out != left) std::memcpy(out, left, count * sizeof(T));
    for (std::size_t next = 1; next < sources.size(); left = out) {
        std::size_t taken = std::min<std::size_t>(3, sources.size() - next);
        if (taken == 3) combineFour<T, Op>(out, left, at(next), at(next + 1), at(next + 2), count);
        if (taken == 2) combineThree<T, Op>(out, left, at(next), at(next + 1), count);
        if (taken == 1) combineTwo<T, Op>(out, left, at(next), count);
        next += taken;
    }
}

// Sums the subtree over the sources first, first + step, first + 2 step, ...: first the sources at even positions, then
// the sources at odd positions, then both sums.
template <class T>
void sumTree(T* out, std::span<const std::byte* const> sources, std::size_t start, std::size_t count, std::size_t first,
             std::size_t step) {
    auto at = [&](std::size_t i) { return reinterpret_cast<const T*>(sources[i]) + start; };
    if (step * 2 == sources.size()) return combineTwo<T, Sum>(out, at(first), at(first + step), count);
    T even[kTreeBlock / sizeof(T)];
    T odd[kTreeBlock / sizeof(T)];
    sumTree(even, sources, start, count, first, 2 * step);
    sumTree(odd, sources, start, count, first + step, 2 * step);
    combineTwo<T, Sum>(out, even, odd, count);
}

template <class T>
void reduceInTree(std::byte* out, std::span<const std::byte* const> sources, std::size_t count) {
    RINGSIDE_ASSERT((sources.size() & (sources.size() - 1)) == 0);
    constexpr std::size_t kBlock = kTreeBlock / sizeof(T);
    if (sources.size() == 1) return combineAll<T, Sum>(reinterpret_cast<T*>(out), sources, 0, count);
    for (std::size_t start = 0; start < count; start += kBlock)
        sumTree(reinterpret_cast<T*>(out) + start, sources, start, std::min(kBlock, count - start), 0, 1);
}

// Reduces block by block, so that a block stays in the first-level cache between the passes. If `out` is a source that
// only a later pass reads, the sums are built in a block on the stack, so that the source is not overwritten before it
// is read.
template <class T, class Op>
void reduceTyped(std::byte* out, std::span<const std::byte* const> sources, std::size_t count) {
    using Value = typename Arithmetic<T, Op>::Value;
    constexpr std::size_t kBlock = 8192 / sizeof(Value);
    constexpr std::size_t kFirstPass = 4;
    const std::size_t block = sources.size() <= kFirstPass ? count : kBlock;
    const bool isReadLater =
        sources.size() > kFirstPass && std::ranges::find(sources.subspan(kFirstPass), out) != sources.end();
    Value sums[kBlock];
    for (std::size_t start = 0; start < count; start += block) {
        auto* target = reinterpret_cast<Value*>(out) + start;
        const std::size_t length = std::min(block, count - start);
        combineAll<Value, Op>(isReadLater ? sums : target, sources, start, length);
        if (isReadLater) std::memcpy(target, sums, length * sizeof(Value));
    }
}

template <class Op>
void reduceWith(CommType type, std::byte* out, std::span<const std::byte* const> sources, std::size_t count) {
    switch (type) {
        case CommType::kFloat32:
            return reduceTyped<float, Op>(out, sources, count);
        case CommType::kFloat64:
            return reduceTyped<double, Op>(out, sources, count);
        case CommType::kInt64:
            return reduceTyped<std::int64_t, Op>(out, sources, count);
        case CommType::kByte:
            return reduceTyped<std::uint8_t, Op>(out, sources, count);
    }
    RINGSIDE_ASSERT(false);
}

}  // namespace

void reduceSources(CommType type, ReduceOp op, std::byte* out, std::span<const std::byte* const> sources,
                   std::size_t count) {
    RINGSIDE_ASSERT(!sources.empty());
    if (op == ReduceOp::kTreeSum) {
        RINGSIDE_ASSERT(type == CommType::kFloat32);
        return reduceInTree<float>(out, sources, count);
    }
    if (op == ReduceOp::kSum) return reduceWith<Sum>(type, out, sources, count);
    return reduceWith<Maximum>(type, out, sources, count);
}

}  // namespace ringside
