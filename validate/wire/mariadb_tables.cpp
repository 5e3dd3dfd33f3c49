// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/mariadb_tables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace lockkeeper::wire {
namespace {

// More are not kept as statements.
constexpr std::size_t kStoredRowsMax = 1'000;

constexpr const char* kOwnDatabases =
    "TABLE_SCHEMA NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')";

constexpr std::array<std::string_view, 8> kBinaryTypes{
    "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit", "inet6"};
// Their text is not all of their value.
constexpr std::array<std::string_view, 9> kTypesNotKept{
    "float",      "geometry", "point",        "linestring",        "polygon",
    "multipoint", "polygon",  "multipolygon", "geometrycollection"};

std::string name_in_quotes(const std::string& name) {
    std::string out = "`";
    for (const char letter : name) {
        out += letter == '`' ? "``" : std::string(1, letter);
    }
    return out + "`";
}

std::string text_in_quotes(const std::string& text) {
    std::string out = "'";
    for (const char letter : text) {
        out += letter == '\'' ? "''" : letter == '\\' ? "\\\\" : std::string(1, letter);
    }
    return out + "'";
}

bool is_in(const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

MariadbTables::MariadbTables(databases::Connection& own) : own_(own) {
    static_cast<void>(
        own_.require("SET foreign_key_checks = 0, unique_checks = 0, group_concat_max_len = "
                     "16777216, sql_mode = 'NO_AUTO_VALUE_ON_ZERO'"));
    learn_tables();
    shape_ = shape();
    settings_ = settings();
    position_ = position();
}

void MariadbTables::learn_tables() {
    is_simple_ = own_.require("SELECT COUNT(*) FROM information_schema.TRIGGERS").value() == "0";
    const auto found = own_.require(
        fmt::format("SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE, AUTO_INCREMENT FROM "
                    "information_schema.TABLES WHERE {} AND TABLE_TYPE <> 'VIEW' ORDER BY 1, 2",
                    kOwnDatabases));
    std::size_t left = kStoredRowsMax;
    for (const auto& row : found.rows) {
        is_simple_ = is_simple_ && row[2] == "BASE TABLE" && row[3] == "InnoDB";
        tables_.push_back({row[0], row[1], name_in_quotes(row[0]) + "." + name_in_quotes(row[1]),
                           "", "", row[4]});
        if (is_simple_) {
            learn_rows(tables_.back(), left);
        }
    }
}

// Learns the rows as values of an INSERT.
void MariadbTables::learn_rows(Table& table, std::size_t& left) {
    const auto columns = own_.require(
        fmt::format("SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE "
                    "TABLE_SCHEMA = {} AND TABLE_NAME = {} AND COALESCE(GENERATION_EXPRESSION, '') "
                    "= '' ORDER BY ORDINAL_POSITION",
                    text_in_quotes(table.schema), text_in_quotes(table.name)));
    std::string values;
    for (const auto& column : columns.rows) {
        const std::string name = name_in_quotes(column[0]);
        is_simple_ = is_simple_ && !is_in(kTypesNotKept, column[1]);
        table.columns += (table.columns.empty() ? "" : ", ") + name;
        values += (values.empty() ? "" : ", ") +
                  (is_in(kBinaryTypes, column[1])
                       ? fmt::format("COALESCE(CONCAT('x''', HEX({}), ''''), 'NULL')", name)
                       : fmt::format("QUOTE({})", name));
    }
    if (!is_simple_ || values.empty()) {
        is_simple_ = false;
        return;
    }
    const auto rows =
        own_.require(fmt::format("SELECT CONCAT('(', CONCAT_WS(', ', {}), ')') FROM "
                                 "{} LIMIT {}",
                                 values, table.quoted, left + 1));
    if (rows.rows.size() > left) {
        is_simple_ = false;
        return;
    }
    left -= rows.rows.size();
    for (const auto& row : rows.rows) {
        table.rows += (table.rows.empty() ? "" : ", ") + row[0];
    }
}

std::string MariadbTables::position() const {
    const auto answer = own_.require("SHOW GLOBAL STATUS LIKE 'Innodb_lsn_current'");
    return answer.rows.empty() ? "" : answer.rows.front()[1];
}

// Databases, tables, columns, indexes, references and triggers, in one word.
std::string MariadbTables::shape() const {
    const std::string of_columns =
        "CONCAT_WS('|', TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, "
        "IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLLATION_NAME)";
    return own_
        .require(fmt::format(
            "SELECT MD5(CONCAT_WS('/', (SELECT GROUP_CONCAT(SCHEMA_NAME ORDER BY 1) FROM "
            "information_schema.SCHEMATA), (SELECT GROUP_CONCAT({0} ORDER BY 1) FROM "
            "information_schema.COLUMNS WHERE {1}), (SELECT GROUP_CONCAT(CONCAT_WS('|', "
            "TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE) ORDER BY 1) FROM "
            "information_schema.TABLES WHERE {1}), (SELECT GROUP_CONCAT(CONCAT_WS('|', "
            "TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE) ORDER BY "
            "1) FROM information_schema.STATISTICS WHERE {1}), (SELECT "
            "GROUP_CONCAT(CONCAT_WS('|', TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, "
            "REFERENCED_TABLE_NAME) ORDER BY 1) FROM information_schema.KEY_COLUMN_USAGE WHERE "
            "{1}), (SELECT COUNT(*) FROM information_schema.TRIGGERS)))",
            of_columns, kOwnDatabases))
        .value();
}

std::string MariadbTables::settings() const {
    return own_
        .require(
            "SELECT MD5(GROUP_CONCAT(VARIABLE_NAME, '=', VARIABLE_VALUE ORDER BY VARIABLE_NAME)) "
            "FROM information_schema.GLOBAL_VARIABLES")
        .value();
}

// A table that is emptied by DELETE keeps its rows for a while, and where they were is locked.
bool MariadbTables::put_back() {
    if (settings() != settings_) {
        return false;
    }
    if (is_untouched()) {
        return true;
    }
    if (!is_simple_ || shape() != shape_) {
        return false;
    }
    for (const Table& table : tables_) {
        static_cast<void>(own_.require("TRUNCATE TABLE " + table.quoted));
        if (!table.rows.empty()) {
            static_cast<void>(own_.require(fmt::format("INSERT INTO {} ({}) VALUES {}",
                                                       table.quoted, table.columns, table.rows)));
        }
        if (!table.next.empty() && table.next != "1") {
            static_cast<void>(own_.require(
                fmt::format("ALTER TABLE {} AUTO_INCREMENT = {}", table.quoted, table.next)));
        }
    }
    position_ = position();
    return true;
}

}  // namespace lockkeeper::wire
