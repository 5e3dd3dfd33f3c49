// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/postgresql_rows.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace lockkeeper::wire {
namespace {

// More are not kept as statements.
constexpr std::size_t kKeptRowsMax = 1'000;

constexpr const char* kOwnSchemas =
    "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'";

// Changes of the files of tables, of which every one names its file.
constexpr std::array<std::string_view, 10> kOfFiles{
    "Heap", "Heap2", "Btree", "Hash", "Gin", "Gist", "SPGist", "BRIN", "Generic", "Sequence"};
// Records that end a transaction, or hold a row for it. Other records show all else that they do.
constexpr std::array<std::string_view, 6> kOfTransactions{
    "Transaction", "MultiXact", "CLOG", "CommitTs", "Standby", "LogicalMessage"};
// Dead rows are tidied away, also by who only reads.
constexpr std::array<std::string_view, 4> kTidying{"PRUNE", "VISIBLE", "VACUUM", "FREEZE_PAGE"};

template <class Words>
bool is_one_of(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

PostgresqlRows::PostgresqlRows(databases::Connection& monitor, databases::Connection& own)
    : monitor_(monitor), own_(own) {
    // No triggers, and no references, while rows are put back.
    static_cast<void>(own_.require("SET session_replication_role = replica"));
    try {
        learn_tables();
    } catch (const databases::DatabaseError&) {  // a value that is too long to be kept as text
        is_simple_ = false;
    }
    learn_files();
    remember_position();
}

void PostgresqlRows::learn_tables() {
    const std::string odd = own_.require(
                                    "SELECT (SELECT count(*) FROM pg_event_trigger) + (SELECT "
                                    "count(*) FROM pg_trigger WHERE tgenabled IN ('A', 'R'))")
                                .value();
    const bool has_log =
        !monitor_.require("SELECT 1 FROM pg_extension WHERE extname = 'pg_walinspect'")
             .rows.empty();
    is_simple_ = odd == "0" && has_log;
    const auto found = own_.require(fmt::format(
        "SELECT c.oid::text, format('%I.%I', n.nspname, c.relname), c.relpersistence = 'u' OR "
        "EXISTS (SELECT 1 FROM pg_constraint k WHERE k.contype = 'f' AND c.oid IN (k.conrelid, "
        "k.confrelid)), (SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum) FROM "
        "pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated "
        "= '') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' "
        "AND {} ORDER BY c.oid",
        kOwnSchemas));
    std::size_t left = kKeptRowsMax;
    for (const auto& row : found.rows) {
        tables_.push_back({row[0], row[1], row[3], ""});
        together_ = together_ || row[2] == "t";
        learn_rows(tables_.back(), left);
    }
    for (const auto& row :
         own_.require(fmt::format("SELECT c.oid::text, format('%I.%I', n.nspname, "
                                  "c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid "
                                  "= c.relnamespace WHERE c.relkind = 'S' AND {} "
                                  "ORDER BY c.oid",
                                  kOwnSchemas))
             .rows) {
        sequences_.push_back({row[0], row[1], ""});
    }
    const std::vector<std::string> states = sequence_states();
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
        sequences_[i].state = states[i];
    }
}

// Learns the rows as values of an INSERT, in the order in which they are stored.
void PostgresqlRows::learn_rows(Table& table, std::size_t& left) {
    if (table.columns.empty()) {
        is_simple_ = false;
        return;
    }
    const std::string values =
        own_.require(fmt::format("SELECT string_agg(format('quote_nullable(%I::text)', attname), "
                                 "', ' ORDER BY attnum) FROM "
                                 "pg_attribute WHERE attrelid = {} AND attnum > 0 AND NOT "
                                 "attisdropped AND attgenerated = ''",
                                 table.oid))
            .value();
    const auto rows =
        own_.require(fmt::format("SELECT '(' || concat_ws(', ', {}) || ')' FROM ONLY {} "
                                 "ORDER BY ctid LIMIT {}",
                                 values, table.name, left + 1));
    if (rows.rows.size() > left) {
        is_simple_ = false;
        return;
    }
    left -= rows.rows.size();
    for (const auto& row : rows.rows) {
        table.rows += (table.rows.empty() ? "" : ", ") + row[0];
    }
}

// A table that was emptied has new ones.
void PostgresqlRows::learn_files() {
    files_.clear();
    if (tables_.empty()) {
        return;
    }
    std::map<std::string, std::size_t> numbers;
    std::string oids;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        numbers[tables_[i].oid] = i;
        oids += (i == 0 ? "" : ", ") + tables_[i].oid;
    }
    const auto found = own_.require(fmt::format(
        "WITH own AS (SELECT oid AS owner, oid, reltoastrelid FROM pg_class WHERE oid IN ({})), "
        "heaps AS (SELECT owner, oid FROM own UNION ALL SELECT owner, reltoastrelid FROM own WHERE "
        "reltoastrelid <> 0), files AS (SELECT owner, oid FROM heaps UNION ALL SELECT owner, "
        "i.indexrelid FROM heaps JOIN pg_index i ON i.indrelid = heaps.oid) SELECT owner::text, "
        "(CASE c.reltablespace WHEN 0 THEN d.dattablespace ELSE c.reltablespace END) || '/' || "
        "d.oid || '/' || pg_relation_filenode(c.oid) FROM files JOIN pg_class c ON c.oid = "
        "files.oid JOIN pg_database d ON d.datname = current_database()",
        oids));
    for (const auto& row : found.rows) {
        files_[row[1]] = numbers.at(row[0]);
    }
}

std::string PostgresqlRows::position() const {
    return monitor_.require("SELECT pg_current_wal_insert_lsn()").value();
}

void PostgresqlRows::remember_position() { position_ = position(); }

std::vector<std::string> PostgresqlRows::sequence_states() {
    std::string question;
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
        question += fmt::format("{}SELECT {}, last_value || ', ' || is_called FROM {}",
                                i == 0 ? "" : " UNION ALL ", i, sequences_[i].name);
    }
    std::vector<std::string> out(sequences_.size());
    if (!sequences_.empty()) {
        for (const auto& row : own_.require(question + " ORDER BY 1").rows) {
            out[std::stoul(row[0])] = row[1];
        }
    }
    return out;
}

// False: a change that is none of rows of these tables.
bool PostgresqlRows::find_touched(std::vector<bool>& touched) {
    // The log may not have a rolled-back transaction's changes until a later transaction ends.
    static_cast<void>(monitor_.require("SELECT pg_logical_emit_message(true, '', '')"));
    const auto changes = monitor_.require(
        "SELECT DISTINCT resource_manager, record_type, coalesce(m[1], '') FROM "
        "pg_get_wal_records_info_till_end_of_wal('" +
        position_ +
        "') LEFT JOIN LATERAL regexp_matches(block_ref, 'rel ([0-9/]+)', 'g') m ON true");
    for (const auto& row : changes.rows) {
        const std::string& manager = row[0];
        const std::string& file = row[2];
        const bool is_of_files =
            is_one_of(kOfFiles, manager) || (manager == "XLOG" && !file.empty());
        if (is_one_of(kOfTransactions, manager) || is_one_of(kTidying, row[1]) ||
            (manager == "XLOG" && file.empty())) {
            continue;
        }
        const auto table = files_.find(file);
        const bool is_sequence = manager == "Sequence";  // asked for their states
        if (!is_of_files || (table == files_.end() && !is_sequence)) {
            return false;
        }
        if (!is_sequence) {
            touched[table->second] = true;
        }
    }
    return true;
}

void PostgresqlRows::put_rows_back(const std::vector<bool>& touched) {
    std::string names;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        names += !touched[i] ? "" : (names.empty() ? "" : ", ") + tables_[i].name;
    }
    if (names.empty()) {
        return;
    }
    static_cast<void>(own_.require("TRUNCATE ONLY " + names));
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        if (touched[i] && !tables_[i].rows.empty()) {
            static_cast<void>(
                own_.require(fmt::format("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES {}",
                                         tables_[i].name, tables_[i].columns, tables_[i].rows)));
        }
    }
    learn_files();
}

bool PostgresqlRows::put_back() {
    if (!is_untouched()) {
        std::vector<bool> touched(tables_.size());
        if (!is_simple_ || !find_touched(touched)) {
            return false;
        }
        if (together_) {
            touched.assign(touched.size(), true);
        }
        put_rows_back(touched);
    }
    // The log does not always show the numbers that a sequence has given out.
    const std::vector<std::string> states = sequence_states();
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
        if (states[i] != sequences_[i].state) {
            static_cast<void>(own_.require(fmt::format("SELECT setval({}::regclass, {})",
                                                       sequences_[i].oid, sequences_[i].state)));
        }
    }
    remember_position();
    return true;
}

}  // namespace lockkeeper::wire
