// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace ringside {

// Environment of the desktop session in which interpreters are searched.
struct InterpreterPlaces {
    QString virtualEnv;  // $VIRTUAL_ENV; may be empty
    QString condaEnv;    // $CONDA_PREFIX; may be empty
    QString path;        // python3 of PATH; may be empty
};

InterpreterPlaces interpreterPlaces();  // returns the values of this process

// Returns the paths of the Python interpreters that a script probably uses, the most probable first: virtual
// environments .venv, venv and env beside the script and in the two folders above it, then those of `places`. Each
// exists and is listed once. `script` may be empty.
QStringList interpretersFor(const QString& script, const InterpreterPlaces& places);

}  // namespace ringside
