// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/gradient_picture.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypeLength kNames{96};   // width of the column with the names of the tensors
constexpr TypeLength kHeads{40};   // height of each column's title and note, above the heat maps
constexpr TypeLength kLegend{22};  // height of the legend, below the heat maps
constexpr double kBar = 120;       // width of the legend's color bar
constexpr TypeLength kMinRow{16};
constexpr TypeLength kMinColumn{36};
// The picture has one row per tensor. Rows share the free height in proportion to the number of cell rows in the
// tensor's heat map; numbers above this limit count as this limit.
constexpr std::int64_t kMaxWeight = 64;

QString norm(double value) {
    return QString::number(value, 'g', 3);
}

QColor mixed(const QColor& from, const QColor& to, double share) {
    const auto part = [share](int a, int b) { return a + static_cast<int>(std::lround(share * (b - a))); };
    return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

// Returns the colour of a value: blue for negative and vermilion for positive values, because colour-blind people can
// distinguish the two. The square root of the value's fraction of `scale` makes small values visible.
QColor heat(double value, double scale, const Theme& theme) {
    if (!std::isfinite(value)) return theme.colors().danger;
    if (scale <= 0) return theme.colors().panel;
    // Colours of negative and positive values, as indices in the palette of the ranks.
    constexpr int kBelow = 0, kAbove = 5;
    const QColor full = theme.rankColor(value < 0 ? kBelow : kAbove);
    return mixed(theme.colors().panel, full, std::sqrt(std::min(1.0, std::abs(value) / scale)));
}

// Returns the index of a tensor's first cell in `view.cells`, which contains the cells of all tensors.
std::size_t offsetOf(const GradientView& view, std::size_t tensor) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < tensor; ++i) begin += view.rows[i] * view.columns[i];
    return static_cast<std::size_t>(begin);
}

// Returns the left edge of the legend's text, to the right of the color bar.
double legendLeft() {
    return kNames + 3 + kBar + 8;
}

QString legendText() {
    return GradientPicture::tr("negative \u2013 zero \u2013 positive; all gradients of a tensor have the same scale");
}

}  // namespace

GradientPicture::GradientPicture(const Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(QStringLiteral("gradientPicture"));
    setAccessibleName(tr("Gradients of each rank"));
    m_flow.setStartValue(0.0);
    m_flow.setEndValue(1.0);
    m_flow.setDuration(Theme::kMotionMs);
    m_flow.setEasingCurve(QEasingCurve::InOutCubic);
    connect(&m_flow, &QVariantAnimation::valueChanged, this, [this] { update(); });
}

void GradientPicture::restyle() {
    makeImages();
    update();
}

void GradientPicture::setStep(const InspectedStep* step, const std::vector<int>& ranks, bool summed) {
    const bool same = step && m_step.step == step->step && !m_step.own.empty();
    const bool hadMean = m_step.meanWithCells() != nullptr, hadChange = m_step.changeWithCells() != nullptr;
    m_summed = summed;
    m_step = step ? *step : InspectedStep();
    m_ranks = ranks;
    for (std::size_t rank = 0; rank < m_step.own.size(); ++rank) {
        if (std::ranges::find(ranks, static_cast<int>(rank)) != ranks.end()) continue;
        for (auto* views : {&m_step.own, &m_step.mean, &m_step.change}) (*views)[rank].reset();
    }
    makeImages();
    if (same && !hadChange && m_step.changeWithCells()) startFlow(Flow::ToWeights);
    if (same && !hadMean && m_step.meanWithCells()) startFlow(Flow::ToMean);
    updateGeometry();
    update();
}

void GradientPicture::startFlow(Flow flow) {
    if (!theme().allowsMotion() || !isVisible()) return;
    m_flow.stop();
    m_flowing = flow;
    m_flow.start();
}

void GradientPicture::makeImages() {
    m_images.clear();
    const GradientView* any = anyView();
    if (!any) return;
    for (const Column& column : columns()) {
        auto& images = m_images.emplace_back();
        for (std::size_t tensor = 0; column.view && tensor < column.view->rows.size(); ++tensor)
            images.push_back(imageOf(*column.view, tensor, scaleOf(tensor, column)));
    }
}

// Draws a frame of the animation for one tensor: the images of the local gradients move to the column of the mean, or
// the image of the mean moves to the column of the weight change.
void GradientPicture::paintMovingGradients(QPainter& painter, std::size_t tensor) const {
    if (!isFlowing() || m_flowing == Flow::None) return;
    const double share = m_flow.currentValue().toDouble();
    const std::size_t mean = m_ranks.size(), change = mean + 1;
    const std::size_t to = m_flowing == Flow::ToMean ? mean : change;
    const std::size_t first = m_flowing == Flow::ToMean ? 0 : mean, last = m_flowing == Flow::ToMean ? mean : change;
    painter.save();
    painter.setOpacity(0.85 * (1 - share) + 0.1);
    for (std::size_t from = first; from < last; ++from) {
        if (from >= m_images.size() || tensor >= m_images[from].size()) continue;
        QRectF place = imageRect(tensor, from);
        place.translate((imageRect(tensor, to).left() - place.left()) * share, 0);
        painter.drawImage(place, m_images[from][tensor]);
    }
    painter.restore();
}

std::vector<GradientPicture::Column> GradientPicture::columns() const {
    std::vector<Column> all;
    for (const int number : m_ranks) {
        const auto rank = static_cast<std::size_t>(number);
        if (rank >= m_step.own.size()) continue;
        Column one{nullptr, tr("rank %1").arg(number), {}, number};
        if (m_step.own[rank]) {
            one.view = &*m_step.own[rank];
            one.note = tr("|g| %1").arg(norm(one.view->norm));
        }
        const auto& mean = m_step.mean[rank];
        if (mean && std::isfinite(mean->cosine)) one.note += tr("  cos %1").arg(mean->cosine, 0, 'f', 2);
        all.push_back(one);
    }
    Column mean{m_step.meanWithCells(), m_summed ? tr("sum of gradients (not averaged)") : tr("mean gradient"), {}, -1};
    if (mean.view) mean.note = tr("|g| %1").arg(norm(mean.view->norm));
    Column change{m_step.changeWithCells(), tr("weight change"), {}, -1};
    if (change.view) change.note = tr("|\u0394w| %1").arg(norm(change.view->norm));
    all.push_back(mean);
    all.push_back(change);
    return all;
}

const GradientView* GradientPicture::anyView() const {
    for (const auto& one : m_step.own)
        if (one && !one->cells.empty()) return &*one;
    return nullptr;
}

QSize GradientPicture::minimumSizeHint() const {
    const GradientView* view = anyView();
    const double rows = view ? static_cast<double>(view->names.size()) : 4;
    const double columns = kNames + kMinColumn * static_cast<double>(m_ranks.size() + 2);
    return {static_cast<int>(std::ceil(columns)), static_cast<int>(kHeads + kLegend + rows * kMinRow)};
}

// Returns the y position of the top of each tensor's row, and of the bottom of the last row. See kMaxWeight for the
// heights.
std::vector<double> GradientPicture::rowTops() const {
    const GradientView& view = *anyView();
    double weights = 0;
    const auto weightOf = [&](std::size_t tensor) {
        return view.rows[tensor] == 1 ? 0.0 : static_cast<double>(std::min(view.rows[tensor], kMaxWeight));
    };
    for (std::size_t i = 0; i < view.names.size(); ++i) weights += weightOf(i);
    const double least = kMinRow * static_cast<double>(view.names.size());
    const double room = std::max(0.0, height() - kHeads - kLegend - least);
    std::vector<double> tops{kHeads};
    for (std::size_t i = 0; i < view.names.size(); ++i)
        tops.push_back(tops.back() + kMinRow + (weights > 0 ? room * weightOf(i) / weights : 0));
    return tops;
}

QRectF GradientPicture::imageRect(std::size_t tensor, std::size_t column) const {
    const std::vector<double> tops = rowTops();
    const double wide = (width() - kNames) / static_cast<double>(m_ranks.size() + 2);
    const double left = kNames + wide * static_cast<double>(column);
    return QRectF(left, tops[tensor], wide, tops[tensor + 1] - tops[tensor]).adjusted(3, 2, -3, -2);
}

double GradientPicture::scaleOf(std::size_t tensor, const Column& column) const {
    double most = 0;
    const auto include = [&](const GradientView* view) {
        if (!view || view->cells.empty()) return;
        const std::size_t begin = offsetOf(*view, tensor);
        const auto count = static_cast<std::size_t>(view->rows[tensor] * view->columns[tensor]);
        for (std::size_t i = begin; i < begin + count; ++i)
            if (std::isfinite(view->cells[i])) most = std::max(most, std::abs(view->cells[i]));
    };
    if (column.view == m_step.changeWithCells()) {
        include(column.view);
        return most;
    }
    for (const auto& one : m_step.own) include(one ? &*one : nullptr);
    include(m_step.meanWithCells());
    return most;
}

QImage GradientPicture::imageOf(const GradientView& view, std::size_t tensor, double scale) const {
    const auto rows = static_cast<int>(view.rows[tensor]);
    const auto columns = static_cast<int>(view.columns[tensor]);
    QImage image(columns, rows, QImage::Format_RGB32);
    std::size_t next = offsetOf(view, tensor);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            image.setPixelColor(column, row, heat(view.cells[next++], scale, theme()));
    return image;
}

void GradientPicture::paintHeads(QPainter& painter, const std::vector<Column>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRectF place = imageRect(0, i);
        if (all[i].rank >= 0)
            painter.fillRect(QRectF(place.left(), kHeads - 4, place.width(), 3), theme().rankColor(all[i].rank));
        const QFontMetrics metrics(theme().smallFont());
        const auto room = static_cast<int>(place.width());
        painter.setPen(theme().colors().text);
        painter.drawText(QRectF(place.left(), 2, place.width(), 16), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(all[i].title, Qt::ElideRight, room));
        painter.setPen(theme().colors().muted);
        painter.drawText(QRectF(place.left(), 18, place.width(), 16), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(all[i].note, Qt::ElideRight, room));
    }
}

void GradientPicture::paintLegend(QPainter& painter) const {
    const QRectF bar(kNames + 3, height() - kLegend + 8, kBar, 8);
    QLinearGradient colors(bar.topLeft(), bar.topRight());
    for (int i = 0; i <= 8; ++i) colors.setColorAt(i / 8.0, heat(i / 4.0 - 1, 1, theme()));
    painter.fillRect(bar, colors);
    painter.setPen(theme().colors().muted);
    const QRectF place(legendLeft(), height() - kLegend, width() - legendLeft(), kLegend);
    painter.drawText(place, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(legendText(), Qt::ElideRight, static_cast<int>(place.width())));
}

void GradientPicture::paintEvent(QPaintEvent*) {
    const GradientView* any = anyView();
    if (!any) return;
    QPainter painter(this);
    painter.setFont(theme().smallFont());
    const std::vector<Column> all = columns();
    paintHeads(painter, all);
    for (std::size_t tensor = 0; tensor < any->names.size(); ++tensor) {
        const QRectF first = imageRect(tensor, 0);
        painter.setPen(theme().colors().muted);
        const QString name = QString::fromStdString(any->names[tensor]);
        painter.drawText(QRectF(0, first.top(), kNames - 8, first.height()), Qt::AlignRight | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(name, Qt::ElideLeft, static_cast<int>(kNames) - 8));
        for (std::size_t i = 0; i < all.size(); ++i) {
            const QRectF place = imageRect(tensor, i);
            const GradientView* view = all[i].view;
            const bool arrives = isFlowing() && i == m_ranks.size() + (m_flowing == Flow::ToMean ? 0U : 1U);
            painter.setOpacity(arrives ? m_flow.currentValue().toDouble() : 1);
            if (i < m_images.size() && tensor < m_images[i].size()) painter.drawImage(place, m_images[i][tensor]);
            painter.setOpacity(1);
            painter.setPen(theme().colors().border);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(place);
            if (view || tensor > 0) continue;
            painter.setPen(theme().colors().muted);
            painter.drawText(place, Qt::AlignCenter, tr("not yet"));
        }
        paintMovingGradients(painter, tensor);
    }
    paintLegend(painter);
}

Picture::Tip GradientPicture::tipAt(const QPoint& at) const {
    const GradientView* any = anyView();
    if (!any) return {};
    const std::vector<Column> all = columns();
    for (std::size_t tensor = 0; tensor < any->names.size(); ++tensor) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const QRectF place = imageRect(tensor, i);
            const GradientView* view = all[i].view;
            if (!view || !place.contains(at) || tensor >= view->rows.size()) continue;
            const auto share = [](double offset, double length) { return std::clamp(offset / length, 0.0, 0.999999); };
            const auto row = static_cast<std::int64_t>(share(at.y() - place.top(), place.height()) *
                                                       static_cast<double>(view->rows[tensor]));
            const auto column = static_cast<std::int64_t>(share(at.x() - place.left(), place.width()) *
                                                          static_cast<double>(view->columns[tensor]));
            const std::size_t cell =
                offsetOf(*view, tensor) + static_cast<std::size_t>(row * view->columns[tensor] + column);
            return {tr("Tensor %1, %2\nvalue at row %3, column %4: %5\nnorm of the tensor: %6")
                        .arg(QString::fromStdString(view->names[tensor]), all[i].title)
                        .arg(row)
                        .arg(column)
                        .arg(view->cells[cell], 0, 'g', 5)
                        .arg(view->tensorNorms[tensor], 0, 'g', 4)};
        }
    }
    return {};
}

std::vector<Identity> GradientPicture::identitiesAt(const QPoint& point) const {
    std::vector<Identity> found;
    if (!anyView()) return found;
    const std::vector<Column> all = columns();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRectF place = imageRect(0, i);
        if (all[i].rank >= 0 && point.x() >= place.left() && point.x() < place.right())
            found.push_back({IdentityKind::Rank, all[i].rank});
    }
    found.push_back({IdentityKind::Step, m_step.step});
    return found;
}

}  // namespace ringside
