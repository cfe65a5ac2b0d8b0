// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/pages/page_links.h"

#include "models/step_cursor.h"
#include "pages/navigator.h"

namespace ringside {

void PageLinks::showStep(const QString& place, qint64 step, qint64 epoch, int rank) {
    m_cursor.choose(step);
    if (m_pages.show(place)) m_pages.current().showStep(step, epoch, rank);
}

}  // namespace ringside
