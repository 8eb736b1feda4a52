/* The file that is used now: made anew every few hundred calls, and looked at in the end. */
#include "fuzz.h"
#include "../../Kits/CKit/property.h"
#include <stdio.h>

static char file[32] = "fuzz-0.freehold";
static unsigned worlds, worlds_whole;

const char *world_file(void) { return file; }

#define OPEN(kind, place, type, call) \
    do { \
        type *made = NULL; \
        CHECK((call) == FREEHOLD_OK && made != NULL); \
        kept[kind][place] = made; \
    } while (0)

/* A list, a set or a map, and a list in a mixed value. */
static void open_collections(const freehold_reader_t *reader, int first)
{
    const freehold_property_t properties[] = { 4, pick(2) ? 5 : 9, 6 };
    for (int i = 0; i < 3; i++) OPEN(HANDLE_COLLECTION, first + i, freehold_collection_t, freehold_collection_open(reader, 2, 7, properties[i], &made));
}

static void open_some(freehold_database_t *database, freehold_snapshot_t *snapshot, const freehold_reader_t *reader)
{
    OPEN(HANDLE_SNAPSHOT, 1, freehold_snapshot_t, freehold_snapshot_begin(database, &made));
    OPEN(HANDLE_CURSOR, 0, freehold_cursor_t, freehold_cursor_open(reader, 2, 3, NULL, &made));
    OPEN(HANDLE_INDEX_CURSOR, 0, freehold_index_cursor_t, freehold_index_cursor_open(reader, 2, 2, NULL, NULL, true, &made));
    OPEN(HANDLE_LISTENER, 0, freehold_listener_t, freehold_listener_open(database, &made));
    OPEN(HANDLE_LARGE_VALUE, 0, freehold_large_value_t, freehold_large_value_open(database, 0, &made));
    OPEN(HANDLE_WATCH, 0, freehold_watch_t, freehold_watch_open(database, &made));
    OPEN(HANDLE_CHANGES, 0, freehold_changes_t, freehold_changes_open(snapshot, kept[HANDLE_SNAPSHOT][1], "Person", 6, &made));
    OPEN(HANDLE_QUERY, 0, freehold_query_t, freehold_query_prepare(reader, 2, "age > 20", 8, 0, NULL, 0, NULL, &made));
    OPEN(HANDLE_QUERY, 1, freehold_query_t, freehold_query_prepare(reader, 2, "GROUP(age) SELECT(@count)", 25, 0, NULL, 0, NULL, &made));
    OPEN(HANDLE_RESULTS, 0, freehold_results_t, freehold_query_run(kept[HANDLE_QUERY][0], &made));
    OPEN(HANDLE_GROUPS, 0, freehold_groups_t, freehold_query_groups(kept[HANDLE_QUERY][1], &made));
    OPEN(HANDLE_COLLECTION, 0, freehold_collection_t, freehold_collection_open(reader, 2, 7, 4, &made));
}

/* Ends what was used, and looks at the file: it is whole, or a call has deleted it or given it a key. */
static void check_world(void)
{
    at = "the end of the world";
    end_all();
    freehold_database_t *database = NULL;
    freehold_check_report_t report = { .size = sizeof report };
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    freehold_error_code_t code = freehold_database_open(file, FREEHOLD_TERMINATED, &options, &database);
    if (code == FREEHOLD_ERROR_NOT_FOUND || code == FREEHOLD_ERROR_WRONG_KEY) return;
    CHECK(code == FREEHOLD_OK);
    CHECK(freehold_database_check(database, &report, hear_problem, NULL) == FREEHOLD_OK && report.problem_count == 0);
    CHECK(freehold_database_close(database) == FREEHOLD_OK);
    worlds_whole++;
}

static void make_synced_class(freehold_transaction_t *transaction)
{
    const freehold_property_info_t item[] = {
        property("name", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_PRIMARY_KEY),
        property("age", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_COUNTER),
    };
    const freehold_class_definition_t synced = {
        .size = sizeof synced, .name = { "Item", 4 }, .property_count = 2, .properties = item, .sync = FREEHOLD_SYNC_UPDATE_WINS,
    };
    CHECK(freehold_classes_create(transaction, 1, &synced) == FREEHOLD_OK);
    const freehold_value_t made[] = { freehold_string("item", 4), freehold_int(1) };
    CHECK(freehold_object_create(transaction, 3, made, 2, NULL, made, NULL) == FREEHOLD_OK);
}

void begin_anew(void)
{
    if (worlds > 0) check_world();
    at = "the making of the world";
    freehold_database_t *database = NULL;
    freehold_transaction_t *transaction = NULL;
    freehold_snapshot_t *snapshot = NULL;
    freehold_open_options_t options = { .size = sizeof options, .lock_timeout_milliseconds = 2 };
    /* What was under way may keep the file open for a moment, so the next one has another name. */
    freehold_error_code_t code = freehold_database_delete_files(file, FREEHOLD_TERMINATED, false);
    snprintf(file, sizeof file, "fuzz-%u.freehold", ++worlds);
    CHECK(code == FREEHOLD_OK || code == FREEHOLD_ABSENT || code == FREEHOLD_ERROR_NOT_FOUND || code == FREEHOLD_ERROR_IN_USE);
    CHECK(freehold_database_open(file, FREEHOLD_TERMINATED, &options, &database) == FREEHOLD_OK);
    CHECK(freehold_transaction_begin(database, 2, &transaction) == FREEHOLD_OK);
    const freehold_property_info_t rooms[] = { property("rooms", FREEHOLD_TYPE_INT, 0), property("street", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_NULLABLE) };
    const freehold_property_info_t person[] = {
        property("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY),
        property("name", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED),
        property("age", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_INDEXED),
        property("score", FREEHOLD_TYPE_DOUBLE, FREEHOLD_PROPERTY_NULLABLE),
        collection_property(property("tags", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_LIST),
        collection_property(link_property("links", "Person"), FREEHOLD_TYPE_SET),
        property("any", FREEHOLD_TYPE_MIXED, 0),
        link_property("home", "Home"),
        property("photo", FREEHOLD_TYPE_DATA, FREEHOLD_PROPERTY_NULLABLE),
        collection_property(property("scores", FREEHOLD_TYPE_DOUBLE, 0), FREEHOLD_TYPE_MAP),
    };
    const freehold_property_info_t thing[] = { property("name", FREEHOLD_TYPE_STRING, 0), property("photo", FREEHOLD_TYPE_DATA, FREEHOLD_PROPERTY_NULLABLE) };
    CHECK(freehold_class_create(transaction, "Thing", 5, 2, thing, NULL) == FREEHOLD_OK);
    const freehold_class_definition_t home = {
        .size = sizeof home, .name = { "Home", 4 }, .property_count = 2, .properties = rooms, .embedded = true,
    };
    CHECK(freehold_classes_create(transaction, 1, &home) == FREEHOLD_OK);
    CHECK(freehold_class_create(transaction, "Person", 6, 10, person, NULL) == FREEHOLD_OK);
    make_synced_class(transaction);
    for (int id = 0; id < 50; id++) {
        char name[16];
        const freehold_value_t made[] = {
            freehold_int(id), freehold_string(name, (size_t)snprintf(name, sizeof name, "p%d", id)), freehold_int(id % 30), freehold_double(id),
        };
        CHECK(freehold_object_create(transaction, 2, made, 4, NULL, made, NULL) == FREEHOLD_OK);
        CHECK(freehold_object_create(transaction, 0, NULL, 1, NULL, made + 1, NULL) == FREEHOLD_OK);
    }
    const freehold_value_t tags[] = { freehold_string("a", 1), freehold_string("b", 1), freehold_string("c", 1) }, inner = freehold_list(tags, 3);
    const freehold_value_t links[] = { freehold_link(1), freehold_link(2) };
    const freehold_value_t held[] = { freehold_list(tags, 3), freehold_set(links, 2), freehold_list(&inner, 1) };
    static const freehold_property_t places[] = { 4, 5, 6 };
    CHECK(freehold_object_set(transaction, 2, 7, 3, places, held) == FREEHOLD_OK);
    CHECK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL) == FREEHOLD_OK);
    CHECK(freehold_snapshot_begin(database, &snapshot) == FREEHOLD_OK);
    kept[HANDLE_DATABASE][0] = database;
    kept[HANDLE_SNAPSHOT][0] = snapshot;
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    kept[HANDLE_READER][0] = (void *)reader;
    open_some(database, snapshot, reader);
    /* What makes a transaction of its own is refused while this thread is in one. */
    if (!pick(3)) return;
    CHECK(freehold_transaction_begin(database, 2, &transaction) == FREEHOLD_OK);
    kept[HANDLE_TRANSACTION][0] = transaction;
    kept[HANDLE_READER][1] = (void *)freehold_transaction_reader(transaction);
    open_collections(freehold_transaction_reader(transaction), 1);
}

void end_worlds(void)
{
    check_world();
    CHECK(worlds_whole * 2 >= worlds);
}
