/* Freehold: objects in one file, shared by any number of processes, nothing lost.
 *
 * This is the C interface, on which the bindings of every language except Swift are built. Link with -lfreehold.
 *
 *     freehold_database_t *database;
 *     if (freehold_database_open("people.freehold", FREEHOLD_TERMINATED, NULL, &database) != FREEHOLD_OK) {
 *         freehold_error_t error = { .size = sizeof error };
 *         freehold_last_error(&error);
 *         fprintf(stderr, "%s\n", error.message);
 *         return 1;
 *     }
 *     freehold_snapshot_t *snapshot;
 *     freehold_snapshot_begin(database, &snapshot);
 *     const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
 *     freehold_class_t person;
 *     uint64_t count = 0;
 *     if (freehold_class_find(reader, "Person", FREEHOLD_TERMINATED, &person) == FREEHOLD_OK)
 *         freehold_object_count(reader, person, &count);
 *     printf("%llu people\n", (unsigned long long)count);
 *     freehold_snapshot_end(snapshot);
 *     freehold_database_close(database);
 *
 * CONVENTIONS
 *
 * Names. Functions are freehold_thing_action, types freehold_thing_t, errors FREEHOLD_ERROR_REASON. Out parameters
 * come last. Any of them may be NULL if you don't want the value, except the handle that a function creates. They are
 * written only when the call returns FREEHOLD_OK, unless stated otherwise.
 *
 * Results. Nearly every function returns a freehold_error_code_t:
 *     0            success;
 *     1 to 999     an expected outcome, not a failure: FREEHOLD_ABSENT, FREEHOLD_TIMED_OUT, FREEHOLD_BUSY; nothing was
 *                  changed;
 *     1000 and up  an error; its thousands are its band: 1 the file or the system, 2 damage, 3 the wrong moment, 4 an
 *                  argument, 5 a limit. freehold_last_error() has the details. A failed call changes nothing, unless
 *                  stated otherwise.
 * Test the returned code, never whether there is a last error: a later success does not clear the last error.
 *
 * Handles. The opaque types are handles, each ended by one function:
 *     freehold_database_t      freehold_database_close
 *     freehold_snapshot_t      freehold_snapshot_end
 *     freehold_transaction_t   freehold_transaction_commit or _rollback, whatever they return; or _commit_async, with
 *                              the exceptions that its comment lists
 *     freehold_cursor_t        freehold_cursor_close
 *     freehold_index_cursor_t  freehold_index_cursor_close
 *     freehold_query_t         freehold_query_close
 *     freehold_results_t       freehold_results_close
 *     freehold_groups_t        freehold_groups_close
 *     freehold_collection_t    freehold_collection_close
 *     freehold_changes_t       freehold_changes_close
 *     freehold_watch_t         freehold_watch_close
 *     freehold_listener_t      freehold_listener_close
 *     freehold_large_value_t   freehold_large_value_close
 *     freehold_pending_t       freehold_pending_close
 *     freehold_reader_t        none: it belongs to its snapshot or transaction and ends with it
 * Handles may be ended in any order; a snapshot, for example, keeps its file open after the database is closed.
 * Ending NULL does nothing. NULL, a handle of another type, or any other value in place of a handle returns
 * FREEHOLD_ERROR_INVALID_ARGUMENT. A handle that has ended returns FREEHOLD_ERROR_CLOSED: handles are numbers that
 * are looked up, and no number is used twice.
 *
 * Readers. Every function that reads takes a freehold_reader_t. freehold_snapshot_reader() returns the reader of a
 * snapshot, one unchanging version. freehold_transaction_reader() returns the reader of a transaction, the newest
 * version and the transaction's own changes.
 *
 * Text. UTF-8, passed as an address and a number of bytes, which need not end with a zero byte. Passing
 * FREEHOLD_TERMINATED instead of the number says that it does. Text passed to the library is copied. Text returned by
 * the library is borrowed and not terminated, unless stated otherwise; an empty text also has an address. Text and
 * data in values point into the database, and names into its schema:
 *     from a snapshot      valid until it is refreshed or ended;
 *     from a transaction   valid until the next call that takes that transaction, its reader, or a handle opened with
 *                          it returns: so it may be an argument of that call.
 * Collections in values are valid as long as their text, except those that a collection or groups return: the
 * comments of these functions say how long.
 *
 * Threads. Databases and listeners: any thread, several at the same time. Snapshots, their readers and all handles
 * opened with these readers, large values, watches and pending handles: one thread at a time, any thread. To read one
 * version on several threads, open a snapshot for each (freehold_snapshot_another), and pass objects by class and
 * key. Transactions and all handles opened with their readers: the thread that began or took the transaction; other
 * threads get FREEHOLD_ERROR_NOT_IN_WRITE. A transaction whose thread ends is lost, and other threads can begin
 * theirs. Each thread has its own last error.
 *
 * Processes. Any number of processes may open the file. A forked child must not use inherited handles: calls return
 * FREEHOLD_ERROR_FORKED. The child must open the file itself. Nothing needs cleaning up after a process that was
 * killed.
 *
 * Callbacks. Called on the calling thread, before the function returns, with the context pointer you passed as first
 * argument. They must return (no longjmp, no exception through them). They may call the library, but not close the
 * database that the function was given. During an import or the conversion of a property, a callback may read what is
 * being changed, but not change or end it: that returns FREEHOLD_ERROR_INVALID_ARGUMENT. While JSON is written, a
 * callback may change what is written; if the snapshot is moved or ended, or the classes are changed, the function
 * ends with FREEHOLD_ERROR_CLOSED.
 *
 * Growth. Structures that may get more members begin with `size`: set it to sizeof. The library reads and writes that
 * many bytes, so programs compiled against an older header keep working with a newer library. Set the rest to zero.
 */
#ifndef FREEHOLD_H
#define FREEHOLD_H

#include "freehold/base.h"
#include "freehold/change.h"
#include "freehold/collection.h"
#include "freehold/column.h"
#include "freehold/cursor.h"
#include "freehold/database.h"
#include "freehold/derived_index.h"
#include "freehold/error.h"
#include "freehold/import.h"
#include "freehold/index.h"
#include "freehold/inspect.h"
#include "freehold/json.h"
#include "freehold/large_value.h"
#include "freehold/migration.h"
#include "freehold/object.h"
#include "freehold/pending.h"
#include "freehold/query.h"
#include "freehold/results.h"
#include "freehold/schema.h"
#include "freehold/sequence.h"
#include "freehold/snapshot.h"
#include "freehold/sync.h"
#include "freehold/transaction.h"
#include "freehold/value.h"
#include "freehold/watch.h"

#endif
