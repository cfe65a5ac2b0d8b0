// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace ringside {

// Environment of the desktop session that is searched for Python interpreters.
struct InterpreterPlaces {
    QString virtualEnv;  // value of the variable VIRTUAL_ENV; may be empty
    QString condaEnv;    // value of the variable CONDA_PREFIX; may be empty
    QString path;        // path of the python3 that PATH leads to; may be empty
};

InterpreterPlaces interpreterPlaces();  // returns the places that this process knows

// Returns the paths of the Python interpreters that a script probably uses, the most probable first: virtual
// environments .venv, venv and env beside the script and in the two folders above it, then those of `places`. Each
// exists and is listed once. `script` may be empty.
QStringList interpretersFor(const QString& script, const InterpreterPlaces& places);

}  // namespace ringside
