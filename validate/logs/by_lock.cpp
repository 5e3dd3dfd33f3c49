// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "validate/logs/explain.hpp"

namespace lockkeeper::logs {

std::vector<std::pair<std::string, std::vector<Source>>> by_lock(const Logs& logs) {
    std::set<std::string> keys;
    for (const Source& source : logs.sources) {
        for (const Observation& seen : source.observations) {
            keys.insert(seen.key);
        }
    }
    if (keys.size() > 1) {
        keys.erase("");
    }
    std::vector<std::pair<std::string, std::vector<Source>>> locks;
    for (const std::string& key : keys) {
        std::vector<Source> sources;
        for (const Source& source : logs.sources) {
            Source part{source.name,
                        source.file,
                        {},
                        source.has_clock_of_file,
                        source.ends_unsaid,
                        source.lacks_keys,
                        source.gives_back_own};
            for (const Observation& seen : source.observations) {
                if (seen.key.empty() && keys.size() > 1) {
                    throw LogError(source.file, seen.line,
                                   "the line names no lock, and these logs are about " +
                                       std::to_string(keys.size()) +
                                       " locks; a mapping says where a line has its key");
                }
                if (seen.key.empty() || seen.key == key) {
                    part.observations.push_back(seen);
                }
            }
            sources.push_back(std::move(part));
        }
        locks.emplace_back(key, std::move(sources));
    }
    return locks;
}

}  // namespace lockkeeper::logs
