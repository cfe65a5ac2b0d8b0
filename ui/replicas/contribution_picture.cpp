// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/contribution_picture.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr TypeLength kRankColumn{72};
constexpr TypeLength kContributionHead{26};
constexpr TypeLength kNumberColumn{76};
constexpr TypeLength kMaxContribution{46};
constexpr TypeLength kMinContribution{22};
constexpr double kMinSamples = 120;
constexpr double kBarGap = 16;
constexpr std::size_t kMaxSamples = 32;  // maximum number of samples that are drawn in the row of one rank

QString percent(double share) {
    return QStringLiteral("%1 %").arg(std::lround(share * 100));
}

}  // namespace

ContributionPicture::ContributionPicture(const Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(QStringLiteral("contributionPicture"));
    setAccessibleName(tr("Contribution of each rank to the step"));
    setToolTip(tr("Click a rank to see its samples on the Shards page"));
    setCursor(Qt::PointingHandCursor);
}

void ContributionPicture::setContributions(StepContributions contributions) {
    m_pulls = std::move(contributions);
    updateGeometry();
    update();
}

QSize ContributionPicture::minimumSizeHint() const {
    return {420, static_cast<int>(kContributionHead + kMinContribution * static_cast<double>(m_pulls.ranks.size()))};
}

ContributionPicture::Columns ContributionPicture::columns() const {
    Columns c;
    c.bar = kRankColumn;
    const double room = width() - kRankColumn - 3 * kNumberColumn - kBarGap;
    c.barWidth = std::max(60.0, std::min(room - kMinSamples, room * 0.55));
    c.cosine = c.bar + c.barWidth + kBarGap;
    c.norm = c.cosine + kNumberColumn;
    c.loss = c.norm + kNumberColumn;
    c.samples = c.loss + kNumberColumn;
    return c;
}

QRectF ContributionPicture::rowOf(std::size_t place) const {
    const auto count = static_cast<double>(std::max<std::size_t>(1, m_pulls.ranks.size()));
    const double high = std::clamp<double>((height() - kContributionHead) / count, kMinContribution, kMaxContribution);
    return {0, kContributionHead + high * static_cast<double>(place), static_cast<double>(width()), high};
}

std::optional<std::size_t> ContributionPicture::rowAt(const QPointF& at) const {
    for (std::size_t i = 0; i < m_pulls.ranks.size(); ++i)
        if (rowOf(i).contains(at)) return i;
    return {};
}

double ContributionPicture::scaleMaximum() const {
    double most = 1.0 / static_cast<double>(std::max<std::size_t>(1, m_pulls.ranks.size()));
    for (const RankContribution& one : m_pulls.ranks) most = std::max(most, std::abs(one.share.value_or(0)));
    return most;
}

void ContributionPicture::paintHead(QPainter& painter) const {
    const Columns c = columns();
    painter.setPen(theme().colors().muted);
    const auto title = [&](double left, double wide, const QString& text) {
        painter.drawText(QRectF(left, 0, wide, kContributionHead - 4), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(wide)));
    };
    const double even = 1.0 / static_cast<double>(std::max<std::size_t>(1, m_pulls.ranks.size()));
    title(c.bar, c.barWidth,
          m_pulls.hasGradients ? tr("share of the mean gradient (line: equal share of %1)").arg(percent(even))
                               : tr("the gradients of this step were not recorded"));
    title(c.cosine, kNumberColumn - 8, tr("cosine"));
    title(c.norm, kNumberColumn - 8, tr("|g|"));
    title(c.loss, kNumberColumn - 8, tr("loss"));
    const bool planned = !m_pulls.ranks.empty() && m_pulls.ranks.front().samplesPlanned;
    title(c.samples, width() - c.samples, planned ? tr("samples (planned)") : tr("samples (reported)"));
}

void ContributionPicture::paintBar(QPainter& painter, const RankContribution& contribution, const QRectF& row) const {
    const ThemeColors& colors = theme().colors();
    const Columns c = columns();
    bool below = false;
    for (const RankContribution& one : m_pulls.ranks) below |= one.share.value_or(0) < 0;
    const double number = 52;  // width of the number that is shown next to the bar, in pixels
    const double room = c.barWidth - number;
    const double zero = c.bar + (below ? room / 2 : 0);
    const double unit = (below ? room / 2 : room) / scaleMaximum();
    const double even = 1.0 / static_cast<double>(m_pulls.ranks.size());
    painter.setPen(QPen(colors.border, 1));
    painter.drawLine(QPointF(zero, row.top()), QPointF(zero, row.bottom()));
    double numberLeft = zero;
    if (contribution.share) {
        QRectF bar(zero, row.top() + 4, *contribution.share * unit, row.height() - 8);
        painter.setPen(Qt::NoPen);
        painter.setBrush(*contribution.share < 0 ? colors.danger : theme().rankColor(contribution.rank));
        painter.drawRoundedRect(bar.normalized(), 3, 3);
        numberLeft = std::max(zero, bar.normalized().right()) + 6;
    }
    painter.setPen(QPen(colors.muted, 1, Qt::DashLine));
    painter.drawLine(QPointF(zero + even * unit, row.top()), QPointF(zero + even * unit, row.bottom()));
    if (!contribution.share) return;
    // Hides the line behind the number.
    const QString text = percent(*contribution.share);
    const QRectF label(numberLeft, row.top() + 4, painter.fontMetrics().horizontalAdvance(text), row.height() - 8);
    painter.fillRect(label.adjusted(-2, 0, 2, 0), colors.panel);
    painter.setPen(colors.text);
    painter.drawText(label.adjusted(0, 0, number, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
}

void ContributionPicture::paintRow(QPainter& painter, std::size_t place) const {
    const RankContribution& contribution = m_pulls.ranks[place];
    const QRectF row = rowOf(place);
    const Columns c = columns();
    painter.fillRect(QRectF(0, row.top() + 2, 4, row.height() - 4), theme().rankColor(contribution.rank));
    painter.setPen(theme().colors().text);
    painter.drawText(QRectF(10, row.top(), kRankColumn - 10, row.height()), Qt::AlignVCenter,
                     tr("rank %1").arg(contribution.rank));
    if (m_pulls.hasGradients) paintBar(painter, contribution, row);
    const auto number = [&](double left, const std::optional<double>& value, const auto& textOf) {
        painter.setPen(value ? theme().colors().text : theme().colors().muted);
        painter.drawText(QRectF(left, row.top(), kNumberColumn - 8, row.height()), Qt::AlignVCenter | Qt::AlignLeft,
                         value ? textOf(*value) : QStringLiteral("\u2013"));
    };
    number(c.cosine, contribution.cosine, [](double value) { return QString::number(value, 'f', 2); });
    number(c.norm, contribution.norm, [](double value) { return QString::number(value, 'g', 3); });
    number(c.loss, contribution.loss,
           [](double value) { return std::isfinite(value) ? lossText(value) : QString::number(value); });
    painter.setPen(theme().colors().muted);
    const double room = width() - c.samples - 4;
    QString text;
    for (std::size_t most = std::min(contribution.samples.size(), kMaxSamples); most > 0; --most) {
        text = samplesText(contribution.samples, most);
        if (painter.fontMetrics().horizontalAdvance(text) <= room) break;
    }
    painter.drawText(QRectF(c.samples, row.top(), room, row.height()), Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room)));
}

void ContributionPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme().smallFont());
    paintHead(painter);
    for (std::size_t i = 0; i < m_pulls.ranks.size(); ++i) paintRow(painter, i);
}

std::vector<Identity> ContributionPicture::identitiesAt(const QPoint& point) const {
    std::vector<Identity> found;
    const auto row = rowAt(point);
    if (!row) return found;
    const RankContribution& contribution = m_pulls.ranks[*row];
    if (const auto sample = sampleAt(contribution, point.x() - columns().samples))
        found.push_back({IdentityKind::Sample, *sample});
    found.push_back({IdentityKind::Rank, contribution.rank});
    found.push_back({IdentityKind::Step, m_pulls.step});
    found.push_back({IdentityKind::Epoch, m_pulls.epoch});
    return found;
}

// Returns the sample whose number is drawn at the horizontal distance `at`, in pixels, from the left end of the rank's
// list of samples; empty if no sample is drawn there.
std::optional<std::int64_t> ContributionPicture::sampleAt(const RankContribution& contribution, double at) const {
    const QFontMetrics metrics(theme().smallFont());
    if (at < 0) return {};
    for (std::size_t count = 1; count <= std::min(contribution.samples.size(), kMaxSamples); ++count) {
        const std::vector<std::int64_t> first(contribution.samples.begin(),
                                              contribution.samples.begin() + static_cast<std::ptrdiff_t>(count));
        if (at < metrics.horizontalAdvance(samplesText(first, count))) return contribution.samples[count - 1];
    }
    return {};
}

void ContributionPicture::mouseReleaseEvent(QMouseEvent* event) {
    const auto row = rowAt(event->position());
    if (event->button() == Qt::LeftButton && row)
        Q_EMIT samplesWanted(m_pulls.step, m_pulls.epoch, m_pulls.ranks[*row].rank);
}

Picture::Tip ContributionPicture::tipAt(const QPoint& point) const {
    const auto row = rowAt(point);
    if (!row) return {};
    constexpr std::size_t kMaxListed = 64;
    const RankContribution& contribution = m_pulls.ranks[*row];
    QString text = tr("rank %1, step %2").arg(contribution.rank).arg(m_pulls.step);
    if (contribution.share)
        text += tr("\ncontributed %1 of the mean gradient's length (|g| \u00d7 cosine / (%2 \u00d7 |mean|))")
                    .arg(percent(*contribution.share))
                    .arg(m_pulls.ranks.size());
    if (!contribution.samples.empty()) text += tr("\nsamples %1").arg(samplesText(contribution.samples, kMaxListed));
    return {text + tr("\nClick to see the samples on the Shards page")};
}

}  // namespace ringside
