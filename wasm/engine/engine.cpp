// SPDX-License-Identifier: Apache-2.0
#include "wasm/engine/engine.hpp"

#include <iostream>
#include <sstream>
#include <utility>

#include "app/command_line.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/parse_place.hpp"
#include "wasm/engine/command_room.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kArgumentsMax = 1'000;

std::string as_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Collects, and tells each line as it comes.
class ToldBuffer : public std::stringbuf {
  public:
    explicit ToldBuffer(std::function<void(std::string)> tell) : tell_(std::move(tell)) {}

  protected:
    int sync() override {
        std::string all = str();
        if (all.size() > told_) {
            tell_(all.substr(told_));
            told_ = all.size();
        }
        return 0;
    }

  private:
    std::function<void(std::string)> tell_;
    std::size_t told_ = 0;
};

// Standard input is this text for as long as this lives.
class GivenInput {
  public:
    explicit GivenInput(const std::string& text) : text_(text), own_(std::cin.rdbuf(&text_)) {
        std::cin.clear();
    }
    GivenInput(const GivenInput&) = delete;
    GivenInput& operator=(const GivenInput&) = delete;
    ~GivenInput() { std::cin.rdbuf(own_); }

  private:
    std::stringbuf text_;
    std::streambuf* own_;
};

struct AskedCommand {
    std::vector<std::string> arguments;
    std::vector<NamedText> files;
    std::string input;
};

AskedCommand read_asked(const Place& body) {
    body.has_only({"arguments", "files", "stdin"});
    AskedCommand asked;
    for (const Place& argument : body.at("arguments").elements(0, kArgumentsMax)) {
        asked.arguments.push_back(argument.text());
    }
    if (const auto files = body.find("files")) {
        for (const auto& [name, text] : files->members()) {
            if (!is_inside(name)) {
                text.refuse("\"" + name +
                            "\" is no name of a file here: a relative path without ..");
            }
            asked.files.push_back({name, text.text()});
        }
    }
    if (const auto input = body.find("stdin")) {
        asked.input = input->text();
    }
    return asked;
}

// The document, which has to be an object.
template <class Use>
auto with_object(const std::string& body, const Use& use) {
    const InputText input{"the request", body};
    const nlohmann::json document = read_json(input);
    const Place place(document, input);
    if (!place.is_object()) {
        place.refuse_type("an object");
    }
    return use(place);
}

std::string ended(int exit_code, const std::string& out, const std::string& err, Json files) {
    return as_text(
        {{"exit_code", exit_code}, {"out", out}, {"err", err}, {"files", std::move(files)}});
}

}  // namespace

Engine::Engine(Surroundings around)
    : around_(std::move(around)),
      api_(files_, {std::nullopt,
                    {1, around_.bytes_max, [](const std::function<void()>& search) { search(); },
                     [this] { tell("exploration", api_.exploration().view()); }}}) {}

void Engine::tell(const char* name, Json what) const {
    if (around_.tell) {
        around_.tell(as_text({{name, std::move(what)}}));
    }
}

std::string Engine::answer(std::string_view name, const std::string& body) {
    const Answer answer = api_.answer(name, body);
    return "{\"status\":" + std::to_string(answer.status) + ",\"answer\":" + answer.json + "}";
}

std::string Engine::command(const std::string& body) {
    std::stringbuf out_buffer;
    ToldBuffer err_buffer([this](std::string text) { tell("err", std::move(text)); });
    std::ostream out(&out_buffer);
    std::ostream err(&err_buffer);
    try {
        const AskedCommand asked = with_object(body, read_asked);
        const CommandRoom room(around_.directory, asked.files);
        const GivenInput input(asked.input);
        const int exit_code =
            run_lockkeeper(asked.arguments, registry_,
                           {out, err, false, [](const char*) -> const char* { return nullptr; }});
        Json files = Json::object();
        for (NamedText& file : room.written()) {
            files[file.name] = std::move(file.text);
        }
        return ended(exit_code, out_buffer.str(), err_buffer.str(), std::move(files));
    } catch (const BadInput& error) {
        err << "lockkeeper: " << error.what() << "\n";
    } catch (const RefusedInput& error) {
        err << "lockkeeper: " << error.what() << "\n";
    } catch (const std::exception& error) {
        err << "lockkeeper: internal error: " << error.what() << "\n";
        return ended(kExitInternal, out_buffer.str(), err_buffer.str(), Json::object());
    }
    return ended(kExitInput, out_buffer.str(), err_buffer.str(), Json::object());
}

}  // namespace lockkeeper
