// SPDX-License-Identifier: Apache-2.0
#include "launch/exchange/pmix_server.h"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace ringside {
namespace {

// Types and values of the PMIx standard's binary interface (PMIx Standard 4.1, appendix A). They are defined here so
// that no header of PMIx is needed to build.
constexpr int kSuccess = 0;
constexpr std::uint32_t kEveryRank = UINT32_MAX - 1;
constexpr std::uint16_t kString = 3;
constexpr std::uint16_t kUint16 = 13;
constexpr std::uint16_t kUint32 = 14;
constexpr std::uint8_t kGlobal = 3;
constexpr const char* kPmixKey = "ringside.job";

struct PmixProcess {
    std::array<char, 256> nameSpace;
    std::uint32_t rank;
};

struct PmixValue {
    std::uint16_t type;
    union {
        char* string;
        std::uint16_t uint16;
        std::uint32_t uint32;
        std::array<char, 24> largest;
    };
};
static_assert(sizeof(PmixProcess) == 260 && sizeof(PmixValue) == 32);

std::vector<std::string> libraryPaths(const LaunchSources& sources) {
    std::vector<std::string> paths;
    for (const char* variable : {"PMIX_PREFIX", "OPAL_PREFIX", "PRTE_PREFIX"}) {
        const auto prefix = sources.find(variable);
        if (!prefix) continue;
        for (const char* folder : {"/lib/", "/lib64/", "/lib/openmpi/"})
            paths.push_back(*prefix + folder + "libpmix.so.2");
    }
    paths.emplace_back("libpmix.so.2");
    return paths;
}

// Guard that blocks all signals in the calling thread during its lifetime. Threads that libpmix starts in this time
// inherit the blocked signals, so that signals are still delivered to the thread of Ringside that handles them.
class BlockedSignals {
  public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &m_before);
    }
    ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

  private:
    sigset_t m_before{};
};

// Makes this process and its child processes receive the data of the job in messages instead of shared memory. A server
// serves its shared memory (the modules ds12 and ds21 of PMIx 3 and 4) to only one process per rank. If rank 0 uses
// MPI, it trains in a child process, which also connects as rank 0.
void avoidSharedJobData(const LaunchSources& sources) {
    static constexpr const char* kModules = "PMIX_GDS_MODULE";
    const std::string offered = sources.find(kModules).value_or("");
    if (offered.find("hash") != std::string::npos) ::setenv(kModules, "hash", 1);
}

}  // namespace

struct PmixServer::Library {
    int (*init)(PmixProcess*, void*, std::size_t) = nullptr;
    int (*put)(std::uint8_t, const char*, PmixValue*) = nullptr;
    int (*commit)() = nullptr;
    int (*fence)(const PmixProcess*, std::size_t, const void*, std::size_t) = nullptr;
    int (*get)(const PmixProcess*, const char*, const void*, std::size_t, PmixValue**) = nullptr;
    int (*finalize)(const void*, std::size_t) = nullptr;
    PmixProcess self{};

    // Loads libpmix from `path` and finds its functions. False if that fails. The library is never unloaded, because
    // its threads can run after PMIx_Finalize().
    bool load(const std::string& path) {
        void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) return false;
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
            return function != nullptr;
        };
        return find(init, "PMIx_Init") && find(put, "PMIx_Put") && find(commit, "PMIx_Commit") &&
               find(fence, "PMIx_Fence") && find(get, "PMIx_Get") && find(finalize, "PMIx_Finalize");
    }
    // Returns the number that the server stores under `key`; empty if there is none. ofSelf: true for a number of this
    // process, false for a number of its job.
    std::optional<int> number(const char* key, bool ofSelf) const {
        PmixProcess process = self;
        if (!ofSelf) process.rank = kEveryRank;
        PmixValue* value = nullptr;
        if (get(&process, key, nullptr, 0, &value) != kSuccess || value == nullptr) return {};
        if (value->type == kUint16) return value->uint16;
        if (value->type == kUint32) return static_cast<int>(value->uint32);
        return {};
    }
};

PmixServer::PmixServer(std::unique_ptr<Library> library) : m_library(std::move(library)) {}
PmixServer::~PmixServer() = default;

Result<std::unique_ptr<JobServer>> PmixServer::connect(const LaunchSources& sources) {
    const Problem failed{
        "PMIX_NAMESPACE",
        "is " + sources.find("PMIX_NAMESPACE").value_or("") +
            ", but the PMIx server is not reached, or libpmix.so.2 is not found",
        "install libpmix2, or give --master HOST:PORT on all ranks (with --rank and --world-size where "
        "the launcher sets neither)"};
    auto library = std::make_unique<Library>();
    bool loaded = false;
    for (const std::string& path : libraryPaths(sources)) loaded = loaded || library->load(path);
    if (!loaded) return failed;
    avoidSharedJobData(sources);
    std::unique_ptr<PmixServer> server(new PmixServer(std::move(library)));
    if (!server->start()) return failed;
    return std::unique_ptr<JobServer>(std::move(server));
}

bool PmixServer::start() {
    const auto init = [this] {
        const BlockedSignals blocked;
        return m_library->init(&m_library->self, nullptr, 0);
    };
    if (init() != kSuccess) return false;
    m_layout.rank = static_cast<int>(m_library->self.rank);
    m_layout.worldSize = m_library->number("pmix.job.size", false);
    m_layout.localRank = m_library->number("pmix.lrank", true);
    m_layout.localSize = m_library->number("pmix.local.size", false);
    return m_layout.worldSize.has_value();
}

// Ignores the deadline, because PMIx_Fence() is called without a timeout: if a rank never calls PMIx_Fence(), the
// launcher ends the job.
Result<std::string> PmixServer::shareFromFirst(const std::string& text, LineDeadline) {
    const Problem failed{"the PMIx server of the launcher", "did not provide rank 0's address",
                         "give --master HOST:PORT and set RINGSIDE_TOKEN on all ranks"};
    if (!text.empty()) {
        std::string copy = text;
        PmixValue value{};
        value.type = kString;
        value.string = copy.data();
        if (m_library->put(kGlobal, kPmixKey, &value) != kSuccess) return failed;
    }
    if (m_library->commit() != kSuccess || m_library->fence(nullptr, 0, nullptr, 0) != kSuccess) return failed;
    PmixProcess first = m_library->self;
    first.rank = 0;
    PmixValue* found = nullptr;
    if (m_library->get(&first, kPmixKey, nullptr, 0, &found) != kSuccess || found == nullptr || found->type != kString)
        return failed;
    return std::string(found->string, ::strnlen(found->string, 1024));
}

void PmixServer::leave() {
    m_library->finalize(nullptr, 0);
}

}  // namespace ringside
