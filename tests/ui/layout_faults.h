// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

// Layout faults in sight below `root`: a widget that its parent cuts off, siblings that overlap, a text that has less
// room than it needs, and painted texts that leave their widget or lie on each other. Each fault is a sentence with the
// path of the widget. Content of scroll areas may exceed the area; elided labels may be cut.
QStringList layoutFaults(QWidget& root);
