// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"

#include <array>
#include <charconv>

#include "base/json/json_members.h"
#include "config/optimizer_state.h"

namespace ringside {
namespace {

// Line of the script that averages the gradients over the ranks in the last batch of an optimizer step only, not in the
// batches before it whose gradients are accumulated.
const std::string kGradientSync =
    "        model.set_requires_gradient_sync(makes_step)  # the ranks' gradients are averaged once a step\n";

std::string sgdOptions(const OptimizerConfig& config) {
    std::string text;
    if (config.momentum != 0) text += ", momentum=" + pythonNumber(config.momentum);
    if (config.dampening != 0) text += ", dampening=" + pythonNumber(config.dampening);
    if (config.weightDecay != 0) text += ", weight_decay=" + pythonNumber(config.weightDecay);
    return text + (config.nesterov ? ", nesterov=True" : "");
}

// Returns the options of Adam or AdamW. Weight decay is always written because its default is 0 in Adam only.
std::string adamOptions(const OptimizerConfig& config) {
    return ", betas=(" + pythonNumber(config.beta1) + ", " + pythonNumber(config.beta2) +
           "), eps=" + pythonNumber(config.eps) + ", weight_decay=" + pythonNumber(config.weightDecay);
}

}  // namespace

std::string pythonText(std::string_view text) {
    return jsonText(Json(std::string(text)));
}

std::string pythonNumber(double value) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string pythonBool(bool value) {
    return value ? "True" : "False";
}

std::string pythonList(std::span<const std::int64_t> values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
}

namespace {

// Converts the value to a Python literal on one line.
std::string pythonValue(const Json& value) {
    if (value.is_null()) return "None";
    if (value.is_boolean()) return pythonBool(value.get<bool>());
    if (!value.is_structured()) return jsonText(value);
    std::string text;
    for (const auto& [key, item] : value.items())
        text += (text.empty() ? "" : ", ") + (value.is_object() ? pythonText(key) + ": " : "") + pythonValue(item);
    return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

std::string pythonConfig(const RunConfig& config) {
    std::string text = "{\n";
    const Json json = config.toJson();
    for (const auto& [section, value] : json.items())
        text += "    " + pythonText(section) + ": " + pythonValue(value) + ",\n";
    return text + "}";
}

std::string pythonOptimizer(const RunConfig& config, bool spread) {
    const OptimizerConfig& optimizer = config.optimizer;
    std::string text =
        spread ? "ZeroRedundancyOptimizer(network.parameters(), optimizer_class=torch.optim." : "torch.optim.";
    text += torchClass(optimizer.kind);
    text += spread ? ", lr=" : "(network.parameters(), lr=";
    text += pythonNumber(config.scaledLearningRate());
    switch (optimizer.kind) {
        case OptimizerKind::kSgd:
            text += sgdOptions(optimizer);
            break;
        case OptimizerKind::kAdam:
        case OptimizerKind::kAdamW:
            text += adamOptions(optimizer);
            break;
    }
    return text + ")";
}

std::string pythonSchedule(const RunConfig& config) {
    const ScheduleConfig& schedule = config.schedule;
    std::string list;
    if (schedule.warmupEpochs > 0) {
        list +=
            "        torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=" + pythonNumber(schedule.warmupStart) +
            ", total_iters=" + std::to_string(schedule.warmupEpochs) + "),\n";
    }
    if (schedule.kind == RateScheduleKind::kStep) {
        list += "        torch.optim.lr_scheduler.StepLR(optimizer, step_size=" + std::to_string(schedule.stepSize) +
                ", gamma=" + pythonNumber(schedule.gamma) + "),\n";
    }
    if (schedule.kind == RateScheduleKind::kCosine) {
        const std::int64_t period = schedule.tMax > 0 ? schedule.tMax : config.training.epochs;
        list += "        torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=" + std::to_string(period) +
                ", eta_min=" + pythonNumber(schedule.etaMin) + "),\n";
    }
    return list.empty() ? list : "    schedules = [\n" + list + "    ]\n";
}

std::string pythonTrainStep(const RunConfig& config, SyncWay way) {
    const OptimizerConfig& optimizer = config.optimizer;
    const std::string clip = optimizer.clipGradNorm > 0 ? "        nn.utils.clip_grad_norm_(model.parameters(), " +
                                                              pythonNumber(optimizer.clipGradNorm) + ")\n"
                                                        : "";
    const char* const averaged = "  # the gradients of all ranks are averaged on the way";
    if (config.training.accumulateSteps == 1)
        return pythonPiece("train_step_head", {{"averaged", way == SyncWay::kNothing ? "" : averaged}}) + clip +
               pythonPiece("train_step_tail") + pythonFiniteCheck(config);
    const std::string batch = way == SyncWay::kNoSync         ? pythonPiece("without_sync")
                              : way == SyncWay::kGradientSync ? kGradientSync + pythonPiece("added_up")
                                                              : pythonPiece("added_up");
    return "    accumulate = " + std::to_string(config.training.accumulateSteps) +
           "  # batches whose gradients are added up for one step\n" +
           pythonPiece("accumulated_head", {{"batch", batch}}) + clip + pythonPiece("accumulated_tail") +
           pythonFiniteCheck(config);
}

std::string pythonFiniteCheck(const RunConfig& config) {
    if (config.training.onNonFinite == OnNonFinite::kContinue) return "";
    return "        stop_unless_finite(step_sums, step, optimizer)\n";
}

std::string pythonLosses(const Dataset& data) {
    if (data.shape().isSequence) {
        return "    losses = functional.cross_entropy(output.flatten(0, 1), y.flatten(), reduction=\"none\")\n"
               "    # For a sequence: the means over its positions.\n"
               "    return losses.reshape(y.shape).mean(1), (output.argmax(2) == y).float().mean(1)\n";
    }
    if (data.classCount() > 0) {
        return "    losses = functional.cross_entropy(output, y, reduction=\"none\")\n"
               "    return losses, (output.argmax(1) == y).float()\n";
    }
    return "    losses = functional.mse_loss(output, y, reduction=\"none\").mean(1)\n"
           "    return losses, torch.full_like(losses, math.nan).detach()  # numbers are never just right or wrong\n";
}

std::string pythonLoaderOptions(const LoaderConfig& config) {
    std::string text;
    if (config.numWorkers > 0) {
        text += ", num_workers=" + std::to_string(config.numWorkers) +
                ", prefetch_factor=" + std::to_string(config.prefetchFactor);
        if (config.persistentWorkers) text += ", persistent_workers=True";
    }
    if (config.pinMemory) text += ", pin_memory=True";
    return text;
}

}  // namespace ringside
