// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/logged_values.h"

#include <QCoreApplication>
#include <algorithm>
#include <variant>

namespace ringside {
namespace {

// Removes every second point, so that the first one stays.
void halve(std::vector<LoggedTag::Point>& points) {
    for (std::size_t i = 0; 2 * i < points.size(); ++i) points[i] = points[2 * i];
    points.resize((points.size() + 1) / 2);
}

}  // namespace

QString LoggedTag::group() const {
    if (source == "loss") return QCoreApplication::translate("LoggedValues", "losses by line");
    const std::size_t slash = tag.find('/');
    return QString::fromStdString(slash == std::string::npos || slash == 0 ? tag : tag.substr(0, slash));
}

bool LoggedValues::take(const Event& event) {
    const auto* scalar = std::get_if<LoggedScalar>(&event);
    if (scalar == nullptr) return false;
    LoggedTag* series = seriesOf(*scalar);
    if (series == nullptr) return true;
    if (!series->points.empty() && scalar->step < series->points.back().step) series->stepsNeverDecrease = false;
    if (series->count++ % series->m_stride != 0) return true;
    series->points.push_back({scalar->step, scalar->value});
    if (series->points.size() < kMostPoints) return true;
    halve(series->points);
    series->m_stride *= 2;
    return true;
}

LoggedTag* LoggedValues::seriesOf(const LoggedScalar& scalar) {
    const auto known = std::ranges::find_if(
        m_series, [&](const LoggedTag& one) { return one.tag == scalar.tag && one.rank == scalar.rank; });
    if (known != m_series.end()) return &*known;
    if (m_series.size() == kMostSeries) return nullptr;
    LoggedTag& made = m_series.emplace_back();
    made.tag = scalar.tag;
    made.rank = scalar.rank;
    made.source = scalar.source;
    return &made;
}

QStringList LoggedValues::groups() const {
    QStringList names;
    for (const LoggedTag& one : m_series)
        if (const QString name = one.group(); !names.contains(name)) names << name;
    const QString epoch = QStringLiteral("epoch");
    if (names.removeOne(epoch)) names << epoch;
    return names;
}

bool LoggedValues::hasSeveralRanks(const LoggedTag& series) const {
    return std::ranges::any_of(m_series,
                               [&](const LoggedTag& one) { return one.tag == series.tag && one.rank != series.rank; });
}

}  // namespace ringside
