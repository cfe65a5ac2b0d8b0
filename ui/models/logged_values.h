// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Values that a watched script logs under one tag on one rank.
struct LoggedTag {
    struct Point {
        std::int64_t step = 0;  // the script's own step
        double value = 0;
    };
    std::string tag;
    int rank = 0;
    std::string source;  // as in LoggedScalar
    std::vector<Point> points;
    std::int64_t count = 0;          // number of logged values; points may be fewer
    bool stepsNeverDecrease = true;  // false: the script counts its steps from the start again, for example per epoch

    // Returns the name of the chart that shows the series: "acc" for the tag "acc/train", the tag itself without a
    // slash. Losses of several backward() calls share a chart.
    QString group() const;

  private:
    friend class LoggedValues;
    std::int64_t m_stride = 1;  // every m_stride-th value is kept
};

// Scalars that a watched script logs by itself, for example with SummaryWriter.add_scalar or Lightning's self.log.
// Memory is bounded: of long series every 2nd, 4th, ... value is kept.
class LoggedValues {
  public:
    static constexpr std::size_t kMostSeries = 256;
    static constexpr std::size_t kMostPoints = 16384;  // of a series

    // Takes an event of the run. Returns true if it is a logged scalar.
    bool take(const Event& event);

    // Returns the series in the order of their first values.
    const std::vector<LoggedTag>& series() const { return m_series; }
    // Returns the names of the charts in the order of their first values; Lightning's own "epoch" comes last.
    QStringList groups() const;
    bool hasSeveralRanks(const LoggedTag& series) const;

  private:
    LoggedTag* seriesOf(const LoggedScalar& scalar);

    std::vector<LoggedTag> m_series;
};

}  // namespace ringside
