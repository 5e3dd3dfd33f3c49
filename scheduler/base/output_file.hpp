// SPDX-License-Identifier: Apache-2.0

// The one place that writes files for the user: checkpoints, traces, histories, figures, plots.
//
// A file is claimed before the work begins and written when there is something to write. A claim
// refuses, by throwing OutputError:
//   - a directory, a link, a device, a pipe: only a regular file may be replaced;
//   - a file that this run reads, or has claimed already;
//   - a file without the mark of its kind, unless the rule says `force`. An empty file has nothing
//     to lose and may be replaced;
//   - a directory in which no file can be made;
//   - with `excludes_others`: a file that another process has claimed. The lock is an empty file
//     beside it, which vanishes with the claim. A killed process leaves it, unlocked.
// A write goes to a file that has no name yet, is synced, gets an unpredictable name, and that name
// is renamed. So the path shows the old content or the new one, whatever ends the process. The rule
// is checked once more before the rename. *Not prevented:* somebody who puts another file there
// between this check and the rename.
//
// Where the file system has no files without a name, the file has its unpredictable name from the
// beginning. SIGKILL leaves such a file; every other end removes it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

// what() begins with the path.
class OutputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// How checkpoints begin, of whatever version.
inline constexpr std::string_view kCheckpointMark = "LKCKPT";

struct OutputRule {
    std::string mark;         // with which a file of this kind begins
    std::string marked_file;  // which file has the mark; empty: the file itself
    bool force = false;       // any regular file may be replaced
    bool excludes_others = false;
    std::vector<std::string> inputs;  // what this run reads; names that lead nowhere do not count
};

// A file being written, in the directory of the path that it is for.
struct UnfinishedFile {
    int descriptor = -1;
    std::string name;  // empty: it has none yet
};
enum class Naming : std::uint8_t { kAtTheEnd, kAtOnce };
// Throws OutputError.
[[nodiscard]] UnfinishedFile begin_file(const std::string& path, Naming naming = Naming::kAtTheEnd);
// Syncs and renames, and leaves the descriptor open. The rule is the claim's, or `unclaimed` where
// nobody has claimed the path. Throws OutputError; then the file is still there, to be discarded.
void publish_file(UnfinishedFile& file, const std::string& path, const OutputRule& unclaimed);
// Closes the descriptor, removes the name if there is one.
void discard_file(UnfinishedFile& file) noexcept;

// Writes into `file`, publishes and discards it. Throws OutputError.
void write_file(UnfinishedFile file, const std::string& path, const OutputRule& unclaimed,
                const std::function<void(std::ostream&)>& print);

class OutputClaim {
  public:
    OutputClaim(std::string path, OutputRule rule);
    OutputClaim(const OutputClaim&) = delete;
    OutputClaim& operator=(const OutputClaim&) = delete;
    ~OutputClaim();

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const OutputRule& rule() const { return rule_; }
    // Replaces the file. May be called again. Throws OutputError.
    void write(const std::function<void(std::ostream&)>& print);
    void write(std::string_view text);

  private:
    void lock();
    void unlock();

    std::string path_;
    OutputRule rule_;
    std::string lock_name_;
    int lock_ = -1;
};

// For a signal handler that ends the process at once: nothing unfinished stays.
void remove_unfinished_files() noexcept;

}  // namespace lockkeeper
