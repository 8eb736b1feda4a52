/* Queries, groups and collections that are followed from version to version. */
#include "check.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>

struct seen {
    int calls;
    freehold_answer_t answer;
    freehold_error_code_t code;
    bool gone, whole;
    uint64_t deletions[8], insertions[8], modifications[8], modified[8];
    size_t counts[4];
    uint64_t people;
    size_t name_count;
    char names[8][32];
    size_t key_counts[3];
    char map_key[32];
    uint64_t changed;
};

static void copy(char *place, size_t capacity, freehold_text_t text)
{
    snprintf(place, capacity, "%.*s", (int)text.length, text.bytes);
}

static void note(uint64_t *places, size_t *count, freehold_positions_t positions)
{
    *count = positions.count;
    for (size_t n = 0; n < positions.count && n < 8; n++) places[n] = positions.positions[n];
}

static void see(void *context, const freehold_delivery_t *delivery)
{
    struct seen *seen = context;
    seen->calls++;
    seen->answer = delivery->answer;
    seen->code = delivery->code;
    seen->gone = delivery->gone;
    seen->whole = delivery->before != NULL;
    note(seen->deletions, &seen->counts[0], delivery->deletions);
    note(seen->insertions, &seen->counts[1], delivery->insertions);
    note(seen->modifications, &seen->counts[2], delivery->modifications);
    note(seen->modified, &seen->counts[3], delivery->modified);
    CHECK(delivery->size == sizeof *delivery);
    const freehold_texts_t names = delivery->classes.count > 0 ? delivery->classes : delivery->properties;
    seen->name_count = names.count;
    for (size_t n = 0; n < names.count && n < 8; n++) copy(seen->names[n], sizeof seen->names[n], names.texts[n]);
    seen->key_counts[0] = delivery->deleted_keys.count;
    seen->key_counts[1] = delivery->inserted_keys.count;
    seen->key_counts[2] = delivery->modified_keys.count;
    if (delivery->inserted_keys.count > 0) copy(seen->map_key, sizeof seen->map_key, delivery->inserted_keys.texts[0]);
    if (delivery->classes.count > 0 && delivery->before) {
        freehold_changes_t *changes;
        freehold_object_change_t change = { .size = sizeof change };
        CHECK_OK(freehold_changes_between(delivery->before, delivery->after, "Person", 6, &changes));
        for (seen->changed = 0; freehold_changes_next(changes, &change) == FREEHOLD_OK;) seen->changed++;
        CHECK_OK(freehold_changes_close(changes));
    }
    CHECK_OK(freehold_object_count(delivery->after, PERSON, &seen->people));
}

/* Commits what one call changes. */
static void set_age(freehold_database_t *database, freehold_key_t key, int64_t years)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_t age = AGE;
    const freehold_value_t value = freehold_int(years);
    CHECK_OK(freehold_object_set(transaction, PERSON, key, 1, &age, &value));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

static void test_query(freehold_database_t *database, freehold_watch_t *watch)
{
    const freehold_value_t forty = freehold_int(40);
    freehold_answer_t old = 0;
    CHECK_OK(freehold_watch_query(watch, "Person", 6, "age >= %@ SORT(age DESC, id ASC)", FREEHOLD_TERMINATED, 1, &forty, &old));
    uint64_t count = 0;
    CHECK_OK(freehold_watch_count(watch, old, &count));
    CHECK(count == 10);
    freehold_key_t keys[16];
    size_t filled = 0;
    CHECK_OK(freehold_watch_keys(watch, old, 8, 16, keys, &filled));
    CHECK(filled == 2 && keys[0] == 41 && keys[1] == 40);
    struct seen seen = { 0 };
    bool moved = true;
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, &moved));
    CHECK(!moved && seen.calls == 0);
    set_age(database, 1, 49);
    struct pollfd entry = { .fd = freehold_watch_descriptor(watch), .events = POLLIN };
    CHECK(poll(&entry, 1, 60000) == 1);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, &moved));
    CHECK(moved && seen.calls == 1 && seen.answer == old && seen.code == FREEHOLD_OK && seen.whole && seen.people == 60);
    CHECK(seen.counts[0] == 0 && seen.counts[1] == 1 && seen.insertions[0] == 0 && seen.counts[2] == 0);
    set_age(database, 49, 10);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 2 && seen.counts[0] == 1 && seen.deletions[0] == 1 && seen.counts[1] == 0);
    freehold_version_t version = 0, newest = 0;
    CHECK_OK(freehold_watch_version(watch, &version));
    freehold_snapshot_t *snapshot = taken(database);
    CHECK_OK(freehold_reader_version(freehold_snapshot_reader(snapshot), &newest));
    CHECK(version == newest);
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_OK(freehold_watch_stop(watch, old));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_stop(watch, old));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_count(watch, old, &count));
    set_age(database, 2, 60);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, &moved));
    CHECK(moved && seen.calls == 2);
}

static void test_others(freehold_database_t *database, freehold_watch_t *watch)
{
    freehold_answer_t groups = 0, list = 0;
    uint64_t count = 0;
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t tags = collection_property(property("tags", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_LIST);
    CHECK_OK(freehold_property_add(transaction, PERSON, &tags, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_watch_deliver(watch, NULL, NULL, NULL));
    CHECK_OK(freehold_watch_query(watch, "Person", 6, "age > 45 GROUP(age) SELECT(@count)", FREEHOLD_TERMINATED, 0, NULL, &groups));
    CHECK_OK(freehold_watch_collection(watch, "Person", 6, 5, "tags", 4, &list));
    CHECK_OK(freehold_watch_count(watch, list, &count));
    CHECK(count == 0);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_watch_keys(watch, groups, 0, 0, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_NOT_FOUND, freehold_watch_collection(watch, "Person", 6, 12345, "tags", 4, NULL));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_watch_collection(watch, "Person", 6, 5, "age", 3, NULL));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_watch_query(watch, "Nobody", 6, "age > 1", 7, 0, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_watch_query(watch, "Person", 6, "age >", 5, 0, NULL, NULL));
    const freehold_value_t nowhere = freehold_object(1, PERSON);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_query(watch, "Person", 6, "boss = %@", 9, 1, &nowhere, NULL));

    struct seen seen = { 0 };
    transaction = begun(database);
    freehold_collection_t *collection;
    const freehold_value_t words[] = { freehold_string("a", 1), freehold_string("b", 1) };
    CHECK_OK(freehold_collection_open(freehold_transaction_reader(transaction), PERSON, 5, 4, &collection));
    CHECK_OK(freehold_list_insert(collection, 0, 2, words));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_collection_close(collection));
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 1 && seen.answer == list && seen.counts[1] == 2 && seen.insertions[1] == 1 && !seen.gone);
    set_age(database, 3, 60);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 2 && seen.answer == groups && seen.counts[2] == 1 && seen.modifications[0] == seen.modified[0]);
    transaction = begun(database);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 5));
    CHECK_OK(freehold_property_drop(transaction, PERSON, AGE));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 4 && seen.answer == list && seen.gone);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_count(watch, groups, &count));
}

/* One object, and everything. */
static void test_object(freehold_database_t *database, freehold_watch_t *watch)
{
    freehold_answer_t object = 0, everything = 0;
    uint64_t count = 0;
    CHECK_CODE(FREEHOLD_ERROR_NOT_FOUND, freehold_watch_object(watch, "Person", 6, 12345, NULL));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_watch_object(watch, "Nobody", 6, 1, NULL));
    CHECK_OK(freehold_watch_object(watch, "Person", 6, 7, &object));
    CHECK_OK(freehold_watch_count(watch, object, &count));
    CHECK(count == 1);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_watch_keys(watch, object, 0, 0, NULL, NULL));

    struct seen seen = { 0 };
    set_age(database, 8, 1);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 0);
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_t set[] = { NAME, AGE };
    const freehold_value_t values[] = { freehold_string("Ada", 3), freehold_int(36) };
    CHECK_OK(freehold_object_set(transaction, PERSON, 7, 2, set, values));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    struct pollfd entry = { .fd = freehold_watch_descriptor(watch), .events = POLLIN };
    CHECK(poll(&entry, 1, 60000) == 1);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 1 && seen.answer == object && !seen.gone && seen.name_count == 2);
    CHECK(strcmp(seen.names[0], "name") == 0 && strcmp(seen.names[1], "age") == 0);

    CHECK_OK(freehold_watch_database(watch, &everything));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_watch_count(watch, everything, &count));
    bool moved = true;
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, &moved));
    CHECK(!moved && seen.calls == 1);
    set_age(database, 9, 1);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 2 && seen.answer == everything && seen.name_count == 1 && strcmp(seen.names[0], "Person") == 0);
    CHECK(seen.whole && seen.changed == 1);

    transaction = begun(database);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 7));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_watch_stop(watch, everything));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_stop(watch, everything));
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 3 && seen.answer == object && seen.gone && seen.name_count == 0);
    CHECK_OK(freehold_watch_count(watch, object, &count));
    CHECK(count == 0);
    CHECK_OK(freehold_watch_stop(watch, object));
}

/* A map tells its keys. */
static void test_map(freehold_database_t *database, freehold_watch_t *watch)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t scores = collection_property(property("scores", FREEHOLD_TYPE_INT, 0), FREEHOLD_TYPE_MAP);
    freehold_property_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_property_add(transaction, PERSON, &scores, &number));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_watch_deliver(watch, NULL, NULL, NULL));
    freehold_answer_t map = 0;
    CHECK_OK(freehold_watch_collection(watch, "Person", 6, 10, "scores", 6, &map));
    transaction = begun(database);
    freehold_collection_t *collection;
    const freehold_value_t one = freehold_int(1);
    CHECK_OK(freehold_collection_open(freehold_transaction_reader(transaction), PERSON, 10, number, &collection));
    CHECK_OK(freehold_map_set(collection, "first", 5, &one));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_collection_close(collection));
    struct seen seen = { 0 };
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 1 && seen.answer == map && seen.key_counts[0] == 0 && seen.key_counts[1] == 1 && seen.key_counts[2] == 0);
    CHECK(strcmp(seen.map_key, "first") == 0);
    CHECK_OK(freehold_watch_stop(watch, map));
    transaction = begun(database);
    CHECK_OK(freehold_property_drop(transaction, PERSON, number));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_watch_deliver(watch, NULL, NULL, NULL));
}

static freehold_text_t path(const char *text)
{
    return (freehold_text_t){ .bytes = text, .length = strlen(text) };
}

static void set_name(freehold_database_t *database, freehold_key_t key, const char *name)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_t set = NAME;
    const freehold_value_t value = freehold_string(name, FREEHOLD_TERMINATED);
    CHECK_OK(freehold_object_set(transaction, PERSON, key, 1, &set, &value));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

/* Of a query only changes of what paths lead to are told, and none without paths. */
static void test_query_paths(freehold_database_t *database, freehold_watch_t *watch)
{
    const freehold_text_t boss[] = { path("boss.age"), { .bytes = "name", .length = FREEHOLD_TERMINATED } };
    const freehold_value_t twenty = freehold_int(20);
    freehold_answer_t none = 0, some = 0;
    struct seen seen = { 0 };
    CHECK_OK(freehold_watch_query_observing(watch, "Person", 6, "id < %@ SORT(id ASC)", 20, 1, &twenty, 0, NULL, &none));
    CHECK_OK(freehold_watch_query_observing(watch, "Person", 6, "id < %@ SORT(id ASC)", 20, 1, &twenty, 2, boss, &some));
    /* The seventh is gone. */
    set_age(database, 13, 33);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 1 && seen.answer == some && seen.counts[0] == 0 && seen.counts[1] == 0 && seen.counts[2] == 1);
    CHECK(seen.modifications[0] == 12 && seen.modified[0] == 12);
    set_name(database, 13, "thirteen");
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 2 && seen.answer == some && seen.counts[2] == 1 && seen.modifications[0] == 11);
    CHECK_OK(freehold_watch_stop(watch, some));
    set_name(database, 14, "fourteen");
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 2);
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 12));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 3 && seen.answer == none && seen.counts[0] == 1 && seen.deletions[0] == 10 && seen.counts[2] == 0);
    CHECK_OK(freehold_watch_stop(watch, none));
}

/* The same of a list of links, whose elements are not looked into without paths. */
static void test_collection_paths(freehold_database_t *database, freehold_watch_t *watch)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t team = collection_property(link_property("team", "Person"), FREEHOLD_TYPE_LIST);
    const freehold_property_info_t words = collection_property(property("words", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_LIST);
    freehold_property_t number = FREEHOLD_NONE, word_number = FREEHOLD_NONE;
    freehold_collection_t *collection = NULL;
    const freehold_value_t links[] = { freehold_link(30), freehold_link(31) };
    CHECK_OK(freehold_property_add(transaction, PERSON, &team, &number));
    CHECK_OK(freehold_property_add(transaction, PERSON, &words, &word_number));
    CHECK_OK(freehold_collection_open(freehold_transaction_reader(transaction), PERSON, 10, number, &collection));
    CHECK_OK(freehold_list_insert(collection, 0, 2, links));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_collection_close(collection));
    CHECK_OK(freehold_watch_deliver(watch, NULL, NULL, NULL));

    const freehold_text_t age = path("age"), malformed = path("age.."), unknown = path("shoes"), far = path("age.name"), nothing = { NULL, 0 };
    freehold_answer_t all = 0, none = 0, ages = 0, refused = 0;
    CHECK_OK(freehold_watch_collection(watch, "Person", 6, 10, "team", 4, &all));
    CHECK_OK(freehold_watch_collection_observing(watch, "Person", 6, 10, "team", 4, 0, NULL, &none));
    CHECK_OK(freehold_watch_collection_observing(watch, "Person", 6, 10, "team", 4, 1, &age, &ages));
    struct seen seen = { 0 };
    set_name(database, 31, "somebody");
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 1 && seen.answer == all && seen.counts[2] == 1 && seen.modifications[0] == 1);
    CHECK_OK(freehold_watch_stop(watch, all));
    set_age(database, 30, 3);
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 2 && seen.answer == ages && seen.counts[2] == 1 && seen.modifications[0] == 0);
    CHECK_OK(freehold_watch_stop(watch, ages));

    const struct { const freehold_text_t *path; freehold_error_code_t code; } bad[] = {
        { &malformed, FREEHOLD_ERROR_MALFORMED_INPUT }, { &unknown, FREEHOLD_ERROR_UNKNOWN_PROPERTY },
        { &far, FREEHOLD_ERROR_TYPE_MISMATCH }, { &nothing, FREEHOLD_ERROR_INVALID_ARGUMENT }, { NULL, FREEHOLD_ERROR_INVALID_ARGUMENT },
    };
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        CHECK_CODE(bad[n].code, freehold_watch_collection_observing(watch, "Person", 6, 10, "team", 4, 1, bad[n].path, &refused));
        CHECK_CODE(bad[n].code, freehold_watch_query_observing(watch, "Person", 6, "age > 1", 7, 0, NULL, 1, bad[n].path, &refused));
    }
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT,
        freehold_watch_query_observing(watch, "Person", 6, "age > 1", 7, 0, NULL, SIZE_MAX, &age, &refused));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT,
        freehold_watch_query_observing(watch, "Person", 6, "age > 1 GROUP(age) SELECT(@count)", FREEHOLD_TERMINATED, 0, NULL, 1, &age, &refused));
    CHECK(refused == 0);
    /* From words paths lead nowhere. */
    freehold_answer_t listed = 0;
    CHECK_OK(freehold_watch_collection_observing(watch, "Person", 6, 10, "words", 5, 1, &age, &listed));
    CHECK_OK(freehold_watch_stop(watch, listed));

    transaction = begun(database);
    CHECK_OK(freehold_property_drop(transaction, PERSON, word_number));
    CHECK_OK(freehold_property_drop(transaction, PERSON, number));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_watch_deliver(watch, see, &seen, NULL));
    CHECK(seen.calls == 3 && seen.answer == none && seen.code == FREEHOLD_ERROR_UNKNOWN_PROPERTY);
}

/* From within a delivery. */
static void meddle(void *context, const freehold_delivery_t *delivery)
{
    freehold_watch_t *watch = context;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_deliver(watch, NULL, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_close(watch));
    CHECK_OK(freehold_watch_stop(watch, delivery->answer));
}

void test_watches(void)
{
    freehold_database_t *database = fresh_database("watches");
    make_people(database, 60);
    freehold_watch_t *watch = NULL;
    CHECK_OK(freehold_watch_open(database, &watch));
    test_query(database, watch);
    freehold_answer_t answer = 0;
    CHECK_OK(freehold_watch_query(watch, "Person", 6, "age = 60", 8, 0, NULL, &answer));
    set_age(database, 4, 60);
    CHECK_OK(freehold_watch_deliver(watch, meddle, watch, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_stop(watch, answer));
    test_object(database, watch);
    test_map(database, watch);
    test_query_paths(database, watch);
    test_collection_paths(database, watch);
    test_others(database, watch);
    CHECK_OK(freehold_watch_close(watch));
    CHECK_OK(freehold_watch_close(NULL));
    CHECK(freehold_watch_descriptor(watch) == -1);
    CHECK_OK(freehold_database_close(database));
}
