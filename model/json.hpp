// SPDX-License-Identifier: Apache-2.0

// nlohmann/json: everybody who reads or writes JSON includes it from here. Under sanitizers it is
// compiled once, optimised and not instrumented, as the packages that are shared libraries are:
// tests that talk to programs spend most of their time in its parser otherwise.
//
// A list is written into a `Json::array_t`, and then moved into the document: to push back into an
// ordered_json sets the parents of all its elements again (JSON_DIAGNOSTICS).
#pragma once

#include <nlohmann/json.hpp>

#ifdef LOCKKEEPER_SANITIZED
namespace lockkeeper {

// The parser's inputs: a std::string_view, and a std::string.
using JsonFromView = nlohmann::detail::iterator_input_adapter<std::string_view::const_iterator>;
using JsonFromString = nlohmann::detail::iterator_input_adapter<std::string::const_iterator>;

}  // namespace lockkeeper

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::detail::serializer<nlohmann::json>;
extern template class nlohmann::detail::serializer<nlohmann::ordered_json>;
extern template class nlohmann::detail::lexer<nlohmann::json, lockkeeper::JsonFromView>;
extern template class nlohmann::detail::lexer<nlohmann::json, lockkeeper::JsonFromString>;
extern template class nlohmann::detail::parser<nlohmann::json, lockkeeper::JsonFromView>;
extern template class nlohmann::detail::parser<nlohmann::json, lockkeeper::JsonFromString>;
extern template class nlohmann::detail::lexer<nlohmann::ordered_json, lockkeeper::JsonFromString>;
extern template class nlohmann::detail::parser<nlohmann::ordered_json, lockkeeper::JsonFromString>;
#endif
