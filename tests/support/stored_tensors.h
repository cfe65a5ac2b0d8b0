// SPDX-License-Identifier: Apache-2.0
// Complete safetensors files in memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "run/checkpoint/safetensors.h"

namespace ringside {

struct StoredTensor {
    std::string name = {};
    std::string type = "F32";
    std::vector<std::int64_t> shape = {};
    std::string bytes = {};
};

inline std::string encodeSafetensors(const std::vector<StoredTensor>& tensors,
                                     const std::map<std::string, std::string>& metadata) {
    std::vector<TensorOutline> outlines;
    for (const StoredTensor& one : tensors) outlines.push_back({one.name, one.type, one.shape});
    const SafetensorsLayout layout = layOut(outlines, metadata);
    std::string file = layout.head;
    file.resize(layout.size);
    for (const StoredTensor& one : tensors) {
        const SafetensorsFile::Entry& entry = layout.entries.at(one.name);
        RINGSIDE_ASSERT(one.bytes.size() == entry.size);
        file.replace(entry.begin, entry.size, one.bytes);
    }
    return file;
}

}  // namespace ringside
