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

}  // namespace ringside
