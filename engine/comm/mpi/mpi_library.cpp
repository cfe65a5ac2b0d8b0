// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/errors/errors.h"
#include "base/system/resource_directory.h"

namespace ringside {
namespace {

using Entry = const MpiTable* (*)();

[[noreturn]] void refuse(const std::string& why, const std::string& remedy) {
    throw CommError("parallel.backend is mpi, which cannot be used: " + why + ". " + remedy +
                    ", or set parallel.backend to gloo");
}

// Returns the path of the MPI module (MpiTable::kModule), which is in the folder of the programs in a build tree and in
// lib/ringside of an installation. Throws CommError if the module is in neither folder.
std::filesystem::path findModule() {
    const std::filesystem::path here = programDirectory();
    for (const char* folder : {".", "../bin", "../lib/ringside"}) {
        const std::filesystem::path module = (here / folder / MpiTable::kModule).lexically_normal();
        std::error_code error;
        if (std::filesystem::exists(module, error)) return module;
    }
    refuse(std::string(MpiTable::kModule) + " is neither in " + here.string() +
               " nor in the lib/ringside folder next to it",
           "Ringside was built on a computer without MPI: install an MPI for developers (Debian: libopenmpi-dev "
           "openmpi-bin) and build again (./run --build)");
}

// Loads the MPI module. It is never unloaded, because MPI leaves handlers in the process that need the module's code.
void* openModule() {
    const std::filesystem::path module = findModule();
    // RTLD_GLOBAL makes the symbols of MPI visible to the modules of Open MPI, which look for them.
    if (void* library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    const char* text = ::dlerror();
    refuse(text == nullptr ? module.string() + " cannot be loaded" : text,
           "Install the MPI that Ringside was built with (Debian: openmpi-bin), or build again (./run --build)");
}

}  // namespace

const MpiTable& loadMpi() {
    static const MpiTable* table = nullptr;
    if (table != nullptr) return *table;
    void* const library = openModule();
    const auto entry = reinterpret_cast<Entry>(::dlsym(library, MpiTable::kEntry));
    if (entry == nullptr || entry()->version != MpiTable::kVersion) {
        throw CommError(std::string(MpiTable::kModule) +
                        " was built from another version of Ringside than this program: build both again");
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
