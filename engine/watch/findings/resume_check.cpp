// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/resume_check.h"

#include <algorithm>
#include <optional>
#include <string>

#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"

namespace ringside {
namespace {

// Repeated and missing samples of epochs that were not resumed: the largest numbers in any epoch of the same loader
// that a single run has trained completely.
struct Usual {
    std::int64_t twice = 0;
    std::int64_t never = 0;
};

Usual usualOf(const SampleAudit& audit, const EpochAudit& resumed) {
    std::optional<Usual> usual;
    for (const EpochAudit& one : audit.training) {
        const bool isComparable = one.loader == resumed.loader && one.loaderNumber == resumed.loaderNumber &&
                                  one.group == resumed.group && one.runs == 1 && one.isFinished && one.twice &&
                                  one.never;
        if (!isComparable) continue;
        if (!usual) usual.emplace();
        usual->twice = std::max(usual->twice, *one.twice);
        usual->never = std::max(usual->never, *one.never);
    }
    if (usual) return *usual;
    // Without a comparable complete epoch, allows a tenth of the samples to be repeated or missing, which is more than
    // samplers repeat or drop.
    const std::int64_t tenth = resumed.size.value_or(0) / 10;
    return {tenth, tenth};
}

std::string resumedText(const EpochAudit& epoch, bool repeats, bool loses) {
    std::string text = "Epoch " + std::to_string(epoch.epoch + 1) + " was resumed in its middle. Of its " +
                       counted(*epoch.size, "sample") + ", ";
    if (repeats) text += grouped(*epoch.twice) + " were trained twice";
    if (loses) text += (repeats ? " and " : "") + grouped(*epoch.never) + (repeats ? " never" : " were never trained");
    return text + ".";
}

}  // namespace

Judgement judgeResume(const Evidence& /*evidence*/) {
    return skipped("the run does not continue an earlier run");
}

Judgement judgeResume(const SampleAudit& audit) {
    Judgement result = skipped("no epoch was trained by two runs");
    for (const EpochAudit& epoch : audit.training) {
        if (epoch.runs < 2) continue;
        if (!audit.knowsStarts) return couldNotJudge("the step that the run continues from is not known");
        if (!epoch.twice || !epoch.never || !epoch.size) {
            result = couldNotJudge(epoch.why.empty() ? "the samples of a resumed epoch are not known" : epoch.why);
            continue;
        }
        const Usual usual = usualOf(audit, epoch);
        const auto tolerated = static_cast<std::int64_t>(epoch.ranks.size());
        const bool repeats = *epoch.twice > usual.twice + tolerated;
        const bool loses = epoch.isFinished && *epoch.never > usual.never + tolerated;
        if (repeats || loses)
            return found(resumedText(epoch, repeats, loses), epoch.loader,
                         {{"epoch", epoch.epoch},
                          {"runs", epoch.runs},
                          {"size", *epoch.size},
                          {"assigned", epoch.assigned},
                          {"twice", *epoch.twice},
                          {"never", *epoch.never}});
        if (result.result == CheckResult::kSkipped) result = passed();
    }
    return result;
}

}  // namespace ringside
