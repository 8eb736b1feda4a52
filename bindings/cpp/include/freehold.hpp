// Freehold for C++17: objects in one file, shared by any number of processes of any language. Link with -lfreehold.
//
//     freehold::Database database("people.freehold");
//     {
//         freehold::Transaction transaction = database.write();
//         freehold::Object ada = transaction.create("Person", {{"id", 1}, {"name", "Ada"}});
//         ada.set("age", 36);
//         transaction.commit();
//     }
//     freehold::Snapshot snapshot = database.read();
//     for (freehold::Object person : snapshot.query("Person", "age >= %@ SORT(name ASC)", 18))
//         std::cout << person.get<std::string_view>("name") << '\n';
//
// Ownership. Handles are values that move and end with their scope; a transaction that was not committed is rolled back. They end
// in any order. Objects, and what else is read, stand for places in the file: cheap to copy, good as long as their reader.
//
// Lifetime. A std::string_view or Bytes points into the file: from a snapshot it is good until that is refreshed, parked or ends, from a
// transaction until the next call, of which it may be an argument (`ada.set("name", bob.get<std::string_view>("name"))`); an element of a
// Collection until the next one is asked for or the Collection ends, and what Groups have as long as they. Take a std::string or
// std::vector<std::uint8_t> to keep one. A reader has to be named where what it gives is used: it does not live as long as a loop over
// `database.read().query(…)`, which throws FREEHOLD_ERROR_CLOSED.
//
// Errors are exceptions: freehold::Error, with the code that all languages have. What is not there is an empty std::optional.
//
// Threads. A Database and a Listener: any thread. A Snapshot and what was read through it, a Watch, a LargeValue, and what is pending: one
// thread at a time. A Transaction and what was read through it: the one that began or took it.
//
// Processes. Any number may have the file open. A forked child opens it itself: what it inherited throws FREEHOLD_ERROR_FORKED.
#ifndef FREEHOLD_HPP
#define FREEHOLD_HPP

#include "freehold-cpp/changes.hpp"
#include "freehold-cpp/columns.hpp"
#include "freehold-cpp/database.hpp"
#include "freehold-cpp/error.hpp"
#include "freehold-cpp/handing_over.hpp"
#include "freehold-cpp/in_turn.hpp"
#include "freehold-cpp/indexes.hpp"
#include "freehold-cpp/inspect.hpp"
#include "freehold-cpp/json.hpp"
#include "freehold-cpp/large_value.hpp"
#include "freehold-cpp/mapping.hpp"
#include "freehold-cpp/migration.hpp"
#include "freehold-cpp/object.hpp"
#include "freehold-cpp/pending.hpp"
#include "freehold-cpp/query.hpp"
#include "freehold-cpp/reader.hpp"
#include "freehold-cpp/scan.hpp"
#include "freehold-cpp/schema.hpp"
#include "freehold-cpp/single_pass.hpp"
#include "freehold-cpp/transaction.hpp"
#include "freehold-cpp/value.hpp"
#include "freehold-cpp/watch.hpp"

#endif
