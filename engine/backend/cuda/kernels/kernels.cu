// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/kernels/kernels.h"

#include <algorithm>

namespace ringside::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kRowsPerBlock = kThreads / kWarp;  // one warp per row
constexpr unsigned kWholeWarp = 0xffffffffU;
constexpr std::size_t kMaxBlocks = 4096;

unsigned blocksFor(std::size_t count, std::size_t perBlock) {
    const std::size_t blocks = (count + perBlock - 1) / perBlock;
    return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

__device__ std::size_t firstIndex() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ std::size_t indexStep() {
    return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

template <class Value>
__global__ void values(std::size_t count, Value value) {
    for (std::size_t i = firstIndex(); i < count; i += indexStep()) value(i);
}

template <class Value>
__global__ void listedValues(ValueList<Value> list) {
    list.run(blockIdx.x, threadIdx.x, blockDim.x);
}

// Returns the sum over a warp by butterfly exchange: every lane gets the same result, always with the same order of
// additions.
template <class Number>
__device__ Number warpSum(Number value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(kWholeWarp, value, distance);
    return value;
}

__device__ Largest warpLargest(Largest mine) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        Largest other;
        other.value = __shfl_xor_sync(kWholeWarp, mine.value, distance);
        other.index = __shfl_xor_sync(kWholeWarp, static_cast<long long>(mine.index), distance);
        mine = largerOf(mine, other);
    }
    return mine;
}

// Lane of a warp that processes one row, with sums and maxima over the warp.
struct WarpLanes {
    unsigned lane;
    __device__ std::size_t first() const { return lane; }
    __device__ std::size_t step() const { return kWarp; }
    __device__ bool leads() const { return lane == 0; }
    __device__ float sum(float mine) const { return warpSum(mine); }
    __device__ double sum(double mine) const { return warpSum(mine); }
    __device__ Largest largest(Largest mine) const { return warpLargest(mine); }
};

template <class Row>
__global__ void rowsByWarp(std::size_t rows, Row row) {
    const WarpLanes lanes{threadIdx.x % kWarp};
    for (std::size_t r = firstIndex() / kWarp; r < rows; r += indexStep() / kWarp) row(r, lanes);
}

// Shape of a block of threads that adds columns. Adjacent threads read adjacent columns.
constexpr unsigned kSumColumns = 32;
constexpr unsigned kSumRows = 8;

template <class Term>
__global__ void columnParts(std::size_t rows, std::size_t columns, Term term, double* partial) {
    __shared__ double perRow[kSumRows][kSumColumns];
    const std::size_t column = static_cast<std::size_t>(blockIdx.x) * kSumColumns + threadIdx.x;
    double sum = 0;
    if (column < columns)
        for (std::size_t r = blockIdx.y * kSumRows + threadIdx.y; r < rows; r += gridDim.y * kSumRows)
            sum += term(r, column);
    perRow[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= columns) return;
    for (unsigned i = 1; i < kSumRows; ++i) sum += perRow[i][threadIdx.x];
    partial[blockIdx.y * columns + column] = sum;
}

template <class Finish>
__global__ void finishColumns(std::size_t columns, Finish finish, const double* partial) {
    for (std::size_t c = firstIndex(); c < columns; c += indexStep()) {
        double sum = 0;
        for (std::size_t part = 0; part < kColumnParts; ++part) sum += partial[part * columns + c];
        finish(c, sum);
    }
}

// Sums the squares of several tensors. The thread blocks whose y index in the grid is y process tensor number y.
__global__ void normParts(SquaresList list, double* partial) {
    __shared__ double perWarp[kRowsPerBlock];
    const float* values = list.tensors[blockIdx.y].values;
    const std::size_t count = list.tensors[blockIdx.y].count;
    double sum = 0;
    for (std::size_t i = firstIndex(); i < count; i += indexStep())
        sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    sum = warpSum(sum);
    if (threadIdx.x % kWarp == 0) perWarp[threadIdx.x / kWarp] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    double whole = 0;
    for (double part : perWarp) whole += part;
    partial[blockIdx.y * gridDim.x + blockIdx.x] = whole;
}

// Type for which CUDA has a 64-bit atomicAdd(). Its bits after an addition are the same as for std::int64_t.
using Counter = unsigned long long;

// Adds the squares of values to exact sums, which are integers, so that the order of the additions does not change the
// result.
__global__ void exactSums(const float* values, std::size_t count, Counter* sums) {
    __shared__ Counter own[kExactSums];
    for (std::size_t i = threadIdx.x; i < kExactSums; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (std::size_t i = firstIndex(); i < count; i += indexStep()) {
        const ExactSquare square = exactSquareOf(values[i]);
        atomicAdd(&own[square.exponent], static_cast<Counter>(square.low));
        atomicAdd(&own[kFloatExponents + square.exponent], static_cast<Counter>(square.high));
    }
    __syncthreads();
    for (std::size_t i = threadIdx.x; i < kExactSums; i += blockDim.x)
        if (own[i] != 0) atomicAdd(&sums[i], own[i]);
}

}  // namespace

// Launches nothing if count is 0, because an empty grid is an invalid launch.
template <class Value>
void eachValue(std::size_t count, const Value& value, cudaStream_t stream) {
    if (count > 0) values<<<blocksFor(count, kThreads), kThreads, 0, stream>>>(count, value);
}

template <class Value>
void eachListedValue(const ValueList<Value>& list, cudaStream_t stream) {
    static_assert(sizeof list <= kMaxArgumentBytes);
    if (list.blocks() > 0) listedValues<<<list.blocks(), kThreads, 0, stream>>>(list);
}

unsigned blocksOf(std::size_t count) {
    return blocksFor(count, kThreads);
}

template <class Row>
void eachRow(std::size_t rows, const Row& row, cudaStream_t stream) {
    if (rows > 0) rowsByWarp<<<blocksFor(rows, kRowsPerBlock), kThreads, 0, stream>>>(rows, row);
}

template <class Term, class Finish>
void eachColumn(std::size_t rows, std::size_t columns, const Term& term, const Finish& finish, double* partial,
                cudaStream_t stream) {
    if (columns == 0) return;
    const dim3 grid(static_cast<unsigned>((columns + kSumColumns - 1) / kSumColumns), kColumnParts);
    columnParts<<<grid, dim3(kSumColumns, kSumRows), 0, stream>>>(rows, columns, term, partial);
    finishColumns<<<blocksFor(columns, kThreads), kThreads, 0, stream>>>(columns, finish, partial);
}

#define RINGSIDE_VALUE_KERNEL(Value) template void eachValue(std::size_t, const Value&, cudaStream_t)
RINGSIDE_VALUE_KERNEL(FillValue);
RINGSIDE_VALUE_KERNEL(ScaleValue);
RINGSIDE_VALUE_KERNEL(AddValue);
RINGSIDE_VALUE_KERNEL(TreeSumValue);
RINGSIDE_VALUE_KERNEL(ExactTotalValue);
RINGSIDE_VALUE_KERNEL(BiasedValue);
RINGSIDE_VALUE_KERNEL(ReluValue);
RINGSIDE_VALUE_KERNEL(ReluGradientValue);
RINGSIDE_VALUE_KERNEL(CountedValue);
RINGSIDE_VALUE_KERNEL(LossScaledValue);
RINGSIDE_VALUE_KERNEL(DecidedValue);
RINGSIDE_VALUE_KERNEL(SgdValue);
RINGSIDE_VALUE_KERNEL(AdamValue);
RINGSIDE_VALUE_KERNEL(GeluValue);
RINGSIDE_VALUE_KERNEL(GeluGradientValue);
RINGSIDE_VALUE_KERNEL(TransposedValue);
RINGSIDE_VALUE_KERNEL(PooledValue);
RINGSIDE_VALUE_KERNEL(PoolGradientValue);
RINGSIDE_VALUE_KERNEL(AveragedValue);
RINGSIDE_VALUE_KERNEL(AverageGradientValue);
RINGSIDE_VALUE_KERNEL(DroppedValue);
RINGSIDE_VALUE_KERNEL(EmbeddedValue);
RINGSIDE_VALUE_KERNEL(PositionedValue);
RINGSIDE_VALUE_KERNEL(PositionGradientValue);
RINGSIDE_VALUE_KERNEL(BatchNormValue);
RINGSIDE_VALUE_KERNEL(BatchNormEvaluatedValue);
RINGSIDE_VALUE_KERNEL(BatchNormGradientValue);
RINGSIDE_VALUE_KERNEL(AttendedValue);
RINGSIDE_VALUE_KERNEL(AttentionGradientValue);

template void eachListedValue(const ValueList<SgdValue>&, cudaStream_t);
template void eachListedValue(const ValueList<AdamValue>&, cudaStream_t);

#define RINGSIDE_ROW_KERNEL(Row) template void eachRow(std::size_t, const Row&, cudaStream_t)
RINGSIDE_ROW_KERNEL(CrossEntropyRow);
RINGSIDE_ROW_KERNEL(SquaredErrorRow);
RINGSIDE_ROW_KERNEL(ArgmaxRow);
RINGSIDE_ROW_KERNEL(NormRow);
RINGSIDE_ROW_KERNEL(RowSumRow);
RINGSIDE_ROW_KERNEL(TensorNormRow);
RINGSIDE_ROW_KERNEL(LayerNormRow);
RINGSIDE_ROW_KERNEL(LayerNormGradientRow);
RINGSIDE_ROW_KERNEL(EmbeddingGradientRow);
RINGSIDE_ROW_KERNEL(AttentionShareRow);
RINGSIDE_ROW_KERNEL(AttentionScoreGradientRow);

#define RINGSIDE_COLUMN_KERNEL(Term, Finish) \
    template void eachColumn(std::size_t, std::size_t, const Term&, const Finish&, double*, cudaStream_t)
RINGSIDE_COLUMN_KERNEL(PlainTerm, PlainSum);
RINGSIDE_COLUMN_KERNEL(PlainTerm, BatchMean);
RINGSIDE_COLUMN_KERNEL(SquaredDistanceTerm, BatchVariance);
RINGSIDE_COLUMN_KERNEL(LayerNormWeightTerm, PlainSum);
RINGSIDE_COLUMN_KERNEL(BatchNormWeightTerm, PlainSum);

void squaredNormParts(const SummedValues* tensors, std::size_t count, double* partial, cudaStream_t stream) {
    for (std::size_t first = 0; first < count; first += kListCapacity) {
        const std::size_t some = std::min<std::size_t>(count - first, kListCapacity);
        SquaresList list{};
        std::copy_n(tensors + first, some, list.tensors);
        normParts<<<dim3(kNormBlocks, static_cast<unsigned>(some)), kThreads, 0, stream>>>(
            list, partial + first * kNormBlocks);
    }
}

void addExactSquares(const float* values, std::size_t count, std::int64_t* sums, cudaStream_t stream) {
    // Number of values per thread block; large, so that few blocks add to the same sums.
    constexpr std::size_t kValuesPerBlock = 16 * kThreads;
    if (count == 0) return;
    exactSums<<<blocksFor(count, kValuesPerBlock), kThreads, 0, stream>>>(values, count,
                                                                          reinterpret_cast<Counter*>(sums));
}

void narrow(const float* from, std::uint16_t* to, std::size_t count, Precision precision, cudaStream_t stream) {
    if (precision == Precision::kBfloat16) return eachValue(count, NarrowValue<Bfloat16>{from, to}, stream);
    eachValue(count, NarrowValue<Float16>{from, to}, stream);
}

void widen(const std::uint16_t* from, float* to, std::size_t count, Precision precision, cudaStream_t stream) {
    if (precision == Precision::kBfloat16) return eachValue(count, WidenValue<Bfloat16>{from, to}, stream);
    eachValue(count, WidenValue<Float16>{from, to}, stream);
}

}  // namespace ringside::cuda
