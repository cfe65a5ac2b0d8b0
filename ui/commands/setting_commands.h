// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <functional>

namespace ringside {

class ExperimentModel;

// Returns commands for the settings that the form shows at present. For each setting, there is a command that calls
// `show` with the path of the setting. For a setting with a few choices, or on and off, there is also a command for
// each of its values, which sets the value. `parent` owns the commands.
QList<QAction*> settingCommands(ExperimentModel& experiment, const std::function<void(const char* path)>& show,
                                QObject* parent);

// Returns commands that set a setting to the number at the end of the typed text: for "epochs 400", a command that sets
// the epochs to 400. Returns only commands for settings that apply to the present experiment and that accept the
// number.
QList<QAction*> numberCommands(ExperimentModel& experiment, const QString& typed, QObject* parent);

}  // namespace ringside
