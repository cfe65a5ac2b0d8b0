// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <functional>

namespace ringside {

class ExperimentModel;

// Returns a command for each setting of the form that applies now, which calls `show` with the path of the setting, and
// one for each value of a choice or a switch, which gives the setting that value. `parent` owns the commands.
QList<QAction*> settingCommands(ExperimentModel& experiment, const std::function<void(const char* path)>& show,
                                QObject* parent);

// Returns commands that give a setting the number at the end of the typed text: "epochs 400" sets the epochs to 400.
// Only for settings that apply now and for numbers that they accept.
QList<QAction*> numberCommands(ExperimentModel& experiment, const QString& typed, QObject* parent);

}  // namespace ringside
