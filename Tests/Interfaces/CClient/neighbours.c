/* Objects near those that were read last: read without being looked up again, and never other than they are. */
#include "check.h"
#include <stdio.h>
#include <string.h>

enum { NUMBER, SMALL, FLAG, REAL, SINGLE, MAYBE, TEXT, NEXT, PROPERTIES, ITEMS = 1300 };

/* The key of an item: consecutive up to the middle, then with gaps. */
static freehold_key_t key_of(int item) { return item < ITEMS / 2 ? item - 100 : (freehold_key_t)item * 7; }

static void expect(freehold_value_t *values, int item, int round)
{
    char text[32];
    snprintf(text, sizeof text, "item %d", item);
    values[NUMBER] = freehold_int(key_of(item));
    values[SMALL] = freehold_int(item % 9 - 4 + round);
    values[FLAG] = freehold_bool(item % 3 == 0);
    values[REAL] = freehold_double(item / 7.0 - round);
    values[SINGLE] = freehold_float((float)item / 4);
    /* Null in some clusters, and in others not. */
    values[MAYBE] = item % 600 > 300 && item % 5 == 0 ? freehold_null() : freehold_int(item);
    values[TEXT] = freehold_string(text, strlen(text));
    values[NEXT] = freehold_link(key_of(item / 2));
}

static bool same(const freehold_value_t *one, const freehold_value_t *other)
{
    if (one->type != other->type) return false;
    switch (one->type) {
    case FREEHOLD_TYPE_NULL: return true;
    case FREEHOLD_TYPE_BOOL: return one->as.boolean == other->as.boolean;
    case FREEHOLD_TYPE_INT: return one->as.integer == other->as.integer;
    case FREEHOLD_TYPE_FLOAT: return one->as.single == other->as.single;
    case FREEHOLD_TYPE_DOUBLE: return one->as.real == other->as.real;
    case FREEHOLD_TYPE_LINK: return one->as.link.key == other->as.link.key && other->as.link.object_class == FREEHOLD_NONE;
    default: return one->as.string.length == other->as.string.length && !memcmp(one->as.string.bytes, other->as.string.bytes, one->as.string.length);
    }
}

static bool is_right(const freehold_reader_t *reader, freehold_class_t class_number, int item, int round, int property)
{
    char text[32];
    freehold_value_t wanted[PROPERTIES], found[PROPERTIES];
    expect(wanted, item, round);
    snprintf(text, sizeof text, "item %d", item);
    wanted[TEXT].as.string.bytes = text;
    const freehold_property_t one = (freehold_property_t)property;
    const bool all = property == PROPERTIES;
    if (freehold_object_get(reader, class_number, key_of(item), all ? PROPERTIES : 1, all ? NULL : &one, found) != FREEHOLD_OK) return false;
    for (int n = 0; n < (all ? PROPERTIES : 1); n++) {
        /* A link tells its class, which the one that was set does not. */
        if (found[n].type == FREEHOLD_TYPE_LINK) {
            if (found[n].as.link.object_class != class_number) return false;
            found[n].as.link.object_class = FREEHOLD_NONE;
        }
        if (!same(wanted + (all ? n : property), found + n)) return false;
    }
    return true;
}

/* Every property of every item, one by one, in the order of keys and against it, and back and forth between two clusters. */
static void read_everything(const freehold_reader_t *reader, freehold_class_t class_number, int round)
{
    int right = 0, tried = 0, absent = 0;
    freehold_value_t value;
    for (int property = 0; property <= PROPERTIES; property++)
        for (int item = 0; item < ITEMS; item++) {
            right += is_right(reader, class_number, item, round, property);
            right += is_right(reader, class_number, ITEMS - 1 - item, round, (property + item) % (PROPERTIES + 1));
            right += is_right(reader, class_number, item % 2 ? item / 2 : ITEMS - 1 - item / 2, round, property);
            tried += 3;
        }
    CHECK(right == tried);
    /* Between the keys, and beyond them, there is nothing. */
    for (int item = ITEMS / 2; item < ITEMS; item++) {
        CHECK(is_right(reader, class_number, item, round, SMALL) && is_right(reader, class_number, item, round, SMALL));
        absent += freehold_object_get(reader, class_number, key_of(item) + 1, 1, NULL, &value) == FREEHOLD_ABSENT;
    }
    absent += freehold_object_get(reader, class_number, INT64_MIN, 1, NULL, &value) == FREEHOLD_ABSENT;
    absent += freehold_object_get(reader, class_number, INT64_MAX, 1, NULL, &value) == FREEHOLD_ABSENT;
    CHECK(absent == ITEMS - ITEMS / 2 + 2);
}

static void set_all(freehold_database_t *database, freehold_class_t class_number, int round)
{
    freehold_transaction_t *transaction = begun(database);
    int done = 0;
    for (int item = 0; item < ITEMS; item++) {
        freehold_value_t values[PROPERTIES];
        const freehold_property_t changed[] = { SMALL, REAL };
        expect(values, item, round);
        const freehold_value_t set[] = { values[SMALL], values[REAL] };
        done += freehold_object_set(transaction, class_number, key_of(item), 2, changed, set) == FREEHOLD_OK;
    }
    CHECK(done == ITEMS);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

static freehold_class_t make(freehold_database_t *database, const char *name)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t properties[] = {
        property("number", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY), property("small", FREEHOLD_TYPE_INT, 0),
        property("flag", FREEHOLD_TYPE_BOOL, 0), property("real", FREEHOLD_TYPE_DOUBLE, 0), property("single", FREEHOLD_TYPE_FLOAT, 0),
        property("maybe", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_NULLABLE), property("text", FREEHOLD_TYPE_STRING, 0), link_property("next", name),
    };
    freehold_class_t made = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, name, FREEHOLD_TERMINATED, PROPERTIES, properties, &made));
    int done = 0;
    for (int item = 0; item < ITEMS; item++) {
        freehold_value_t values[PROPERTIES];
        char text[32];
        expect(values, item, 0);
        snprintf(text, sizeof text, "item %d", item);
        values[TEXT] = freehold_string(text, strlen(text));
        done += freehold_object_create(transaction, made, values, PROPERTIES, NULL, values, NULL) == FREEHOLD_OK;
    }
    CHECK(done == ITEMS);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    return made;
}

void test_neighbours(void)
{
    freehold_database_t *database = fresh_database("neighbours");
    const freehold_class_t one = make(database, "One"), other = make(database, "Other");
    freehold_snapshot_t *before = taken(database), *now = taken(database);
    const freehold_reader_t *old_reader = freehold_snapshot_reader(before), *reader = freehold_snapshot_reader(now);
    read_everything(reader, one, 0);
    read_everything(old_reader, one, 0);
    set_all(database, one, 1);
    read_everything(reader, one, 0);
    bool moved = false;
    CHECK_OK(freehold_snapshot_refresh(now, &moved));
    CHECK(moved);
    read_everything(reader, one, 1);
    read_everything(old_reader, one, 0);
    /* The same keys in another class, in turns. */
    int right = 0;
    for (int item = 0; item < ITEMS; item++)
        right += is_right(reader, one, item, 1, SMALL) + is_right(reader, one, item, 1, REAL) + is_right(reader, other, item, 0, SMALL)
            + is_right(reader, other, item, 0, SMALL) + is_right(reader, other, item, 0, REAL);
    CHECK(right == 5 * ITEMS);
    /* Refreshed to the version it has, parked, and read on. */
    CHECK_OK(freehold_snapshot_refresh(now, &moved));
    CHECK(!moved);
    read_everything(reader, one, 1);
    CHECK_OK(freehold_snapshot_park(now));
    read_everything(reader, one, 1);
    /* Through a transaction, as it changes. */
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *writer = freehold_transaction_reader(transaction);
    const freehold_property_t small = SMALL;
    int seen = 0;
    for (int item = 0; item < 300; item++) {
        const freehold_value_t value = freehold_int(-item);
        freehold_value_t found;
        CHECK(is_right(writer, one, item, 1, SMALL) && is_right(writer, one, item + 1, 1, SMALL));
        CHECK_OK(freehold_object_set(transaction, one, key_of(item), 1, &small, &value));
        seen += freehold_object_get(writer, one, key_of(item), 1, &small, &found) == FREEHOLD_OK && found.as.integer == -item;
    }
    CHECK(seen == 300);
    CHECK_OK(freehold_object_delete(transaction, one, key_of(5)));
    freehold_value_t value;
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_get(writer, one, key_of(5), 1, &small, &value));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK(is_right(reader, one, 4, 1, SMALL) && is_right(reader, one, 5, 1, SMALL) && is_right(reader, one, 6, 1, SMALL));
    CHECK_OK(freehold_snapshot_refresh(now, &moved));
    CHECK_OK(freehold_object_get(reader, one, key_of(4), 1, &small, &value));
    CHECK_OK(freehold_object_get(reader, one, key_of(4), 1, &small, &value));
    CHECK(value.as.integer == -4);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_get(reader, one, key_of(5), 1, &small, &value));
    /* The handle ends, and what it has read with it. */
    CHECK_OK(freehold_snapshot_end(now));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_object_get(reader, one, key_of(4), 1, &small, &value));
    CHECK_OK(freehold_snapshot_end(before));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_object_get(old_reader, one, key_of(4), 1, &small, &value));
    CHECK_OK(freehold_database_close(database));
}
