// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/class_balance_view.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sampling/plan/work_limits.h"
#include "shards/balance/balance_table.h"
#include "shards/scene/sentence_text.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kRowHeight{30};
constexpr TypePixels kRankGap{24};  // height of the space above the bars of a rank for the sentence about the rank
constexpr TypePixels kRanksTop{76};
constexpr double kBarGap = 4;
constexpr int kClassesPauseMs = 150;

}  // namespace

ClassBalanceView::ClassBalanceView(Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(QStringLiteral("classBalanceView"));
    setAccessibleName(tr("Class balance by rank"));
    setFocusPolicy(Qt::StrongFocus);  // so that the copy key (Ctrl+C) copies the picture's numbers
    m_pause.setSingleShot(true);
    m_pause.setInterval(kClassesPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &ClassBalanceView::startCount);
    hide();
}

void ClassBalanceView::setScene(std::optional<ShardScene> scene) {
    m_work.cancel();
    m_pause.stop();
    m_wanted = std::move(scene);
    if (!m_wanted || !m_wanted->labels || m_wanted->trainedSlots() == 0) {
        setMade(std::make_shared<Made>());
    } else if (m_wanted->plan.spec().datasetSize <= kInstantSamples) {
        setMade(countBalance(*m_wanted, LatestWork::Stop(false)));
    } else {
        m_pause.start();
    }
}

void ClassBalanceView::startCount() {
    m_work.requestLatest(
        this, [scene = *m_wanted](const LatestWork::Stop& stop) { return countBalance(scene, stop); },
        [this](const MadeRef& made) { setMade(made); });
}

ClassBalanceView::MadeRef ClassBalanceView::countBalance(const ShardScene& scene, const LatestWork::Stop& stop) {
    Made made{classBalance(scene, &stop)};
    if (stop) return std::make_shared<const Made>(std::move(made));
    const ClassBalance& balance = made.balance;
    made.outside = balance.countsOutsideBands();
    made.within = balance.ranksWithinChance();
    if (balance.classes <= kLargestClasses) made.rows = farthestRanks(balance);
    for (const ChanceBand& band : balance.bands) made.scale = std::max(made.scale, band.high);
    for (const std::int64_t count : balance.counts) made.scale = std::max(made.scale, static_cast<double>(count));
    return std::make_shared<const Made>(std::move(made));
}

// Returns the ranks to show: all ranks or, if there are more than kLargestRows, the ranks with the most classes outside
// the range expected by chance.
std::vector<int> ClassBalanceView::farthestRanks(const ClassBalance& balance) {
    std::vector<int> ranks(static_cast<std::size_t>(balance.ranks));
    std::iota(ranks.begin(), ranks.end(), 0);
    if (balance.ranks <= kLargestRows) return ranks;
    std::vector<int> outside(ranks.size());
    for (const int rank : ranks) {
        for (int label = 0; label < balance.classes; ++label) {
            outside[static_cast<std::size_t>(rank)] += balance.outside(rank, label) ? 1 : 0;
        }
    }
    std::ranges::stable_sort(ranks, [&](int a, int b) {
        return outside[static_cast<std::size_t>(a)] > outside[static_cast<std::size_t>(b)];
    });
    ranks.resize(kLargestRows);
    std::ranges::sort(ranks);
    return ranks;
}

void ClassBalanceView::setMade(MadeRef made) {
    m_made = std::move(made);
    setVisible(m_made->balance.classes > 0);
    updateGeometry();
    update();
}

QString ClassBalanceView::sentence() const {
    const QLocale locale;
    return tr("%1 of %2 outside; %3 by chance")
        .arg(locale.toString(m_made->outside), locale.toString(balance().ranks * balance().classes),
             shortNumberText(balance().expectedOutside()));
}

QString ClassBalanceView::rankSentence(int rank) const {
    if (balance().isWithinLimit(rank)) return tr("Rank %1 is within the range expected by chance").arg(rank);
    return (isUnusual() ? tr("Rank %1 is outside the range expected by chance: chi-square %2, limit %3")
                        : tr("Rank %1: chi-square %2, above the 95 % limit %3; one such rank is expected by chance"))
        .arg(rank)
        .arg(balance().distance(rank), 0, 'f', 1)
        .arg(balance().distanceLimit(), 0, 'f', 1);
}

// True if more ranks are outside the expected range than can be explained by chance.
bool ClassBalanceView::isUnusual() const {
    return balance().ranks - m_made->within > balance().expectedRanksOutside();
}

// Returns one sentence about all ranks. Used if there is no room for a sentence per rank.
QString ClassBalanceView::ranksSentence() const {
    return tr("%1 of %2 ranks are within the range expected by chance").arg(m_made->within).arg(balance().ranks);
}

QSize ClassBalanceView::sizeHint() const {
    return {200, kRanksTop + static_cast<int>(m_made->rows.size()) * (kRowHeight + kRankGap)};
}

QRectF ClassBalanceView::cell(int row, int label) const {
    const double pitch = static_cast<double>(width()) / std::max(1, balance().classes);
    return {label * pitch, static_cast<double>(kRanksTop + row * (kRowHeight + kRankGap)), pitch - kBarGap,
            static_cast<double>(kRowHeight)};
}

void ClassBalanceView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors& c = theme().colors();
    painter.setPen(c.text);
    painter.setFont(theme().numberFont());
    painter.drawText(QRectF(0, 0, width(), 20), Qt::AlignLeft | Qt::AlignVCenter, tr("Class balance by rank"));
    painter.setPen(c.muted);
    painter.setFont(theme().smallFont());
    painter.drawText(QRectF(0, 20, width(), 16), Qt::AlignLeft | Qt::AlignVCenter,
                     m_made->rows.empty() ? ranksSentence() : tr("Grey: range expected by chance"));
    painter.drawText(QRectF(0, 36, width(), 16), Qt::AlignLeft | Qt::AlignVCenter, sentence());
    for (int row = 0; row < static_cast<int>(m_made->rows.size()); ++row) {
        for (int label = 0; label < balance().classes; ++label) drawBar(painter, row, label);
        const int rank = m_made->rows[static_cast<std::size_t>(row)];
        painter.setPen(balance().isWithinLimit(rank) || !isUnusual() ? c.muted : c.danger);
        painter.setFont(theme().smallFont());
        painter.drawText(QRectF(0, cell(row, 0).top() - 17, width(), 15), Qt::AlignLeft | Qt::AlignVCenter,
                         rankSentence(rank));
    }
}

void ClassBalanceView::drawBar(QPainter& painter, int row, int label) const {
    const int rank = m_made->rows[static_cast<std::size_t>(row)];
    const QRectF box = cell(row, label);
    const auto yOf = [&](double count) { return box.bottom() - count / m_made->scale * box.height(); };
    const ChanceBand& band = balance().band(rank, label);
    const double top = yOf(band.high);
    painter.fillRect(QRectF(box.left(), top, box.width(), std::max(2.0, yOf(band.low) - top)), theme().colors().border);
    const double bar = yOf(static_cast<double>(balance().count(rank, label)));
    const double inset = box.width() * 0.18;
    painter.fillRect(QRectF(box.left() + inset, bar, box.width() - 2 * inset, box.bottom() - bar),
                     theme().rankColor(rank));
    if (balance().outside(rank, label)) {
        painter.setPen(QPen(theme().colors().danger, 1.5));
        painter.drawRect(box.adjusted(0, -1, 0, 1));
    }
}

Picture::Tip ClassBalanceView::tipAt(const QPoint& point) const {
    for (int row = 0; row < static_cast<int>(m_made->rows.size()); ++row) {
        for (int label = 0; label < balance().classes; ++label) {
            if (cell(row, label).adjusted(0, 0, kBarGap, kRankGap).contains(point)) {
                const int rank = m_made->rows[static_cast<std::size_t>(row)];
                const ChanceBand& band = balance().band(rank, label);
                return {tr("rank %1, class %2: %3 samples\nexpected %4; 95 % of random assignments give %5 to %6\n%7: "
                           "chi-square over all "
                           "classes %8; 95 percent of random assignments are below %9")
                            .arg(rank)
                            .arg(QString::fromStdString(balance().names[static_cast<std::size_t>(label)]))
                            .arg(balance().count(rank, label))
                            .arg(band.expected, 0, 'f', 1)
                            .arg(std::floor(band.low))
                            .arg(std::ceil(band.high))
                            .arg(rankSentence(rank))
                            .arg(balance().distance(rank), 0, 'f', 1)
                            .arg(balance().distanceLimit(), 0, 'f', 1)};
            }
        }
    }
    return {tr("Each rank's share of every class in this epoch, compared with a random assignment")};
}

QString ClassBalanceView::copyText() const {
    return balance().classes > 0 ? tabText(balanceTable(balance())) : QString();
}

// Returns the rank whose sentence or bars are at the point.
std::vector<Identity> ClassBalanceView::identitiesAt(const QPoint& point) const {
    for (std::size_t row = 0; row < m_made->rows.size(); ++row) {
        const QRectF bars = cell(static_cast<int>(row), 0);
        if (point.y() >= bars.top() - kRankGap && point.y() <= bars.bottom())
            return {{IdentityKind::Rank, m_made->rows[row]}};
    }
    return {};
}

}  // namespace ringside
