// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/owner_names.hpp"

namespace lockkeeper {
namespace {

std::string name_in(const Datum& value, const char* field) {
    const Datum* datum = value.find(field);
    const bool is_name =
        datum != nullptr && (datum->is(Datum::Kind::kText) || datum->is(Datum::Kind::kInteger));
    return is_name ? datum->to_text() : "";
}

}  // namespace

OwnerNames::OwnerNames(const RecordedHistory& history, ValueMeaning bare)
    : history_(history),
      takes_texts_(bare != ValueMeaning::kTag && bare != ValueMeaning::kMode),
      trusts_texts_(takes_texts_ && bare != ValueMeaning::kNothing) {}

std::string OwnerNames::client_in(const Datum& value) {
    const std::string client = name_in(value, "client");
    return client.empty() ? name_in(value, "owner") : client;
}

void OwnerNames::note_uid(const Datum& value) {
    const std::string uid = name_in(value, "uid");
    if (!uid.empty()) {
        uids_.insert(uid);
    }
}

// If a process gives two texts, neither says who it is.
void OwnerNames::note_text(const std::string& text, const std::string& process) {
    Process& caller = processes_[process];
    if (!caller.text.empty() && caller.text != text) {
        texts_[caller.text].is_ambiguous = true;
        texts_[text].is_ambiguous = true;
    }
    caller.text = text;
    TextUse& use = texts_[text];
    if (!use.process.empty() && use.process != process) {
        use.is_ambiguous = use.is_ambiguous || !processes_[use.process].has_unknown_end;
    }
    use.process = process;
}

void OwnerNames::add(std::size_t invoked, std::optional<std::size_t> ended, bool is_definite) {
    const Record& call = history_.records[invoked];
    Process& process = processes_[call.process];
    Call& known = calls_[invoked];
    known.process = call.process;
    known.before = process.latest;
    known.client = client_in(call.value);
    note_uid(call.value);
    if (ended) {
        const Datum& value = history_.records[*ended].value;
        const std::string client = client_in(value);
        known.client = client.empty() ? known.client : client;
        note_uid(value);
    }
    if (!known.client.empty()) {
        clients_.insert(known.client);
        process.clients.insert(known.client);
        process.latest = known.client;
    }
    process.has_unknown_end = !is_definite;
    if (takes_texts_ && call.value.is(Datum::Kind::kText) && !call.value.text.empty()) {
        known.text = call.value.text;
        note_text(known.text, call.process);
    }
}

std::string OwnerNames::owner_of(std::size_t invoked) const {
    const Call& call = calls_.at(invoked);
    if (!call.client.empty()) {
        return call.client;
    }
    if (clients_.count(call.text) > 0) {
        return call.text;
    }
    if (!call.before.empty()) {
        return call.before;
    }
    const Process& process = processes_.at(call.process);
    if (process.clients.size() == 1) {
        return *process.clients.begin();
    }
    const bool is_uid = uids_.count(call.text) > 0;
    if (trusts_texts_ && !call.text.empty() && !is_uid && !texts_.at(call.text).is_ambiguous) {
        return call.text;
    }
    return call.process;
}

}  // namespace lockkeeper
