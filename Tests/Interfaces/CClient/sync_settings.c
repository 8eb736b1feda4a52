/* What a file says of its sync: settings, state, issues, and a download that no agent answers. */
#include "check.h"
#include <string.h>

static freehold_text_t text(const char *bytes) { return (freehold_text_t){ bytes, FREEHOLD_TERMINATED }; }

static bool is(freehold_text_t text, const char *expected)
{
    return text.bytes != NULL && text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0;
}

static void hear(void *context, const freehold_sync_settings_t *settings)
{
    int *heard = context;
    CHECK(settings->size == sizeof *settings && is(settings->address, "https://sync.example"));
    CHECK(is(settings->token, "abc") && settings->token_file.bytes == NULL);
    *heard += settings->suspended ? 10 : 1;
}

static void hear_issue(void *context, const freehold_sync_issue_t *issue)
{
    int *heard = context;
    CHECK(issue->size == sizeof *issue && issue->date.seconds == 7 && is(issue->code, "beaten") && is(issue->what, "w"));
    CHECK(is(issue->place, "") && is(issue->class_name, "Crate") && is(issue->property, "a.b"));
    CHECK(issue->primary_key.length == 0 && issue->advice.length == 0);
    *heard += 1;
}

/* An issue as an agent leaves it. */
static void leave_issue(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_class_t number = FREEHOLD_NONE;
    freehold_key_t key = 0;
    const char *const names[] = { "date", "code", "what", "className", "property" };
    const freehold_value_t values[] = { freehold_date(7, 0), freehold_string("beaten", 6), freehold_string("w", 1),
                                        freehold_string("Crate", 5), freehold_string("a.b", 3) };
    freehold_property_t places[5];
    CHECK_OK(freehold_class_find(reader, "FreeholdSyncIssue", FREEHOLD_TERMINATED, &number));
    for (size_t place = 0; place < 5; place++)
        CHECK_OK(freehold_property_find(reader, number, names[place], FREEHOLD_TERMINATED, &places[place]));
    CHECK_OK(freehold_object_create(transaction, number, NULL, 5, places, values, &key));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
}

static void make_synced(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t id = property("id", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_PRIMARY_KEY);
    const freehold_class_definition_t crate = {
        .size = sizeof crate, .name = { "Crate", 5 }, .property_count = 1, .properties = &id, .sync = FREEHOLD_SYNC_DELETION_WINS,
    };
    CHECK_OK(freehold_classes_create(transaction, 1, &crate));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
}

static void test_settings(const freehold_database_t *database)
{
    int heard = 0;
    freehold_sync_settings_t settings = { .size = sizeof settings };
    CHECK_CODE(FREEHOLD_ABSENT, freehold_sync_settings(database, hear, &heard));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_suspend(database, true));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_download(database, 0));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_set_settings(database, &settings));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_set_settings(database, NULL));
    settings.address = text("https://sync.example");
    settings.token = text("abc");
    CHECK_OK(freehold_sync_set_settings(database, &settings));
    CHECK_OK(freehold_sync_settings(database, hear, &heard));
    CHECK_OK(freehold_sync_settings(database, NULL, NULL));
    CHECK_OK(freehold_sync_suspend(database, true));
    CHECK_OK(freehold_sync_settings(database, hear, &heard));
    CHECK(heard == 11);
    /* The same once more is no commit. */
    freehold_version_t version = 0, later = 0;
    CHECK_OK(freehold_database_wait(database, 0, 0, &version));
    CHECK_OK(freehold_sync_suspend(database, true));
    settings.suspended = true;
    CHECK_OK(freehold_sync_set_settings(database, &settings));
    CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_database_wait(database, version, 0, &later));
    settings.size = 4;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_set_settings(database, &settings));
}

static void test_downloading(freehold_database_t *database)
{
    freehold_error_t error = { .size = sizeof error };
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_download(database, 0));
    CHECK_OK(freehold_sync_suspend(database, false));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_download(database, 0));
    make_synced(database);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_download(database, -1));
    CHECK_CODE(FREEHOLD_BUSY, freehold_sync_download(database, 0));
    freehold_last_error(&error);
    CHECK(strstr(error.message, "no agent works at this file: start `freehold-sync") != NULL);
}

void test_sync_settings(void)
{
    freehold_database_t *database = fresh_database("sync_settings");
    freehold_sync_state_t state = { .size = sizeof state };
    uint64_t count = 1;
    int heard = 0;
    CHECK_OK(freehold_sync_state(database, &state));
    CHECK(state.connection == FREEHOLD_SYNC_STOPPED && !state.has_agent && !state.pending && !state.exchanged);
    CHECK_OK(freehold_sync_issues(database, hear_issue, &heard, &count));
    CHECK(count == 0 && heard == 0);
    test_settings(database);
    leave_issue(database);
    CHECK_OK(freehold_sync_issues(database, hear_issue, &heard, &count));
    CHECK(count == 1 && heard == 1);
    CHECK_OK(freehold_sync_issues(database, NULL, NULL, NULL));
    test_downloading(database);
    CHECK_OK(freehold_sync_state(database, &state));
    CHECK(!state.has_agent && state.connection == FREEHOLD_SYNC_STOPPED && !state.exchanged);
    CHECK_OK(freehold_sync_state(database, NULL));
    CHECK_OK(freehold_database_close(database));
}
