// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "live/progress_view.h"
#include "run/classroom/classroom_observer.h"
#include "terminal/screen.h"

namespace ringside {

// Output of `ringsidectl host`: sentences, a QR code and the progress of the run for people, or one JSON line per
// change.
class ClassroomView final : public ClassroomObserver {
  public:
    // runDirectory: path of the run directory, printed at the end of the run.
    ClassroomView(Screen& screen, bool asLines, std::string runDirectory)
        : m_screen(screen), m_lines(asLines), m_runDirectory(std::move(runDirectory)) {}

    void begin(const ClassroomHost& host, const std::string& experiment, int wanted) override;
    void print(const std::string& sentence) override;
    void runBegins(const std::string& directory) override;
    // Prints the state of the classroom as a JSON line if it has changed. Does nothing if the output is sentences,
    // because print() then prints each event.
    void show(const ClassroomHost& host, const ClassroomState& state) override;
    void showEnd(const std::string& verdict, int exitCode) override;
    // Prints the verdict of a failed run on standard error. Does nothing in JSON mode, because showEnd() prints it.
    void showFailure(const std::string& verdict) override;
    void beginTraining() override;
    void showProgress(const RunData& run, unsigned changes) override;

  private:
    Screen& m_screen;
    bool m_lines;
    std::string m_runDirectory;
    std::string m_shown;
    std::optional<ProgressView> m_progress;  // display of the current run; used by the run's thread only
};

}  // namespace ringside
