// SPDX-License-Identifier: Apache-2.0

// The changes in a private PostgreSQL since it was kept: none, rows of tables that existed then, or
// more. This class puts rows back in a few statements. All other changes need the copy of the data
// (PrivateServer::put_data_back), which takes a restart.
//
// The server's log of changes (pg_walinspect) says which files have changed, and so which tables. A
// change of a catalog is more than rows: a new table, another type, a role.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "validate/servers/private_server.hpp"

namespace lockkeeper::wire {

class PostgresqlRows {
  public:
    // `monitor`: a session in a database that nobody else uses, which has pg_walinspect. `own`: one
    // in that of the callers. Both must outlive it. What is there now is what is put back.
    PostgresqlRows(databases::Connection& monitor, databases::Connection& own);
    // False: more than rows has changed, and nothing was put back.
    [[nodiscard]] bool put_back();
    // Nothing has been written since then.
    [[nodiscard]] bool is_untouched() const { return position() == position_; }

  private:
    struct Table {
        std::string oid;
        std::string name;
        std::string columns;
        std::string rows;  // "(...), (...)"; empty: none
    };
    struct Sequence {
        std::string oid;
        std::string name;
        std::string state;  // "7, true"
    };
    void learn_tables();
    void learn_rows(Table& table, std::size_t& left);
    void learn_files();
    void remember_position();
    [[nodiscard]] std::string position() const;
    [[nodiscard]] std::vector<std::string> sequence_states();
    [[nodiscard]] bool find_touched(std::vector<bool>& touched);
    void put_rows_back(const std::vector<bool>& touched);

    databases::Connection& monitor_;
    databases::Connection& own_;
    std::vector<Table> tables_;
    std::vector<Sequence> sequences_;
    std::map<std::string, std::size_t> files_;  // tables by their files, indexes' and toast's
    bool together_ = false;                     // one table is emptied only with the others
    bool is_simple_ = true;                     // else never here
    std::string position_;                      // in the log of changes
};

}  // namespace lockkeeper::wire
