/* Sync: what an agent shall do for a file and how it goes, and the file's messages for programs that carry them to a
 * server and back themselves. See freehold_class_definition_t for declaring synced classes.
 *
 *     const freehold_sync_settings_t settings = {
 *         .size = sizeof settings, .address = { "https://sync.example.org", FREEHOLD_TERMINATED },
 *         .token_file = { "/etc/app/token", FREEHOLD_TERMINATED },
 *     };
 *     freehold_sync_set_settings(database, &settings);
 *     if (freehold_sync_download(database, 30000) != FREEHOLD_OK) ... freehold_last_error() says what was missing
 *
 *     freehold_buffer_t batch = { NULL, 0, 0 }, question = { NULL, 0, 0 };
 *     if (freehold_sync_push(database, freehold_buffer_append, &batch) == FREEHOLD_OK) send(batch.bytes, batch.length);
 *     freehold_sync_pull(database, freehold_buffer_append, &question);
 *     send(question.bytes, question.length);
 *     ... with what the server sends:
 *     freehold_sync_apply(database, bytes, length, NULL, NULL, NULL, NULL);
 */
#ifndef FREEHOLD_SYNC_H
#define FREEHOLD_SYNC_H

#include "base.h"
#include "error.h"
#include "json.h"
#include "value.h"

FREEHOLD_BEGIN

/* Why a change of this file was lost. */
typedef uint32_t freehold_sync_reason_t;
enum {
    /* Another write of the property is later. */
    FREEHOLD_SYNC_REASON_BEATEN = 0,
    /* The object was deleted elsewhere. */
    FREEHOLD_SYNC_REASON_DELETED = 1,
    /* The object was deleted here, and changed or created anew elsewhere: it is there again. */
    FREEHOLD_SYNC_REASON_UPDATED = 2,
    /* The user does not see the object any more, or never did. */
    FREEHOLD_SYNC_REASON_NOT_VISIBLE = 3,
    /* The user may not change the property. */
    FREEHOLD_SYNC_REASON_NOT_ALLOWED = 4,
    /* The property, which the application merges, had another value at the server. */
    FREEHOLD_SYNC_REASON_CONFLICT = 5,
    /* Another object has the unique value. */
    FREEHOLD_SYNC_REASON_NOT_UNIQUE = 6,
    /* The file cannot have the value that the server has: its property has another type. */
    FREEHOLD_SYNC_REASON_UNKNOWN = 7
};

/* A change of this file that an answer has decided against. */
typedef struct {
    size_t size;
    freehold_text_t class_name;
    freehold_value_t primary_key;
    /* Dotted within embedded objects; empty for the object as a whole. */
    freehold_text_t property;
    freehold_sync_reason_t reason;
} freehold_sync_loss_t;

/* Called for each loss; `loss` is valid until the callback returns. */
typedef void (*freehold_sync_loss_callback_t)(void *context, const freehold_sync_loss_t *loss);

/* A property with two values that were written at the same time: this file's, and the server's. */
typedef struct {
    size_t size;
    freehold_text_t class_name;
    freehold_value_t primary_key;
    freehold_text_t property;
    freehold_value_t mine;
    freehold_value_t theirs;
} freehold_sync_conflict_t;

/* Merges the two values of a property that has the flag FREEHOLD_PROPERTY_MERGED; false if the server's is to win. The
 * bytes of the merged value must stay valid until the next call of the callback, or until the function returns; those
 * of `conflict` are. The callback is called within the transaction that applies the answer, so it may read the database
 * as it was before, and not write. */
typedef bool (*freehold_sync_merge_callback_t)(void *context, const freehold_sync_conflict_t *conflict, freehold_value_t *merged);

/* What an answer has changed. */
typedef struct {
    size_t size;
    /* The number of changes of this file that were lost. */
    uint64_t losses;
    /* The number of objects that were changed or removed. */
    uint64_t changed_objects;
    /* The server has sent everything anew: what it does not name is gone. */
    bool reset;
} freehold_sync_report_t;

/* Passes all that is not known to be at the server to the callback, as one message for it, and makes that durable first.
 * FREEHOLD_ABSENT if nothing is pending. The message may be sent again; an answer that contains it clears what is
 * pending. Errors: those of freehold_transaction_begin and _commit. */
FREEHOLD_API freehold_error_code_t freehold_sync_push(
    const freehold_database_t *database, freehold_text_callback_t callback, void *context);

/* Passes the question for what has changed at the server to the callback, as one message for it.
 * FREEHOLD_ERROR_INVALID_ARGUMENT if no class is synced. */
FREEHOLD_API freehold_error_code_t freehold_sync_pull(
    const freehold_database_t *database, freehold_text_callback_t callback, void *context);

/* Applies a message from the server, in one commit. `merge`, `loss` and `report` may be NULL. FREEHOLD_ABSENT if there is
 * nothing to apply: the server has acknowledged a batch, or the answer is to a question that the file would not ask any
 * more; then ask again.
 *
 * Errors: FREEHOLD_ERROR_MALFORMED_INPUT for bytes that no server writes, and for an answer that contradicts itself or
 * the file; FREEHOLD_ERROR_UNSUPPORTED_FORMAT for a message of a later version; FREEHOLD_ERROR_INVALID_ARGUMENT for a
 * message that is for a server. Nothing is changed then. */
FREEHOLD_API freehold_error_code_t freehold_sync_apply(
    const freehold_database_t *database, const void *message, size_t length, freehold_sync_merge_callback_t merge,
    freehold_sync_loss_callback_t loss, void *context, freehold_sync_report_t *report);

/* What a file says about its sync. It is for agents (`freehold-sync`), and for every program that has the file. */
typedef struct {
    size_t size;
    /* The server's address, `https://host:port`. */
    freehold_text_t address;
    /* The token that the server asks for; `bytes` is NULL for none. Who can read the file can read it. */
    freehold_text_t token;
    /* A file with the token, by its whole path: an agent has another working directory. `bytes` is NULL for none. */
    freehold_text_t token_file;
    /* Whether no agent shall sync the file for now. */
    bool suspended;
} freehold_sync_settings_t;

/* Called with settings that are valid until the callback returns. */
typedef void (*freehold_sync_settings_callback_t)(void *context, const freehold_sync_settings_t *settings);

/* Whether the agent reaches the server. */
typedef uint32_t freehold_sync_connection_t;
enum {
    /* No agent syncs the file. */
    FREEHOLD_SYNC_STOPPED = 0,
    /* It tries to reach the server, or waits before it tries again. */
    FREEHOLD_SYNC_CONNECTING = 1,
    /* The last request was answered. */
    FREEHOLD_SYNC_CONNECTED = 2,
    /* The server refuses this file until something is changed; the last issue says what. */
    FREEHOLD_SYNC_REFUSED = 3
};

/* How the sync of a file is going. */
typedef struct {
    size_t size;
    freehold_sync_connection_t connection;
    /* Whether a process syncs the file. */
    bool has_agent;
    /* Whether the file has changes that are not known to be at the server. */
    bool pending;
    /* Whether the file has ever sent or received a change; `last_exchange` is when it last did. */
    bool exchanged;
    freehold_date_t last_exchange;
} freehold_sync_state_t;

/* Something that a person or a program should know: a change that was lost, or an error. */
typedef struct {
    size_t size;
    freehold_date_t date;
    /* `beaten`, `deleted`, `not unique`… for a change that was lost, else the code of an error: `unauthorized`… */
    freehold_text_t code;
    /* What happened, where, and what to do; the last two may be empty. */
    freehold_text_t what;
    freehold_text_t place;
    freehold_text_t advice;
    /* The object whose change was lost, and the property; empty for errors, and for the whole object. */
    freehold_text_t class_name;
    freehold_text_t primary_key;
    freehold_text_t property;
} freehold_sync_issue_t;

/* Called for each issue; `issue` is valid until the callback returns. */
typedef void (*freehold_sync_issue_callback_t)(void *context, const freehold_sync_issue_t *issue);

/* Says where the file's server is, and whether an agent shall sync it; an agent notices at once. Settings that the file
 * has already are no commit. FREEHOLD_ERROR_INVALID_ARGUMENT for what is no address of a server. Errors: those of
 * freehold_transaction_begin and _commit. */
FREEHOLD_API freehold_error_code_t freehold_sync_set_settings(
    const freehold_database_t *database, const freehold_sync_settings_t *settings);

/* Passes the settings to the callback, which may be NULL. FREEHOLD_ABSENT if the file has none. */
FREEHOLD_API freehold_error_code_t freehold_sync_settings(
    const freehold_database_t *database, freehold_sync_settings_callback_t callback, void *context);

/* Lets agents pause, or go on; all else that the settings say stays. FREEHOLD_ERROR_INVALID_ARGUMENT without settings. */
FREEHOLD_API freehold_error_code_t freehold_sync_suspend(const freehold_database_t *database, bool suspended);

/* How the sync of the file is going. The class `FreeholdSyncState` can be observed for changes. */
FREEHOLD_API freehold_error_code_t freehold_sync_state(const freehold_database_t *database, freehold_sync_state_t *state);

/* Passes the last issues to the callback, oldest first, and gives their number; both may be NULL. They are objects of the
 * class `FreeholdSyncIssue`, at most 1,000; a program deletes those that it has dealt with. */
FREEHOLD_API freehold_error_code_t freehold_sync_issues(
    const freehold_database_t *database, freehold_sync_issue_callback_t callback, void *context, uint64_t *count);

/* Waits until the file has all that the server had when this was called; an agent has to work at it, in any process.
 *
 * FREEHOLD_BUSY when the time is over: the last error says whether an agent was missing, the server was out of reach, or
 * the rest of an answer was on its way. Errors: FREEHOLD_ERROR_IO if the server refuses; FREEHOLD_ERROR_INVALID_ARGUMENT
 * without settings or synced classes, and while the settings suspend sync. */
FREEHOLD_API freehold_error_code_t freehold_sync_download(const freehold_database_t *database, int64_t timeout_milliseconds);

FREEHOLD_END
#endif
