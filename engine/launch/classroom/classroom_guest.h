// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto/sha256.h"
#include "base/errors/result.h"
#include "base/system/unique_fd.h"
#include "launch/classroom/classroom_lines.h"
#include "launch/classroom/file_cache.h"
#include "launch/classroom/guest_folder.h"
#include "launch/classroom/join_code.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Connects to the classroom of a join code. Guest and host prove to each other that they know the secret of the code
// (wire/greeting.h). Returns a problem if no classroom answers, the code is wrong, or the versions of Ringside differ.
Result<UniqueFd> connectToClassroom(const JoinCode& code, const std::string& name, const std::string& program,
                                    const std::string& ownHostKey, LineDeadline deadline);

// Connection of a guest to a classroom. Receives the files of each offer (the files for one start of the ranks), checks
// their SHA-256, caches them for the next classroom, and stores them under the experiment's names in a private folder,
// which the destructor removes. The host is not trusted: an offer that breaks a rule is refused with a problem, and its
// files are removed. Sending and writing block; one thread.
class ClassroomGuest {
  public:
    // Callback that returns a problem if the experiment of an offer cannot be trained on this computer.
    using Check = std::function<std::optional<Problem>(const ClassroomOffer& offer)>;

    // folder: parent of the folders for received files. maxBytes: size limit of the files of one offer, and of all
    // cached files together, in bytes.
    ClassroomGuest(UniqueFd socket, std::filesystem::path folder, std::int64_t maxBytes, Check check = {});

    int fd() const { return m_socket.get(); }
    // Sends a line after paths and quoted text have been removed from ClassroomLine::text. Blocks for up to 10 s.
    void send(ClassroomLine line);
    // Reads the available bytes without waiting for more. False if the connection has ended, the host sent an invalid
    // line, or this guest has refused an offer. Throws IoError if a file cannot be written.
    bool read();
    // Returns the next received line of the kinds start, news and over; nothing if there is none.
    std::optional<ClassroomLine> next();

    // Folder with the experiment and files of the last complete offer; empty if there is none.
    const std::filesystem::path& offerDirectory() const { return m_offerDirectory; }
    bool resumes() const { return m_offer.resumes; }
    // Returns the progress as text, such as "3.0 MiB of 12.0 MiB of data received"; empty if no files are being
    // received.
    std::string progress() const;
    // Returns the reason why this guest cannot take part; empty if it can.
    const std::optional<Problem>& problem() const { return m_problem; }

  private:
    bool receiveBytes(std::string_view& bytes);
    bool receiveLines(std::string_view& bytes);
    void handleLine(const ClassroomLine& line);
    void beginOffer(ClassroomOffer offer);
    std::optional<Problem> findReasonToRefuse(const ClassroomOffer& offer) const;
    void findMissing();
    void requestNextFile();
    void beginFile(std::int64_t bytes);
    void endFile();
    void finishOffer();
    void refuse(Problem problem);

    UniqueFd m_socket;
    std::int64_t m_maxBytes;
    Check m_check;
    GuestFolder m_folder;
    FileCache m_cache;
    std::string m_line;
    std::vector<ClassroomLine> m_lines;  // received lines that next() has not returned yet
    ClassroomOffer m_offer;
    // Indices in m_offer.files of the files that this guest does not have yet; the last index is that of the file in
    // transfer.
    std::vector<std::size_t> m_missing;
    std::filesystem::path m_offerDirectory;
    std::optional<Problem> m_problem;
    UniqueFd m_file;
    std::unique_ptr<Sha256> m_sum;
    std::int64_t m_left = 0;           // bytes of the file in transfer that have not been received yet
    std::int64_t m_receivedBytes = 0;  // number of bytes of this offer received until now; cached files are not counted
    std::int64_t m_expectedBytes = 0;
    int m_retries = 0;  // number of times that the current file arrived with a wrong SHA-256
};

}  // namespace ringside
