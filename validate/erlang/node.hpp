// SPDX-License-Identifier: Apache-2.0

// A private Erlang node for the time of a test or a command: `erl` with the modules of this folder
// in a directory of its own. It is spoken to over stdin and stdout; no distribution, no network, no
// file of the user's is read. It ends with the object, and when this process ends, however it ends
// (validate/processes/watched_child.hpp).
//
// Called by `validate --server erlang`, and by tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "validate/processes/watched_child.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper::erlang {

using NoNode = databases::NoServer;

// The files erlang/*.erl as they were when Lockkeeper was built. The node compiles them when it
// starts.
struct SourceFile {
    std::string name;  // "canal_lock.erl"
    std::string text;
};
[[nodiscard]] std::vector<SourceFile> sources();

class Node {
  public:
    // Compiles `files` and waits until the node answers. Errors of the compiler are the reason.
    [[nodiscard]] static std::variant<std::unique_ptr<Node>, NoNode> start(
        const std::vector<SourceFile>& files = sources());

    // "Erlang/OTP 25, runtime 13.1.5"
    [[nodiscard]] const std::string& version() const { return version_; }
    [[nodiscard]] pid_t pid() const { return child_.id(); }
    [[nodiscard]] const std::string& directory() const { return directory_->path(); }

    // One line there, one line back (canal_node.erl lists them). Throws std::runtime_error where
    // the node has ended or does not answer, Stopped after an interrupt.
    [[nodiscard]] std::string ask(std::string_view line);

  private:
    explicit Node(std::unique_ptr<WatchedDirectory> directory);

    std::unique_ptr<WatchedDirectory> directory_;
    ChildProcess child_;
    bool has_ended_ = false;
    std::string version_;
};

}  // namespace lockkeeper::erlang
