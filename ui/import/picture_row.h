// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <vector>

#include "import/data_check.h"

namespace ringside {

class Theme;

// Panel with pictures of samples and the names of their classes, in rows. Pictures that do not fit are not shown.
class PictureRow final : public QFrame {
    Q_OBJECT
  public:
    explicit PictureRow(Theme& theme, QWidget* parent = nullptr);
    void setPictures(std::vector<SamplePicture> pictures);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    Theme& m_theme;
    std::vector<SamplePicture> m_pictures;
};

}  // namespace ringside
