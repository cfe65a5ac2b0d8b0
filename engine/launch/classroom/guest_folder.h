// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "launch/classroom/classroom_lines.h"

namespace ringside {

inline constexpr const char* kOfferedExperiment = "experiment.json";  // name of the experiment's file, which is stored
                                                                      // beside the files of an offer

// Returns the conflict that keeps an offer's files from being stored in one folder: two files have the same name, one
// is a folder of another, or one has the name of the experiment's file. Empty if there is no conflict.
std::optional<Problem> offerConflict(const std::vector<ClassroomFile>& files);

// Private folder of one guest process. Holds the files of the current offer; the destructor removes it with its
// contents. The constructor removes the folders of guests of this computer whose process no longer exists.
class GuestFolder {
  public:
    // parent: folder of all guests of this user. Throws IoError if the folder cannot be created.
    explicit GuestFolder(const std::filesystem::path& parent);

    // Removes the files of the previous offer and creates an empty folder for offer `number`. Throws IoError.
    void beginOffer(int number);
    const std::filesystem::path& offer() const { return m_offer; }
    // Returns the path for an offered file and creates its parent folders. Throws IoError.
    std::filesystem::path preparePath(const std::string& name) const;
    // Path of the file that is being received.
    std::filesystem::path partialFile() const { return *m_folder / "arriving"; }

  private:
    struct Remove {
        void operator()(const std::filesystem::path* folder) const noexcept;
    };
    std::unique_ptr<const std::filesystem::path, Remove> m_folder;
    std::filesystem::path m_offer;
};

}  // namespace ringside
