// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/log_model.h"

#include <QStringList>

#include "models/run_model.h"

namespace ringside {
namespace {

// Returns the name of the source of a log line.
QString sourceName(int rank) {
    return rank < 0 ? QStringLiteral("run") : QStringLiteral("rank %1").arg(rank);
}

}  // namespace

LogModel::LogModel(const RunModel& run, QObject* parent) : QAbstractListModel(parent), m_run(run) {
    connect(&run, &RunModel::changed, this, &LogModel::follow);
    connect(&run, &RunModel::restarted, this, [this] {
        beginResetModel();
        m_first = 0;
        m_count = m_lastLines = 0;
        endResetModel();
    });
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_count + m_lastLines;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    LogLine line;
    if (index.row() < m_count) {
        line = m_run.data().log()[static_cast<std::size_t>(index.row() + m_first - m_run.data().logLinesDropped())];
    } else {
        const RunEnded& end = *m_run.data().ended();
        line = {end.firstFailedRank, LogLevel::kError, end.lastLines[static_cast<std::size_t>(index.row() - m_count)],
                end.timeUs};
    }
    switch (role) {
        case Qt::DisplayRole:
            return QStringLiteral("%1 s   %2   %3")
                .arg(static_cast<double>(line.timeUs) / 1e6, 8, 'f', 3)
                .arg(sourceName(line.rank), QString::fromStdString(line.text));
        case TimeRole:
            return QStringLiteral("%1 s").arg(static_cast<double>(line.timeUs) / 1e6, 0, 'f', 3);
        case SpeakerRole:
            return sourceName(line.rank);
        case TextRole:
            return QString::fromStdString(line.text);
        case LevelRole:
            return static_cast<int>(line.level);
        case RankRole:
            return line.rank;
        default:
            return {};
    }
}

QString LogModel::allText() const {
    QStringList lines;
    for (int row = 0; row < rowCount(); ++row) lines << data(index(row), Qt::DisplayRole).toString();
    return lines.join(QLatin1Char('\n'));
}

void LogModel::follow(unsigned changes) {
    if (changes & kLogChanged) addNewLines();
    if (changes & kEndChanged) addLastLines();
}

// Removes the rows of lines that RunData has dropped, and then inserts rows for its new lines.
void LogModel::addNewLines() {
    const qint64 first = m_run.data().logLinesDropped();
    const qint64 end = first + static_cast<qint64>(m_run.data().log().size());
    const int gone = static_cast<int>(std::min<qint64>(first - m_first, m_count));
    if (gone > 0) {
        beginRemoveRows({}, 0, gone - 1);
        m_count -= gone;
        m_first = first;
        endRemoveRows();
    }
    m_first = first;
    const int added = static_cast<int>(end - first) - m_count;
    if (added <= 0) return;
    beginInsertRows({}, m_count, m_count + added - 1);
    m_count += added;
    endInsertRows();
}

void LogModel::addLastLines() {
    if (!m_run.data().ended() || m_lastLines > 0) return;
    const int lines = static_cast<int>(m_run.data().ended()->lastLines.size());
    if (lines == 0) return;
    beginInsertRows({}, m_count, m_count + lines - 1);
    m_lastLines = lines;
    endInsertRows();
}

}  // namespace ringside
