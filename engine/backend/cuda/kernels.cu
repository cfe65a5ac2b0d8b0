// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/kernels.h"

namespace ringside::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kRowsPerBlock = kThreads / kWarp;  // one warp per row
constexpr unsigned kWholeWarp = 0xffffffffU;
constexpr std::size_t kMaxBlocks = 4096;

unsigned blocksFor(std::size_t count) {
    const std::size_t blocks = (count + kThreads - 1) / kThreads;
    return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

unsigned blocksForRows(std::size_t rows) {
    const std::size_t blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
    return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

__device__ std::size_t firstIndex() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ std::size_t indexStep() {
    return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

template <class Function>
__global__ void forEach(std::size_t count, Function function) {
    for (std::size_t i = firstIndex(); i < count; i += indexStep()) function(i);
}

// An empty grid is an invalid launch.
template <class Function>
void launch(std::size_t count, cudaStream_t stream, Function function) {
    if (count > 0) forEach<<<blocksFor(count), kThreads, 0, stream>>>(count, function);
}

// The function gets a row and this thread's lane; the whole warp works on one row.
template <class Function>
__global__ void forEachRow(std::size_t rows, Function function) {
    const unsigned lane = threadIdx.x % kWarp;
    for (std::size_t row = firstIndex() / kWarp; row < rows; row += indexStep() / kWarp) function(row, lane);
}

template <class Function>
void launchRows(std::size_t rows, cudaStream_t stream, Function function) {
    if (rows > 0) forEachRow<<<blocksForRows(rows), kThreads, 0, stream>>>(rows, function);
}

// Butterflies: every lane gets the same result, in the same order of additions each time.
__device__ float warpSum(float value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(kWholeWarp, value, distance);
    return value;
}

__device__ double warpSum(double value) {
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

// A lane without a column starts with the row's first value, which changes nothing.
__device__ Largest largestOfRow(const float* row, std::size_t columns, unsigned lane) {
    Largest largest{row[0], 0};
    for (std::size_t c = lane; c < columns; c += kWarp)
        largest = largerOf(largest, {row[c], static_cast<std::int64_t>(c)});
    return warpLargest(largest);
}

__global__ void normParts(const float* values, std::size_t count, double* partial) {
    __shared__ double perWarp[kRowsPerBlock];
    double sum = 0;
    for (std::size_t i = firstIndex(); i < count; i += indexStep())
        sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    sum = warpSum(sum);
    if (threadIdx.x % kWarp == 0) perWarp[threadIdx.x / kWarp] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    double whole = 0;
    for (double part : perWarp) whole += part;
    partial[blockIdx.x] = whole;
}

}  // namespace

void fill(float* values, std::size_t count, float value, cudaStream_t stream) {
    launch(count, stream, [=] __device__(std::size_t i) { values[i] = value; });
}

void scale(float* values, std::size_t count, float factor, cudaStream_t stream) {
    launch(count, stream, [=] __device__(std::size_t i) { values[i] *= factor; });
}

void squaredNormParts(const float* values, std::size_t count, double* partial, cudaStream_t stream) {
    normParts<<<kNormBlocks, kThreads, 0, stream>>>(values, count, partial);
}

void addBias(float* y, const float* bias, std::size_t rows, std::size_t columns, cudaStream_t stream) {
    launch(rows * columns, stream, [=] __device__(std::size_t i) { y[i] += bias[i % columns]; });
}

// One thread per column: neighbouring threads read neighbouring values, and the order of additions is the CPU's.
void columnSums(const float* in, float* sums, std::size_t rows, std::size_t columns, cudaStream_t stream) {
    launch(columns, stream, [=] __device__(std::size_t c) {
        float sum = 0;
        for (std::size_t r = 0; r < rows; ++r) sum += in[r * columns + c];
        sums[c] = sum;
    });
}

void relu(const float* x, float* y, std::size_t count, cudaStream_t stream) {
    launch(count, stream, [=] __device__(std::size_t i) { y[i] = reluOf(x[i]); });
}

void reluGradient(const float* y, const float* gradY, float* gradX, std::size_t count, cudaStream_t stream) {
    launch(count, stream, [=] __device__(std::size_t i) { gradX[i] = reluGradientOf(y[i], gradY[i]); });
}

void softmaxCrossEntropy(const float* logits, const std::int64_t* labels, std::size_t rows, std::size_t columns,
                         float* rowLoss, float* rowCorrect, float* gradient, cudaStream_t stream) {
    const float perRow = 1.0F / static_cast<float>(rows);
    launchRows(rows, stream, [=] __device__(std::size_t r, unsigned lane) {
        const float* row = logits + r * columns;
        const auto label = static_cast<std::size_t>(labels[r]);
        const Largest largest = largestOfRow(row, columns, lane);
        float sum = 0;
        for (std::size_t c = lane; c < columns; c += kWarp) sum += expf(row[c] - largest.value);
        sum = warpSum(sum);
        if (lane == 0) {
            rowLoss[r] = crossEntropyOf(largest.value, row[label], sum);
            rowCorrect[r] = static_cast<std::size_t>(largest.index) == label ? 1.0F : 0.0F;
        }
        if (!gradient) return;
        for (std::size_t c = lane; c < columns; c += kWarp)
            gradient[r * columns + c] = softmaxGradientOf(expf(row[c] - largest.value), sum, c == label, perRow);
    });
}

void meanSquaredError(const float* prediction, const float* target, std::size_t rows, std::size_t columns,
                      float* rowLoss, float* gradient, cudaStream_t stream) {
    const float perValue = 2.0F / static_cast<float>(rows * columns);
    launchRows(rows, stream, [=] __device__(std::size_t r, unsigned lane) {
        double sum = 0;
        for (std::size_t i = r * columns + lane; i < (r + 1) * columns; i += kWarp) {
            sum += squaredDifferenceOf(prediction[i], target[i]);
            if (gradient) gradient[i] = meanSquaredGradientOf(prediction[i], target[i], perValue);
        }
        sum = warpSum(sum);
        if (lane == 0) rowLoss[r] = static_cast<float>(sum / static_cast<double>(columns));
    });
}

void argmax(const float* values, std::size_t rows, std::size_t columns, std::int64_t* indices, cudaStream_t stream) {
    launchRows(rows, stream, [=] __device__(std::size_t r, unsigned lane) {
        const Largest largest = largestOfRow(values + r * columns, columns, lane);
        if (lane == 0) indices[r] = largest.index;
    });
}

void sgd(float* parameter, const float* gradient, float* momentum, std::size_t count, const SgdScalars& scalars,
         cudaStream_t stream) {
    const SgdScalars copy = scalars;
    launch(count, stream, [=] __device__(std::size_t i) {
        float velocity = copy.momentum == 0 ? 0 : momentum[i];
        parameter[i] = sgdOf(parameter[i], gradient[i], &velocity, copy);
        if (copy.momentum != 0) momentum[i] = velocity;
    });
}

}  // namespace ringside::cuda
