// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "config/run_config.h"

namespace ringside {

// An experiment to begin with, of a size that shows one thing well.
struct Example {
    const char* name;  // of its action
    QString title;
    QString tip;
    RunConfig config;
};

std::vector<Example> examples();

}  // namespace ringside
