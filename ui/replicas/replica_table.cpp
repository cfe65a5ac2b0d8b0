// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/replica_table.h"

#include <cmath>
#include <memory>

namespace ringside {
namespace {

QString numberField(double value) {
    return std::isfinite(value) ? QString::number(value, 'g', 9) : QString();
}

void addCells(QList<QStringList>& rows, const std::optional<GradientView>& view) {
    if (!view || view->cells.empty()) return;
    std::size_t next = 0;
    for (std::size_t tensor = 0; tensor < view->rows.size(); ++tensor)
        for (std::int64_t row = 0; row < view->rows[tensor]; ++row)
            for (std::int64_t column = 0; column < view->columns[tensor]; ++column)
                rows << QStringList{QString::fromStdString(textOf(view->moment)),
                                    QString::number(view->rank),
                                    QString::fromStdString(view->names[tensor]),
                                    QString::number(row),
                                    QString::number(column),
                                    numberField(view->cells[next++])};
}

}  // namespace

TableData gradientTable(const InspectedStep& step) {
    QList<QStringList> rows;
    for (const auto* views : {&step.own, &step.mean, &step.change})
        for (const auto& view : *views) addCells(rows, view);
    return tableOf(QStringLiteral("gradients-step-%1").arg(step.step),
                   {QStringLiteral("moment"), QStringLiteral("rank"), QStringLiteral("tensor"), QStringLiteral("row"),
                    QStringLiteral("column"), QStringLiteral("value")},
                   std::move(rows));
}

TableData ringTable(const RingSteps& ring, std::int64_t step) {
    QList<QStringList> rows;
    for (int ringStep = 0; ringStep <= ring.steps(); ++ringStep)
        for (int rank = 0; rank < ring.ranks(); ++rank)
            for (int part = 0; part < ring.ranks(); ++part) {
                const RingSteps::Part& one = ring.part(ringStep, rank, part);
                QStringList values;
                for (const double value : one.values) values << numberField(value);
                rows << QStringList{QString::number(ringStep), QString::number(rank), QString::number(part),
                                    QString::number(one.ranks), values.join(QLatin1Char(' '))};
            }
    return tableOf(QStringLiteral("ring-step-%1").arg(step),
                   {QStringLiteral("ring_step"), QStringLiteral("rank"), QStringLiteral("part"),
                    QStringLiteral("ranks_in_sum"), QStringLiteral("values")},
                   std::move(rows));
}

TableData contributionTable(const StepContributions& contributions) {
    const auto field = [](const std::optional<double>& value) { return value ? numberField(*value) : QString(); };
    QList<QStringList> rows;
    for (const RankContribution& one : contributions.ranks)
        rows << QStringList{QString::number(contributions.step),
                            QString::number(one.rank),
                            field(one.share),
                            field(one.cosine),
                            field(one.norm),
                            field(one.loss),
                            samplesText(one.samples, one.samples.size()).remove(QLatin1Char(',')),
                            one.samplesPlanned ? QStringLiteral("planned") : QStringLiteral("reported")};
    return tableOf(
        QStringLiteral("contribution-step-%1").arg(contributions.step),
        {QStringLiteral("step"), QStringLiteral("rank"), QStringLiteral("share"), QStringLiteral("cosine"),
         QStringLiteral("norm"), QStringLiteral("loss"), QStringLiteral("samples"), QStringLiteral("samples_from")},
        std::move(rows));
}

TableData normTable(const ReplicaData& replicas) {
    QList<QStringList> rows;
    for (const auto& [number, step] : replicas.steps())
        for (std::size_t rank = 0; rank < step.own.size(); ++rank)
            if (step.own[rank])
                rows << QStringList{QString::number(number), QString::number(rank), numberField(step.own[rank]->norm),
                                    step.mean[rank] ? numberField(step.mean[rank]->cosine) : QString()};
    return tableOf(QStringLiteral("gradient-norms"),
                   {QStringLiteral("step"), QStringLiteral("rank"), QStringLiteral("norm"), QStringLiteral("cosine")},
                   std::move(rows));
}

}  // namespace ringside
