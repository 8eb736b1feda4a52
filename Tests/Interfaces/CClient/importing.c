/* Databases of other kinds, imported where a database is opened and by a call. */
#include "check.h"
#include "small_sqlite.h"

static int progress_calls, remarks;
static bool goes_on;

static bool progress(void *context, uint64_t written, uint64_t total, bool waiting)
{
    CHECK(context == &goes_on && written <= total && !waiting);
    progress_calls++;
    return goes_on;
}

static void remark(void *context, const char *text)
{
    CHECK(context == &remarks && text != NULL && *text != '\0');
    remarks++;
}

static freehold_import_t source(const char *path)
{
    return (freehold_import_t) { .size = sizeof(freehold_import_t), .path = path, .path_length = FREEHOLD_TERMINATED };
}

static uint64_t items(freehold_database_t *database, const char *name)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_class_t found;
    uint64_t count = 0;
    if (freehold_class_find(freehold_snapshot_reader(snapshot), name, FREEHOLD_TERMINATED, &found) == FREEHOLD_OK)
        CHECK_OK(freehold_object_count(freehold_snapshot_reader(snapshot), found, &count));
    CHECK_OK(freehold_snapshot_end(snapshot));
    return count;
}

static void import_where_opened(const char *path)
{
    const char *target = path_in_folder("opened");
    freehold_import_t old = source(path);
    freehold_open_options_t options = { .size = sizeof options, .importing = &old };
    freehold_database_t *database;
    goes_on = false;
    old.progress = progress;
    old.context = &goes_on;
    CHECK_CODE(FREEHOLD_ERROR_IMPORT_STOPPED, freehold_database_open(target, FREEHOLD_TERMINATED, &options, &database));
    CHECK(database == NULL && progress_calls > 0);
    goes_on = true;
    if (!CHECK_OK(freehold_database_open(target, FREEHOLD_TERMINATED, &options, &database))) return;
    CHECK(items(database, "item") == 3);
    freehold_import_report_t report = { .size = sizeof report, .is_new = true };
    CHECK_OK(freehold_database_import(database, &old, &report, NULL, NULL));
    CHECK(!report.is_new && report.objects == 0);
    CHECK_OK(freehold_database_close(database));
    options.read_only = true;
    old.name = "once more";
    old.name_length = FREEHOLD_TERMINATED;
    if (CHECK_OK(freehold_database_open(target, FREEHOLD_TERMINATED, &options, &database))) CHECK_OK(freehold_database_close(database));
}

static void import_by_a_call(const char *path)
{
    freehold_database_t *database = fresh_database("called");
    freehold_import_t old = source(path);
    const freehold_text_t rules[] = { { "map item=Item", 13 }, { "type item.name=mixed", FREEHOLD_TERMINATED } };
    old.rules = rules;
    old.rule_count = 2;
    freehold_import_report_t report = { .size = sizeof report };
    CHECK_OK(freehold_database_import(database, &old, &report, remark, &remarks));
    CHECK(report.is_new && report.classes == 1 && report.objects == 3 && report.missing_links == 0 && remarks > 0);
    CHECK(items(database, "Item") == 3 && items(database, "item") == 0);
    CHECK_OK(freehold_database_close(database));
}

static void refuse(const char *path)
{
    freehold_database_t *database = fresh_database("refused");
    freehold_import_t old = source(path);
    const freehold_text_t rule = { "colour", 6 };
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_import(database, NULL, NULL, NULL, NULL));
    old.rule_count = 1;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_import(database, &old, NULL, NULL, NULL));
    old.rules = &rule;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_import(database, &old, NULL, NULL, NULL));
    old = source(path);
    old.key = (const uint8_t *)"short";
    old.key_length = 5;
    CHECK_CODE(FREEHOLD_ERROR_WRONG_KEY, freehold_database_import(database, &old, NULL, NULL, NULL));
    old = source(NULL);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_import(database, &old, NULL, NULL, NULL));
    old = source(path_in_folder("no such file"));
    CHECK_OK(freehold_database_import(database, &old, NULL, NULL, NULL));
    old.must_exist = true;
    CHECK_CODE(FREEHOLD_ERROR_NOT_FOUND, freehold_database_import(database, &old, NULL, NULL, NULL));
    const char *text = path_in_folder("text");
    FILE *file = fopen(text, "w");
    if (CHECK(file != NULL)) {
        fputs("this is no database", file);
        fclose(file);
    }
    old = source(text);
    CHECK_CODE(FREEHOLD_ERROR_UNSUPPORTED_FORMAT, freehold_database_import(database, &old, NULL, NULL, NULL));
    CHECK_OK(freehold_database_close(database));
}

void test_importing(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", path_in_folder("small.sqlite"));
    CHECK(write_small_sqlite(path));
    import_where_opened(path);
    import_by_a_call(path);
    refuse(path);
}
