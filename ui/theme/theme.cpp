// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QProxyStyle>
#include <QRegularExpression>
#include <QStyleFactory>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "theme/palette_colors.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr int kNotePixels = 11;
constexpr int kBodyPixels = 13;
constexpr int kSentencePixels = 12;
constexpr int kTitlePixels = 15;
constexpr int kHeadlinePixels = 20;

QString familyName() {
    static const QString family = QFontDatabase::families().contains(QStringLiteral("Inter"))
                                      ? QStringLiteral("Inter")
                                      : QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    return family;
}

QFont fontOf(int pixels, QFont::Weight weight) {
    QFont font(familyName());
    font.setPixelSize(typeScaled(pixels));
    font.setWeight(weight);
    return font;
}

// Enables tabular figures (digits of equal width) if Qt is version 6.7 or newer, which has QFont::setFeature().
template <class Font>
void useTabularFigures(Font& font) {
    if constexpr (requires { font.setFeature("tnum", 1U); }) font.setFeature("tnum", 1U);
}

// Qt's Fusion style, but menus do not underline the letters of keyboard access. Alt with the letter still works.
class CalmStyle final : public QProxyStyle {
  public:
    CalmStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override {
        return hint == SH_UnderlineShortcut ? 0 : QProxyStyle::styleHint(hint, option, widget, data);
    }
};

// Returns a length for the style sheet, such as "18px", for `pixels` at the normal type size. The length grows with the
// type size.
QString typePixels(int pixels) {
    return QStringLiteral("%1px").arg(typeScaled(pixels));
}

// Returns the style sheet `sheet` in which each length between two @, such as @18px@, is replaced by its length at the
// present type size.
QString withTypeLengths(QString sheet) {
    static const QRegularExpression kLength(QStringLiteral("@(\\d+)px@"));
    for (QRegularExpressionMatch found = kLength.match(sheet); found.hasMatch(); found = kLength.match(sheet))
        sheet.replace(found.capturedStart(), found.capturedLength(), typePixels(found.captured(1).toInt()));
    return sheet;
}

// Returns the style sheet of the application, in which each @name@ is replaced by the theme's value with this name.
QString styleSheetOf(const ThemeColors& c, Theme::Mode mode) {
    QFile file(QStringLiteral(":/theme/theme.qss"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QString sheet = QString::fromUtf8(file.readAll());
    const std::array<std::pair<const char*, QString>, 24> values = {{
        {"window", c.window.name()},
        {"panel", c.panel.name()},
        {"border", c.border.name()},
        {"text", c.text.name()},
        {"muted", c.muted.name()},
        {"grid", c.grid.name()},
        {"accent", c.accent.name()},
        {"accentSoft", c.accentSoft.name()},
        {"onAccent", c.onAccent.name()},
        {"accentHover", c.accent.lighter(mode == Theme::Mode::Light ? 112 : 108).name()},
        {"good", c.goodText.name()},
        {"warning", c.warningText.name()},
        {"danger", c.danger.name()},
        {"field", c.field.name()},
        {"icons", mode == Theme::Mode::Light ? QStringLiteral(":/icons/light") : QStringLiteral(":/icons/dark")},
        {"note", typePixels(kNotePixels)},
        {"sentence", typePixels(kSentencePixels)},
        {"body", typePixels(kBodyPixels)},
        {"title", typePixels(kTitlePixels)},
        {"headline", typePixels(kHeadlinePixels)},
        {"corner", QStringLiteral("%1px").arg(Theme::kCorner)},
        {"space1", QStringLiteral("%1px").arg(Theme::kSpace1)},
        {"space2", QStringLiteral("%1px").arg(Theme::kSpace2)},
        {"inner", typePixels(Theme::kControlHeight - 2)},
    }};
    for (const auto& [name, value] : values)
        sheet.replace(QLatin1Char('@') + QLatin1String(name) + QLatin1Char('@'), value);
    return withTypeLengths(sheet);
}

QColor mixed(const QColor& color, const QColor& other, double share) {
    return QColor::fromRgbF(static_cast<float>(color.redF() + (other.redF() - color.redF()) * share),
                            static_cast<float>(color.greenF() + (other.greenF() - color.greenF()) * share),
                            static_cast<float>(color.blueF() + (other.blueF() - color.blueF()) * share));
}

}  // namespace

Theme::Theme(QObject* parent) : QObject(parent), m_colors(lightColors()) {}

void Theme::setMode(Mode mode) {
    m_mode = mode;
    m_colors = mode == Mode::Light ? lightColors() : darkColors();
    applyToApplication();
    Q_EMIT changed();
}

int Theme::typePercent() const {
    return ringside::typePercent();
}

int Theme::nextTypePercent(int steps) const {
    const auto present = std::ranges::find(kTypeSizes, typePercent()) - kTypeSizes.begin();
    const auto last = static_cast<std::ptrdiff_t>(kTypeSizes.size()) - 1;
    return kTypeSizes[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(present + steps, 0, last))];
}

void Theme::setTypePercent(int percent) {
    const int nearest = *std::ranges::min_element(kTypeSizes, {}, [&](int size) { return std::abs(size - percent); });
    if (nearest == ringside::typePercent()) return;
    removeStyleSheet();  // first, so that widgets adapt to the new type size only when they have their new style
    setTypeScale(nearest);
    applyToApplication();
    Q_EMIT changed();
}

// Removes the style sheet of the application before its font, its palette or its style sheet changes. If a style sheet
// is replaced by another one, Qt polishes each widget once for each of its ancestors, which takes about 1 s in the main
// window. If the old style sheet is removed first, Qt polishes each widget only twice.
void Theme::removeStyleSheet() {
    qApp->setStyleSheet({});
}

void Theme::applyToApplication() {
    if (!m_styled)
        QApplication::setStyle(new CalmStyle);  // the style is set only once; later calls change only the colours
    m_styled = true;
    removeStyleSheet();
    QApplication::setFont(bodyFont());
    QApplication::setPalette(paletteOf(m_colors));
    qApp->setStyleSheet(styleSheetOf(m_colors, m_mode));
}

QColor Theme::rankColor(int rank) const {
    // Share of white or black that is mixed into the base colour: nothing for ranks 0-7, white for ranks 8-15, black
    // for ranks 16-23, white for ranks 24-31. Higher ranks repeat these 32 colours.
    static constexpr std::array<double, 4> kShares = {0, 0.45, 0.35, 0.7};
    const QColor base = okabeIto(rank);
    const auto cycle = static_cast<std::size_t>(rank / 8) % kShares.size();
    if (cycle == 0) return base;
    return mixed(base, cycle == 2 ? QColor(Qt::black) : QColor(Qt::white), kShares[cycle]);
}

QColor Theme::classColor(int label) const {
    const QColor base = tolMuted(label);
    const int cycle = (label / 10) % 3;
    return cycle == 0 ? base : mixed(base, cycle == 1 ? QColor(Qt::white) : QColor(Qt::black), 0.4);
}

QFont Theme::smallFont() const {
    return fontOf(kNotePixels, QFont::Normal);
}
QFont Theme::bodyFont() const {
    return fontOf(kBodyPixels, QFont::Normal);
}
QFont Theme::titleFont() const {
    return fontOf(kTitlePixels, QFont::DemiBold);
}

QFont Theme::numberFont() const {
    QFont font = fontOf(kBodyPixels, QFont::DemiBold);
    useTabularFigures(font);
    return font;
}

}  // namespace ringside
