/* Freehold: objects in one file, shared by any number of processes, nothing lost.
 *
 * The C interface, and the one that every other language but Swift is bound to. Link with -lfreehold.
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
 * THE LAW
 *
 * Names. Functions are freehold_thing_action, types freehold_thing_t, errors FREEHOLD_ERROR_REASON. What a function
 * gives comes last, through out parameters; any of them may be NULL if you don't want it, save the handle that a
 * function is there to make. Out parameters are written only when the call returns FREEHOLD_OK, unless said.
 *
 * Results. Nearly every function returns a freehold_error_code_t:
 *     0            done;
 *     1 to 999     an outcome to expect, not a failure: FREEHOLD_ABSENT, FREEHOLD_TIMED_OUT, FREEHOLD_BUSY; nothing
 *                  was changed;
 *     1000 and up  an error, by its thousands: 1 the file or the system, 2 damage, 3 the wrong moment, 4 an argument, 5 a
 *                  limit. freehold_last_error() tells the rest. A failed call changes nothing, unless said.
 * Look at the result, never at whether there is an error: a later success does not clear the last error.
 *
 * Handles. The opaque types are handles, each ended by the one function its type names:
 *     freehold_database_t      freehold_database_close
 *     freehold_snapshot_t      freehold_snapshot_end
 *     freehold_transaction_t   freehold_transaction_commit or _rollback, whatever they return; _commit_async, save as it says
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
 * They end in any order: a snapshot keeps its file open after the database is closed, and so on. Ending NULL does
 * nothing. NULL, another kind of handle, or anything else where a handle is needed gives FREEHOLD_ERROR_INVALID_ARGUMENT, a
 * handle that has ended FREEHOLD_ERROR_CLOSED: handles are numbers that are looked up, and none is given twice.
 *
 * Readers. Whatever reads takes a freehold_reader_t: freehold_snapshot_reader() gives that of a snapshot, one unchanging
 * version, and freehold_transaction_reader() that of a transaction, the newest version and its own changes.
 *
 * Text. UTF-8, given as an address and a number of bytes, which need not end with a zero byte; instead of the number
 * FREEHOLD_TERMINATED says that it does. What you pass in is copied. What you get is borrowed and not terminated, unless
 * said; an empty text has an address too. Text and data in values point into the database, and names into its schema:
 *     from a snapshot      valid until it is refreshed or ended;
 *     from a transaction   valid until the next call that takes that transaction, its reader, or what was opened with it,
 *                          returns: so it may be an argument of that call.
 * Collections in values live as long as their texts, except those that a collection or groups give: these say so.
 *
 * Threads. Databases and listeners: any thread, at the same time. Snapshots, with their readers and all that was opened with
 * these: one thread at a time, any; large values, watches and pending ones, too. To read one version on several threads, give each a snapshot of its own
 * (freehold_snapshot_another), and objects by class and key. Transactions, with all that was opened with theirs: the thread that
 * began or took them; others get FREEHOLD_ERROR_NOT_IN_WRITE. A transaction whose thread ends is lost, and others can begin
 * theirs. The last error is each thread's own.
 *
 * Processes. Open the file in as many as you like. A forked child must not use what it inherited, it gets
 * FREEHOLD_ERROR_FORKED; let it open the file itself. Nothing needs cleaning up after a process that was killed.
 *
 * Callbacks. Called on the calling thread, before the function returns, with the context pointer you passed first. They
 * must return (no longjmp, no exception through them). They may call the library, but not close the database that the function was
 * given. What an import or a conversion of a property is changing they may read, not change or end: that gives
 * FREEHOLD_ERROR_INVALID_ARGUMENT. What is being written as JSON they may change; if the snapshot is moved or ended, or the classes are
 * changed, the function ends with FREEHOLD_ERROR_CLOSED.
 *
 * Growth. Structures that may get members begin with `size`: set it to sizeof. The library reads and writes that much,
 * so programs compiled against an older header go on working with a newer library. Set the rest to zero.
 */
#ifndef FREEHOLD_H
#define FREEHOLD_H

#include "freehold/base.h"
#include "freehold/change.h"
#include "freehold/collection.h"
#include "freehold/column.h"
#include "freehold/cursor.h"
#include "freehold/database.h"
#include "freehold/error.h"
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
#include "freehold/transaction.h"
#include "freehold/value.h"
#include "freehold/watch.h"

#endif
