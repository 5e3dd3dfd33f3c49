// SPDX-License-Identifier: Apache-2.0

// A private node starts, says who it is, and ends; one that cannot start, or misbehaves, is told
// with its reason. Skipped, with the reason, where Erlang is missing.
#include "validate/erlang/node.hpp"

#include <signal.h>

#include <filesystem>
#include <stdexcept>

#include "model/missing_test.hpp"

namespace lockkeeper::erlang {
namespace {

std::string reason_of(const std::vector<SourceFile>& files) {
    auto started = Node::start(files);
    const auto* none = std::get_if<NoNode>(&started);
    return none == nullptr ? "it started" : none->reason;
}

std::string error_of(Node& node, const std::string& line) {
    try {
        return "answered " + node.ask(line);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

TEST(ErlangNode, says_its_version_and_leaves_nothing) {
    NEEDS_TOOL("erl");
    auto started = Node::start();
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Node>>(started))
        << std::get<NoNode>(started).reason;
    auto& node = std::get<std::unique_ptr<Node>>(started);
    EXPECT_TRUE(node->version().starts_with("Erlang/OTP ")) << node->version();
    const std::string directory = node->directory();
    EXPECT_TRUE(std::filesystem::exists(directory));
    node.reset();
    EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(ErlangNode, that_is_killed_is_an_error_and_stays_one) {
    NEEDS_TOOL("erl");
    auto started = Node::start();
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Node>>(started));
    Node& node = *std::get<std::unique_ptr<Node>>(started);
    ::kill(node.pid(), SIGKILL);
    EXPECT_TRUE(error_of(node, "version").starts_with("the Erlang node "));
    EXPECT_EQ("the Erlang node has ended before", error_of(node, "version"));
}

TEST(ErlangNode, that_ends_by_an_error_of_its_own_says_which) {
    NEEDS_TOOL("erl");
    auto started = Node::start();
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Node>>(started));
    Node& node = *std::get<std::unique_ptr<Node>>(started);
    EXPECT_NE(std::string::npos, error_of(node, "no_such_command").find("function_clause"));
}

TEST(ErlangNode, whose_modules_do_not_compile_does_not_start) {
    NEEDS_TOOL("erl");
    std::vector<SourceFile> files = sources();
    ASSERT_EQ(3U, files.size());
    files[0].text += "\nthis is no Erlang";
    const std::string reason = reason_of(files);
    EXPECT_NE(std::string::npos, reason.find("syntax error")) << reason;
}

TEST(ErlangNode, that_says_something_else_than_its_version_is_none) {
    NEEDS_TOOL("erl");
    const std::vector<SourceFile> files{
        {"canal_node.erl",
         "-module(canal_node).\n-export([main/0]).\nmain() -> io:format(\"hello~n\"), main().\n"}};
    EXPECT_EQ("no private Erlang node: it says \"hello\"", reason_of(files));
}

}  // namespace
}  // namespace lockkeeper::erlang
