// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace ringside {

// Places where the environment variables of this process point to Python interpreters.
struct InterpreterPlaces {
    QString virtualEnv;  // value of the variable VIRTUAL_ENV; may be empty
    QString condaEnv;    // value of the variable CONDA_PREFIX; may be empty
    QString path;        // path of the program python3 that is found through PATH; may be empty
};

InterpreterPlaces interpreterPlaces();  // reads the environment of this process

// Returns the paths of the Python interpreters that a script probably uses, the most probable first: virtual
// environments .venv, venv and env beside the script and in the two folders above it, then the interpreters of
// `places`. Lists only interpreters that exist, without duplicates. `script` may be empty.
QStringList interpretersFor(const QString& script, const InterpreterPlaces& places);

}  // namespace ringside
