// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/current_findings.h"

#include <algorithm>

namespace ringside {

bool CurrentFindings::apply(const Event& event) {
    const auto* const finding = std::get_if<Finding>(&event);
    if (finding == nullptr) return false;
    const auto known = std::ranges::find(m_findings, finding->code, &Finding::code);
    const bool isKnown = known != m_findings.end();
    if (finding->withdrawn.value_or(false)) {
        if (isKnown) m_findings.erase(known);
        return isKnown;
    }
    if (!isKnown && m_findings.size() == kMaxFindings) return false;
    if (isKnown)
        *known = *finding;
    else
        m_findings.push_back(*finding);
    std::ranges::stable_sort(m_findings, {}, &Finding::severity);
    return true;
}

}  // namespace ringside
