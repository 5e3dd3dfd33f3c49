// SPDX-License-Identifier: Apache-2.0
#include "model/json.hpp"

#ifdef LOCKKEEPER_SANITIZED
template class nlohmann::basic_json<>;
template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::detail::serializer<nlohmann::json>;
template class nlohmann::detail::serializer<nlohmann::ordered_json>;
template class nlohmann::detail::lexer<nlohmann::json, lockkeeper::JsonFromView>;
template class nlohmann::detail::lexer<nlohmann::json, lockkeeper::JsonFromString>;
template class nlohmann::detail::parser<nlohmann::json, lockkeeper::JsonFromView>;
template class nlohmann::detail::parser<nlohmann::json, lockkeeper::JsonFromString>;
template class nlohmann::detail::lexer<nlohmann::ordered_json, lockkeeper::JsonFromString>;
template class nlohmann::detail::parser<nlohmann::ordered_json, lockkeeper::JsonFromString>;
#endif
