// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto/sha256.h"
#include "base/errors/result.h"
#include "base/system/unique_fd.h"
#include "launch/classroom/class_lines.h"
#include "launch/classroom/join_code.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Connects to the class of a code and shows that it knows it. A problem: nobody there, a wrong code, another version.
Result<UniqueFd> connectToClass(const JoinCode& code, const std::string& name, const std::string& program,
                                const std::string& ownHostKey, LineDeadline deadline);

// One connection to a class: takes what is offered, checks it, keeps files that came once under their hash, and lays
// them out as the experiment names them.
class ClassGuest {
  public:
    // folder: for what it is given; mostBytes: of one offer.
    ClassGuest(UniqueFd socket, std::filesystem::path folder, std::int64_t mostBytes);

    int fd() const { return m_socket.get(); }
    void send(const ClassLine& line);
    // Takes what has come; false once the connection is over. Start, news and over are handed out by next().
    bool read();
    std::optional<ClassLine> next();

    // Where the experiment and its files are, of the last offer that is complete.
    const std::filesystem::path& offerDirectory() const { return m_offerDirectory; }
    bool resumes() const { return m_offer.resumes; }
    // "3 of 12 MB of data have come"; empty when nothing is under way.
    std::string progress() const;
    // Why this guest cannot take part, if it cannot.
    const std::optional<Problem>& problem() const { return m_problem; }
    // Removes all but the files that are kept.
    void cleanUp() const;

  private:
    bool receiveBytes(std::string_view& bytes);
    bool receiveLines(std::string_view& bytes);
    void take(const ClassLine& line);
    void begin(ClassOffer offer);
    void askForNext();
    void beginFile(std::int64_t bytes);
    void endFile();
    void layOut();
    std::filesystem::path kept(const ClassFile& file) const { return m_folder / "files" / file.sha256; }
    std::filesystem::path partFile() const;
    std::filesystem::path ownFolder() const;
    void refuse(Problem problem);

    UniqueFd m_socket;
    std::filesystem::path m_folder;
    std::int64_t m_mostBytes;
    std::string m_line;
    std::vector<ClassLine> m_lines;  // to hand out
    ClassOffer m_offer;
    std::vector<std::size_t> m_missing;  // places of files, the one under way last
    std::filesystem::path m_offerDirectory;
    std::optional<Problem> m_problem;
    UniqueFd m_file;
    std::unique_ptr<Sha256> m_sum;
    std::int64_t m_left = 0;  // of the file under way
    std::int64_t m_come = 0;  // of the offer's missing files
    std::int64_t m_awaited = 0;
    int m_again = 0;  // files that were not what they should be
};

}  // namespace ringside
