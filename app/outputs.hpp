// What the verbs write, claimed before they work (scheduler/output_file.hpp). Errors: OutputError.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session.hpp"
#include "scheduler/output_file.hpp"

namespace lockkeeper {

// How a history begins, and a file that may be replaced by another.
inline constexpr std::string_view kHistoryMark = "{\"recorder\":\"lockkeeper\",";

// By --force and the files that are named on the command line. `inputs`: those found in
// directories.
[[nodiscard]] OutputRule output_rule(const Session& session, std::string_view mark,
                                     const std::vector<InputFile>& inputs = {});

// A text file; or stdout, which is written to and not replaced, by the name /dev/stdout.
class TextOutput {
  public:
    TextOutput(const Session& session, std::string path, OutputRule rule);
    [[nodiscard]] const std::string& path() const { return path_; }
    void write(std::string_view text);

  private:
    const Session& session_;
    std::string path_;
    std::optional<OutputClaim> claim_;
};

// Runs `write`. False: a file cannot be written, as on a full disk, and stderr has a line that says
// so. The report goes on.
[[nodiscard]] bool write_or_complain(const Session& session, const std::function<void()>& write);

// The text of write_history with the mark in its first record. Readers do not look at it.
[[nodiscard]] std::string marked_history(const std::string& text);

// The directory of --out: made where there is none. UsageError where it cannot be written to.
void make_out_directory(const Options& options);

}  // namespace lockkeeper
