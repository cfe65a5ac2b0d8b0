// SPDX-License-Identifier: Apache-2.0
#include "config/sampler_kind.h"

#include <algorithm>
#include <array>

namespace ringside {
namespace {

using enum SamplerKind;

constexpr std::array<const char*, 10> kSentences = {
    "The order is dealt like cards, one sample to each rank in turn, as torch.utils.data.DistributedSampler does.",
    "Every rank reads the whole data set in its order: nothing is sharded, so with several ranks every sample is "
    "used by each of them.",
    "Every rank shuffles the whole data set for itself, as DataLoader(shuffle=True) does: nothing is sharded, and "
    "with the same seed all ranks do the same work.",
    "Whole batches are dealt to the ranks in turn, as Accelerate's BatchSamplerShard with even_batches does: a rank "
    "gets neighbours of the order together.",
    "The order is cut into one block for each rank: without shuffle a rank sees only its part of the file.",
    "Dealt like cards, but nothing is repeated and nothing dropped, so that some ranks may have one sample more: "
    "right for evaluation, where no collective waits in every step.",
    "Every rank draws with replacement, by default rare classes as often as common ones, as WeightedRandomSampler "
    "does: nothing is sharded, and all ranks draw the same.",
    "All ranks draw the same weighted sequence, with replacement, and each takes its slice of it: by default rare "
    "classes come as often as common ones.",
    "Classes take turns, so that every batch has each class equally often; small classes repeat their samples and "
    "large ones leave some out.",
    "Only a part of the samples is used, the same in all epochs, and dealt as DistributedSampler does.",
};

bool isOneOf(SamplerKind kind, std::initializer_list<SamplerKind> kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

}  // namespace

std::span<const std::string_view> samplerNames() {
    return kNamesOf<SamplerKind>;
}

std::string_view samplerName(SamplerKind kind) {
    return kNamesOf<SamplerKind>[static_cast<std::size_t>(kind)];
}

std::optional<SamplerKind> samplerNamed(std::string_view name) {
    const auto found = std::ranges::find(kNamesOf<SamplerKind>, name);
    if (found == kNamesOf<SamplerKind>.end()) return {};
    return static_cast<SamplerKind>(found - kNamesOf<SamplerKind>.begin());
}

std::string samplerSentence(SamplerKind kind) {
    return kSentences[static_cast<std::size_t>(kind)];
}

bool needsClasses(SamplerKind kind) {
    return isOneOf(kind, {kWeighted, kDistributedWeighted, kClassBalanced});
}
bool isReplicated(SamplerKind kind) {
    return isOneOf(kind, {kSequential, kRandom, kWeighted});
}
bool repeatsDraws(SamplerKind kind) {
    return isOneOf(kind, {kWeighted, kDistributedWeighted, kClassBalanced});
}
bool dealsByBatch(SamplerKind kind) {
    return isOneOf(kind, {kBatchSharded, kClassBalanced});
}
bool usesSetEpoch(SamplerKind kind) {
    return !isOneOf(kind, {kSequential, kRandom});
}
bool takesDropLast(SamplerKind kind) {
    return !isReplicated(kind) && kind != kUnpadded;
}

}  // namespace ringside
