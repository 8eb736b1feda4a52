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
// Ownership. Handles are values that can be moved and end with their scope; a transaction that was not committed is
// rolled back. They end in any order. Objects and other things that are read stand for places in the file: they are
// cheap to copy, and valid as long as their reader.
//
// Lifetime. A std::string_view or Bytes points into the file. From a snapshot it is valid until the snapshot is
// refreshed, parked or ends. From a transaction it is valid until the next call, of which it may be an argument
// (`ada.set("name", bob.get<std::string_view>("name"))`). An element of a Collection is valid until the next one is
// read or the Collection ends, and values of Groups as long as the Groups. Take a std::string or
// std::vector<std::uint8_t> to keep a value. Name the reader where its results are used: a temporary does not live
// as long as a loop over `database.read().query(…)`, which throws FREEHOLD_ERROR_CLOSED.
//
// Errors are exceptions: freehold::Error, with the error code that all languages use. An absent value is an empty
// std::optional.
//
// Threads. A Database and a Listener: any thread. A Snapshot and everything read through it, a Watch, a LargeValue,
// a PendingTransaction and a PendingCommit: one thread at a time. A Transaction and everything read through it: the
// thread that began or took it.
//
// Processes. Any number of processes may have the file open. A forked child must open it itself: inherited handles
// throw FREEHOLD_ERROR_FORKED.
#ifndef FREEHOLD_HPP
#define FREEHOLD_HPP

#include "freehold-cpp/changes.hpp"
#include "freehold-cpp/columns.hpp"
#include "freehold-cpp/database.hpp"
#include "freehold-cpp/derived_indexes.hpp"
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
#include "freehold-cpp/sync.hpp"
#include "freehold-cpp/sync_state.hpp"
#include "freehold-cpp/transaction.hpp"
#include "freehold-cpp/value.hpp"
#include "freehold-cpp/watch.hpp"

#endif
