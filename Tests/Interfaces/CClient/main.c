/* Calls every function of the C interface, as a C program would. Takes an empty folder; the last line is the count. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static const char *folder;

bool check_that(bool holds, const char *what, const char *file, int line)
{
    if (holds) {
        passed++;
    } else {
        failed++;
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    }
    return holds;
}

bool check_code(freehold_error_code_t expected, freehold_error_code_t code, const char *what, const char *file, int line)
{
    bool holds = check_that(expected == code, what, file, line);
    if (!holds) {
        freehold_error_t error = { .size = sizeof error };
        freehold_last_error(&error);
        fprintf(stderr, "    returned %d, not %d; last error %s: %s\n", code, expected, freehold_error_name(error.code), error.message);
    }
    return holds;
}

bool check_text(const char *expected, freehold_text_t text, const char *what, const char *file, int line)
{
    bool holds = check_that(
        text.bytes && text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0, what, file, line);
    if (!holds) fprintf(stderr, "    is '%.*s', not '%s'\n", (int)text.length, text.bytes ? text.bytes : "", expected);
    return holds;
}

const char *path_in_folder(const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

freehold_database_t *fresh_database(const char *name)
{
    const char *path = path_in_folder(name);
    freehold_database_t *database;
    const freehold_error_code_t deleted = freehold_database_delete_files(path, FREEHOLD_TERMINATED, false);
    CHECK(deleted == FREEHOLD_OK || deleted == FREEHOLD_ABSENT);
    if (!CHECK_OK(freehold_database_open(path, FREEHOLD_TERMINATED, NULL, &database))) exit(1);
    return database;
}

freehold_transaction_t *begun(freehold_database_t *database)
{
    freehold_transaction_t *transaction;
    if (!CHECK_OK(freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction))) exit(1);
    return transaction;
}

freehold_snapshot_t *taken(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot;
    if (!CHECK_OK(freehold_snapshot_begin(database, &snapshot))) exit(1);
    return snapshot;
}

void make_people(freehold_database_t *database, int count)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t properties[] = {
        property("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY),
        property("name", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED),
        property("age", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_INDEXED),
        link_property("boss", "Person"),
    };
    freehold_class_t person = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Person", FREEHOLD_TERMINATED, 4, properties, &person));
    CHECK(person == PERSON);
    int made = 0;
    for (int n = 1; n <= count; n++) {
        char name[32];
        snprintf(name, sizeof name, "person %d", n);
        const freehold_property_t set[] = { NAME, AGE, BOSS };
        const freehold_value_t key = freehold_int(n);
        const freehold_value_t values[] = {
            freehold_string(name, FREEHOLD_TERMINATED), freehold_int(n % 50), n == 1 ? freehold_null() : freehold_link(n - 1)
        };
        made += freehold_object_create(transaction, person, &key, 3, set, values, NULL) == FREEHOLD_OK;
    }
    CHECK(made == count);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "other-process") == 0) return other_process(arguments[2]);
    if (count != 2) {
        fprintf(stderr, "usage: %s EMPTY-FOLDER\n", arguments[0]);
        return 2;
    }
    folder = arguments[1];
    test_layout();
    test_errors();
    test_schema();
    test_synced();
    test_sync_settings();
    test_objects();
    test_values();
    test_neighbours();
    test_cursors();
    test_indexes();
    test_derived_indexes();
    test_collations();
    test_vectors();
    test_changes();
    test_large_values();
    test_inspecting();
    test_files();
    test_queries();
    test_result_columns();
    test_collections();
    test_whole_batches();
    test_migrations();
    test_watches();
    test_places();
    test_pending();
    test_json();
    test_importing();
    test_updates();
    test_handing_over();
    test_borrowed();
    test_handles();
    test_invented();
    test_processes(arguments[0]);
    printf("%d checks passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
