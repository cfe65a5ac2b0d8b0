// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/thumbnails.h"

#include <QCoreApplication>
#include <QThread>

#include "base/errors/errors.h"
#include "support/catch.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

// Data set of images of one colour; sample 1 cannot be read. Checks that the window's thread reads only tiny images in
// memory.
class Pictures final : public Dataset {
  public:
    explicit Pictures(std::int64_t side, bool lazy = false) : m_side(side), m_lazy(lazy) {}
    bool isLazy() const override { return m_lazy; }
    std::int64_t size() const override { return 3; }
    SampleShape shape() const override { return {3, m_side, m_side, 3 * m_side * m_side}; }
    std::int64_t classCount() const override { return 1; }
    std::int64_t targetCount() const override { return 0; }
    void features(std::int64_t index, std::span<float> out) const override {
        CHECK((QThread::currentThread() != QCoreApplication::instance()->thread()) == (m_lazy || m_side > 4));
        if (index == 1) throw IoError("1.png is a damaged PNG image");
        std::fill(out.begin(), out.end(), index == 0 ? 1.0F : 0.0F);
    }
    std::int64_t label(std::int64_t) const override { return 0; }
    void targets(std::int64_t, std::span<float>) const override {}

  private:
    std::int64_t m_side;
    bool m_lazy;
};

}  // namespace

TEST_CASE("a picture that cannot be read is crossed out, and the other pictures are drawn") {
    Thumbnails thumbnails;
    thumbnails.setColors(Qt::white, Qt::red);
    thumbnails.setData(std::make_shared<Pictures>(4));
    CHECK(thumbnails.image(0).pixelColor(0, 0) == QColor(Qt::white));
    const QImage broken = thumbnails.image(1);
    CHECK(broken.pixelColor(0, 0) == QColor(Qt::red));
    CHECK(broken.pixelColor(0, 5) == QColor(Qt::white));
    CHECK(thumbnails.image(2).pixelColor(3, 3) == QColor(Qt::black));
}

TEST_CASE("large pictures are stored scaled down") {
    Thumbnails thumbnails;
    thumbnails.setData(std::make_shared<Pictures>(300));
    CHECK(thumbnails.isSettled());
    thumbnails.image(0);
    thumbnails.image(2);
    CHECK_FALSE(thumbnails.isSettled());
    REQUIRE(waitFor([&] { return thumbnails.isSettled(); }));
    CHECK(thumbnails.image(0).width() == Thumbnails::kMaxSide);
    CHECK(thumbnails.image(2).pixelColor(60, 60) == QColor(Qt::black));
}

TEST_CASE("pictures are made on another thread, with an empty square until then") {
    const bool lazy = GENERATE(true, false);
    Thumbnails thumbnails;
    thumbnails.setColors(Qt::white, Qt::red);
    thumbnails.setData(std::make_shared<Pictures>(300, lazy));
    int arrivals = 0;
    QObject::connect(&thumbnails, &Thumbnails::arrived, [&] { ++arrivals; });
    CHECK(thumbnails.image(2).width() == 1);
    CHECK(thumbnails.image(1).width() == 1);
    REQUIRE(
        waitFor([&] { return arrivals > 0 && thumbnails.image(2).width() > 1 && thumbnails.image(1).width() > 1; }));
    CHECK(thumbnails.image(2).width() == Thumbnails::kMaxSide);
    CHECK(thumbnails.image(2).pixelColor(60, 60) == QColor(Qt::black));
    CHECK(thumbnails.image(1).pixelColor(0, 0) == QColor(Qt::red));  // the picture has a red cross
    thumbnails.setData(std::make_shared<Pictures>(4));
    CHECK(thumbnails.image(0).pixelColor(0, 0) == QColor(Qt::white));
}
