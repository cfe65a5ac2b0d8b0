// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace ringside {

// Example experiment in the menu File > Examples.
struct Example {
    const char* name;  // object name of the menu action
    QString title;
    QString tip;
    QString file;  // path of the experiment file, relative to resourceDirectory()
};

std::vector<Example> examples();

}  // namespace ringside
