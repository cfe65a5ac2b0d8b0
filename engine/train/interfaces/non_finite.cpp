// SPDX-License-Identifier: Apache-2.0
#include "train/interfaces/non_finite.h"

#include "base/errors/errors.h"
#include "comm/hosts/contribution_watch.h"
#include "launch/layout/last_words.h"
#include "train/interfaces/training_error.h"

namespace ringside {

void throwNonFinite(Communicator& communicator, const std::string& text) {
    const ContributionWatch* watch = communicator.contributionWatch();
    const std::optional<Suspicion> found = watch != nullptr ? watch->suspectedContributor() : std::nullopt;
    if (!found) throw TrainingError(text);
    communicator.abort();
    throw CommError(misbehaviourText(found->rank, found->text), found->rank);
}

}  // namespace ringside
