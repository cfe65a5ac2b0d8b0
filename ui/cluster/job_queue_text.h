// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace ringside {

// What the commands of queues say. Empty: they said nothing that is known.
QString jobIdIn(const QString& launcher, const QByteArray& submitted);  // of sbatch or qsub
struct JobState {
    bool known = false;
    bool waits = false;
    bool runs = false;
    QString text;  // "pending: Resources", for people
};
JobState jobStateIn(const QString& launcher, const QByteArray& answer);

// The command that submits, and the one that is asked how a job does; empty where there is no queue.
QStringList submitCommand(const QString& launcher, const QString& script);
QStringList queryCommand(const QString& launcher, const QString& job);

}  // namespace ringside
