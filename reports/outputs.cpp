#include "reports/outputs.hpp"

#include <ostream>

namespace lockkeeper {

TextOutput::TextOutput(std::ostream& standard, std::string path, OutputRule rule)
    : standard_(standard), path_(std::move(path)) {
    if (path_ != "/dev/stdout") {
        claim_.emplace(path_, std::move(rule));
    }
}

void TextOutput::write(std::string_view text) {
    if (claim_) {
        claim_->write(text);
    } else {
        standard_ << text << std::flush;
    }
}

std::string marked_history(const std::string& text) {
    return text.empty() ? text : std::string(kHistoryMark) + text.substr(1);
}

}  // namespace lockkeeper
