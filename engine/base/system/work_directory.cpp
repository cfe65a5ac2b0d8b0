// SPDX-License-Identifier: Apache-2.0
#include "base/system/work_directory.h"

#include <cstdlib>
#include <system_error>

#include "base/errors/errors.h"

namespace ringside {

WorkDirectory::WorkDirectory(const std::string& purpose) {
    std::string wanted = (std::filesystem::temp_directory_path() / ("ringside-" + purpose + "-XXXXXX")).string();
    if (::mkdtemp(wanted.data()) == nullptr)
        throw IoError("the temporary directory " + wanted +
                      " cannot be created: set TMPDIR to a directory that you can write");
    m_path = wanted;
}

WorkDirectory::~WorkDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

}  // namespace ringside
