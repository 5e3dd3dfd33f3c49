// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/held_servers.hpp"

#include <fmt/format.h>

#include "model/check.hpp"
#include "validate/wire/files_server.hpp"
#include "validate/wire/postgresql_pool.hpp"
#include "validate/wire/tcp_server.hpp"

namespace lockkeeper::wire {

std::vector<std::unique_ptr<HeldServer>> start_servers(const WireSettings& settings,
                                                       SharedMemory& memory) {
    LOCKKEEPER_CHECK(settings.servers > 0 && settings.servers <= LOCKKEEPER_WIRE_SERVERS);
    std::vector<std::unique_ptr<HeldServer>> out;
    const OutsideServer& outside = settings.outside;
    if (settings.server == ServerKind::kPostgresql && !outside.command.empty()) {
        out.push_back(start_pool(memory, outside.command, settings.answer_seconds));
        return out;
    }
    for (std::size_t i = 0; i < settings.servers; ++i) {
        switch (settings.server) {
            case ServerKind::kTcp:
                out.push_back(
                    std::make_unique<TcpServer>(memory, outside, settings.answer_seconds));
                break;
            case ServerKind::kFiles: out.push_back(std::make_unique<FilesServer>(memory)); break;
            default:
                out.push_back(start_server(settings.server, memory, i,
                                           i + settings.replicas >= settings.servers));
                break;
        }
    }
    return out;
}

std::vector<std::string> variables_of(const std::vector<std::unique_ptr<HeldServer>>& servers,
                                      std::size_t replicas) {
    std::vector<std::string> out = servers.front()->variables();
    if (servers.size() == 1) {
        return out;
    }
    const std::size_t count = out.size();
    for (std::size_t at = 0; at < count; ++at) {
        const std::string name = out[at].substr(0, out[at].find('='));
        std::string all;
        for (const auto& server : servers) {
            all += (all.empty() ? "" : ",") + server->variables()[at].substr(name.size() + 1);
        }
        out.push_back(fmt::format("{}S={}", name, all));
    }
    // After the commas of "REDIS_URLS" come the replicas, too.
    for (std::size_t at = 0; at < count && replicas > 0; ++at) {
        std::string first = servers[servers.size() - replicas]->variables()[at];
        out.push_back(first.insert(first.find('_'), "_REPLICA"));
    }
    return out;
}

}  // namespace lockkeeper::wire
