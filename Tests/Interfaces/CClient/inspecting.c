/* Sizes, holders, and the check. */
#include "check.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct seen {
    freehold_version_t version;
    int own;
    int problems;
};

static void see_holder(void *context, const freehold_holder_t *holder)
{
    struct seen *seen = context;
    if (holder->process_id == (int32_t)getpid() && holder->version == seen->version) seen->own++;
    CHECK(holder->size == sizeof *holder && holder->readers > 0);
    CHECK(holder->process_name.bytes && holder->process_name.bytes[holder->process_name.length] == 0);
}

static void see_problem(void *context, const freehold_check_problem_t *problem)
{
    struct seen *seen = context;
    seen->problems++;
    CHECK(problem->size == sizeof *problem && strlen(problem->kind) > 0);
    CHECK(strlen(problem->place) > 0 && strlen(problem->message) > 0);
}

static void test_information(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    struct seen seen = { 0, 0, 0 };
    CHECK_OK(freehold_reader_version(freehold_snapshot_reader(snapshot), &seen.version));
    freehold_information_t information = { .size = sizeof information };
    CHECK_OK(freehold_database_information(database, &information, see_holder, &seen));
    CHECK(seen.own >= 1);
    CHECK(information.version == seen.version && information.holder_count >= 1);
    CHECK(information.file_length > 4096 * 4 && information.used_bytes > 0);
    CHECK(information.durable_version <= information.version);
    CHECK(information.lost_version == 0);

    /* A program that was compiled before the last member came gets the others, and its memory behind them is left alone. */
    freehold_information_t older;
    memset(&older, 1, sizeof older);
    older.size = offsetof(freehold_information_t, lost_version);
    CHECK_OK(freehold_database_information(database, &older, NULL, NULL));
    CHECK(older.version == seen.version && older.reserved_bytes == information.reserved_bytes);
    CHECK(((const unsigned char *)&older)[offsetof(freehold_information_t, lost_version)] == 1);
    CHECK_OK(freehold_database_information(database, NULL, NULL, NULL));
    information.size = 1 << 20;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_information(database, &information, NULL, NULL));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static void test_checking(freehold_database_t *database, const char *path)
{
    struct seen seen = { 0, 0, 0 };
    freehold_check_report_t report = { .size = sizeof report };
    CHECK_OK(freehold_database_check(database, &report, see_problem, &seen));
    CHECK(report.problem_count == 0 && seen.problems == 0);
    CHECK(report.classes == 1 && report.objects == 1000 && report.links == 999);
    CHECK(report.blocks > 0 && report.index_entries > 0 && report.live_bytes > 0 && report.version > 0);
    CHECK_OK(freehold_database_check(database, NULL, NULL, NULL));

    /* Damage every data page: reading gives errors, and the check finds it, or is refused like any reader. */
    FILE *file = fopen(path, "r+b");
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    for (long place = 4 * 4096 + 60; place < length; place += 4096) {
        fseek(file, place, SEEK_SET);
        fputs("damage", file);
    }
    fclose(file);
    const freehold_error_code_t code = freehold_database_check(database, &report, see_problem, &seen);
    CHECK(code == FREEHOLD_ERROR_CORRUPT || (code == FREEHOLD_OK && report.problem_count > 0));
    CHECK(code != FREEHOLD_OK || seen.problems == (int)report.problem_count);
}

void test_inspecting(void)
{
    freehold_database_t *database = fresh_database("inspecting");
    make_people(database, 1000);
    test_information(database);
    test_checking(database, path_in_folder("inspecting"));
    CHECK_OK(freehold_database_close(database));
}
