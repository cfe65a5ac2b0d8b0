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
#include "launch/classroom/class_lines.h"
#include "launch/classroom/guest_folder.h"
#include "launch/classroom/join_code.h"
#include "launch/classroom/kept_files.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Connects to the class of a code and shows that it knows it. A problem: nobody there, a wrong code, another version.
Result<UniqueFd> connectToClass(const JoinCode& code, const std::string& name, const std::string& program,
                                const std::string& ownHostKey, LineDeadline deadline);

// One connection to a class. Receives the offered files, checks them, keeps them for the next class, and lays them out
// in a private folder as the experiment names them; the destructor removes that folder. The host is not trusted: an
// offer that breaks a rule is refused with a sentence, and nothing of it stays.
class ClassGuest {
  public:
    // Returns why the experiment of an offer cannot be trained here.
    using Check = std::function<std::optional<Problem>(const ClassOffer& offer)>;

    // folder: for received files; mostBytes: of one offer, and of all kept files together.
    ClassGuest(UniqueFd socket, std::filesystem::path folder, std::int64_t mostBytes, Check check = {});

    int fd() const { return m_socket.get(); }
    // The text is sent without paths and without quoted text.
    void send(ClassLine line);
    // Takes what has come; false once the connection is over. Start, news and over are handed out by next().
    bool read();
    std::optional<ClassLine> next();

    // Folder with the experiment and its files, of the last offer that is complete; empty if there is none.
    const std::filesystem::path& offerDirectory() const { return m_offerDirectory; }
    bool resumes() const { return m_offer.resumes; }
    // "3 of 12 MB of data have come"; empty when nothing is under way.
    std::string progress() const;
    // Why this guest cannot take part, if it cannot.
    const std::optional<Problem>& problem() const { return m_problem; }

  private:
    bool receiveBytes(std::string_view& bytes);
    bool receiveLines(std::string_view& bytes);
    void take(const ClassLine& line);
    void begin(ClassOffer offer);
    std::optional<Problem> objection(const ClassOffer& offer) const;
    void findMissing();
    void askForNext();
    void beginFile(std::int64_t bytes);
    void endFile();
    void finishOffer();
    void refuse(Problem problem);

    UniqueFd m_socket;
    std::int64_t m_mostBytes;
    Check m_check;
    GuestFolder m_folder;
    KeptFiles m_kept;
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
