// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace ringside {

// Returns lastComplaint() of the output with field paths replaced by the labels of the form.
QString complaintIn(const QByteArray& standardError);

}  // namespace ringside
