// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"
#include "train/training_run.h"

namespace {

thread_local long allocations = 0;
std::atomic<long> held = 0;  // bytes that all threads have allocated
std::atomic<long> maxHeld = 0;

// True if the caller is oneDNN, which creates a map of the arguments each time a primitive runs. Callers cannot avoid
// this.
bool isOneDnn(const void* caller) {
    Dl_info module{};
    return ::dladdr(caller, &module) != 0 && std::string_view(module.dli_fname).find("libdnnl") != std::string::npos;
}

void* allocate(std::size_t bytes, const void* caller) {
    if (!isOneDnn(caller)) ++allocations;
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    const long now = held += static_cast<long>(::malloc_usable_size(memory));
    for (long most = maxHeld; now > most && !maxHeld.compare_exchange_weak(most, now);) continue;
    return memory;
}

void release(void* memory) {
    held -= static_cast<long>(::malloc_usable_size(memory));
    std::free(memory);
}

}  // namespace

// Counts the heap allocations of each thread, in this program and in other libraries.
void* operator new(std::size_t bytes) {
    if (void* memory = allocate(bytes, __builtin_return_address(0))) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocate(bytes, __builtin_return_address(0));
}
// noinline keeps GCC 13 from reporting free() as a mismatch with another operator new.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}

using namespace ringside;
using namespace ringside::test;

namespace {

// Returns the number of allocations of rank 0 in some steps. Earlier steps, in which everything happens for the first
// time, do not count.
long allocationsInSteps(const RunConfig& config) {
    constexpr std::size_t kFirst = 3;
    constexpr std::size_t kLast = 9;
    std::vector<long> counts;
    counts.reserve(1000);
    RunOptions options;
    options.reportSamples = SampleReport::kNever;
    options.stopAfter = [&counts](std::int64_t) {
        counts.push_back(allocations);
        return counts.size() == kLast;
    };
    trainAsThreads(config, options);
    REQUIRE(counts.size() >= kLast);
    return counts[kLast - 1] - counts[kFirst - 1];
}

RunConfig configOf(const std::string& model) {
    RunConfig config;
    choose(config.model.kind, model);
    config.telemetry.trace = TraceLevel::kOff;  // sending a trace allocates memory
    config.model.width = 16;
    config.model.heads = 2;
    config.loader.batchSize = 8;
    config.training.epochs = 1;
    config.optimizer.lr = 0.01;
    if (model == "transformer") {
        config.dataset.kind = DatasetKind::kText;
        config.model.dropout = 0.1;
    }
    return config;
}

}  // namespace

// 17 layers of 256 KiB, and twice as much again for Adam: 13 MiB in all. Each of the four ranks, which share this heap,
// may allocate one complete tensor and its own rows of it.
TEST_CASE("saving a sharded model needs memory for one tensor at a time") {
    constexpr long kLayer = 256L * 256 * 4;
    constexpr long kHashedAtOnce = 1L << 20;
    const TemporaryDirectory directory;
    RunConfig config = configOf("mlp");
    config.model.hidden.assign(18, 256);
    config.optimizer.kind = OptimizerKind::kAdam;
    config.training.checkpointSeconds = 0;
    config.parallel.worldSize = 4;
    choose(config.parallel.strategy, GENERATE("fsdp", "pipeline"));
    CAPTURE(config.parallel.strategy);
    long before = 0;
    RunOptions options;
    options.runDirectory = directory.path();
    options.stopAfter = [&before](std::int64_t step) {
        if (step == 2) maxHeld = before = held;
        return step == 2;
    };
    trainAsThreads(config, options);
    CHECK(maxHeld - before < 4 * (kLayer + kLayer / 4) + kHashedAtOnce + kLayer);
}

TEST_CASE("a step allocates nothing from the heap, for any model") {
    RunConfig config = configOf(GENERATE("mlp", "simple_cnn", "residual_cnn", "transformer"));
    config.parallel.worldSize = GENERATE(1, 2);
    CAPTURE(config.model.kind, config.parallel.worldSize);
    CHECK(allocationsInSteps(config) == 0);
}

TEST_CASE("a step with overlapped reduction allocates nothing from the heap") {
    RunConfig config = configOf("mlp");
    config.model.hidden = {1024, 512};  // 2 MiB of gradients between the two: a bucket before the last one
    config.parallel.worldSize = 2;
    CHECK(allocationsInSteps(config) == 0);
}

TEST_CASE("a step with images in blocks of channels allocates nothing from the heap") {
    RunConfig config = configOf("layers");
    config.model.layers = R"([{"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}, {"kind": "relu"},
        {"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}, {"kind": "relu"}, {"kind": "max_pool2d", "kernel": 2},
        {"kind": "flatten"}, {"kind": "linear"}])";
    CHECK(allocationsInSteps(config) == 0);
}

TEST_CASE("a step allocates nothing from the heap, for any optimizer and loader") {
    RunConfig config = configOf("simple_cnn");
    choose(config.optimizer.kind, GENERATE("sgd", "adam", "adamw"));
    config.optimizer.clipGradNorm = 1;
    choose(config.training.precision, GENERATE("fp32", "fp16"));
    config.training.accumulateSteps = 2;
    config.loader.numWorkers = GENERATE(0, 2);
    config.loader.horizontalFlip = true;
    config.loader.randomCropPadding = 1;
    CAPTURE(config.optimizer.kind, config.training.precision, config.loader.numWorkers);
    CHECK(allocationsInSteps(config) == 0);
}
