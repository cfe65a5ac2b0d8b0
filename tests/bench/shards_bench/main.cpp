// SPDX-License-Identifier: GPL-3.0-or-later
// Pan, zoom and change of epoch on the loom at 1,281,167 samples on 64 ranks with 1000 classes, drawn offscreen.
// Usage: QT_QPA_PLATFORM=offscreen shards_bench
#include <QApplication>
#include <QEventLoop>
#include <QKeyEvent>
#include <QPixmap>
#include <QTimer>

#include "../frame_times.h"
#include "shards/loom_minimap.h"
#include "shards/loom_widget.h"
#include "theme/theme.h"

using namespace ringside;

namespace {

constexpr std::int64_t kSamples = 1'281'167;
constexpr std::int64_t kRanks = 64;

// ImageNet's shape without its pictures: the class follows the index, as in a sorted folder.
class ThousandClasses final : public Dataset {
  public:
    std::int64_t size() const override { return kSamples; }
    SampleShape shape() const override { return {1, 0, 0, 1}; }
    std::int64_t classCount() const override { return 1000; }
    std::int64_t targetCount() const override { return 0; }
    void features(std::int64_t index, std::span<float> out) const override { out[0] = static_cast<float>(index); }
    std::int64_t label(std::int64_t index) const override { return index * 1000 / kSamples; }
    void targets(std::int64_t, std::span<float>) const override {}
};

ShardScene sceneOf(std::int64_t epoch, const std::shared_ptr<const Dataset>& data, const Labels& labels) {
    ShardSpec spec;
    spec.datasetSize = kSamples;
    spec.worldSize = kRanks;
    spec.batchSize = 32;
    spec.epoch = epoch;
    return {ShardPlan::make(spec).value(), static_cast<int>(epoch), true, data, labels};
}

void turnEvents(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

struct View {
    Theme theme;
    LoomWidget loom{theme};
    LoomMinimap minimap{theme};
    QPixmap target{1100, 620};

    void draw() { loom.render(&target); }
};

void pan(View& view, const char* name, double slotsPerFrame) {
    FrameTimes times;
    for (int frame = 0; frame < 300; ++frame) {
        times.measure([&] {
            view.loom.setFirstSlot(view.loom.geometryOfCells().firstSlot() + slotsPerFrame);
            view.draw();
        });
        if (frame % 20 == 0) turnEvents(1);
    }
    times.print(name);
}

void zoom(View& view, ColorBy by, const char* name) {
    view.loom.setColorBy(by);
    view.loom.fit();
    FrameTimes times;
    for (int frame = 0; frame < 300; ++frame) {
        times.measure([&] {
            QKeyEvent key(QEvent::KeyPress, frame % 120 < 60 ? Qt::Key_W : Qt::Key_S, Qt::NoModifier);
            QApplication::sendEvent(&view.loom, &key);
            view.draw();
        });
        if (frame % 5 == 0) turnEvents(1);
    }
    times.print(name);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const auto data = std::make_shared<ThousandClasses>();
    const Labels labels = readLabels(*data);
    View view;
    view.loom.resize(1100, 620);
    view.loom.setScene(sceneOf(0, data, labels));
    zoom(view, ColorBy::Rank, "zoom from the epoch to thumbnails, by rank");
    zoom(view, ColorBy::Class, "zoom from the epoch to thumbnails, by class");
    view.loom.fit();
    for (int step = 0; step < 10; ++step) {
        QKeyEvent key(QEvent::KeyPress, Qt::Key_W, Qt::NoModifier);
        QApplication::sendEvent(&view.loom, &key);
    }
    pan(view, "pan with several cells under a pixel", 40);
    view.loom.home();
    pan(view, "pan over thumbnails and indices", 0.4);
    FrameTimes cold, shown, raster;
    for (std::int64_t epoch = 1; epoch <= 20; ++epoch) {
        std::optional<ShardScene> scene;
        cold.measure([&] { scene.emplace(sceneOf(epoch, data, labels)); });
        view.loom.fit();
        shown.measure([&] {
            view.loom.setScene(scene);
            view.draw();
        });
        const CellColors colors(ColorBy::Class, *scene, view.theme);
        raster.measure([&] { rasterized(*scene, colors, {0, 20019.0 / 1000, 1000, {0, kRanks}}); });
        turnEvents(50);
    }
    cold.print("plan of another epoch (worker thread)");
    shown.print("show it, fitted, by class (GUI thread)");
    raster.print("exact image of the whole epoch (worker thread)");
    return 0;
}
