// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "devices/device_text.h"
#include "identity/text_source.h"

namespace ringside {

class Theme;

// Card of one device (CPU or GPU): name, properties, a bar with the used share of its memory and, if it is not used,
// the reason.
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
