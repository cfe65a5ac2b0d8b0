// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/step/step_panel.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr TypePixels kRowHeight{22};
constexpr TypeLength kNameWidth{74};

}  // namespace

// Table of milliseconds by phase and rank. It paints itself, because the numbers change 25 times a second.
class StepPanel::Figures final : public QWidget {
  public:
    Figures(const StepPanel& panel, const Theme& theme) : m_panel(panel), m_theme(theme) {
        setObjectName(QStringLiteral("stepFiguresArea"));
        setAccessibleName(QObject::tr("Milliseconds by phase and rank"));
    }
    QSize sizeHint() const override {
        return {240, kRowHeight * (static_cast<int>(m_panel.numbers().rows.size()) + 1)};
    }
    // Returns the rank of the column at x; -1 for the names and for the median.
    int rankAt(int x) const {
        for (std::size_t column = 0; column < m_panel.numbers().ranks.size(); ++column) {
            const QRectF place = cell(column, 0);
            if (x >= place.left() && x < place.right()) return m_panel.numbers().ranks[column];
        }
        return -1;
    }
    // Each column has room for a number with five digits.
    QSize minimumSizeHint() const override {
        const int column =
            QFontMetrics(m_theme.bodyFont()).horizontalAdvance(QStringLiteral("99.999")) + Theme::kSpace1;
        const auto columns = static_cast<int>(std::max<std::size_t>(m_panel.numbers().ranks.size(), 1));
        return {static_cast<int>(kNameWidth) + columns * column, sizeHint().height()};
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const StepNumbers& numbers = m_panel.numbers();
        paintHead(painter, numbers);
        for (std::size_t row = 0; row < numbers.rows.size(); ++row)
            paintRow(painter, numbers.rows[row], kRowHeight * (static_cast<int>(row) + 1));
    }

  private:
    QRectF cell(std::size_t column, int top) const {
        const auto count = static_cast<double>(m_panel.numbers().ranks.size());
        const double width = (this->width() - kNameWidth) / std::max(count, 1.0);
        return {kNameWidth + static_cast<double>(column) * width, static_cast<double>(top), width,
                static_cast<double>(kRowHeight)};
    }
    void paintHead(QPainter& painter, const StepNumbers& numbers) const {
        painter.setFont(m_theme.smallFont());
        painter.setPen(m_theme.colors().muted);
        bool named = false;  // true after the first heading "rank N"; later headings contain only the number
        for (std::size_t at = 0; at < numbers.ranks.size(); ++at) {
            const int rank = numbers.ranks[at];
            const QString text = rank < 0 ? QObject::tr("median")
                                 : named  ? QString::number(rank)
                                          : QObject::tr("rank %1").arg(rank);
            named = named || rank >= 0;
            painter.drawText(cell(at, 0), Qt::AlignRight | Qt::AlignVCenter, text);
        }
    }
    void paintRow(QPainter& painter, const StepNumbers::Row& row, int top) const {
        const ThemeColors& c = m_theme.colors();
        painter.fillRect(QRectF(0, top, width(), 1), c.grid);
        painter.setFont(m_theme.bodyFont());
        painter.setPen(c.text);
        painter.drawText(QRectF(0, top, kNameWidth, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter, row.name);
        for (std::size_t at = 0; at < row.ms.size(); ++at) {
            const bool out = row.outlier == static_cast<int>(at);
            painter.setFont(out ? m_theme.numberFont() : m_theme.bodyFont());
            painter.setPen(out ? c.warningText : c.text);
            painter.drawText(cell(at, top), Qt::AlignRight | Qt::AlignVCenter,
                             std::isnan(row.ms[at]) ? QStringLiteral("\u2013") : millisecondsNumber(row.ms[at]));
        }
    }

    const StepPanel& m_panel;
    const Theme& m_theme;
};

StepPanel::StepPanel(TimelineModel& model, const Theme& theme, QWidget* parent) : QFrame(parent), m_model(model) {
    setProperty("role", "panel");
    setObjectName(QStringLiteral("stepPanel"));
    setAccessibleName(tr("Numbers of the step"));
    setFocusPolicy(Qt::StrongFocus);  // so that the copy key copies the numbers
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace3);
    column->setSpacing(Theme::kSpace1);
    m_title = new QLabel;
    m_title->setObjectName(QStringLiteral("stepTitleLabel"));
    m_title->setProperty("role", "title");
    m_length = new QLabel;
    m_length->setObjectName(QStringLiteral("stepLengthLabel"));
    m_length->setProperty("role", "title");
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_length);
    column->addLayout(head);
    m_figures = new Figures(*this, theme);
    m_figures->setToolTip(
        tr("Milliseconds in each phase. Orange: value that is farthest from the median of the ranks"));
    column->addWidget(m_figures);
    column->addSpacing(Theme::kSpace1);
    auto* shares = new QHBoxLayout;
    auto* name = new QLabel(tr("exposed communication"));
    name->setProperty("role", "muted");
    name->setToolTip(
        tr("Share of the step in which the average rank only waited for other ranks or transferred bytes"));
    m_exposed = new QLabel;
    m_exposed->setObjectName(QStringLiteral("exposedLabel"));
    m_exposed->setProperty("role", "number");
    shares->addWidget(name, 1);
    shares->addWidget(m_exposed);
    column->addLayout(shares);
    auto* samples = new QHBoxLayout;
    auto* which = new QLabel(tr("Samples of this step"));
    which->setProperty("role", "muted");
    m_show = new QPushButton(tr("Show on Shards page"));
    m_show->setObjectName(QStringLiteral("showInShardsButton"));
    m_show->setProperty("role", "link");
    m_show->setToolTip(tr("Show the samples that the ranks trained on in this step"));
    connect(m_show, &QPushButton::clicked, this,
            [this] { Q_EMIT samplesWanted(m_numbers.step, m_numbers.epoch, std::max(m_model.chosenRank(), 0)); });
    samples->addWidget(which, 1);
    samples->addWidget(m_show);
    column->addLayout(samples);
    for (const auto signal : {&TimelineModel::dataChanged, &TimelineModel::viewChanged, &TimelineModel::choiceChanged})
        connect(&model, signal, this, &StepPanel::refresh);
    connect(&theme, &Theme::changed, m_figures, qOverload<>(&QWidget::update));
    refresh();
}

QString StepPanel::copyText() const {
    if (m_numbers.rows.empty()) return {};
    QString text = tr("step %1, ms").arg(m_numbers.step);
    for (const int rank : m_numbers.ranks)
        text += QLatin1Char('\t') + (rank < 0 ? tr("median") : tr("rank %1").arg(rank));
    text += QLatin1Char('\n');
    for (const StepNumbers::Row& row : m_numbers.rows) {
        text += row.name;
        for (const double ms : row.ms)
            text += QLatin1Char('\t') + (std::isnan(ms) ? QString() : millisecondsNumber(ms));
        text += QLatin1Char('\n');
    }
    text += tr("length of the step\t%1\n").arg(millisecondsNumber(m_numbers.lengthMs));
    return text + tr("exposed communication\t%1 %\n").arg(qRound(100 * m_numbers.exposed));
}

std::vector<Identity> StepPanel::identitiesAt(const QPoint& point) const {
    if (m_numbers.rows.empty()) return {};
    std::vector<Identity> found;
    const QPoint inFigures = m_figures->mapFrom(this, point);
    const int rank = m_figures->rect().contains(inFigures) ? m_figures->rankAt(inFigures.x()) : -1;
    if (rank >= 0) found.push_back({IdentityKind::Rank, rank});
    found.push_back({IdentityKind::Step, m_numbers.step});
    found.push_back({IdentityKind::Epoch, m_numbers.epoch});
    return found;
}

void StepPanel::refresh() {
    const TracedStep* step = m_model.shownStep();
    const std::size_t rows = m_numbers.rows.size();
    const std::size_t columns = m_numbers.ranks.size();
    m_numbers = step == nullptr ? StepNumbers{} : stepNumbers(*step, m_model.chosenRank());
    m_title->setText(step == nullptr ? tr("No step") : tr("Step %1").arg(QLocale().toString(m_numbers.step)));
    m_title->setToolTip(tr("Epoch %1").arg(epochNumber(m_numbers.epoch)));
    m_length->setText(step == nullptr ? QString() : millisecondsText(m_numbers.lengthMs));
    const QString whole = tr("Length of the step, from the start of the first rank to the end of the last rank");
    m_length->setToolTip(m_numbers.pausedMs > 0
                             ? tr("%1, without the pause of %2").arg(whole, millisecondsText(m_numbers.pausedMs))
                             : whole);
    m_exposed->setText(tr("%1 %").arg(qRound(100 * m_numbers.exposed)));
    m_show->setEnabled(step != nullptr);
    if (rows != m_numbers.rows.size() || columns != m_numbers.ranks.size()) m_figures->updateGeometry();
    m_figures->update();
}

}  // namespace ringside
