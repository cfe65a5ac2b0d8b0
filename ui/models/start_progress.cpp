// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/start_progress.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include "models/run_model.h"

namespace ringside {
namespace {

constexpr qsizetype kMaxNamed = 8;

QString startText(const char* text) {
    return QCoreApplication::translate("StartProgress", text);
}

QString counted(qsizetype count) {
    return QLocale().toString(static_cast<qlonglong>(count));
}

// Numbers of the ranks that have not started, and counts of ranks in each later stage of the start.
struct Progress {
    QStringList absent;  // numbers of the ranks that have not started
    int loading = 0, connected = 0, training = 0, ended = 0;
};

Progress progressOf(const RunData& run) {
    Progress progress;
    for (std::size_t rank = 0; rank < run.ranks().size(); ++rank) {
        const std::optional<RankStage> state = run.ranks()[rank].state;
        if (!state || state == RankStage::kStarting || state == RankStage::kStartingAgain) {
            progress.absent << QString::number(rank);
        } else if (state == RankStage::kLoading) {
            ++progress.loading;
        } else if (state == RankStage::kFailed || state == RankStage::kStopped) {
            ++progress.ended;
        } else {
            ++progress.connected;
            progress.training += state == RankStage::kConnecting ? 0 : 1;
        }
    }
    return progress;
}

QString waitingForText(const Progress& progress, std::size_t ranks) {
    if (progress.training == static_cast<int>(ranks))
        return startText("All ranks are training: waiting until the first step ends.");
    QStringList parts;
    if (progress.ended > 0)
        parts << (progress.ended == 1 ? startText("1 rank has ended")
                                      : startText("%1 ranks have ended").arg(counted(progress.ended)));
    if (progress.loading == 1) parts << startText("1 rank loads the data");
    if (progress.loading > 1) parts << startText("%1 ranks load the data").arg(counted(progress.loading));
    if (const QStringList& absent = progress.absent; !absent.isEmpty()) {
        const QString named = absent.first(std::min(kMaxNamed, absent.size())).join(QStringLiteral(", "));
        parts << (absent.size() == 1 ? startText("rank %1 has not started") : startText("ranks %1 have not started"))
                     .arg(named + (absent.size() > kMaxNamed
                                       ? startText(" and %1 more").arg(counted(absent.size() - kMaxNamed))
                                       : QString()));
    }
    if (parts.isEmpty()) return startText("All ranks are connected and receive the initial weights.");
    return startText("Waiting: %1.").arg(parts.join(QStringLiteral("; ")));
}

QString starting(qsizetype ranks) {
    return ranks == 1 ? startText("Starting 1 rank") : startText("Starting %1 ranks").arg(counted(ranks));
}

QString titleOf(const Progress& progress, std::size_t ranks) {
    if (progress.training == static_cast<int>(ranks))
        return ranks == 1 ? startText("1 rank connected, first step")
                          : startText("%1 ranks connected, first step").arg(counted(progress.training));
    return startText("%1, %2 connected").arg(starting(static_cast<qsizetype>(ranks)), counted(progress.connected));
}

}  // namespace

StartProgress startProgress(const RunModel& model) {
    if (const auto& expected = model.expected()) {
        if (!expected->script.isEmpty())
            return {startText("Starting %1").arg(expected->script),
                    startText("The curves appear after the first training step. Importing PyTorch can take half a "
                              "minute."),
                    expected->name};
        return {starting(expected->ranks), startText("Waiting for the program that starts the ranks."), expected->name};
    }
    const RunData& run = model.data();
    if (!run.started() || run.ended() || run.lastStep() || !run.curves().loss().points().empty()) return {};
    const Progress progress = progressOf(run);
    return {titleOf(progress, run.ranks().size()), waitingForText(progress, run.ranks().size()),
            QString::fromStdString(run.started()->name)};
}

}  // namespace ringside
