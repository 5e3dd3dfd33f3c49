// SPDX-License-Identifier: Apache-2.0

// The server of the playground gives the files of its folder, and nothing else.
#include "serve/http_playground.hpp"

#include <filesystem>
#include <fstream>

#include "scenarios/bad_input.hpp"
#include "serve/http_served_test.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;
namespace http = boost::beast::http;

class HttpPlayground : public ::testing::Test {
  protected:
    void SetUp() override {
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "site/assets");
        write("site/index.html", "<title>the playground</title>");
        write("site/assets/page.js", "export {};");
        write("site/engine.wasm", std::string("\0asm", 4));
        write("secret", "not of the folder");
    }
    void TearDown() override { fs::remove_all(folder_); }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
    }
    [[nodiscard]] std::string site() const { return (folder_ / "site").string(); }

    static HttpRequest asked(const std::string& path, http::verb method = http::verb::get,
                             const std::string& host = "localhost:8000") {
        HttpRequest request(method, path, 11);
        request.set(http::field::host, host);
        return request;
    }
    [[nodiscard]] HttpResponse answer(const std::string& path) const {
        PlaygroundAnswers answers(read_playground(site()));
        answers.set_port(8000);
        const HttpRequest request = asked(path);
        EXPECT_FALSE(answers.refused(request.base())) << path;
        return answers.answer(request);
    }

    fs::path folder_ =
        fs::path(::testing::TempDir()) / ("playground_" + std::to_string(::getpid()));
};

TEST_F(HttpPlayground, GivesEachFileWithItsType) {
    const std::pair<std::string, std::pair<std::string, std::string>> wanted[] = {
        {"/", {"text/html; charset=utf-8", "<title>the playground</title>"}},
        {"/index.html?x=1", {"text/html; charset=utf-8", "<title>the playground</title>"}},
        {"/assets/page.js", {"text/javascript; charset=utf-8", "export {};"}},
        {"/engine.wasm", {"application/wasm", std::string("\0asm", 4)}},
    };
    for (const auto& [path, what] : wanted) {
        const HttpResponse response = answer(path);
        EXPECT_EQ(response.result_int(), 200U) << path;
        EXPECT_EQ(std::string(response[http::field::content_type]), what.first) << path;
        EXPECT_EQ(response.body(), what.second) << path;
    }
}

TEST_F(HttpPlayground, GivesNothingBesideItsFolder) {
    for (const char* path : {"/secret", "/../secret", "/assets/../../secret", "/%2e%2e/secret",
                             "//secret", "/assets", "/assets/"}) {
        EXPECT_EQ(answer(path).result_int(), 404U) << path;
    }
}

TEST_F(HttpPlayground, RefusesOtherHostsAndWhateverChangesSomething) {
    PlaygroundAnswers answers(read_playground(site()));
    answers.set_port(8000);
    const auto status = [&](const HttpRequest& request) {
        const auto refused = answers.refused(request.base());
        return refused ? refused->status : 200;
    };
    EXPECT_EQ(status(asked("/")), 200);
    EXPECT_EQ(status(asked("/", http::verb::get, "localhost:8001")), 403);
    EXPECT_EQ(status(asked("/", http::verb::get, "example.org")), 403);
    EXPECT_EQ(status(asked("/", http::verb::post)), 405);
    EXPECT_EQ(status(asked("/", http::verb::delete_)), 405);
}

TEST_F(HttpPlayground, AFolderWithoutOneIsRefusedWithWhatMakesOne) {
    try {
        (void)read_playground((folder_ / "site/assets").string());
        ADD_FAILURE() << "a folder without index.html was taken";
    } catch (const BadInput& error) {
        EXPECT_NE(std::string(error.what()).find("make playground"), std::string::npos)
            << error.what();
    }
    EXPECT_THROW((void)read_playground((folder_ / "none").string()), BadInput);
}

// Through real sockets, as a browser asks.
TEST_F(HttpPlayground, AnswersABrowser) {
    PlaygroundAnswers answers(read_playground(site()));
    HttpServer server(answers);
    const int port = server.bind(0);
    EXPECT_EQ(server.address(), "http://127.0.0.1:" + std::to_string(port) + "/");
    std::atomic<bool> is_over{false};
    std::thread listening([&] { server.listen([&] { return is_over.load(); }); });
    {
        const testing_serve::Plug plug(port);
        plug.send("GET /engine.wasm HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                  "\r\n\r\n");
        plug.end();
        const testing_serve::Returned returned = testing_serve::understood(plug.received());
        EXPECT_EQ(returned.status, 200);
        EXPECT_EQ(returned.body, std::string("\0asm", 4));
        EXPECT_EQ(returned.field("Content-Type"), "application/wasm");
    }
    is_over = true;
    listening.join();
}

}  // namespace
}  // namespace lockkeeper
