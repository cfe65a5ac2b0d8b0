// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <functional>

namespace ringside {

class ExperimentModel;

// Returns commands for the settings that the form shows at present. Each setting has a command that calls `show` with
// the path of the setting. A choice or switch also has one command for each of its values, which sets the value.
// `parent` owns the commands.
QList<QAction*> settingCommands(ExperimentModel& experiment, const std::function<void(const char* path)>& show,
                                QObject* parent);

// Returns commands that give a setting the number at the end of the typed text: "epochs 400" sets the epochs to 400.
// Only for settings that apply now and for numbers that they accept.
QList<QAction*> numberCommands(ExperimentModel& experiment, const QString& typed, QObject* parent);

}  // namespace ringside
