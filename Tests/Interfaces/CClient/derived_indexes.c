/* Full-text indexes and indexes of places: declared, listed, built, and searched by. */
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AUTHOR = 0, POINT = 1, ARTICLE = 2 };
enum { TITLE = 0, BODY = 1, AUTHOR_LINK = 2, LOCATION = 3, LATITUDE = 4, LONGITUDE = 5 };
/* More than a commit builds of an index. */
enum { MANY = 25000 };

#define FIELD(name, its_weight) { .path = { (name), FREEHOLD_TERMINATED }, .weight = (its_weight) }

static void make_classes(freehold_transaction_t *transaction)
{
    const freehold_property_info_t author[] = { property("name", FREEHOLD_TYPE_STRING, 0) };
    const freehold_property_info_t point[] = {
        property("type", FREEHOLD_TYPE_STRING, 0),
        collection_property(property("coordinates", FREEHOLD_TYPE_DOUBLE, 0), FREEHOLD_TYPE_LIST),
    };
    const freehold_property_info_t article[] = {
        property("title", FREEHOLD_TYPE_STRING, 0), property("body", FREEHOLD_TYPE_STRING, 0), link_property("author", "Author"),
        link_property("location", "Point"), property("latitude", FREEHOLD_TYPE_DOUBLE, 0), property("longitude", FREEHOLD_TYPE_DOUBLE, 0),
    };
    CHECK_OK(freehold_class_create(transaction, "Author", FREEHOLD_TERMINATED, 1, author, NULL));
    CHECK_OK(freehold_class_create(transaction, "Point", FREEHOLD_TERMINATED, 2, point, NULL));
    CHECK_OK(freehold_class_create(transaction, "Article", FREEHOLD_TERMINATED, 6, article, NULL));
}

static void make_article(freehold_transaction_t *transaction, const char *title, const char *body, const char *author, double latitude)
{
    const freehold_property_t first = 0, all[] = { TITLE, BODY, AUTHOR_LINK, LOCATION, LATITUDE, LONGITUDE }, both[] = { 0, 1 };
    const freehold_value_t name = freehold_string(author, FREEHOLD_TERMINATED);
    const freehold_value_t place[] = { freehold_double(10), freehold_double(latitude) };
    const freehold_value_t point[] = { freehold_string("Point", 5), freehold_list(place, 2) };
    freehold_key_t author_key = 0, point_key = 0;
    CHECK_OK(freehold_object_create(transaction, AUTHOR, NULL, 1, &first, &name, &author_key));
    CHECK_OK(freehold_object_create(transaction, POINT, NULL, 2, both, point, &point_key));
    const freehold_value_t values[] = {
        freehold_string(title, FREEHOLD_TERMINATED), freehold_string(body, FREEHOLD_TERMINATED), freehold_link(author_key),
        freehold_link(point_key), freehold_double(latitude), freehold_double(10),
    };
    CHECK_OK(freehold_object_create(transaction, ARTICLE, NULL, 6, all, values, NULL));
}

/* The keys of the objects that a query finds, as decimal digits one after the other. */
static const char *found(const freehold_reader_t *reader, const char *text)
{
    static char digits[64];
    freehold_query_t *query = NULL;
    freehold_results_t *results = NULL;
    const freehold_key_t *keys = NULL;
    uint64_t count = 0;
    digits[0] = '\0';
    if (!CHECK_OK(freehold_query_prepare(reader, ARTICLE, text, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query))) return digits;
    CHECK_OK(freehold_query_run(query, &results));
    CHECK_OK(freehold_results_keys(results, &keys, &count));
    for (uint64_t place = 0; place < count && place < 60; place++) {
        digits[place] = (char)('0' + keys[place]);
        digits[place + 1] = '\0';
    }
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
    return digits;
}

/* Whether the plan of a query has an index of these properties. */
static bool uses(const freehold_reader_t *reader, freehold_class_t object_class, const char *text, const char *paths)
{
    freehold_query_t *query = NULL;
    freehold_text_t plan = { NULL, 0 };
    char copy[4096] = "";
    if (!CHECK_OK(freehold_query_prepare(reader, object_class, text, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query))) return false;
    CHECK_OK(freehold_query_explain(query, false, &plan));
    if (plan.length < sizeof copy) memcpy(copy, plan.bytes, plan.length);
    CHECK_OK(freehold_query_close(query));
    const char *index = strstr(copy, "index for ");
    return index != NULL && strncmp(index + strlen("index for "), paths, strlen(paths)) == 0;
}

/* An index gets a language, which another declaration of the same properties takes away. */
static void check_language(freehold_transaction_t *transaction)
{
    const freehold_index_field_t name = FIELD("name", 3);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_derived_index_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_add_full_text_index_in(transaction, AUTHOR, 1, &name, "german", FREEHOLD_TERMINATED));
    CHECK_OK(freehold_class_derived_index(reader, AUTHOR, 0, &info));
    CHECK_TEXT("german", info.language);
    CHECK(info.fields[0].weight == 3 && (info.state == FREEHOLD_INDEX_COMPLETE || info.state == FREEHOLD_INDEX_UNAVAILABLE));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index_in(transaction, AUTHOR, 1, &name, "klingon", 7));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index_in(transaction, AUTHOR, 1, &name, "\xff", 1));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index_in(transaction, AUTHOR, 1, &name, NULL, 0));
    CHECK_OK(freehold_class_add_full_text_index(transaction, AUTHOR, 1, &name));
    CHECK_OK(freehold_class_derived_index(reader, AUTHOR, 0, &info));
    CHECK(info.language.length == 0);
    CHECK_OK(freehold_class_drop_full_text_index(transaction, AUTHOR, 1, &name));
}

static void declare(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    make_classes(transaction);
    const freehold_index_field_t texts[] = { FIELD("title", 0), FIELD("body", 0.5), FIELD("author.name", 2) };
    const freehold_index_field_t link = FIELD("location", 0), pair[] = { FIELD("latitude", 0), FIELD("longitude", 0) };
    CHECK_OK(freehold_class_add_full_text_index(transaction, ARTICLE, 3, texts));
    CHECK_OK(freehold_class_add_place_index(transaction, ARTICLE, 1, &link));
    CHECK_OK(freehold_class_add_place_index(transaction, ARTICLE, 2, pair));
    CHECK_OK(freehold_class_add_place_index(transaction, POINT, 0, NULL));
    /* What there is already is not added again. */
    CHECK_OK(freehold_class_add_full_text_index(transaction, ARTICLE, 3, texts));
    CHECK_OK(freehold_class_add_place_index(transaction, ARTICLE, 1, &link));
    freehold_derived_index_info_t info = { .size = sizeof info };
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    CHECK_OK(freehold_class_derived_index(reader, ARTICLE, 0, &info));
    CHECK(info.kind == FREEHOLD_INDEX_FULL_TEXT && info.state == FREEHOLD_INDEX_COMPLETE && info.documents == 0 && info.field_count == 3);
    CHECK(info.language.length == 0);
    CHECK_OK(freehold_class_derived_index(reader, ARTICLE, 2, &info));
    CHECK(info.kind == FREEHOLD_INDEX_PLACES);
    CHECK_TEXT("longitude", info.fields[1].path);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_derived_index(reader, ARTICLE, 3, &info));
    check_language(transaction);
    make_article(transaction, "A cat", "sleeps beside the dog", "Ada", 10);
    make_article(transaction, "A dog", "barks", "Grace", 40);
    make_article(transaction, "A bird", "sings: cat, cat, cat", "Cat", 70);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_database_build_indexes(database, NULL, NULL));
}

static void list(const freehold_reader_t *reader)
{
    freehold_derived_index_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_derived_index(reader, ARTICLE, 0, &info));
    CHECK(info.kind == FREEHOLD_INDEX_FULL_TEXT && info.state == FREEHOLD_INDEX_COMPLETE && info.percent == 100 && info.field_count == 3);
    CHECK_TEXT("title", info.fields[0].path);
    CHECK_TEXT("author.name", info.fields[2].path);
    CHECK(info.fields[0].weight == 1 && info.fields[1].weight == 0.5 && info.fields[2].weight == 2);
    CHECK_OK(freehold_class_derived_index(reader, ARTICLE, 1, &info));
    CHECK(info.kind == FREEHOLD_INDEX_PLACES && info.state == FREEHOLD_INDEX_COMPLETE && info.field_count == 2 && info.words == 0);
    CHECK_TEXT("location.type", info.fields[0].path);
    CHECK_TEXT("location.coordinates", info.fields[1].path);
    CHECK_OK(freehold_class_derived_index(reader, ARTICLE, 2, &info));
    CHECK_TEXT("longitude", info.fields[1].path);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_derived_index(reader, ARTICLE, 3, &info));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_derived_index(reader, AUTHOR, 0, &info));
    CHECK_OK(freehold_class_derived_index(reader, POINT, 0, NULL));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_class_derived_index(reader, 9, 0, &info));
}

static void search(const freehold_reader_t *reader)
{
    CHECK(strcmp(found(reader, "title, body, author.name TEXT 'cat' SORT(@score DESC)"), "20") == 0);
    CHECK(strlen(found(reader, "title, body, author.name TEXT 'dog'")) == 2);
    CHECK(strlen(found(reader, "location GEOWITHIN geoBox([5, 30], [15, 80])")) == 2);
    CHECK(strlen(found(reader, "latitude, longitude GEOWITHIN geoCircle([10, 10], 0.01)")) == 1);
}

/* -- distances, scores, and what was found */

static void measure(const freehold_reader_t *reader)
{
    /* A degree of latitude, in metres. */
    static const double degree = 6378100 * 3.14159265358979323846 / 180;
    freehold_query_t *query = NULL;
    const freehold_key_t asked[] = { 0, 99, 2, 1 };
    double meters[4] = { -1, -1, -1, -1 };
    const char *nearest = "SORT(@distance(location, [10, 40]))", *within = "@distance(latitude, longitude, [10, 10]) > 1";
    if (!CHECK_OK(freehold_query_prepare(reader, ARTICLE, nearest, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query))) return;
    CHECK_OK(freehold_query_distances(query, 4, asked, meters));
    CHECK(fabs(meters[0] - 30 * degree) < 1e-6 && isnan(meters[1]) && fabs(meters[2] - 30 * degree) < 1e-6 && meters[3] == 0);
    CHECK_OK(freehold_query_distances(query, 4, asked, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_query_distances(query, 4, NULL, meters));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_query_prepare(reader, ARTICLE, within, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_distances(query, 4, asked, meters));
    CHECK(meters[0] == 0 && fabs(meters[3] - 30 * degree) < 1e-6);
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_query_prepare(reader, ARTICLE, "latitude > 1", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_query_distances(query, 1, asked, meters));
    CHECK_OK(freehold_query_close(query));
}

struct found {
    int texts;
};

static void note_found(void *context, const freehold_found_text_t *text)
{
    struct found *found = context;
    CHECK(text->size == sizeof *text && text->highlight_count == 1 && text->snippet_highlight_count == 1);
    CHECK(text->highlights[0].end - text->highlights[0].start == 3 && text->highlights[0].end <= text->text.length);
    CHECK(strncmp(text->snippet.bytes + text->snippet_highlights[0].start, "dog", 3) == 0);
    if (found->texts++ == 0) {
        CHECK_TEXT("body", text->path);
        CHECK_TEXT("sleeps beside the dog", text->text);
        CHECK_TEXT("the dog", text->snippet);
        CHECK(text->highlights[0].start == 18 && text->cut_before && !text->cut_after);
    } else {
        CHECK_TEXT("title", text->path);
        CHECK(!text->cut_before && !text->cut_after);
    }
}

static void show(const freehold_reader_t *reader)
{
    freehold_query_t *query = NULL;
    freehold_results_t *results = NULL;
    const freehold_key_t *keys = NULL;
    uint64_t count = 0;
    struct found found = { 0 };
    double scores[3] = { -1, -1, -1 };
    const char *text = "title, body, author.name TEXT 'dog' SORT(@score DESC)";
    if (!CHECK_OK(freehold_query_prepare(reader, ARTICLE, text, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query))) return;
    CHECK_OK(freehold_query_run(query, &results));
    CHECK_OK(freehold_results_keys(results, &keys, &count));
    if (!CHECK(count == 2)) return;
    const freehold_key_t asked[] = { keys[0], 99, keys[1] };
    CHECK_OK(freehold_query_scores(query, 3, asked, scores));
    CHECK(scores[0] > scores[2] && scores[2] > 0 && scores[1] == 0);
    CHECK_OK(freehold_query_scores(query, 3, asked, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_query_scores(query, 3, NULL, scores));
    CHECK_OK(freehold_query_found_texts(query, keys[1], 2, note_found, &found));
    CHECK_OK(freehold_query_found_texts(query, keys[0], 2, note_found, &found));
    CHECK(found.texts == 2);
    CHECK_OK(freehold_query_found_texts(query, 99, 2, note_found, &found));
    CHECK_OK(freehold_query_found_texts(query, keys[0], 2, NULL, NULL));
    CHECK(found.texts == 2);
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_query_prepare(reader, ARTICLE, "latitude > 1", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_query_scores(query, 1, asked, scores));
    CHECK_OK(freehold_query_found_texts(query, 1, 2, note_found, &found));
    CHECK(found.texts == 2);
    CHECK_OK(freehold_query_close(query));
}

static void drop(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_index_field_t texts[] = { FIELD("author.name", 0), FIELD("body", 3), FIELD("title", 0) };
    const freehold_index_field_t link = FIELD("location", 0), both[] = { FIELD("location.type", 0), FIELD("location.coordinates", 0) };
    const freehold_index_field_t pair[] = { FIELD("latitude", 0), FIELD("longitude", 0) };
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_drop_full_text_index(transaction, ARTICLE, 2, texts));
    CHECK_OK(freehold_class_drop_full_text_index(transaction, ARTICLE, 3, texts));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_drop_full_text_index(transaction, ARTICLE, 3, texts));
    /* The fields that are listed name the same index as the link. */
    CHECK_OK(freehold_class_drop_place_index(transaction, ARTICLE, 2, both));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_drop_place_index(transaction, ARTICLE, 1, &link));
    CHECK_OK(freehold_class_drop_place_index(transaction, ARTICLE, 2, pair));
    CHECK_OK(freehold_class_drop_place_index(transaction, POINT, 0, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

static void refuse(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_index_field_t missing = FIELD("colour", 0), number = FIELD("latitude", 0);
    const freehold_index_field_t light = FIELD("title", -1), path = FIELD("a.b.c", 0);
    const freehold_index_field_t none = { { NULL, 4 }, 0 }, mixed[] = { FIELD("title", 0), FIELD("longitude", 0) };
    freehold_index_field_t many[FREEHOLD_INDEX_LENGTH + 1];
    memset(many, 0, sizeof many);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_class_add_full_text_index(transaction, ARTICLE, 1, &missing));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index(transaction, ARTICLE, 1, &number));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index(transaction, ARTICLE, 1, &light));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index(transaction, ARTICLE, 1, &path));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index(transaction, ARTICLE, 1, &none));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index(transaction, ARTICLE, 1, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index(transaction, ARTICLE, 0, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_full_text_index(transaction, ARTICLE, FREEHOLD_INDEX_LENGTH + 1, many));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_class_add_full_text_index(transaction, 9, 1, &number));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_place_index(transaction, ARTICLE, 2, mixed));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_place_index(transaction, ARTICLE, 3, many));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_class_add_place_index(transaction, ARTICLE, 1, &missing));
    CHECK_OK(freehold_transaction_rollback(transaction));
}

/* -- more objects than a commit builds */

struct progress {
    int calls;
    uint64_t done, total;
    bool goes_on;
};

static bool note(void *context, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    CHECK(done <= total && done >= progress->done);
    progress->calls++;
    progress->done = done;
    progress->total = total;
    return progress->goes_on;
}

static freehold_derived_index_info_t first(freehold_database_t *database, bool *is_used)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_derived_index_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_derived_index(freehold_snapshot_reader(snapshot), AUTHOR, 0, &info));
    *is_used = uses(freehold_snapshot_reader(snapshot), AUTHOR, "name TEXT 'ada'", "name TEXT");
    CHECK_OK(freehold_snapshot_end(snapshot));
    return info;
}

static void build(void)
{
    freehold_database_t *database = fresh_database("built");
    freehold_transaction_t *transaction = begun(database);
    make_classes(transaction);
    freehold_text_t *names = calloc(MANY, sizeof *names);
    for (int place = 0; place < MANY; place++) names[place] = (freehold_text_t) { place % 1000 ? "Grace" : "Ada", place % 1000 ? 5 : 3 };
    const freehold_column_t column = { .size = sizeof column, .property = 0, .type = FREEHOLD_TYPE_STRING, .values = names };
    CHECK_OK(freehold_objects_create(transaction, AUTHOR, MANY, 1, &column, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    free(names);
    transaction = begun(database);
    const freehold_index_field_t name = FIELD("name", 0);
    CHECK_OK(freehold_class_add_full_text_index(transaction, AUTHOR, 1, &name));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));

    bool is_used = true;
    freehold_derived_index_info_t info = first(database, &is_used);
    CHECK(info.state == FREEHOLD_INDEX_BUILDING && info.percent > 50 && info.percent < 100 && info.documents < MANY && !is_used);
    transaction = begun(database);
    CHECK_CODE(FREEHOLD_ERROR_ALREADY_IN_WRITE, freehold_database_build_indexes(database, NULL, NULL));
    CHECK_OK(freehold_transaction_rollback(transaction));
    struct progress progress = { 0, 0, 0, false };
    CHECK_OK(freehold_database_build_indexes(database, note, &progress));
    CHECK(progress.calls == 1 && progress.done == info.documents && first(database, &is_used).state == FREEHOLD_INDEX_BUILDING);
    progress.goes_on = true;
    CHECK_OK(freehold_database_build_indexes(database, note, &progress));
    CHECK(progress.calls >= 3 && progress.done == progress.total && progress.total + 256 > MANY);
    info = first(database, &is_used);
    CHECK(info.state == FREEHOLD_INDEX_COMPLETE && info.percent == 100 && info.documents == progress.total && info.words == info.documents);
    CHECK(is_used);
    CHECK_OK(freehold_database_close(database));
}

void test_derived_indexes(void)
{
    freehold_database_t *database = fresh_database("derived");
    declare(database);
    freehold_snapshot_t *snapshot = taken(database);
    list(freehold_snapshot_reader(snapshot));
    search(freehold_snapshot_reader(snapshot));
    show(freehold_snapshot_reader(snapshot));
    measure(freehold_snapshot_reader(snapshot));
    drop(database);
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_derived_index(freehold_snapshot_reader(snapshot), ARTICLE, 0, NULL));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_derived_index(freehold_snapshot_reader(snapshot), POINT, 0, NULL));
    search(freehold_snapshot_reader(snapshot));
    CHECK_OK(freehold_snapshot_end(snapshot));
    refuse(database);
    CHECK_OK(freehold_database_close(database));
    build();
}
