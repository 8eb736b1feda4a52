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

/* A database opened with options, or the code of why not. */
static freehold_error_code_t opened_with(const char *path, const uint8_t *key, size_t length)
{
    freehold_open_options_t options = { .size = sizeof options, .encryption_key = key, .encryption_key_length = length };
    freehold_database_t *database;
    const freehold_error_code_t code = freehold_database_open(path, FREEHOLD_TERMINATED, &options, &database);
    if (code == FREEHOLD_OK) CHECK_OK(freehold_database_close(database));
    return code;
}

static void test_encryption(void)
{
    uint8_t key[FREEHOLD_KEY_LENGTH], other[FREEHOLD_KEY_LENGTH];
    CHECK_OK(freehold_key_generate(key, sizeof key));
    CHECK_OK(freehold_key_generate(other, sizeof other));
    CHECK(memcmp(key, other, sizeof key) != 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_key_generate(key, 32));
    char path[1024], copy[1024], plain[1024];
    snprintf(path, sizeof path, "%s", path_in_folder("secret"));
    snprintf(copy, sizeof copy, "%s", path_in_folder("secret-copy"));
    snprintf(plain, sizeof plain, "%s", path_in_folder("plain-copy"));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, opened_with(path, key, 16));
    freehold_open_options_t options = {
        .size = sizeof options, .encryption_key = key, .encryption_key_length = sizeof key };
    freehold_database_t *database;
    if (!CHECK_OK(freehold_database_open(path, FREEHOLD_TERMINATED, &options, &database))) return;
    make_people(database, 20);
    CHECK_CODE(FREEHOLD_ERROR_WRONG_KEY, opened_with(path, other, sizeof other));
    CHECK_CODE(FREEHOLD_ERROR_KEY_MISSING, opened_with(path, NULL, 0));
    CHECK_OK(freehold_database_copy_under_key(database, copy, FREEHOLD_TERMINATED, other, sizeof other));
    CHECK_OK(freehold_database_copy_under_key(database, plain, FREEHOLD_TERMINATED, NULL, 0));
    CHECK(people_at(path, &options) == 20);
    CHECK(people_at(plain, NULL) == 20);
    CHECK_CODE(FREEHOLD_ERROR_WRONG_KEY, opened_with(copy, key, sizeof key));
    CHECK_CODE(FREEHOLD_ERROR_NOT_ENCRYPTED, opened_with(plain, key, sizeof key));
    CHECK_OK(freehold_database_change_key(database, other, sizeof other));
    CHECK_OK(freehold_database_close(database));
    CHECK_CODE(FREEHOLD_ERROR_WRONG_KEY, opened_with(path, key, sizeof key));
    options.encryption_key = other;
    CHECK(people_at(path, &options) == 20);
    CHECK(people_at(copy, &options) == 20);
    CHECK_OK(freehold_database_delete_files(path, FREEHOLD_TERMINATED, false));
    CHECK_OK(freehold_database_delete_files(copy, FREEHOLD_TERMINATED, false));
    CHECK_OK(freehold_database_delete_files(plain, FREEHOLD_TERMINATED, false));
}

static void count_loss(void *context, const char *text)
{
    ++*(int *)context;
    CHECK(strlen(text) > 0);
}

static void test_care(freehold_database_t *database)
{
    char backup[1024], salvaged[1024];
    snprintf(backup, sizeof backup, "%s", path_in_folder("backup"));
    snprintf(salvaged, sizeof salvaged, "%s", path_in_folder("salvaged"));
    uint64_t copied = 0, before = 0, after = 0;
    CHECK_OK(freehold_database_flush(database));
    freehold_information_t information = { .size = sizeof information };
    CHECK_OK(freehold_database_information(database, &information, NULL, NULL));
    CHECK(information.durable_version == information.version);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_database_exists(backup, FREEHOLD_TERMINATED, false));
    CHECK_OK(freehold_database_backup(database, backup, FREEHOLD_TERMINATED, &copied));
    CHECK(copied > 0);
    CHECK_CODE(FREEHOLD_ERROR_ALREADY_EXISTS, freehold_database_backup(database, backup, FREEHOLD_TERMINATED, NULL));
    CHECK_OK(freehold_database_exists(backup, FREEHOLD_TERMINATED, false));
    CHECK(people_at(backup, NULL) == 300);
    CHECK_OK(freehold_database_compact(database, &before, &after));
    CHECK_OK(freehold_database_acknowledge_lost_version(database));
    CHECK(before >= after && after > 0);
    freehold_salvage_report_t report = { .size = sizeof report };
    int losses = 0;
    CHECK_OK(freehold_database_salvage(backup, FREEHOLD_TERMINATED, salvaged, FREEHOLD_TERMINATED, NULL, &report, count_loss, &losses));
    CHECK(report.classes == 1 && report.objects == 300 && report.lost_objects == 0 && report.complete && losses == 0);
    CHECK(people_at(salvaged, NULL) == 300);
    FILE *file = fopen(backup, "r+b");
    for (long place = 4 * 4096 + 60; fseek(file, place, SEEK_SET) == 0 && fgetc(file) != EOF; place += 4096) {
        fseek(file, place, SEEK_SET);
        fputs("damage", file);
    }
    fclose(file);
    CHECK_OK(freehold_database_delete_files(salvaged, FREEHOLD_TERMINATED, false));
    const freehold_error_code_t code = freehold_database_salvage(
        backup, FREEHOLD_TERMINATED, salvaged, FREEHOLD_TERMINATED, NULL, &report, count_loss, &losses);
    CHECK(code == FREEHOLD_OK && !report.complete && losses > 0);
    CHECK_CODE(FREEHOLD_ERROR_NOT_FOUND, freehold_database_salvage("nothing-there", 13, salvaged, FREEHOLD_TERMINATED, NULL, NULL, NULL, NULL));
    freehold_snapshot_t *snapshot = taken(database);
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 300));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    const char *then = path_in_folder("then");
    CHECK_OK(freehold_snapshot_copy(database, snapshot, then, FREEHOLD_TERMINATED));
    CHECK(people_at(then, NULL) == 300);
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static void test_options(void)
{
    freehold_open_options_t options = { .size = sizeof options, .decrypted_bytes_limit = 1 << 20, .flush_timeout_milliseconds = 5000,
                                        .parked_bytes_limit = 1 << 20, .thread_limit = 1 };
    CHECK(people_at(path_in_folder("files"), &options) == 299);
    options.flush_timeout_milliseconds = -1;
    freehold_database_t *database;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_open(path_in_folder("files"), FREEHOLD_TERMINATED, &options, &database));
    /* A program from before these members says so by the size. */
    options.size = 48;
    CHECK(people_at(path_in_folder("files"), &options) == 299);
}

void test_files(void)
{
    test_encryption();
    freehold_database_t *database = fresh_database("files");
    make_people(database, 300);
    freehold_text_t path = { NULL, 0 };
    CHECK_OK(freehold_database_path(database, &path));
    CHECK(path.length > 5 && memcmp(path.bytes + path.length - 5, "files", 6) == 0);
    CHECK_CODE(FREEHOLD_ERROR_IN_USE, freehold_database_delete_files(path.bytes, path.length, false));
    test_copying(database);
    test_reading_only(path_in_folder("files"));
    test_care(database);
    CHECK_OK(freehold_database_close(database));
    test_options();
    CHECK(people_at(path_in_folder("files"), NULL) == 299);
    CHECK_OK(freehold_database_delete_files(path_in_folder("files"), FREEHOLD_TERMINATED, false));
    CHECK(access(path_in_folder("files"), F_OK) != 0);

    FILE *other = fopen(path_in_folder("other"), "w");
    for (int line = 0; line < 5000; line++) fputs("This is not a database.\n", other);
    fclose(other);
    CHECK_CODE(FREEHOLD_ERROR_NOT_A_DATABASE,
        freehold_database_open(path_in_folder("other"), FREEHOLD_TERMINATED, NULL, &database));
    test_in_memory();
}
