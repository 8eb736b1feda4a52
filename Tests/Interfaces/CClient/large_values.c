/* Parts of long values, and values written piece by piece. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 3000000, FILM = 0, TITLE = 1, FRAMES = 2 };

static unsigned char byte_at(size_t place) { return (unsigned char)(place * 31 + (place >> 9)); }

static void make_film(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t properties[] = {
        property("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY),
        property("title", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED),
        property("frames", FREEHOLD_TYPE_DATA, 0),
    };
    freehold_class_t film;
    CHECK_OK(freehold_class_create(transaction, "Film", FREEHOLD_TERMINATED, 3, properties, &film));
    const freehold_value_t key = freehold_int(1);
    CHECK_OK(freehold_object_create(transaction, film, &key, 0, NULL, NULL, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

/* Whether the film's frames are `length` bytes as byte_at says, with `patch` at `offset`. */
static bool is_whole(freehold_database_t *database, size_t length, size_t offset, const char *patch)
{
    static unsigned char bytes[LENGTH + 100];
    freehold_snapshot_t *snapshot = taken(database);
    size_t count = 0;
    uint64_t whole = 0;
    bool same = CHECK_OK(freehold_object_read_part(freehold_snapshot_reader(snapshot), FILM, 1, FRAMES, 0, bytes, sizeof bytes, &count, &whole))
        && count == length && whole == length;
    for (size_t place = 0; same && place < length; place++) {
        const bool is_patched = place >= offset && place < offset + strlen(patch);
        same = bytes[place] == (is_patched ? (unsigned char)patch[place - offset] : byte_at(place));
    }
    CHECK_OK(freehold_snapshot_end(snapshot));
    return same;
}

static void test_streaming(freehold_database_t *database, const unsigned char *bytes)
{
    freehold_large_value_t *value, *lost;
    CHECK_CODE(FREEHOLD_ERROR_VALUE_TOO_LARGE, freehold_large_value_open(database, UINT64_C(1) << 32, &value));
    CHECK(value == NULL);
    CHECK_OK(freehold_large_value_open(database, LENGTH, &value));
    for (size_t start = 0; start < LENGTH; start += 100000) CHECK_OK(freehold_large_value_write(value, bytes + start, 100000));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_large_value_write(value, NULL, 1));
    freehold_transaction_t *transaction = begun(database);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_set_large_value(transaction, FILM, 1, FRAMES, value));
    CHECK_OK(freehold_transaction_rollback(transaction));
    CHECK_OK(freehold_large_value_finish(value));
    transaction = begun(database);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_set_large_value(transaction, FILM, 2, FRAMES, value));
    CHECK_CODE(FREEHOLD_ERROR_VALUE_TOO_LARGE, freehold_object_set_large_value(transaction, FILM, 1, TITLE, value));
    CHECK_OK(freehold_object_set_large_value(transaction, FILM, 1, FRAMES, value));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_large_value_write(value, bytes, 1));
    CHECK_OK(freehold_large_value_close(value));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_large_value_finish(value));
    CHECK(is_whole(database, LENGTH, 0, ""));
    CHECK_OK(freehold_large_value_open(database, 0, &lost));
    CHECK_OK(freehold_large_value_write(lost, bytes, LENGTH));
    CHECK_OK(freehold_large_value_close(lost));
    CHECK_OK(freehold_large_value_close(NULL));
}

static void test_parts(freehold_database_t *database, const unsigned char *bytes)
{
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_object_write_part(transaction, FILM, 1, FRAMES, 1500000, "patch", 5));
    CHECK_OK(freehold_object_truncate(transaction, FILM, 1, FRAMES, LENGTH - 50));
    CHECK_OK(freehold_object_write_part(transaction, FILM, 1, FRAMES, FREEHOLD_AT_END, bytes + LENGTH - 50, 50));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_truncate(transaction, FILM, 2, FRAMES, 0));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_write_part(transaction, FILM, 2, FRAMES, 0, "x", 1));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_write_part(transaction, FILM, 1, FRAMES, LENGTH + 1, "x", 1));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_write_part(transaction, FILM, 1, FRAMES, 0, NULL, 1));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_truncate(transaction, FILM, 1, FRAMES, LENGTH + 1));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_truncate(transaction, FILM, 1, 0, 0));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK(is_whole(database, LENGTH, 1500000, "patch"));
}

void test_large_values(void)
{
    freehold_database_t *database = fresh_database("large.freehold");
    unsigned char *bytes = malloc(LENGTH);
    if (!CHECK(bytes != NULL)) return;
    for (size_t place = 0; place < LENGTH; place++) bytes[place] = byte_at(place);
    make_film(database);
    test_streaming(database, bytes);
    test_parts(database, bytes);
    CHECK_OK(freehold_database_check(database, NULL, NULL, NULL));
    free(bytes);
    CHECK_OK(freehold_database_close(database));
}
