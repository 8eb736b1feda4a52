/* Opening, copying and deleting files. */
#include "check.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t people_at(const char *path, const freehold_open_options_t *options)
{
    freehold_database_t *database;
    uint64_t count = 0;
    if (!CHECK_OK(freehold_database_open(path, FREEHOLD_TERMINATED, options, &database))) return 0;
    freehold_snapshot_t *snapshot = taken(database);
    CHECK_OK(freehold_object_count(freehold_snapshot_reader(snapshot), PERSON, &count));
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_OK(freehold_database_close(database));
    return count;
}

static void test_copying(freehold_database_t *database)
{
    const char *copy = path_in_folder("copied");
    CHECK_OK(freehold_database_copy(database, copy, strlen(copy)));
    CHECK_CODE(FREEHOLD_ERROR_ALREADY_EXISTS, freehold_database_copy(database, copy, FREEHOLD_TERMINATED));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_copy(database, NULL, 0));
    CHECK(people_at(copy, NULL) == 300);
    freehold_open_options_t options = { .size = sizeof options, .read_only = true };
    CHECK(people_at(copy, &options) == 300);
    CHECK_OK(freehold_database_delete_files(copy, FREEHOLD_TERMINATED, false));
    CHECK(access(copy, F_OK) != 0);
}

static void test_reading_only(const char *path)
{
    freehold_open_options_t options = { .size = sizeof options, .read_only = true };
    freehold_database_t *database;
    freehold_transaction_t *transaction;
    CHECK_OK(freehold_database_open(path, FREEHOLD_TERMINATED, &options, &database));
    CHECK_CODE(FREEHOLD_ERROR_READ_ONLY, freehold_transaction_begin(database, 0, &transaction));
    CHECK_OK(freehold_database_close(database));
}

static void test_in_memory(void)
{
    char name[64];
    snprintf(name, sizeof name, "freehold-c-test-%d", (int)getpid());
    freehold_open_options_t options = { .size = sizeof options, .in_memory = true };
    freehold_database_t *first, *second;
    CHECK_OK(freehold_database_open(name, FREEHOLD_TERMINATED, &options, &first));
    CHECK_OK(freehold_database_open(name, FREEHOLD_TERMINATED, &options, &second));
    make_people(first, 3);
    uint64_t count = 0;
    freehold_snapshot_t *snapshot = taken(second);
    CHECK_OK(freehold_object_count(freehold_snapshot_reader(snapshot), PERSON, &count));
    CHECK(count == 3);
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_OK(freehold_database_close(first));
    CHECK_OK(freehold_database_close(second));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_database_delete_files(name, FREEHOLD_TERMINATED, true));
}

void test_files(void)
{
    freehold_database_t *database = fresh_database("files");
    make_people(database, 300);
    freehold_text_t path = { NULL, 0 };
    CHECK_OK(freehold_database_path(database, &path));
    CHECK(path.length > 5 && memcmp(path.bytes + path.length - 5, "files", 6) == 0);
    CHECK_CODE(FREEHOLD_ERROR_IN_USE, freehold_database_delete_files(path.bytes, path.length, false));
    test_copying(database);
    test_reading_only(path_in_folder("files"));
    CHECK_OK(freehold_database_close(database));
    CHECK(people_at(path_in_folder("files"), NULL) == 300);
    CHECK_OK(freehold_database_delete_files(path_in_folder("files"), FREEHOLD_TERMINATED, false));
    CHECK(access(path_in_folder("files"), F_OK) != 0);

    FILE *other = fopen(path_in_folder("other"), "w");
    for (int line = 0; line < 5000; line++) fputs("This is not a database.\n", other);
    fclose(other);
    CHECK_CODE(FREEHOLD_ERROR_NOT_A_DATABASE,
        freehold_database_open(path_in_folder("other"), FREEHOLD_TERMINATED, NULL, &database));
    test_in_memory();
}
