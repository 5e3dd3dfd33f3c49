// SPDX-License-Identifier: Apache-2.0

// The changes in a private MariaDB since it was kept: none, rows of tables that existed then, or
// more. This class puts rows back in a few statements, as PostgresqlRows does. All other changes
// need the copy of the data (PrivateServer::put_data_back), which takes a restart. Used by the held
// MariaDB (mariadb_server.cpp).
//
// The position in InnoDB's log says whether anything was written. Tables of other engines,
// sequences and triggers are not put back here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "validate/servers/private_server.hpp"

namespace lockkeeper::wire {

class MariadbTables {
  public:
    // `own`: a session of the harness's, which must outlive it. What is there now is put back.
    explicit MariadbTables(databases::Connection& own);
    // False: more than rows has changed, and nothing was put back.
    [[nodiscard]] bool put_back();
    // Nothing has been written since then.
    [[nodiscard]] bool is_untouched() const { return position() == position_; }

  private:
    struct Table {
        std::string schema;
        std::string name;
        std::string quoted;
        std::string columns;
        std::string rows;  // "(...), (...)"; empty: none
        std::string next;  // the next number that it gives out; empty: it gives out none
    };
    void learn_tables();
    void learn_rows(Table& table, std::size_t& left);
    [[nodiscard]] std::string position() const;
    [[nodiscard]] std::string shape() const;
    [[nodiscard]] std::string settings() const;

    databases::Connection& own_;
    std::vector<Table> tables_;
    bool is_simple_ = true;  // else never here
    std::string shape_;
    std::string settings_;
    std::string position_;
};

}  // namespace lockkeeper::wire
