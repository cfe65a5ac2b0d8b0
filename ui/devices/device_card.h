// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "devices/device_text.h"
#include "identity/text_source.h"

namespace ringside {

class Theme;

// Card of one device: name, details, a bar for its memory, and the reason if it is not used.
class DeviceCard final : public QWidget, public TextSource {
    Q_OBJECT
  public:
    DeviceCard(const DeviceDescription& device, const Theme& theme, QWidget* parent = nullptr);

    QString copyText() const override;
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QRect inner() const;
    int whyNotHeight(int width) const;

    DeviceDescription m_device;
    const Theme& m_theme;
};

}  // namespace ringside
