// SPDX-License-Identifier: Apache-2.0
#include "launch_errors.h"

#include <cstdlib>
#include <ctime>
#include <iostream>

#include "base/errors/errors.h"
#include "base/json/json.h"
#include "base/system/files.h"

namespace ringside {

void writeLauncherError(const std::string& text) {
    const char* path = std::getenv("TORCHELASTIC_ERROR_FILE");
    if (path == nullptr || *path == '\0') return;
    // The format is that of torch.distributed.elastic's ErrorHandler; torchrun prints only the call stack.
    const Json json = {{"message",
                        {{"message", text},
                         {"extraInfo", {{"py_callstack", text}, {"timestamp", std::to_string(std::time(nullptr))}}}}}};
    try {
        writeFileAtomically(path, json.dump(-1, ' ', false, Json::error_handler_t::replace));
    } catch (const IoError& error) {
        std::cerr << "ringside-worker: " << error.what() << std::endl;
    }
}

}  // namespace ringside
