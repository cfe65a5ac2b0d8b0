// SPDX-License-Identifier: Apache-2.0
#include "launch_errors.h"

#include <cstdlib>
#include <ctime>
#include <iostream>

#include "base/errors/errors.h"
#include "base/json/json_members.h"
#include "base/system/files.h"

namespace ringside {
namespace {

// Seconds added to the reported time of an error that is the consequence of another error. Longer than torchrun takes
// to detect a killed process and to end the others, so that the cause has the earliest time.
constexpr std::time_t kConsequenceDelay = 60;

}  // namespace

void writeErrorForLauncher(const std::string& text, ErrorRole role) {
    const char* path = std::getenv("TORCHELASTIC_ERROR_FILE");
    if (path == nullptr || *path == '\0') return;
    const std::time_t time = std::time(nullptr) + (role == ErrorRole::kConsequence ? kConsequenceDelay : 0);
    // The format is that of torch.distributed.elastic's ErrorHandler. torchrun prints only py_callstack, so the text is
    // also written there.
    const Json json = {
        {"message", {{"message", text}, {"extraInfo", {{"py_callstack", text}, {"timestamp", std::to_string(time)}}}}}};
    try {
        writeFileAtomically(path, jsonText(json));
    } catch (const IoError& error) {
        std::cerr << "ringside-worker: " << error.what() << std::endl;
    }
}

}  // namespace ringside
