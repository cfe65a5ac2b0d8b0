// SPDX-License-Identifier: Apache-2.0
// Tests of the limits of each number in an experiment. The limits are written here a second time, because users' files
// depend on them.
#include <cmath>
#include <map>

#include "base/json/json.h"
#include "config/config_fields.h"
#include "support/catch.h"

using namespace ringside;

namespace {

struct Limits {
    double least;
    double most;
    bool above = false;  // true: the number must be larger than `least`, false: at least `least`
};

constexpr double kInt32 = 2147483647;

const std::map<std::string_view, Limits> kLimits = {
    {"dataset.validation_fraction", {0.001, 0.9}},
    {"dataset.image_size", {0, 4096}},
    {"dataset.classes", {2, 10'000}},
    {"dataset.size", {2, kInt32}},
    {"dataset.features", {1, 1'000'000}},
    {"dataset.targets", {1, 1'000'000}},
    {"dataset.context_length", {1, 4096}},
    {"model.hidden", {1, 65'536}},
    {"model.width", {1, 4096}},
    {"model.depth", {1, 64}},
    {"model.heads", {1, 256}},
    {"model.dropout", {0, 0.95}},
    {"parallel.world_size", {1, 4096}},
    {"parallel.devices", {0, 64}},
    {"parallel.bucket_cap_mb", {0, 65'536, true}},
    {"parallel.threads_per_rank", {0, 256}},
    {"parallel.first_bucket_mb", {0, 65'536, true}},
    {"parallel.timeout_seconds", {1, 86'400}},
    {"parallel.max_restarts", {0, 1000}},
    {"parallel.min_ranks", {0, 4096}},
    {"parallel.memory_limit_mb", {0, 1e9}},
    {"parallel.pace.gflops", {0, 1e6}},
    {"parallel.pace.gbit_per_s", {0, 1e5}},
    {"parallel.pace.latency_us", {0, 1e5}},
    {"sampler.num_samples", {0, kInt32}},
    {"sampler.class_weights", {0, 1e9}},
    {"sampler.subset_fraction", {0, 1, true}},
    {"sampler.subset_indices", {0, kInt32}},
    {"pitfalls.wrong_rank", {-1, 4095}},
    {"pitfalls.wrong_world_size", {0, 4096}},
    {"pitfalls.slow_rank", {-1, 4095}},
    {"pitfalls.slow_ms", {0, 1e6}},
    {"loader.batch_size", {1, kInt32}},
    {"loader.num_workers", {0, 128}},
    {"loader.prefetch_factor", {1, 128}},
    {"loader.random_crop_padding", {0, 4096}},
    {"mesh.replicate", {0, 4096}},
    {"mesh.shard", {0, 4096}},
    {"mesh.pipeline", {0, 4096}},
    {"pipeline.micro_batches", {1, 4096}},
    {"pipeline.stages_per_rank", {1, 64}},
    {"pipeline.split", {1, 4096}},
    {"telemetry.megabytes_per_hour", {1, 1e6}},
    {"telemetry.megabytes_total", {4, 1e6}},
    {"optimizer.lr", {0, 1e6, true}},
    {"optimizer.momentum", {0, 0.999999}},
    {"optimizer.dampening", {0, 1}},
    {"optimizer.weight_decay", {0, 1e6}},
    {"optimizer.beta1", {0, 0.999999}},
    {"optimizer.beta2", {0, 0.999999999}},
    {"optimizer.eps", {0, 1}},
    {"optimizer.clip_grad_norm", {0, 1e9}},
    {"optimizer.scale_base_batch", {1, kInt32}},
    {"schedule.step_size", {1, 1e6}},
    {"schedule.gamma", {0, 1, true}},
    {"schedule.t_max", {0, 1e6}},
    {"schedule.eta_min", {0, 1e6}},
    {"schedule.warmup_epochs", {0, 1e6}},
    {"schedule.warmup_start", {0, 1, true}},
    {"training.epochs", {1, 1e6}},
    {"training.accumulate_steps", {1, 1e6}},
    {"training.max_steps", {0, kInt32}},
    {"training.leaves", {1, 4096}},
    {"training.log_every", {1, 1e9}},
    {"training.checkpoint_every", {0, 1e6}},
    {"training.checkpoint_seconds", {0, 1e6}},
    {"training.keep_checkpoints", {0, 1e6}},
};

std::string written(const ConfigField& field, double value) {
    if (field.type == FieldType::kReal) return Json(value).dump();
    return std::to_string(static_cast<std::int64_t>(value));
}

// True if the field itself refuses the value: other problems concern several fields.
bool isRefused(const ConfigField& field, double value) {
    RunConfig config;
    REQUIRE(config.set(std::string(field.path) + "=" + written(field, value)).empty());
    for (const Problem& problem : config.validate())
        if (problem.field == field.path && problem.remedy.starts_with("choose a value ")) return true;
    return false;
}

}  // namespace

TEST_CASE("each number is accepted within its limits and refused beyond them") {
    std::size_t limited = 0;
    for (const ConfigField& field : configFields()) {
        CAPTURE(std::string(field.path));
        const auto found = kLimits.find(field.path);
        const bool isLimited = std::isfinite(field.min) || std::isfinite(field.max);
        CHECK(isLimited == (found != kLimits.end()));
        if (!isLimited || found == kLimits.end()) continue;
        ++limited;
        const auto [least, most, above] = found->second;
        const double step = field.type == FieldType::kReal ? most * 1e-9 : 1;
        CHECK(isRefused(field, least) == above);
        CHECK_FALSE(isRefused(field, least + step));
        CHECK_FALSE(isRefused(field, most));
        CHECK(isRefused(field, least - step));
        CHECK(isRefused(field, most + step));
    }
    CHECK(limited == kLimits.size());
}
