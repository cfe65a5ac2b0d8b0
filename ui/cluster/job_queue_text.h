// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include "export/job_script.h"

namespace ringside {

// Functions that parse the output of queue commands. Results are empty if the output has none of the known forms.

// Returns the number of the submitted job. submitted: output of sbatch or qsub.
QString jobIdIn(JobLauncher launcher, const QByteArray& submitted);
struct JobState {
    bool known = false;
    bool waits = false;
    bool runs = false;
    QString text;  // state of the job for the user, such as "pending: Resources"
};
JobState jobStateIn(JobLauncher launcher, const QByteArray& answer);

// Return the command that submits a job, and the command that queries its state. Empty for launchers without a queue.
QStringList submitCommand(JobLauncher launcher, const QString& script);
QStringList queryCommand(JobLauncher launcher, const QString& job);

}  // namespace ringside
