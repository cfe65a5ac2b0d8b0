// SPDX-License-Identifier: Apache-2.0
#include "data/readers/image_folder_listing.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "data/readers/byte_source.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDepth = 64;
// File extensions in torchvision's list IMG_EXTENSIONS. Ringside reads only images with the first kReadExtensions of
// them.
constexpr std::array<std::string_view, 9> kExtensions = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                         ".pgm", ".tif",  ".tiff", ".webp"};
constexpr std::size_t kReadExtensions = 3;

std::size_t extensionOf(std::string name) {
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto found = std::ranges::find_if(kExtensions, [&](std::string_view e) { return name.ends_with(e); });
    return static_cast<std::size_t>(found - kExtensions.begin());
}

struct FolderId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FolderId&) const = default;
};

FolderId idOf(const fs::path& folder) {
    struct stat info {};
    return ::stat(folder.c_str(), &info) == 0 ? FolderId{info.st_dev, info.st_ino} : FolderId{};
}

struct Entries {
    std::vector<std::string> folders;
    std::vector<std::string> others;
};

Result<Entries> readFolder(const fs::path& folder) {
    std::error_code error;
    Entries entries;
    auto at = fs::directory_iterator(folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
        std::error_code unknown;  // errors are ignored: a link whose target does not exist is not a folder
        auto& list = at->is_directory(unknown) ? entries.folders : entries.others;
        list.push_back(at->path().filename().string());
        if (list.size() > kMaxImageFiles) {
            return Problem{folder.string(), "has more than 16777216 entries", "use fewer images"};
        }
    }
    if (error) return Problem{folder.string(), "cannot be read (" + error.message() + ")", "check its permissions"};
    return entries;
}

// Collects the images of one class: for each folder below the class folder, its file names, relative to the root.
class ClassWalk {
  public:
    ClassWalk(const fs::path& root, const std::stop_token& stop) : m_root(root), m_stop(stop) {}

    Result<bool> visit(const std::string& folder) {
        if (m_stop.stop_requested()) return stoppedReading(m_root);
        const fs::path full = m_root / folder;
        const FolderId id = idOf(full);
        if (std::ranges::find(m_above, id) != m_above.end() || m_above.size() == kMaxDepth) {
            return Problem{
                full.string(),
                m_above.size() == kMaxDepth ? "is more than 64 folders deep" : "is a link to a folder above it",
                "remove the link or the folder"};
        }
        auto entries = readFolder(full);
        if (!entries) return entries.problem();
        m_found.emplace_back(folder, std::move(entries.value().others));
        m_above.push_back(id);
        for (const std::string& inner : entries.value().folders) {
            if (auto visited = visit(folder + '/' + inner); !visited) return visited;
        }
        m_above.pop_back();
        return true;
    }

    std::vector<std::pair<std::string, std::vector<std::string>>>& sorted() {
        std::ranges::sort(m_found, {}, [](const auto& entry) { return std::string_view(entry.first); });
        for (auto& [folder, names] : m_found) std::ranges::sort(names);
        return m_found;
    }

  private:
    const fs::path& m_root;
    const std::stop_token& m_stop;
    std::vector<FolderId> m_above;
    std::vector<std::pair<std::string, std::vector<std::string>>> m_found;
};

Result<bool> addClass(ImageFolderListing& listing, const std::string& name, const std::stop_token& stop) {
    ClassWalk walk(listing.root, stop);
    if (auto visited = walk.visit(name); !visited) return visited;
    const std::size_t before = listing.files.size();
    for (const auto& [folder, names] : walk.sorted()) {
        for (const std::string& file : names) {
            const std::size_t extension = extensionOf(file);
            if (extension == kExtensions.size()) continue;
            const std::string relative = folder + '/' + file;
            if (extension >= kReadExtensions) {
                return Problem{(listing.root / relative).string(),
                               "has an unsupported format (" + std::string(kExtensions[extension]) + ")",
                               "convert the file to JPEG or PNG, or remove it"};
            }
            listing.files.push_back(relative);
        }
    }
    if (listing.files.size() > kMaxImageFiles) {
        return Problem{listing.root.string(), "has more than 16777216 images", "use fewer"};
    }
    if (listing.files.size() == before) {
        return Problem{(listing.root / name).string(), "is a class folder without images (.jpg, .jpeg or .png)",
                       "add images, or remove the folder"};
    }
    listing.labels.resize(listing.files.size(), static_cast<std::int32_t>(listing.classes.size()));
    listing.classes.push_back(name);
    return true;
}

}  // namespace

Result<ImageFolderListing> listImageFolder(const fs::path& root, const std::stop_token& stop) {
    std::error_code ignored;
    if (fs::exists(root, ignored) && !fs::is_directory(root, ignored)) {
        return Problem{root.string(), "is a file; an image folder is a directory with one folder per class",
                       "name the directory"};
    }
    auto entries = readFolder(root);
    if (!entries) return entries.problem();
    std::vector<std::string>& classes = entries.value().folders;
    std::ranges::sort(classes);
    if (classes.empty() || classes.size() > kMaxFolderClasses) {
        return Problem{root.string(),
                       classes.empty() ? "has no folders; every class needs one"
                                       : "has more than 100000 folders, one for each class",
                       "put the images of each class into a folder named after it"};
    }
    ImageFolderListing listing{root, {}, {}, {}};
    for (const std::string& name : classes) {
        if (auto added = addClass(listing, name, stop); !added) return added.problem();
    }
    return listing;
}

}  // namespace ringside
