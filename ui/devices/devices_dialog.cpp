// SPDX-License-Identifier: GPL-3.0-or-later
#include "devices/devices_dialog.h"

#include <QHBoxLayout>
#include <QScrollArea>

#include "devices/device_card.h"
#include "models/device_query.h"
#include "models/experiment_model.h"
#include "theme/dialog_size.h"
#include "theme/theme.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr QSize kSize{560, 560};

QLabel* label(QWidget* parent, const char* name, const char* role) {
    auto* made = new QLabel(parent);
    made->setObjectName(QLatin1String(name));
    if (*role) made->setProperty("role", role);
    made->setWordWrap(true);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return made;
}

}  // namespace

DevicesDialog::DevicesDialog(ExperimentModel& experiment, DeviceQuery& query, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_experiment(experiment), m_query(query), m_theme(theme) {
    setObjectName(QStringLiteral("devicesDialog"));
    setWindowTitle(tr("Devices"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_cards = addFrame();
    connect(m_again, &QPushButton::clicked, this, &DevicesDialog::queryDevices);
    connect(&experiment, &ExperimentModel::configChanged, this, &DevicesDialog::refreshChoice);
    connect(&query, &DeviceQuery::found, this, &DevicesDialog::showHost);
    connect(&query, &DeviceQuery::failed, this, [this](const QString& why) {
        clearCards();
        m_status->setText(why);
        m_status->show();
        m_again->setEnabled(true);
    });
    refreshChoice();
    queryDevices();
    resizeDialog(*this, kSize);
}

QVBoxLayout* DevicesDialog::addFrame() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace5, Theme::kSpace4, Theme::kSpace5, Theme::kSpace4);
    column->setSpacing(Theme::kSpace2);
    auto* title = new QLabel(tr("Devices on which ranks can compute"), this);
    title->setProperty("role", "title");
    column->addWidget(title);
    m_choice = label(this, "deviceChoiceLabel", "");
    column->addWidget(m_choice);
    m_status = label(this, "deviceStatusLabel", "muted");
    column->addWidget(m_status);
    auto* area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* inside = new QWidget(area);
    auto* cards = new QVBoxLayout(inside);
    cards->setContentsMargins(0, Theme::kSpace1, 0, 0);
    cards->setSpacing(Theme::kSpace2);
    cards->addStretch(1);
    area->setWidget(inside);
    area->viewport()->setAutoFillBackground(false);
    inside->setAutoFillBackground(false);
    column->addWidget(area, 1);
    auto* buttons = new QHBoxLayout;
    m_again = new QPushButton(tr("Refresh"), this);
    m_again->setObjectName(QStringLiteral("askDevicesButton"));
    m_again->setToolTip(tr("Read memory, temperature and power from the driver again"));
    m_again->setAutoDefault(false);
    auto* close = new QPushButton(tr("Close"), this);
    close->setObjectName(QStringLiteral("closeDevicesButton"));
    close->setDefault(true);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    buttons->addWidget(m_again);
    buttons->addStretch(1);
    buttons->addWidget(close);
    column->addLayout(buttons);
    return cards;
}

void DevicesDialog::queryDevices() {
    m_again->setEnabled(false);
    m_status->setText(tr("Reading the devices\u2026"));
    m_status->show();
    m_query.start();
}

void DevicesDialog::clearCards() {
    while (m_cards->count() > 1) {
        const QLayoutItem* item = m_cards->takeAt(0);
        item->widget()->deleteLater();
        delete item;
    }
}

void DevicesDialog::addNote(const QString& text, const char* name) {
    if (text.isEmpty()) return;
    QLabel* note = label(this, name, "note");
    note->setText(text);
    m_cards->insertWidget(m_cards->count() - 1, note);
}

void DevicesDialog::showHost(const HostDevices& host) {
    clearCards();
    m_status->hide();
    m_again->setEnabled(true);
    const auto addCard = [this](const DeviceDescription& device) {
        m_cards->insertWidget(m_cards->count() - 1, new DeviceCard(device, m_theme, this));
    };
    addCard(describeCpu(host));
    for (const GpuInfo& gpu : host.gpus.gpus) addCard(describeGpu(gpu));
    if (host.gpus.usableCount() == 0) addNote(tr("No GPU is used. %1").arg(sentenceText(host.gpus.why)), "noGpuLabel");
    addNote(linkLines(host.gpus).join(QLatin1Char('\n')), "linksLabel");
    addNote(versionLine(host.gpus), "versionsLabel");
    refreshChoice();
}

void DevicesDialog::refreshChoice() {
    const ComputeChoice choice = m_experiment.compute();
    const QString why = sentenceText(choice.whyDevice) + QLatin1Char(' ') + sentenceText(choice.whyBackend);
    m_choice->setText(tr("This experiment: %1").arg(inFormWords(why)));
}

}  // namespace ringside
