// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job_queue_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace ringside {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("jobs", text);
}

// Parses the output of squeue in the format %T|%r (state and reason), such as "PENDING|Resources".
JobState slurmState(const QString& answer) {
    JobState state;
    const QString state1 = answer.section(QLatin1Char('\n'), 0, 0).section(QLatin1Char('|'), 0, 0).trimmed();
    const QString reason = answer.section(QLatin1Char('\n'), 0, 0).section(QLatin1Char('|'), 1).trimmed();
    if (state1.isEmpty()) return state;
    state.known = true;
    state.waits = state1 == QStringLiteral("PENDING") || state1 == QStringLiteral("CONFIGURING");
    state.runs = state1 == QStringLiteral("RUNNING") || state1 == QStringLiteral("COMPLETING");
    state.text = state1.toLower();
    if (!reason.isEmpty() && reason != QStringLiteral("None")) state.text += QStringLiteral(": ") + reason;
    return state;
}

// Parses the lines "job_state = Q" and "comment = ..." in the output of qstat -f.
JobState pbsState(const QString& answer) {
    static const QRegularExpression stateLine(QStringLiteral("job_state\\s*=\\s*(\\w)"));
    static const QRegularExpression commentLine(QStringLiteral("comment\\s*=\\s*([^\\n]+)"));
    const QString letter = stateLine.match(answer).captured(1);
    JobState state;
    if (letter.isEmpty()) return state;
    state.known = true;
    state.waits = QStringLiteral("QHWT").contains(letter);
    state.runs = QStringLiteral("RE").contains(letter);
    state.text = letter == QStringLiteral("Q")   ? tr("queued")
                 : letter == QStringLiteral("H") ? tr("on hold")
                 : state.runs                    ? tr("running")
                                                 : tr("in state %1").arg(letter);
    const QString comment = commentLine.match(answer).captured(1).trimmed();
    if (!comment.isEmpty()) state.text += QStringLiteral(": ") + comment;
    return state;
}

}  // namespace

QString jobIdIn(JobLauncher launcher, const QByteArray& submitted) {
    static const QRegularExpression slurm(QStringLiteral("Submitted batch job (\\d+)"));
    const QString text = QString::fromUtf8(submitted);
    if (launcher == JobLauncher::kSlurm) return slurm.match(text).captured(1);
    return text.trimmed().section(QLatin1Char('\n'), -1).trimmed();
}

JobState jobStateIn(JobLauncher launcher, const QByteArray& answer) {
    const QString text = QString::fromUtf8(answer);
    return launcher == JobLauncher::kSlurm ? slurmState(text) : pbsState(text);
}

QStringList submitCommand(JobLauncher launcher, const QString& script) {
    if (launcher == JobLauncher::kSlurm) return {QStringLiteral("sbatch"), script};
    if (launcher == JobLauncher::kPbs) return {QStringLiteral("qsub"), script};
    return {};
}

QStringList queryCommand(JobLauncher launcher, const QString& job) {
    if (launcher == JobLauncher::kSlurm)
        return {QStringLiteral("squeue"), QStringLiteral("-h"),   QStringLiteral("-j"), job,
                QStringLiteral("-o"),     QStringLiteral("%T|%r")};
    if (launcher == JobLauncher::kPbs) return {QStringLiteral("qstat"), QStringLiteral("-f"), job};
    return {};
}

}  // namespace ringside
