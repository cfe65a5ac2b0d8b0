// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/palette_colors.h"

#include <array>

namespace ringside {

ThemeColors lightColors() {
    ThemeColors c;
    c.window = QColor(0xF6F7F9);
    c.panel = QColor(0xFFFFFF);
    c.border = QColor(0xE1E4EA);
    c.text = QColor(0x1B2430);
    c.muted = QColor(0x667085);
    c.grid = QColor(0xEEF0F4);
    c.accent = QColor(0x3B5BDB);
    c.accentSoft = QColor(0xEEF1FD);
    c.onAccent = QColor(0xFFFFFF);
    c.good = QColor(0x2B8A3E);
    c.warning = QColor(0xE67700);
    c.danger = QColor(0xC92A2A);
    c.field = QColor(0xF6F7F9);
    c.goodText = QColor(0x237A35);
    c.warningText = QColor(0xA85400);
    return c;
}

ThemeColors darkColors() {
    ThemeColors c;
    c.window = QColor(0x14171C);
    c.panel = QColor(0x1B1F26);
    c.border = QColor(0x2B313B);
    c.text = QColor(0xE6E9EF);
    c.muted = QColor(0x98A2B3);
    c.grid = QColor(0x252A33);
    c.accent = QColor(0x748FFC);
    c.accentSoft = QColor(0x232A45);
    c.onAccent = QColor(0x14171C);
    c.good = QColor(0x69DB7C);
    c.warning = QColor(0xFFA94D);
    c.danger = QColor(0xFF8787);
    c.field = QColor(0x14171C);
    c.goodText = c.good;
    c.warningText = c.warning;
    return c;
}

QPalette paletteOf(const ThemeColors& c) {
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.panel);
    palette.setColor(QPalette::AlternateBase, c.window);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, c.muted);
    palette.setColor(QPalette::Button, c.panel);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::BrightText, c.danger);
    palette.setColor(QPalette::ToolTipBase, c.panel);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Highlight, c.accent);
    palette.setColor(QPalette::HighlightedText, c.onAccent);
    palette.setColor(QPalette::Link, c.accent);
    palette.setColor(QPalette::Mid, c.border);
    palette.setColor(QPalette::Midlight, c.grid);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, c.muted);
    }
    return palette;
}

QColor okabeIto(int index) {
    static constexpr std::array<QRgb, 8> kColors = {0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7,
                                                    0x56B4E9, 0xD55E00, 0xF0E442, 0x7F7F7F};
    return QColor::fromRgb(kColors[static_cast<std::size_t>(index) % kColors.size()]);
}

QColor tolMuted(int index) {
    static constexpr std::array<QRgb, 10> kColors = {0x332288, 0x88CCEE, 0x44AA99, 0x117733, 0x999933,
                                                     0xDDCC77, 0xCC6677, 0x882255, 0xAA4499, 0xBBBBBB};
    return QColor::fromRgb(kColors[static_cast<std::size_t>(index) % kColors.size()]);
}

}  // namespace ringside
