// SPDX-License-Identifier: Apache-2.0
#include "app/verbs.hpp"
#include "scheduler/process_memory.hpp"
#include "serve/serve.hpp"

namespace lockkeeper {

int verb_serve(const Session& session) {
    const Options& options = session.options;
    const std::size_t jobs = jobs_of(options);
    // A processor is left to the page.
    const std::size_t exploring = options.jobs || jobs == 1 ? jobs : jobs - 1;
    return serve(session.registry,
                 {find_files(options.files, FileKind::kEachCase),
                  static_cast<const Overlay&>(options),
                  options.out_directory,
                  {exploring, options.bytes_max.value_or(memory_default())},
                  options.port},
                 session.out, [&](const std::string& line) { session.complain(line); });
}

}  // namespace lockkeeper
