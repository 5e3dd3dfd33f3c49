// SPDX-License-Identifier: Apache-2.0

// Calls on the folder of files: a line each, with one answer. A wait for a lock goes on by itself:
// it is answered when the lock has become free, which is a step of the one who waits.
#include <algorithm>
#include <utility>

#include "model/check.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/wire/files_server.hpp"
#include "validate/wire/framing.hpp"
#include "validate/wire/proxy.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::size_t kLineMax = 2'048;

}  // namespace

void Proxy::parse_files(Connection& connection) {
    std::string& text = connection.from_client;
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos;
         text.erase(0, end + 1)) {
        std::string bytes = text.substr(0, end + 1);
        const bool waits = bytes.starts_with("await ");
        KeyFootprint everything;
        everything.everything = true;
        std::string shown = shown_text(bytes.substr(0, end));
        connection.requests.push_back(
            {std::move(bytes), std::move(shown), std::move(everything), 1, waits});
    }
    if (text.size() > kLineMax) {
        throw BadBytes("a line of more than 2 KiB");
    }
}

void Proxy::look_at_footprint(Connection& connection) const {
    if (settings_.kind != ServerKind::kFiles || connection.requests.empty()) {
        return;
    }
    const auto* const files = dynamic_cast<FilesServer*>(settings_.servers[connection.server]);
    LOCKKEEPER_CHECK(files != nullptr);
    WireRequest& request = connection.requests.front();
    request.footprint = files->footprint(request.text);
}

void Proxy::split_files_replies(Connection& connection) {
    std::string& text = connection.from_server;
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos;
         text.erase(0, end + 1)) {
        connection.owed -= connection.owed > 0 ? 1 : 0;
        add_reply(connection, text.substr(0, end + 1), false);
    }
}

}  // namespace lockkeeper::wire
