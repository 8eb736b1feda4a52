/* Collections by their handles: what is followed in them and among what they link to, and what differs between two versions of them. */
#include "check.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { FRIENDS = 4, GRID, LABELS, SCORES };

struct heard {
    int calls;
    freehold_answer_t answer;
    bool gone, whole;
    size_t deletions, insertions, modifications;
    uint64_t insertion, modification;
};

static void hear(void *context, const freehold_delivery_t *delivery)
{
    struct heard *heard = context;
    heard->calls++;
    heard->answer = delivery->answer;
    heard->gone = delivery->gone;
    heard->whole = delivery->before != NULL;
    heard->deletions = delivery->deletions.count;
    heard->insertions = delivery->insertions.count;
    heard->modifications = delivery->modifications.count;
    if (delivery->insertions.count > 0) heard->insertion = delivery->insertions.positions[0];
    if (delivery->modifications.count > 0) heard->modification = delivery->modifications.positions[0];
}

/* What a watch tells of one answer only. */
static struct heard told(freehold_watch_t *watch)
{
    struct heard heard = { 0 };
    CHECK_OK(freehold_watch_deliver(watch, hear, &heard, NULL));
    return heard;
}

static void committed(freehold_transaction_t *transaction)
{
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

static freehold_collection_t *opened(const freehold_reader_t *reader, freehold_key_t key, freehold_property_t property)
{
    freehold_collection_t *collection = NULL;
    CHECK_OK(freehold_collection_open(reader, PERSON, key, property, &collection));
    return collection;
}

static void set_age(freehold_database_t *database, freehold_key_t key, int64_t years)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_t age = AGE;
    const freehold_value_t value = freehold_int(years);
    CHECK_OK(freehold_object_set(transaction, PERSON, key, 1, &age, &value));
    committed(transaction);
}

/* Person 1: friends 3, 2, 3 and a grid of two rows. */
static void make_collections(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    freehold_property_info_t friends = link_property("friends", "Person"), grid = property("grid", FREEHOLD_TYPE_INT, 0);
    freehold_property_info_t labels = property("labels", FREEHOLD_TYPE_STRING, 0), scores = property("scores", FREEHOLD_TYPE_INT, 0);
    friends.flags = 0;
    friends.collections[0] = grid.collections[0] = grid.collections[1] = FREEHOLD_TYPE_LIST;
    labels.collections[0] = FREEHOLD_TYPE_SET;
    scores.collections[0] = FREEHOLD_TYPE_MAP;
    CHECK_OK(freehold_property_add(transaction, PERSON, &friends, NULL));
    CHECK_OK(freehold_property_add(transaction, PERSON, &grid, NULL));
    CHECK_OK(freehold_property_add(transaction, PERSON, &labels, NULL));
    CHECK_OK(freehold_property_add(transaction, PERSON, &scores, NULL));
    const freehold_value_t links[] = { freehold_link(3), freehold_link(2), freehold_link(3) };
    const freehold_value_t first[] = { freehold_int(1), freehold_int(2) }, second[] = { freehold_int(3) };
    const freehold_value_t rows[] = { freehold_list(first, 2), freehold_list(second, 1) };
    const freehold_value_t values[] = { freehold_list(links, 3), freehold_list(rows, 2) };
    const freehold_property_t set[] = { FRIENDS, GRID };
    CHECK_OK(freehold_object_set(transaction, PERSON, 1, 2, set, values));
    committed(transaction);
}

static void test_among(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_watch_t *watch = NULL;
    CHECK_OK(freehold_watch_open(database, &watch));
    freehold_collection_t *friends = opened(freehold_snapshot_reader(snapshot), 1, FRIENDS), *labels = opened(freehold_snapshot_reader(snapshot), 1, LABELS);
    freehold_answer_t adults = 0, names = 0;
    const freehold_value_t limit = freehold_int(2);
    const freehold_text_t name = { .bytes = "name", .length = 4 };
    CHECK_OK(freehold_watch_query_among(watch, friends, "age >= %@", FREEHOLD_TERMINATED, 1, &limit, 0, NULL, &adults));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_watch_query_among(watch, labels, "age > 1", 7, 0, NULL, 0, NULL, &names));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_watch_query_among(watch, friends, "age > ", 6, 0, NULL, 0, NULL, &names));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT,
               freehold_watch_query_among(watch, friends, "GROUP(age) SELECT(@count)", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &names));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_query_among(watch, friends, "age > 1", 7, 0, NULL, 1, NULL, &names));
    freehold_key_t keys[4];
    size_t filled = 0;
    CHECK_OK(freehold_watch_keys(watch, adults, 0, 4, keys, &filled));
    CHECK(filled == 3 && keys[0] == 3 && keys[1] == 2 && keys[2] == 3);
    set_age(database, 2, 1);
    struct heard heard = told(watch);
    CHECK(heard.calls == 1 && heard.answer == adults && heard.deletions == 1 && heard.insertions == 0);
    /* The place is followed, whatever becomes of the handle. */
    CHECK_OK(freehold_watch_query_among(watch, friends, "TRUEPREDICATE SORT(age DESC)", FREEHOLD_TERMINATED, 0, NULL, 1, &name, &names));
    CHECK_OK(freehold_collection_close(friends));
    CHECK_OK(freehold_watch_stop(watch, adults));
    set_age(database, 3, 33);
    CHECK(told(watch).calls == 0);
    freehold_transaction_t *transaction = begun(database);
    friends = opened(freehold_transaction_reader(transaction), 1, FRIENDS);
    const freehold_value_t four = freehold_link(4);
    CHECK_OK(freehold_list_insert(friends, 1, 1, &four));
    committed(transaction);
    CHECK_OK(freehold_collection_close(friends));
    heard = told(watch);
    CHECK(heard.calls == 1 && heard.answer == names && heard.insertions == 1 && heard.insertion == 2);
    CHECK_OK(freehold_collection_close(labels));
    CHECK_OK(freehold_watch_close(watch));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static void test_inner_place(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_watch_t *watch = NULL;
    CHECK_OK(freehold_watch_open(database, &watch));
    freehold_collection_t *grid = opened(freehold_snapshot_reader(snapshot), 1, GRID), *row = NULL, *friends = opened(freehold_snapshot_reader(snapshot), 1, FRIENDS);
    const freehold_value_t second = freehold_int(1), seven = freehold_int(7);
    const freehold_text_t age = { .bytes = "age", .length = 3 };
    freehold_answer_t inner = 0, linked = 0;
    CHECK_OK(freehold_collection_inner(grid, &second, &row));
    CHECK_OK(freehold_watch_place(watch, row, 0, NULL, &inner));
    CHECK_OK(freehold_watch_place(watch, friends, 1, &age, &linked));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_watch_place(watch, row, 1, NULL, NULL));
    uint64_t count = 0;
    CHECK_OK(freehold_watch_count(watch, inner, &count));
    CHECK(count == 1);
    freehold_transaction_t *transaction = begun(database);
    freehold_collection_t *changing = opened(freehold_transaction_reader(transaction), 1, GRID), *changed = NULL;
    CHECK_OK(freehold_collection_inner(changing, &second, &changed));
    CHECK_OK(freehold_list_insert(changed, FREEHOLD_LAST, 1, &seven));
    committed(transaction);
    CHECK_OK(freehold_collection_close(changed));
    CHECK_OK(freehold_collection_close(changing));
    struct heard heard = told(watch);
    CHECK(heard.calls == 1 && heard.answer == inner && heard.insertions == 1 && heard.insertion == 1);
    set_age(database, 4, 44);
    heard = told(watch);
    CHECK(heard.calls == 1 && heard.answer == linked && heard.modifications == 1 && heard.modification == 1);
    CHECK_OK(freehold_collection_close(row));
    CHECK_OK(freehold_collection_close(grid));
    CHECK_OK(freehold_collection_close(friends));
    CHECK_OK(freehold_watch_close(watch));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static bool is_text(freehold_texts_t texts, const char *only)
{
    return texts.count == 1 && texts.texts[0].length == strlen(only) && !memcmp(texts.texts[0].bytes, only, texts.texts[0].length);
}

static void test_changes_within(freehold_database_t *database)
{
    const freehold_value_t ones[] = { freehold_int(1), freehold_int(2) }, words[] = { freehold_string("a", 1), freehold_string("c", 1) };
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *writer = freehold_transaction_reader(transaction);
    freehold_collection_t *labels = opened(writer, 1, LABELS), *scores = opened(writer, 1, SCORES), *grid = opened(writer, 1, GRID), *row = NULL;
    CHECK_OK(freehold_set_insert(labels, 2, words));
    CHECK_OK(freehold_map_set(scores, "gone", 4, &ones[0]));
    CHECK_OK(freehold_map_set(scores, "same", 4, &ones[0]));
    CHECK_OK(freehold_map_set(scores, "other", 5, &ones[0]));
    committed(transaction);
    freehold_snapshot_t *before = taken(database);

    freehold_collection_t *each[] = { labels, scores, grid };
    for (int n = 0; n < 3; n++) CHECK_OK(freehold_collection_close(each[n]));
    transaction = begun(database);
    writer = freehold_transaction_reader(transaction);
    const freehold_value_t b = freehold_string("b", 1), zero = freehold_int(0), nine = freehold_int(9);
    labels = opened(writer, 1, LABELS), scores = opened(writer, 1, SCORES), grid = opened(writer, 1, GRID);
    CHECK_OK(freehold_set_insert(labels, 1, &b));
    CHECK_OK(freehold_set_remove(labels, 1, &words[0]));
    CHECK_OK(freehold_map_remove(scores, "gone", 4));
    CHECK_OK(freehold_map_set(scores, "new", 3, &ones[0]));
    CHECK_OK(freehold_map_set(scores, "other", 5, &ones[1]));
    CHECK_OK(freehold_collection_inner(grid, &zero, &row));
    CHECK_OK(freehold_list_set(row, 1, &nine));
    CHECK_OK(freehold_list_insert(row, 0, 1, &nine));
    committed(transaction);
    freehold_snapshot_t *now = taken(database);
    CHECK_OK(freehold_collection_close(row));
    for (int n = 0; n < 3; n++) CHECK_OK(freehold_collection_close(n == 0 ? labels : n == 1 ? scores : grid));

    const freehold_reader_t *old_reader = freehold_snapshot_reader(before), *reader = freehold_snapshot_reader(now);
    freehold_collection_t *older = opened(old_reader, 1, LABELS), *newer = opened(reader, 1, LABELS), *wrong = opened(old_reader, 1, SCORES);
    freehold_collection_changes_t changes = { .size = sizeof changes };
    CHECK_OK(freehold_collection_changes(older, newer, &changes));
    CHECK(changes.deletions.count == 1 && changes.deletions.positions[0] == 0 && changes.insertions.count == 1 && changes.insertions.positions[0] == 0);
    CHECK(changes.deleted_keys.count == 0 && changes.modifications.count == 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_collection_changes(wrong, newer, &changes));
    CHECK_OK(freehold_collection_changes(older, newer, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_collection_changes(NULL, newer, &changes));
    CHECK_OK(freehold_collection_close(older));
    CHECK_OK(freehold_collection_close(newer));

    CHECK_OK(freehold_collection_another(wrong, reader, &newer));
    CHECK_OK(freehold_collection_changes(wrong, newer, &changes));
    CHECK(is_text(changes.deleted_keys, "gone") && is_text(changes.inserted_keys, "new") && is_text(changes.modified_keys, "other"));
    CHECK(changes.deletions.count == 0 && changes.insertions.count == 0);
    CHECK_OK(freehold_collection_close(wrong));
    CHECK_OK(freehold_collection_close(newer));

    older = opened(old_reader, 1, GRID), newer = opened(reader, 1, GRID);
    CHECK_OK(freehold_collection_changes(older, newer, &changes));
    CHECK(changes.modifications.count == 1 && changes.modifications.positions[0] == 0 && changes.modified.positions[0] == 0 && changes.insertions.count == 0);
    freehold_collection_t *old_row = NULL, *new_row = NULL;
    CHECK_OK(freehold_collection_inner(older, &zero, &old_row));
    CHECK_OK(freehold_collection_inner(newer, &zero, &new_row));
    CHECK_OK(freehold_collection_changes(old_row, new_row, &changes));
    CHECK(changes.insertions.count == 1 && changes.modifications.count == 1 && changes.deletions.count == 0);
    CHECK_OK(freehold_collection_close(old_row));
    CHECK_OK(freehold_collection_close(new_row));
    CHECK_OK(freehold_collection_close(older));
    CHECK_OK(freehold_collection_close(newer));
    CHECK_OK(freehold_snapshot_end(before));
    CHECK_OK(freehold_snapshot_end(now));
}

/* A watch that sleeps over more versions than it may, and a listener that nothing wakes but commits. */
static void test_sleeping(freehold_database_t *database)
{
    freehold_listener_t *listener = NULL;
    freehold_version_t version = 0, newest = 0;
    CHECK_OK(freehold_listener_open(database, &listener));
    CHECK_OK(freehold_listener_reread(listener, false));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_listener_reread(NULL, true));
    CHECK_OK(freehold_listener_acknowledge(listener, &version));
    for (int limit = 0; limit <= 2; limit += 2) {
        freehold_open_options_t options = { .size = sizeof options, .parked_versions_limit = (uint64_t)limit };
        freehold_database_t *file = NULL;
        char path[4096];
        snprintf(path, sizeof path, "%s", path_in_folder(limit ? "limited" : "unlimited"));
        CHECK_OK(freehold_database_open(path, FREEHOLD_TERMINATED, &options, &file));
        make_people(file, 10);
        freehold_watch_t *watch = NULL;
        CHECK_OK(freehold_watch_open(file, &watch));
        CHECK_OK(freehold_watch_query(watch, "Person", 6, "age > 3", 7, 0, NULL, NULL));
        for (int64_t age = 20; age < 26; age++) set_age(file, 1, age);
        const struct heard heard = told(watch);
        CHECK(heard.calls == 1 && heard.whole == (limit == 0));
        CHECK_OK(freehold_watch_close(watch));
        CHECK_OK(freehold_database_close(file));
    }
    set_age(database, 2, 21);
    struct pollfd entry = { .fd = freehold_listener_descriptor(listener), .events = POLLIN };
    CHECK(poll(&entry, 1, 60000) == 1);
    CHECK_OK(freehold_listener_acknowledge(listener, &newest));
    CHECK(newest > version);
    CHECK_OK(freehold_listener_reread(listener, true));
    CHECK_OK(freehold_listener_close(listener));
}

void test_places(void)
{
    freehold_database_t *database = fresh_database("places");
    make_people(database, 10);
    make_collections(database);
    test_among(database);
    test_inner_place(database);
    test_changes_within(database);
    test_sleeping(database);
    CHECK_OK(freehold_database_close(database));
}
