// SPDX-License-Identifier: GPL-3.0-or-later
#include "status/log_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "identity/identity.h"
#include "telemetry/events/event_choices.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kTimeWidth{84}, kSpeakerWidth{64};

// Draws a log line with its time and its source (rank or run) in columns, and warnings and errors in colours.
class LogDelegate final : public QStyledItemDelegate {
  public:
    LogDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem whole = option;
        initStyleOption(&whole, index);
        whole.text.clear();
        whole.widget->style()->drawControl(QStyle::CE_ItemViewItem, &whole, painter, whole.widget);
        painter->save();
        painter->setFont(whole.font);
        painter->setPen(whole.palette.color(QPalette::Text));
        QRect place = option.rect.adjusted(Theme::kSpace1, 0, -Theme::kSpace1, 0);
        painter->drawText(QRect(place.left(), place.top(), kTimeWidth, place.height()),
                          Qt::AlignRight | Qt::AlignVCenter, index.data(LogModel::TimeRole).toString());
        place.setLeft(place.left() + kTimeWidth + Theme::kSpace4);
        painter->drawText(QRect(place.left(), place.top(), kSpeakerWidth, place.height()),
                          Qt::AlignLeft | Qt::AlignVCenter, index.data(LogModel::SpeakerRole).toString());
        place.setLeft(place.left() + kSpeakerWidth);
        const QString text = index.data(LogModel::TextRole).toString();
        painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                          whole.fontMetrics.elidedText(text, Qt::ElideRight, place.width()));
        painter->restore();
    }

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const auto level = static_cast<LogLevel>(index.data(LogModel::LevelRole).toInt());
        const ThemeColors& c = m_theme.colors();
        const QColor color = level == LogLevel::kError     ? c.danger
                             : level == LogLevel::kWarning ? c.warningText
                                                           : c.text;
        option->palette.setColor(QPalette::Text, color);
        option->palette.setColor(QPalette::HighlightedText, color);
    }

  private:
    const Theme& m_theme;
};

// List of the log lines. Each line belongs to a rank or to the whole run.
class LogList final : public QListView, public IdentitySource {
  public:
    LogList(const Theme& theme, QWidget* parent) : QListView(parent), m_theme(theme) {}

    std::vector<Identity> identitiesAt(const QPoint& point) const override {
        const QModelIndex line = indexAt(viewport()->mapFrom(this, point));
        const int rank = line.isValid() ? line.data(LogModel::RankRole).toInt() : -1;
        return rank < 0 ? std::vector<Identity>() : std::vector<Identity>{{IdentityKind::Rank, rank}};
    }

  protected:
    void paintEvent(QPaintEvent* event) override {
        QListView::paintEvent(event);
        if (model()->rowCount() > 0) return;
        QPainter painter(viewport());
        painter.setPen(m_theme.colors().muted);
        painter.drawText(viewport()->rect().adjusted(Theme::kSpace1, Theme::kSpace1, 0, 0),
                         Qt::AlignLeft | Qt::AlignTop, LogPanel::tr("No messages yet"));
    }

  private:
    const Theme& m_theme;
};

}  // namespace

LogPanel::LogPanel(const RunModel& run, const Theme& theme, QWidget* parent) : QWidget(parent), m_model(run) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace3, Theme::kSpace1, Theme::kSpace3, 0);
    column->setSpacing(Theme::kSpace1);
    column->addWidget(makeHeader());
    m_view = new LogList(theme, this);
    m_view->setObjectName(QStringLiteral("logListView"));
    m_view->setAccessibleName(tr("Log of the run"));
    m_view->setToolTip(tr("Messages of the ranks and of the supervisor, the process that starts them"));
    m_view->setModel(&m_model);
    m_view->setUniformItemSizes(true);
    m_view->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setItemDelegate(new LogDelegate(theme, m_view));
    column->addWidget(m_view, 1);
    // Scrolls to the newest line if the end of the log is visible, that is, if the user has not scrolled up.
    connect(&m_model, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
        const QScrollBar* bar = m_view->verticalScrollBar();
        m_view->setProperty("follows", bar->value() >= bar->maximum() - 2);
    });
    connect(&m_model, &QAbstractItemModel::rowsInserted, this, [this] {
        if (m_view->property("follows").toBool()) m_view->scrollToBottom();
    });
}

QWidget* LogPanel::makeHeader() {
    auto* header = new QWidget(this);
    auto* line = new QHBoxLayout(header);
    line->setContentsMargins(0, 0, 0, 0);
    auto* title = new QLabel(tr("Log"), header);
    title->setProperty("role", "title");
    auto* copy = new QPushButton(tr("Copy all"), header);
    copy->setObjectName(QStringLiteral("copyLogButton"));
    copy->setToolTip(tr("Copy the whole log to the clipboard"));
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_model.allText()); });
    line->addWidget(title, 1);
    line->addWidget(copy);
    return header;
}

}  // namespace ringside
