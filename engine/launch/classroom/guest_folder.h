// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "launch/classroom/class_lines.h"

namespace ringside {

inline constexpr const char* kOfferedExperiment = "experiment.json";  // beside the files of an offer

// Why the files of an offer cannot lie in one folder: two have the same name, one is a folder of another, or one has
// the name of the experiment. Empty if they can.
std::optional<Problem> offerConflict(const std::vector<ClassFile>& files);

// Private folder of one guest process. Holds the files of the present offer, and is removed with everything in it by
// the destructor. Removes the folders of guests of this computer that were killed.
class GuestFolder {
  public:
    // parent: the folder of all guests of this user. Throws IoError if nothing can be made there.
    explicit GuestFolder(const std::filesystem::path& parent);

    // Empties the folder and makes an empty folder for an offer.
    void beginOffer(int number);
    const std::filesystem::path& offer() const { return m_offer; }
    // Path of an offered file, whose folders are made. Throws IoError.
    std::filesystem::path placeFor(const std::string& name) const;
    // Path of the file that is being received.
    std::filesystem::path part() const { return *m_folder / "arriving"; }

  private:
    struct Remove {
        void operator()(const std::filesystem::path* folder) const noexcept;
    };
    std::unique_ptr<const std::filesystem::path, Remove> m_folder;
    std::filesystem::path m_offer;
};

}  // namespace ringside
