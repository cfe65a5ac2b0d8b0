// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "config/run_config.h"
#include "support/places.h"
#include "telemetry/events/codec.h"

// Fake run of fake_ringsidectl.sh: 4 ranks, 120 planned steps.
struct FakeRun {
    QTemporaryDir folder;

    explicit FakeRun(const char* mode) {
        qputenv("FAKE_DIR", folder.path().toUtf8());
        setMode(mode);
        ringside::RunStarted started;
        started.name = "fake";
        started.runDirectory = folder.path().toStdString();
        started.worldSize = 4;
        started.backend = "shm";
        started.whyBackend = "shared memory: all ranks are on this host";
        started.device = "cpu";
        started.whyDevice = "CPU: no GPU found";
        started.stepsPerEpoch = 12;
        started.epochs = 10;
        started.batchSize = 32;
        started.config = ringside::RunConfig().toText();
        write("start.jsonl", ringside::encode(started) +
                                 ringside::encode(ringside::LogLine{-1, ringside::LogLevel::kInfo, "4 ranks", 1}));
        write("end.jsonl", end(ringside::RunOutcome::kFinished, 0, "finished 10 epochs"));
        write("stopped.jsonl", end(ringside::RunOutcome::kStopped, 20, "stopped by request after step 40"));
    }

    static std::string end(ringside::RunOutcome state, int code, const char* verdict) {
        ringside::RunEnded ended;
        ended.state = state;
        ended.exitCode = code;
        ended.verdict = verdict;
        return ringside::encode(ended);
    }

    void setMode(const char* mode) { write("mode", mode); }
    void write(const char* name, const std::string& text) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        if (file.open(QIODevice::WriteOnly)) file.write(QByteArray::fromStdString(text));
    }
    QByteArray read(const char* name) const {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static QString program() { return QString::fromStdString(ringside::sourceFile("tests/ui/fake_ringsidectl.sh")); }
};
