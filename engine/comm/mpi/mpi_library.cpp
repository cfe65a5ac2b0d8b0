// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/errors/errors.h"

namespace ringside {
namespace {

using Entry = const MpiTable* (*)();

// Never unloaded: MPI leaves handlers behind.
void* openModule(std::string& why) {
    std::error_code error;
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* folder : {".", "../bin", "../lib/ringside"}) {
        const std::filesystem::path module = here / folder / MpiTable::kModule;
        if (!std::filesystem::exists(module, error)) continue;
        // Global: Open MPI's own modules look for its symbols.
        if (void* library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
        const char* text = ::dlerror();
        why = text == nullptr ? "it cannot be loaded" : text;
        return nullptr;
    }
    why = std::string(MpiTable::kModule) + " is not beside this program";
    return nullptr;
}

}  // namespace

const MpiTable& loadMpi() {
    static const MpiTable* table = nullptr;
    if (table != nullptr) return *table;
    std::string why;
    void* const library = openModule(why);
    if (library == nullptr) {
        throw CommError("parallel.backend is mpi, which cannot be used (" + why +
                        "): install libopenmpi-dev and build again, or choose gloo");
    }
    const auto entry = reinterpret_cast<Entry>(::dlsym(library, MpiTable::kEntry));
    if (entry == nullptr || entry()->version != MpiTable::kVersion) {
        throw CommError(std::string(MpiTable::kModule) + " is of another version than this program: build both again");
    }
    table = entry();
    return *table;
}

bool isMpiJob() {
    constexpr std::array kSigns{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (const char* name : kSigns) {
        if (std::getenv(name) != nullptr) return true;
    }
    return false;
}

}  // namespace ringside
