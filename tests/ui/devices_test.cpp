// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>

#include "base/json/json.h"
#include "devices/device_card.h"
#include "devices/devices_dialog.h"
#include "models/device_query.h"
#include "models/experiment_model.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

HostDevices twoGpus() {
    HostDevices host;
    host.cpuName = "A processor";
    host.cpus = 16;
    host.memoryBytes = 64LL << 30;
    host.availableBytes = 48LL << 30;
    host.gpus.driver = "580.65.06";
    host.gpus.driverCuda = "13.0";
    host.gpus.cuda = "13.0";
    host.gpus.nccl = "2.28.9";
    host.gpus.gpus = {{0, "NVIDIA H200", "GPU-1", "9.0", 150323855360, 149250113536, "", 12, 41, 118.6},
                      {1, "Tesla V100", "GPU-2", "7.0", 17179869184, -1, "compute capability 7.0 is too old"}};
    host.gpus.links = {{0, 1, "PCIe"}};
    return host;
}

// Fake ringsidectl whose `devices --json` prints this text.
struct FakeControl {
    QTemporaryDir folder;
    explicit FakeControl(const QByteArray& script) {
        QFile file(program());
        REQUIRE(file.open(QFile::WriteOnly));
        file.write("#!/bin/sh\n" + script);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    static FakeControl answering(const HostDevices& host) {
        return FakeControl("[ \"$1 $2\" = \"devices --json\" ] && cat <<'END'\n" +
                           QByteArray::fromStdString(toJson(host).dump()) + "\nEND\n");
    }
    QString program() const { return folder.filePath(QStringLiteral("ringsidectl")); }
};

struct Asked {
    explicit Asked(const QString& program) : query(program) {
        QObject::connect(&query, &DeviceQuery::found, &query, [this](const HostDevices& host) { answer = host; });
        QObject::connect(&query, &DeviceQuery::failed, &query, [this](const QString& text) { why = text; });
        query.start();
        REQUIRE(waitFor([this] { return answer || !why.isEmpty(); }));
    }
    DeviceQuery query;
    std::optional<HostDevices> answer;
    QString why;
};

}  // namespace

TEST_CASE("devices are read by a child process and parsed") {
    const FakeControl control = FakeControl::answering(twoGpus());
    const Asked result(control.program());
    REQUIRE(result.answer);
    CHECK(result.answer->gpus == twoGpus().gpus);
    CHECK_FALSE(result.query.isRunning());
}

TEST_CASE("a child that fails, prints garbage or is missing results in a reason") {
    CHECK(Asked(FakeControl("echo 'no such luck' >&2; exit 3\n").program()).why ==
          "The devices of this computer could not be listed (ringsidectl devices failed): no such luck");
    CHECK(Asked(FakeControl("echo hello\n").program()).why.contains("the device report"));
    CHECK(Asked(QStringLiteral("/nowhere/ringsidectl")).why.contains("could not be started"));
}

TEST_CASE("the card of a GPU shows name, memory, readings and the reason if it is not used") {
    const HostDevices host = twoGpus();
    const DeviceDescription used = describeGpu(host.gpus.gpus[0]);
    CHECK(used.title == "GPU 0   NVIDIA H200");
    CHECK(used.state == "ready");
    CHECK(used.details.join('|') == "140.0 GiB memory, 139.0 GiB free|compute capability 9.0|12 % busy|41 °C|119 W");
    const DeviceDescription unused = describeGpu(host.gpus.gpus[1]);
    CHECK(unused.state == "not used");
    CHECK(unused.whyNot == "compute capability 7.0 is too old");
    CHECK(unused.memoryUsed < 0);
    CHECK(linkLines(host.gpus) == QStringList{QStringLiteral("GPU 0 \u2013 GPU 1: PCIe")});
    CHECK(versionLine(host.gpus) ==
          "Driver 580.65.06 runs CUDA up to 13.0. Ringside was built with CUDA 13.0, NCCL 2.28.9, no cuDNN.");
}

TEST_CASE("the devices dialog shows a card per device and the devices of the experiment") {
    const FakeControl control = FakeControl::answering(twoGpus());
    ExperimentModel experiment;
    RunConfig config = experiment.config();
    config.parallel.worldSize = 1;
    experiment.edit(config, QStringLiteral("parallel.world_size"));
    DeviceQuery query(control.program());
    QObject::connect(&query, &DeviceQuery::found, &experiment, &ExperimentModel::setHost);
    const Theme theme;
    auto* dialog = new DevicesDialog(experiment, query, theme, nullptr);
    REQUIRE(waitFor([&] { return !query.isRunning(); }));
    CHECK(dialog->findChildren<DeviceCard*>().size() == 3);
    CHECK(dialog->findChild<QLabel*>(QStringLiteral("deviceChoiceLabel"))->text() ==
          "This experiment: 1 rank on 1 GPU: one GPU for each rank. NCCL: the ranks compute on GPUs.");
    CHECK(dialog->findChild<QPushButton*>(QStringLiteral("askDevicesButton"))->isEnabled());
    delete dialog;
}

TEST_CASE("without a GPU the dialog shows the reason") {
    HostDevices host = twoGpus();
    host.gpus = reportWithoutGpus("no GPU found on this machine");
    const FakeControl control = FakeControl::answering(host);
    ExperimentModel experiment;
    DeviceQuery query(control.program());
    const Theme theme;
    auto* dialog = new DevicesDialog(experiment, query, theme, nullptr);
    REQUIRE(waitFor([&] { return !query.isRunning(); }));
    CHECK(dialog->findChildren<DeviceCard*>().size() == 1);
    CHECK(dialog->findChild<QLabel*>(QStringLiteral("noGpuLabel"))->text() ==
          "No GPU is used. No GPU found on this machine.");
    delete dialog;
}
