/* Lists, sets and maps: whole as values, and element by element; mixed values; objects within others. */
#include "check.h"
#include <string.h>

enum { TAGS, SCORES, NOTES, FRIENDS, SHELVES, ANY, HOME, ROOMS, MEMBERS };
static freehold_class_t box, room;

static void make_boxes(freehold_transaction_t *transaction)
{
    const freehold_property_info_t space[] = { property("size", FREEHOLD_TYPE_INT, 0) };
    const freehold_property_info_t members[] = {
        collection_property(property("tags", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_LIST),
        collection_property(property("scores", FREEHOLD_TYPE_DOUBLE, 0), FREEHOLD_TYPE_SET),
        collection_property(property("notes", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_NULLABLE), FREEHOLD_TYPE_MAP),
        collection_property(link_property("friends", "Box"), FREEHOLD_TYPE_LIST),
        collection_property(collection_property(property("shelves", FREEHOLD_TYPE_INT, 0), FREEHOLD_TYPE_LIST), FREEHOLD_TYPE_MAP),
        property("any", FREEHOLD_TYPE_MIXED, 0),
        link_property("home", "Room"),
        collection_property(link_property("rooms", "Room"), FREEHOLD_TYPE_LIST),
    };
    const freehold_class_definition_t classes[] = {
        { .size = sizeof classes[0], .name = { "Box", 3 }, .property_count = MEMBERS, .properties = members },
        { .size = sizeof classes[0], .name = { "Room", 4 }, .property_count = 1, .properties = space, .embedded = true },
    };
    CHECK_OK(freehold_classes_create(transaction, 2, classes));
    CHECK_OK(freehold_classes_create(transaction, 2, classes));
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    CHECK_OK(freehold_class_find(reader, "Box", 3, &box));
    CHECK_OK(freehold_class_find(reader, "Room", 4, &room));
    freehold_property_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_property_info(reader, box, SHELVES, &info));
    CHECK(info.collections[0] == FREEHOLD_TYPE_MAP && info.collections[1] == FREEHOLD_TYPE_LIST && info.collections[2] == 0);
    freehold_class_info_t about = { .size = sizeof about };
    CHECK_OK(freehold_class_info(reader, room, &about));
    CHECK(about.embedded && about.superclass == FREEHOLD_NONE);
    freehold_property_info_t gap = members[TAGS];
    gap.collections[0] = 0;
    gap.collections[1] = FREEHOLD_TYPE_LIST;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_property_add(transaction, box, &gap, NULL));
    gap.collections[0] = 7;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_property_add(transaction, box, &gap, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_classes_create(transaction, 2, NULL));
}

static bool is_text(const char *expected, freehold_value_t value)
{
    return value.type == FREEHOLD_TYPE_STRING && value.as.string.length == strlen(expected)
        && memcmp(value.as.string.bytes, expected, value.as.string.length) == 0;
}

/* Whole collections go in and come out as values, nested ones too. */
static freehold_key_t test_whole(freehold_transaction_t *transaction)
{
    const freehold_value_t tags[] = { freehold_string("b", 1), freehold_string("a", 1), freehold_string("b", 1) };
    const freehold_value_t scores[] = { freehold_double(2.5), freehold_double(-1), freehold_double(2.5) };
    const freehold_entry_t notes[] = { { { "z", 1 }, freehold_null() }, { { "a", 1 }, freehold_string("first", 5) } };
    const freehold_value_t numbers[] = { freehold_int(1), freehold_int(2) };
    const freehold_entry_t shelves[] = { { { "low", 3 }, freehold_list(numbers, 2) }, { { "empty", 5 }, freehold_list(NULL, 0) } };
    const freehold_value_t any[] = { freehold_int(5), freehold_list(numbers, 2), freehold_map(notes, 2) };
    const freehold_property_t set[] = { TAGS, SCORES, NOTES, SHELVES, ANY };
    const freehold_value_t values[] = { freehold_list(tags, 3), freehold_set(scores, 3), freehold_map(notes, 2),
                                        freehold_map(shelves, 2), freehold_list(any, 3) };
    freehold_key_t key = 0;
    CHECK_OK(freehold_object_create(transaction, box, NULL, 5, set, values, &key));
    freehold_value_t got[MEMBERS];
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    CHECK_OK(freehold_object_get(reader, box, key, MEMBERS, NULL, got));
    CHECK(got[TAGS].type == FREEHOLD_TYPE_LIST && got[TAGS].as.list.count == 3 && is_text("a", got[TAGS].as.list.values[1]));
    CHECK(got[SCORES].type == FREEHOLD_TYPE_SET && got[SCORES].as.list.count == 2 && got[SCORES].as.list.values[0].as.real == -1);
    CHECK(got[NOTES].type == FREEHOLD_TYPE_MAP && got[NOTES].as.map.count == 2);
    CHECK_TEXT("a", got[NOTES].as.map.entries[0].key);
    CHECK(got[NOTES].as.map.entries[1].value.type == FREEHOLD_TYPE_NULL);
    CHECK(got[SHELVES].as.map.count == 2 && got[SHELVES].as.map.entries[1].value.as.list.values[1].as.integer == 2);
    CHECK(got[FRIENDS].type == FREEHOLD_TYPE_LIST && got[FRIENDS].as.list.count == 0);
    CHECK(got[ANY].as.list.count == 3 && got[ANY].as.list.values[2].type == FREEHOLD_TYPE_MAP);
    /* What a call gave may be an argument of the next one. */
    const freehold_property_t same[] = { TAGS, NOTES };
    const freehold_value_t again[] = { got[TAGS], got[NOTES] };
    CHECK_OK(freehold_object_set(transaction, box, key, 2, same, again));
    CHECK_OK(freehold_object_get(reader, box, key, 1, NULL, got));
    CHECK(got[TAGS].as.list.count == 3 && is_text("b", got[TAGS].as.list.values[2]));
    freehold_value_t deep[70];
    deep[0] = freehold_int(1);
    for (int n = 1; n < 70; n++) deep[n] = freehold_list(&deep[n - 1], 1);
    const freehold_property_t any_of_all = ANY;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_set(transaction, box, key, 1, &any_of_all, &deep[69]));
    return key;
}

static freehold_collection_t *opened(const freehold_reader_t *reader, freehold_key_t key, freehold_property_t property)
{
    freehold_collection_t *collection = NULL;
    CHECK_OK(freehold_collection_open(reader, box, key, property, &collection));
    return collection;
}

static uint64_t counted(const freehold_collection_t *collection)
{
    uint64_t count = UINT64_MAX;
    CHECK_OK(freehold_collection_count(collection, &count));
    return count;
}

static void test_list(freehold_transaction_t *transaction, freehold_key_t key)
{
    freehold_collection_t *tags = opened(freehold_transaction_reader(transaction), key, TAGS);
    freehold_type_t kind = 0;
    CHECK_OK(freehold_collection_kind(tags, &kind));
    CHECK(kind == FREEHOLD_TYPE_LIST);
    const freehold_value_t more[] = { freehold_string("c", 1), freehold_string("d", 1) };
    CHECK_OK(freehold_list_insert(tags, FREEHOLD_LAST, 2, more));
    CHECK_OK(freehold_list_insert(tags, 0, 1, &more[1]));
    CHECK_OK(freehold_list_set(tags, 1, &more[0]));
    CHECK_OK(freehold_list_move(tags, 0, 2));
    CHECK_OK(freehold_list_swap(tags, 0, 5));
    freehold_value_t values[8];
    size_t filled = 0;
    CHECK_OK(freehold_collection_get(tags, 0, 8, NULL, values, &filled));
    const char *expected[] = { "d", "a", "d", "b", "c", "c" };
    CHECK(filled == 6);
    for (int n = 0; n < 6; n++) CHECK(is_text(expected[n], values[n]));
    uint64_t position = 9;
    CHECK_OK(freehold_collection_find(tags, &more[0], &position));
    CHECK(position == 4);
    CHECK_OK(freehold_list_remove(tags, 4, 2));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_collection_find(tags, &more[0], &position));
    CHECK(counted(tags) == 4);
    const freehold_value_t wrong = freehold_int(1), null = freehold_null();
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_list_insert(tags, 0, 1, &wrong));
    CHECK_CODE(FREEHOLD_ERROR_NOT_NULLABLE, freehold_list_set(tags, 0, &null));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_list_set(tags, 4, &more[0]));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_list_insert(tags, 5, 1, more));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_list_remove(tags, UINT64_MAX, UINT64_MAX));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_list_remove(tags, 2, 3));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_list_move(tags, 0, 4));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_list_insert(tags, 0, 1, NULL));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_set_insert(tags, 1, more));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_map_set(tags, "x", 1, more));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_collection_find(tags, &wrong, &position));
    freehold_text_t text;
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_collection_get(tags, 0, 1, &text, NULL, NULL));
    CHECK_OK(freehold_collection_clear(tags));
    CHECK(counted(tags) == 0);
    CHECK_OK(freehold_collection_close(tags));
    CHECK_OK(freehold_collection_close(NULL));
}

static void test_set(freehold_transaction_t *transaction, freehold_key_t key)
{
    freehold_collection_t *scores = opened(freehold_transaction_reader(transaction), key, SCORES);
    const freehold_value_t more[] = { freehold_double(0), freehold_int(7), freehold_double(2.5) };
    CHECK_OK(freehold_set_insert(scores, 3, more));
    CHECK(counted(scores) == 4);
    uint64_t position = 9;
    CHECK_OK(freehold_collection_find(scores, &more[1], &position));
    CHECK(position == 3);
    CHECK_OK(freehold_set_remove(scores, 2, more));
    CHECK(counted(scores) == 2);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_collection_find(scores, &more[1], NULL));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_list_remove(scores, 0, 1));
    CHECK_OK(freehold_collection_close(scores));
}

static void test_map(freehold_transaction_t *transaction, freehold_key_t key)
{
    freehold_collection_t *notes = opened(freehold_transaction_reader(transaction), key, NOTES);
    const freehold_value_t text = freehold_string("middle", 6), m = freehold_string("m", 1);
    CHECK_OK(freehold_map_set(notes, "m", FREEHOLD_TERMINATED, &text));
    freehold_text_t keys[4];
    freehold_value_t values[4];
    size_t filled = 0;
    CHECK_OK(freehold_collection_get(notes, 1, 4, keys, values, &filled));
    CHECK(filled == 2 && is_text("middle", values[0]) && values[1].type == FREEHOLD_TYPE_NULL);
    CHECK_TEXT("z", keys[1]);
    uint64_t position = 9;
    CHECK_OK(freehold_collection_find(notes, &m, &position));
    CHECK(position == 1);
    CHECK_OK(freehold_map_remove(notes, "m", 1));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_map_remove(notes, "m", 1));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_map_set(notes, NULL, 0, &text));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_map_set(notes, "x", 1, NULL));
    CHECK_OK(freehold_collection_close(notes));
}

static void test_inner(freehold_transaction_t *transaction, freehold_key_t key)
{
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_collection_t *shelves = opened(reader, key, SHELVES), *fresh = NULL, *any = opened(reader, key, ANY), *inner = NULL;
    const freehold_value_t top = freehold_string("top", 3), number = freehold_int(9), one = freehold_int(1), far = freehold_int(99);
    CHECK_OK(freehold_collection_inner(shelves, &top, &fresh));
    CHECK_OK(freehold_list_insert(fresh, FREEHOLD_LAST, 1, &number));
    CHECK(counted(shelves) == 3 && counted(fresh) == 1);
    CHECK_OK(freehold_collection_inner(any, &one, &inner));
    CHECK_OK(freehold_list_insert(inner, 0, 1, &top));
    CHECK(counted(inner) == 3);
    CHECK_OK(freehold_collection_close(inner));
    const freehold_value_t zero = freehold_int(0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_collection_inner(any, &zero, &inner));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_collection_inner(any, &far, &inner));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_collection_inner(any, NULL, &inner));
    CHECK(inner == NULL);
    CHECK_OK(freehold_collection_close(shelves));
    CHECK_OK(freehold_collection_close(fresh));
    CHECK_OK(freehold_collection_close(any));
}

static void set_any(freehold_transaction_t *transaction, freehold_key_t key, freehold_value_t value)
{
    const freehold_property_t any = ANY;
    CHECK_OK(freehold_object_set(transaction, box, key, 1, &any, &value));
}

/* A list that its map does not have yet is created by its first change, if that is not refused. */
static void test_fresh(freehold_transaction_t *transaction, freehold_key_t key, const freehold_collection_t *older,
                       const freehold_snapshot_t *snapshot)
{
    const freehold_reader_t *writer = freehold_transaction_reader(transaction);
    const freehold_value_t zero = freehold_int(0), word = freehold_string("x", 1);
    freehold_collection_t *none = NULL, *again = NULL;
    freehold_collection_t *shelves = opened(writer, key, SHELVES), *fresh = NULL;
    CHECK_OK(freehold_collection_inner(shelves, &word, &fresh));
    CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_count(fresh, NULL));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_list_insert(fresh, FREEHOLD_LAST, 1, &word));
    CHECK_OK(freehold_list_insert(fresh, FREEHOLD_LAST, 1, &zero));
    CHECK(counted(fresh) == 1);
    CHECK_OK(freehold_map_remove(shelves, "x", 1));
    CHECK_OK(freehold_collection_another(fresh, writer, &again));
    CHECK_OK(freehold_collection_close(again));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_collection_another(fresh, freehold_snapshot_reader(snapshot), &none));
    CHECK_OK(freehold_object_delete(transaction, box, key));
    CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_count(fresh, NULL));
    CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_list_insert(fresh, FREEHOLD_LAST, 1, &zero));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_collection_another(older, writer, &none));
    CHECK(none == NULL);
    CHECK_OK(freehold_collection_close(fresh));
    CHECK_OK(freehold_collection_close(shelves));
}

/* What a handle stands for may be removed or replaced, and come back: the handle is of the place. */
static void test_removed(freehold_database_t *database, freehold_key_t key)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *writer = freehold_transaction_reader(transaction);
    const freehold_value_t numbers[] = { freehold_int(1), freehold_int(2) }, deep[] = { freehold_list(numbers, 2) };
    const freehold_value_t zero = freehold_int(0), word = freehold_string("x", 1), k = freehold_string("k", 1);
    const freehold_entry_t entry = { { "k", 1 }, deep[0] };
    set_any(transaction, key, freehold_list(deep, 1));
    freehold_collection_t *any = opened(writer, key, ANY), *inner = NULL, *none = NULL;
    CHECK_OK(freehold_collection_inner(any, &zero, &inner));
    CHECK(counted(inner) == 2);
    freehold_snapshot_t *snapshot = NULL;
    freehold_collection_t *older = NULL;
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    snapshot = taken(database);
    CHECK_OK(freehold_collection_another(inner, freehold_snapshot_reader(snapshot), &older));
    CHECK_OK(freehold_collection_close(inner));
    CHECK_OK(freehold_collection_close(any));

    transaction = begun(database);
    writer = freehold_transaction_reader(transaction);
    CHECK_OK(freehold_collection_another(older, writer, &inner));
    any = opened(writer, key, ANY);
    const freehold_value_t others[] = { freehold_map(&entry, 1), freehold_int(5), freehold_null(), freehold_list(NULL, 0),
                                        freehold_list(numbers, 2) };
    for (int n = 0; n < 5; n++) {
        set_any(transaction, key, others[n]);
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_count(inner, NULL));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_get(inner, 0, 0, NULL, NULL, NULL));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_find(inner, &zero, NULL));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_inner(inner, &zero, &none));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_list_insert(inner, FREEHOLD_LAST, 1, &zero));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_clear(inner));
        CHECK_CODE(FREEHOLD_ABSENT, freehold_collection_another(older, writer, &none));
        if (n < 3) CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_list_remove(any, 0, 1));
        CHECK(none == NULL && counted(older) == 2);
    }
    /* A step that leads nowhere is an argument, not a loss. */
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_collection_inner(any, &k, &none));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_collection_inner(any, &word, &none));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_list_remove(any, 2, 1));
    set_any(transaction, key, freehold_list(deep, 1));
    CHECK(counted(inner) == 2);
    CHECK_OK(freehold_list_insert(inner, FREEHOLD_LAST, 1, &zero));
    CHECK(counted(inner) == 3);

    test_fresh(transaction, key, older, snapshot);
    CHECK_OK(freehold_transaction_rollback(transaction));
    CHECK_OK(freehold_collection_close(inner));
    CHECK_OK(freehold_collection_close(any));
    CHECK_OK(freehold_collection_close(older));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static void test_embedding(freehold_transaction_t *transaction, freehold_key_t key)
{
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_property_t size = 0;
    const freehold_value_t ten = freehold_int(10), zero = freehold_int(0);
    freehold_key_t home = 0, in_list = 0;
    CHECK_OK(freehold_object_embed(transaction, box, key, HOME, room, 1, &size, &ten, &home));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_embed(transaction, box, 12345, HOME, room, 1, &size, &ten, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_embed(transaction, box, key, TAGS, room, 1, &size, &ten, NULL));
    freehold_collection_t *rooms = opened(reader, key, ROOMS);
    CHECK_OK(freehold_collection_embed(rooms, NULL, room, 1, &size, &ten, NULL));
    CHECK_OK(freehold_collection_embed(rooms, &zero, room, 0, NULL, NULL, &in_list));
    freehold_value_t values[2];
    CHECK_OK(freehold_collection_get(rooms, 0, 2, NULL, values, NULL));
    CHECK(values[0].type == FREEHOLD_TYPE_LINK && values[0].as.link.key == in_list && values[0].as.link.object_class == room);
    uint64_t count = 0;
    CHECK_OK(freehold_object_count(reader, room, &count));
    CHECK(count == 3);
    CHECK_OK(freehold_collection_clear(rooms));
    CHECK_OK(freehold_object_count(reader, room, &count));
    CHECK(count == 1);
    CHECK_OK(freehold_collection_close(rooms));
}

/* A snapshot's collections are read, and end with their objects. */
static void test_reading(freehold_database_t *database, freehold_key_t key)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_collection_t *notes = opened(reader, key, NOTES);
    CHECK(counted(notes) == 2);
    const freehold_value_t text = freehold_string("x", 1);
    CHECK_CODE(FREEHOLD_ERROR_NOT_IN_WRITE, freehold_map_set(notes, "x", 1, &text));
    CHECK_CODE(FREEHOLD_ERROR_NOT_IN_WRITE, freehold_collection_clear(notes));
    freehold_collection_t *none = notes;
    CHECK_CODE(FREEHOLD_ABSENT, freehold_collection_open(reader, box, 12345, TAGS, &none));
    CHECK(none == NULL);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_collection_open(reader, box, key, HOME, &none));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_collection_open(reader, box, key, 77, &none));
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_object_delete(transaction, box, key));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK(counted(notes) == 2);
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_collection_count(notes, NULL));
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_collection_count(notes, NULL));
    CHECK_OK(freehold_collection_close(notes));
}

void test_collections(void)
{
    freehold_database_t *database = fresh_database("collections");
    freehold_transaction_t *transaction = begun(database);
    make_boxes(transaction);
    const freehold_key_t key = test_whole(transaction);
    test_list(transaction, key);
    test_set(transaction, key);
    test_map(transaction, key);
    test_inner(transaction, key);
    test_embedding(transaction, key);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    test_removed(database, key);
    test_reading(database, key);
    freehold_check_report_t report = { .size = sizeof report };
    CHECK_OK(freehold_database_check(database, &report, NULL, NULL));
    CHECK(report.problem_count == 0);
    CHECK_OK(freehold_database_close(database));
}
