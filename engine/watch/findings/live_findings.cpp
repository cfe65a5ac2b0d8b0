// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/live_findings.h"

#include <algorithm>

namespace ringside {
namespace {

bool isAmong(const std::string& code, const std::vector<Finding>& found) {
    return std::ranges::find(found, code, &Finding::code) != found.end();
}

Finding withdrawalOf(Finding finding, std::int64_t nowUs) {
    finding.withdrawn = true;
    finding.evidence.clear();
    finding.timeUs = nowUs;
    return finding;
}

}  // namespace

std::vector<Finding> LiveFindings::update(const std::vector<Finding>& found, std::int64_t nowUs, std::int64_t tookUs) {
    m_nextUs = nowUs + std::max(kEveryUs, kMaxShare * tookUs);
    std::vector<Finding> events;
    for (auto& [code, known] : m_known) {
        if (isAmong(code, found)) continue;
        known.agreeing = 0;
        if (!known.isReported) continue;
        events.push_back(withdrawalOf(known.finding, nowUs));
        known.isReported = false;
        known.needed = std::min(2 * known.needed, kMaxAgreeing);
    }
    for (const Finding& finding : found) {
        Known& known = m_known[finding.code];
        ++known.agreeing;
        if (!mustReport(known, finding, nowUs)) continue;
        known.finding = finding;
        known.isReported = true;
        events.push_back(finding);
    }
    return events;
}

// True if a finding must be reported now. A first report requires `needed` consecutive judgements with the finding,
// except for a hang. Later, a changed severity or line is reported at once. A changed text (other numbers) is reported
// after textWaitUs at the earliest; each such report doubles textWaitUs, up to kMaxTextUs.
bool LiveFindings::mustReport(Known& known, const Finding& finding, std::int64_t nowUs) {
    if (!known.isReported) {
        if (known.agreeing < known.needed && finding.code != "hang") return false;
        known.textWaitUs = kTextUs;
        known.nextTextUs = nowUs + kTextUs;
        return true;
    }
    if (known.finding.severity != finding.severity || known.finding.where != finding.where) return true;
    if (known.finding.text == finding.text || nowUs < known.nextTextUs) return false;
    known.textWaitUs = std::min(2 * known.textWaitUs, kMaxTextUs);
    known.nextTextUs = nowUs + known.textWaitUs;
    return true;
}

std::vector<Finding> LiveFindings::finish(const std::vector<Finding>& found, std::int64_t nowUs) const {
    std::vector<Finding> events;
    for (const auto& [code, known] : m_known)
        if (known.isReported && !isAmong(code, found)) events.push_back(withdrawalOf(known.finding, nowUs));
    return events;
}

}  // namespace ringside
