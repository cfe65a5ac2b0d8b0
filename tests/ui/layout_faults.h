// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

// Returns the visible layout faults below `root`: a widget that its parent cuts off, siblings that overlap, a text that
// has less space than it needs, and painted texts that leave their widget or overlap each other. Each fault is a
// sentence with the path of the widget. Content of scroll areas may exceed the area; elided labels may be cut.
QStringList layoutFaults(QWidget& root);
