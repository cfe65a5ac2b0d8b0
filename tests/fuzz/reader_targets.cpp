// SPDX-License-Identifier: Apache-2.0
#include "reader_targets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "base/system/unique_fd.h"
#include "data/preview/preview.h"
#include "data/readers/array_file.h"
#include "data/readers/image_decode.h"
#include "data/sets/files/cifar.h"

namespace ringside::fuzz {
namespace {

// Makes the bytes available as a file in memory.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes) : m_fd(::memfd_create("input", MFD_CLOEXEC)) {
        RINGSIDE_ASSERT(m_fd);
        RINGSIDE_ASSERT(::write(m_fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(m_fd.get()); }

  private:
    UniqueFd m_fd;
};

void requireReaderLine(const Problem& problem) {
    const std::string text = problem.text();
    RINGSIDE_ASSERT(!text.empty() && text.size() < 4096 && text.find('\n') == std::string::npos);
}

}  // namespace

void array(std::string_view bytes) {
    const MemoryFile file(bytes);
    auto opened = ArrayFile::open(file.path());
    if (!opened) return requireReaderLine(opened.problem());
    const std::uint64_t count = opened.value().header.valueCount();
    const auto values = opened.value().readValues();
    if (!values) return requireReaderLine(values.problem());
    RINGSIDE_ASSERT(std::visit([](const auto& inner) { return inner.size(); }, values.value()) == count);
    if (const auto* floats = std::get_if<1>(&values.value())) {
        for (const float value : *floats) RINGSIDE_ASSERT(std::isfinite(value));
    }
}

void cifar(std::string_view bytes) {
    const MemoryFile file(bytes);
    for (const CifarKind kind : {CifarKind::k10, CifarKind::k100}) {
        const auto parts = loadCifar(kind, file.path());
        if (!parts) {
            requireReaderLine(parts.problem());
            continue;
        }
        const Dataset& set = *parts.value().training;
        for (std::int64_t i = 0; i < set.size(); ++i) RINGSIDE_ASSERT(set.label(i) < set.classCount());
    }
}

void image(std::string_view bytes) {
    const auto read = decodeImage(std::as_bytes(std::span(bytes)), "input");
    if (!read) return requireReaderLine(read.problem());
    const RgbImage& picture = read.value();
    RINGSIDE_ASSERT(picture.pixels.size() == static_cast<std::size_t>(picture.width * picture.height * 3));
}

void preview(std::string_view bytes) {
    const MemoryFile file(bytes);
    const auto read = previewFile(file.path());
    if (!read) return requireReaderLine(read.problem());
    const DataPreview& shown = read.value();
    RINGSIDE_ASSERT(shown.labelColumn < static_cast<int>(std::max<std::size_t>(shown.columns.size(), 1)));
    RINGSIDE_ASSERT(shown.rows.size() <= 20 && shown.sampleCount >= 0);
}

}  // namespace ringside::fuzz
