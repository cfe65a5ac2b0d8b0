// SPDX-License-Identifier: Apache-2.0
#include "comm/reduce_kernels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/errors.h"

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

// Integers are added as unsigned values: wrapping, never undefined.
template <class T, class Op>
struct Arithmetic {
    using Value = T;
};
template <>
struct Arithmetic<std::int64_t, Sum> {
    using Value = std::uint64_t;
};

template <class T, class Op>
void combineTwo(T* out, const T* a, const T* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = Op::apply(a[i], b[i]);
}

template <class T, class Op>
void combineThree(T* out, const T* a, const T* b, const T* c, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = Op::apply(Op::apply(a[i], b[i]), c[i]);
}

template <class T, class Op>
void combineFour(T* out, const T* a, const T* b, const T* c, const T* d, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = Op::apply(Op::apply(Op::apply(a[i], b[i]), c[i]), d[i]);
}

// out = a op the sources, three at a time.
template <class T, class Op>
void combineAll(T* out, const T* first, std::span<const T* const> rest, std::size_t count) {
    if (rest.empty() && out != first) std::memcpy(out, first, count * sizeof(T));
    for (const T* a = first; !rest.empty(); a = out) {
        std::size_t taken = std::min<std::size_t>(3, rest.size());
        if (taken == 3) combineFour<T, Op>(out, a, rest[0], rest[1], rest[2], count);
        if (taken == 2) combineThree<T, Op>(out, a, rest[0], rest[1], count);
        if (taken == 1) combineTwo<T, Op>(out, a, rest[0], count);
        rest = rest.subspan(taken);
    }
}

// In blocks that stay in the first-level cache; through a block of our own, as out may be one of the sources.
template <class T, class Op>
void reduceTyped(std::byte* out, std::span<const std::byte* const> sources, std::size_t count) {
    using Value = typename Arithmetic<T, Op>::Value;
    constexpr std::size_t kBlock = 4096 / sizeof(Value);
    constexpr std::size_t kMostSources = 1024;
    RINGSIDE_ASSERT(!sources.empty() && sources.size() <= kMostSources);
    const Value* shifted[kMostSources];
    alignas(64) Value block[kBlock];
    for (std::size_t start = 0; start < count; start += kBlock) {
        std::size_t length = std::min(kBlock, count - start);
        for (std::size_t s = 0; s < sources.size(); ++s) {
            shifted[s] = reinterpret_cast<const Value*>(sources[s]) + start;
        }
        combineAll<Value, Op>(block, shifted[0], {shifted + 1, sources.size() - 1}, length);
        std::memcpy(out + start * sizeof(Value), block, length * sizeof(Value));
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
    if (op == ReduceOp::kSum) return reduceWith<Sum>(type, out, sources, count);
    return reduceWith<Maximum>(type, out, sources, count);
}

}  // namespace ringside
