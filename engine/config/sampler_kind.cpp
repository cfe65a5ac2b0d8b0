// SPDX-License-Identifier: Apache-2.0
#include "config/sampler_kind.h"

#include <algorithm>
#include <array>

namespace ringside {
namespace {

using enum SamplerKind;

constexpr std::array<const char*, 10> kSentences = {
    "The samples are shuffled, or kept in the order of the file, and assigned to the ranks in turn, as "
    "torch.utils.data.DistributedSampler does.",
    "Every rank reads the whole data set in the order of the file: nothing is sharded, so every rank uses every "
    "sample.",
    "Every rank shuffles the whole data set, as DataLoader(shuffle=True) does: nothing is sharded, and with the same "
    "seed all ranks do the same work.",
    "Whole batches are assigned to the ranks in turn, as Accelerate's BatchSamplerShard with even_batches does: "
    "consecutive samples stay together.",
    "The samples are shuffled, or kept in the order of the file, and split into one contiguous block per rank: without "
    "shuffle, each rank reads only one part of the file.",
    "One sample is assigned to each rank in turn; nothing is repeated or dropped, so some ranks may have one more "
    "sample. Use it for evaluation, where ranks do not wait for each other in every step.",
    "Every rank draws with replacement, as WeightedRandomSampler does, by default from all classes equally often: "
    "nothing is sharded, and all ranks draw the same samples.",
    "All ranks draw the same weighted sequence with replacement, and each rank uses a different part of it: by "
    "default, samples of all classes are drawn equally often.",
    "The classes alternate, so that every batch has each class equally often; samples of small classes are repeated, "
    "and some of large classes are not used.",
    "Only a part of the samples is used, the same part in all epochs. It is assigned to the ranks as by "
    "DistributedSampler.",
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
bool mayRepeatSamples(SamplerKind kind) {
    return isOneOf(kind, {kWeighted, kDistributedWeighted, kClassBalanced});
}
bool assignsBatches(SamplerKind kind) {
    return isOneOf(kind, {kBatchSharded, kClassBalanced});
}
bool usesSetEpoch(SamplerKind kind) {
    return !isOneOf(kind, {kSequential, kRandom});
}
bool takesDropLast(SamplerKind kind) {
    return !isReplicated(kind) && kind != kUnpadded;
}

}  // namespace ringside
