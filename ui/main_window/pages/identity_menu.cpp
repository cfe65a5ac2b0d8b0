// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/pages/identity_menu.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>

#include "identity/table_identity.h"
#include "main_window/pages/page_links.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "models/step_cursor.h"
#include "pages/navigator.h"

namespace ringside {

IdentityMenu::IdentityMenu(const Window& window, QObject* parent) : QObject(parent), m_window(window) {}

std::vector<Identity> IdentityMenu::identitiesUnder(const QWidget& window, const QPoint& point) {
    for (const QWidget* widget = window.childAt(point); widget && widget != &window; widget = widget->parentWidget()) {
        const QPoint own = widget->mapFrom(&window, point);
        std::vector<Identity> found;
        if (const auto* source = dynamic_cast<const IdentitySource*>(widget)) found = source->identitiesAt(own);
        if (const auto* view = qobject_cast<const QAbstractItemView*>(widget); view && found.empty())
            found = tableIdentitiesAt(*view, view->viewport()->mapFrom(&window, point));
        if (!found.empty()) return found;
    }
    return {};
}

void IdentityMenu::fill(QMenu& menu, const std::vector<Identity>& things) {
    if (things.empty()) return;
    // The title is an action and not a menu section, because with a style sheet a section shows no text.
    QAction* title = menu.addAction(identityText(things.front()));
    title->setEnabled(false);
    menu.addSeparator();
    const auto ranked = std::ranges::find(things, IdentityKind::Rank, &Identity::kind);
    const int rank = ranked == things.end() ? 0 : static_cast<int>(ranked->number);
    addActions(menu, things.front(), rank);
    menu.addSeparator();
    for (std::size_t at = 1; at < things.size(); ++at)
        addActions(*menu.addMenu(identityText(things[at])), things[at], rank);
}

void IdentityMenu::addActions(QMenu& menu, const Identity& thing, int rank) {
    menu.setToolTipsVisible(true);
    const auto add = [&](const QString& text, const char* name, auto deed, const QString& whyNot = {}) {
        QAction* action = menu.addAction(text, this, deed);
        action->setObjectName(QLatin1String(name));
        action->setEnabled(whyNot.isEmpty());
        action->setToolTip(whyNot);
    };
    const bool isRank = thing.kind == IdentityKind::Rank;
    const QString noStep = isRank || stepOf(thing) ? QString() : tr("No step of this epoch trains the sample");
    add(tr("Show in Shards"), "showInShardsAction", [this, thing, rank] { showInShards(thing, rank); });
    add(
        tr("Show in Timeline"), "showInTimelineAction", [this, thing] { showOn(QStringLiteral("timeline"), thing); },
        noStep);
    add(
        tr("Show in Training"), "showInTrainingAction", [this, thing] { showOn(QStringLiteral("training"), thing); },
        noStep);
    add(tr("Copy"), "copyIdentityAction", [thing] { QGuiApplication::clipboard()->setText(identityText(thing)); });
    const QString query = identityQuery(thing);
    add(
        tr("Find"), "findIdentityAction",
        [this, query] {
            m_window.pages.show(QStringLiteral("shards"));
            m_window.pages.current().find(query);
        },
        query.isEmpty() ? tr("The find box finds samples and ranks only. Choose Show in Shards instead.") : QString());
    add(tr("Explain"), "explainIdentityAction", [this, thing, rank] { explain(thing, rank); });
}

std::int64_t IdentityMenu::stepsPerEpoch() const {
    const auto& started = m_window.run.data().started();
    if (started) return std::max<std::int64_t>(started->stepsPerEpoch, 1);
    const ShardPlan* plan = m_window.plan.plan();
    return plan ? std::max<std::int64_t>(plan->stepsPerEpoch(), 1) : 1;
}

std::optional<std::int64_t> IdentityMenu::stepOf(const Identity& thing) const {
    switch (thing.kind) {
        case IdentityKind::Step:
            return thing.number;
        case IdentityKind::Collective:
            return thing.step;
        case IdentityKind::Epoch:
            return thing.number * stepsPerEpoch() + 1;
        case IdentityKind::Sample: {
            m_window.plan.select(thing.number);
            const auto place = m_window.plan.selectedPlace();
            if (!place || place->step < 0) return std::nullopt;
            return m_window.plan.epoch() * stepsPerEpoch() + place->step + 1;
        }
        case IdentityKind::Rank:
            return std::nullopt;
    }
    return std::nullopt;
}

void IdentityMenu::showInShards(const Identity& thing, int rank) {
    const QString grid = QStringLiteral("shards/grid");
    switch (thing.kind) {
        case IdentityKind::Step:
        case IdentityKind::Collective: {
            const std::int64_t step = *stepOf(thing);
            return m_window.links.showStep(grid, step, (step - 1) / stepsPerEpoch(), rank);
        }
        case IdentityKind::Rank:
            m_window.pages.show(grid);
            return m_window.pages.current().find(identityQuery(thing));
        case IdentityKind::Sample:
            m_window.pages.show(grid);
            return m_window.plan.select(thing.number);
        case IdentityKind::Epoch:
            m_window.pages.show(grid);
            return m_window.plan.setEpoch(static_cast<int>(thing.number));
    }
}

void IdentityMenu::showOn(const QString& page, const Identity& thing) {
    m_window.pages.show(page);
    if (thing.kind == IdentityKind::Rank) return m_window.pages.current().showRank(static_cast<int>(thing.number));
    if (const auto step = stepOf(thing)) m_window.cursor.choose(*step);
}

// For a sample, shows its explanation on the Shards page. For a rank, step, epoch or collective, opens the
// documentation.
void IdentityMenu::explain(const Identity& thing, int rank) {
    switch (thing.kind) {
        case IdentityKind::Sample:
            return showInShards(thing, rank);
        case IdentityKind::Rank:
        case IdentityKind::Epoch:
            return Q_EMIT explanationWanted(
                {QStringLiteral("experiments.md"), QStringLiteral("Which rank gets which sample")});
        case IdentityKind::Step:
            return Q_EMIT explanationWanted({QStringLiteral("timeline.md"), QStringLiteral("What it shows")});
        case IdentityKind::Collective:
            return Q_EMIT explanationWanted({QStringLiteral("timeline.md"), QStringLiteral("Which rank is late")});
    }
}

}  // namespace ringside
