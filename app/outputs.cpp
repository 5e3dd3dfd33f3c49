#include "app/outputs.hpp"

#include <filesystem>
#include <ostream>

#include "app/exit_code.hpp"

namespace lockkeeper {

OutputRule output_rule(const Session& session, std::string_view mark,
                       const std::vector<InputFile>& inputs) {
    OutputRule rule;
    rule.mark = mark;
    rule.force = session.options.force;
    rule.inputs = session.options.files;
    for (const InputFile& input : inputs) {
        rule.inputs.push_back(input.path);
    }
    return rule;
}

TextOutput::TextOutput(const Session& session, std::string path, OutputRule rule)
    : session_(session), path_(std::move(path)) {
    if (path_ != "/dev/stdout") {
        claim_.emplace(path_, std::move(rule));
    }
}

void TextOutput::write(std::string_view text) {
    if (claim_) {
        claim_->write(text);
    } else {
        session_.out << text << std::flush;
    }
}

bool write_or_complain(const Session& session, const std::function<void()>& write) {
    try {
        write();
        return true;
    } catch (const OutputError& error) {
        session.complain(error.what());
        return false;
    }
}

std::string marked_history(const std::string& text) {
    return text.empty() ? text : std::string(kHistoryMark) + text.substr(1);
}

void make_out_directory(const Options& options) {
    if (!options.out_directory) {
        return;
    }
    const std::string& directory = *options.out_directory;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error || !std::filesystem::is_directory(directory, error)) {
        throw UsageError("--out: \"" + directory + "\" is no directory and cannot be made one" +
                         (error ? ": " + error.message() : ""));
    }
    try {
        UnfinishedFile trial = begin_file(directory + "/trace");
        discard_file(trial);
    } catch (const OutputError& failed) {
        throw UsageError(std::string("--out: ") + failed.what());
    }
}

}  // namespace lockkeeper
