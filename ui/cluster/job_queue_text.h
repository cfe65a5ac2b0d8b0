// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include "export/job_script.h"

namespace ringside {

// The functions below parse the output of the queue commands of Slurm and PBS. They return empty results for an output
// that they do not recognize.

// Returns the id of the submitted job. submitted: output of sbatch or qsub.
QString jobIdIn(JobLauncher launcher, const QByteArray& submitted);
struct JobState {
    bool known = false;
    bool waits = false;
    bool runs = false;
    QString text;  // state of the job as shown to the user, such as "pending: Resources"
};
JobState jobStateIn(JobLauncher launcher, const QByteArray& answer);

// The two functions below return the command that submits a job, and the command that queries the state of a job. They
// return an empty list for launchers without a queue.
QStringList submitCommand(JobLauncher launcher, const QString& script);
QStringList queryCommand(JobLauncher launcher, const QString& job);

}  // namespace ringside
