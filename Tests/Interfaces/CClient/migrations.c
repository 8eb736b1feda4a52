/* Changes of the schema, classes that extend others, sequences, savepoints, and snapshots of one version. */
#include "check.h"
#include <string.h>

static freehold_class_t found_class(const freehold_reader_t *reader, const char *name)
{
    freehold_class_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_class_find(reader, name, FREEHOLD_TERMINATED, &number));
    return number;
}

static freehold_property_t found_property(const freehold_reader_t *reader, freehold_class_t object_class, const char *name)
{
    freehold_property_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_property_find(reader, object_class, name, FREEHOLD_TERMINATED, &number));
    return number;
}

static bool halve(void *context, freehold_value_t *value)
{
    ++*(int *)context;
    if (value->type != FREEHOLD_TYPE_INT) return false;
    *value = freehold_double((double)value->as.integer / 2);
    return true;
}

static bool refuse(void *context, freehold_value_t *value)
{
    (void)context;
    (void)value;
    return false;
}

/* What a conversion is called with: it reads other objects of the class, before and behind the one it converts. */
typedef struct {
    const freehold_reader_t *reader;
    int calls, wrong;
} reading_t;

static bool read_others(void *context, freehold_value_t *value)
{
    reading_t *reading = context;
    const freehold_property_t age = AGE;
    const freehold_key_t others[] = { 1, 300, 999, ++reading->calls };
    for (int n = 0; n < 4; n++) {
        freehold_value_t other = { 0 };
        const freehold_error_code_t code = freehold_object_get(reading->reader, PERSON, others[n], 1, &age, &other);
        reading->wrong += code != FREEHOLD_OK || other.type != FREEHOLD_TYPE_INT || other.as.integer != others[n] % 50;
    }
    *value = freehold_string(value->as.integer % 2 ? "odd" : "even", FREEHOLD_TERMINATED);
    return true;
}

/* While its properties are converted, objects are what they were. */
static void read_while_converting(void)
{
    freehold_database_t *database = fresh_database("conversions");
    make_people(database, 1000);
    freehold_transaction_t *transaction = begun(database);
    reading_t reading = { freehold_transaction_reader(transaction), 0, 0 };
    CHECK_OK(freehold_property_set_type(transaction, PERSON, AGE, FREEHOLD_TYPE_STRING, false, read_others, &reading));
    CHECK(reading.calls == 1000 && reading.wrong == 0);
    const freehold_property_t age = AGE;
    for (freehold_key_t key = 1; key <= 1000; key += 333) {
        freehold_value_t value = { 0 };
        CHECK_OK(freehold_object_get(reading.reader, PERSON, key, 1, &age, &value));
        CHECK_TEXT(key % 2 ? "odd" : "even", value.as.string);
    }
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_database_close(database));
}

static void change_properties(freehold_transaction_t *transaction)
{
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_property_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_property_rename(transaction, PERSON, AGE, "years", FREEHOLD_TERMINATED));
    CHECK_OK(freehold_property_info(reader, PERSON, AGE, &info));
    CHECK_TEXT("years", info.name);
    CHECK_OK(freehold_property_set_indexed(transaction, PERSON, AGE, false));
    CHECK_OK(freehold_property_set_nullable(transaction, PERSON, AGE, true, NULL));
    CHECK_OK(freehold_property_info(reader, PERSON, AGE, &info));
    CHECK(info.flags == FREEHOLD_PROPERTY_NULLABLE);
    const freehold_property_t age = AGE;
    const freehold_value_t null = freehold_null(), four = freehold_int(4);
    CHECK_OK(freehold_object_set(transaction, PERSON, 3, 1, &age, &null));
    CHECK_CODE(FREEHOLD_ERROR_NOT_NULLABLE, freehold_property_set_nullable(transaction, PERSON, AGE, false, NULL));
    CHECK_OK(freehold_property_set_nullable(transaction, PERSON, AGE, false, &four));
    freehold_value_t value;
    CHECK_OK(freehold_object_get(reader, PERSON, 3, 1, &age, &value));
    CHECK(value.as.integer == 4);
    int calls = 0;
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_property_set_type(transaction, PERSON, AGE, FREEHOLD_TYPE_DOUBLE, false, refuse, NULL));
    CHECK_OK(freehold_property_set_type(transaction, PERSON, AGE, FREEHOLD_TYPE_DOUBLE, false, halve, &calls));
    CHECK(calls == 20);
    CHECK_OK(freehold_object_get(reader, PERSON, 5, 1, &age, &value));
    CHECK(value.type == FREEHOLD_TYPE_DOUBLE && value.as.real == 2.5);
    CHECK_OK(freehold_property_set_type(transaction, PERSON, AGE, FREEHOLD_TYPE_STRING, false, NULL, NULL));
    CHECK_OK(freehold_object_get(reader, PERSON, 5, 1, &age, &value));
    CHECK_TEXT("2.5", value.as.string);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_property_set_type(transaction, PERSON, AGE, 99, false, NULL, NULL));
    CHECK_OK(freehold_property_set_delete_rule(transaction, PERSON, BOSS, FREEHOLD_DELETE_DENY));
    CHECK_CODE(FREEHOLD_ERROR_DELETE_DENIED, freehold_object_delete(transaction, PERSON, 5));
    CHECK_OK(freehold_property_info(reader, PERSON, BOSS, &info));
    CHECK(info.delete_rule == FREEHOLD_DELETE_DENY);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_property_set_delete_rule(transaction, PERSON, BOSS, 9));
    CHECK_OK(freehold_property_drop(transaction, PERSON, AGE));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_property_find(reader, PERSON, "years", 5, NULL));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_property_drop(transaction, PERSON, 77));
}

static void change_keys(freehold_transaction_t *transaction)
{
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_property_info_t info = { .size = sizeof info };
    freehold_property_t pair[] = { NAME, ID };
    CHECK_OK(freehold_class_add_index(transaction, PERSON, 2, pair, true));
    freehold_class_info_t about = { .size = sizeof about };
    CHECK_OK(freehold_class_info(reader, PERSON, &about));
    CHECK(about.index_count == 1);
    freehold_index_info_t index = { .size = sizeof index };
    CHECK_OK(freehold_class_index(reader, PERSON, 0, &index));
    CHECK(index.unique && index.property_count == 2 && index.properties[0] == NAME && index.properties[1] == ID);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_index(reader, PERSON, 1, &index));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_index(transaction, PERSON, 0, pair, true));
    CHECK_OK(freehold_class_add_index(transaction, PERSON, 1, pair, true));
    CHECK_OK(freehold_property_info(reader, PERSON, NAME, &info));
    CHECK(info.flags & FREEHOLD_PROPERTY_UNIQUE);
    CHECK_OK(freehold_property_end_uniqueness(transaction, PERSON, NAME));
    CHECK_OK(freehold_property_info(reader, PERSON, NAME, &info));
    CHECK(!(info.flags & FREEHOLD_PROPERTY_UNIQUE));
    CHECK_OK(freehold_class_set_primary_key(transaction, PERSON, NAME));
    const freehold_value_t name = freehold_string("person 9", 8);
    freehold_key_t key = 0;
    CHECK_OK(freehold_object_find(reader, PERSON, &name, &key));
    CHECK(key == 9);
    CHECK_OK(freehold_class_set_primary_key(transaction, PERSON, FREEHOLD_NONE));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_set_embedded(transaction, PERSON, true));
    CHECK_OK(freehold_class_set_embedded(transaction, PERSON, false));
}

/* Classes are renamed and dropped; those behind a dropped one have other numbers then, also in links to any class. */
static void change_classes(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_class_t old, holder;
    const freehold_property_info_t any = property("any", FREEHOLD_TYPE_MIXED, 0);
    CHECK_OK(freehold_class_create(transaction, "Old", 3, 0, NULL, &old));
    CHECK_OK(freehold_class_create(transaction, "Holder", 6, 1, &any, &holder));
    CHECK(old + 1 == holder);
    CHECK_OK(freehold_class_rename(transaction, old, "Older", 5));
    CHECK_CODE(FREEHOLD_ERROR_SCHEMA_MISMATCH, freehold_class_rename(transaction, old, "Holder", 6));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_class_drop(transaction, PERSON + 100));
    CHECK_OK(freehold_class_drop(transaction, old));
    holder = found_class(reader, "Holder");
    CHECK(holder == old);
    freehold_key_t first = 0, second = 0;
    CHECK_OK(freehold_object_create(transaction, holder, NULL, 0, NULL, NULL, &first));
    const freehold_property_t zero = 0;
    const freehold_value_t link = freehold_object(first, holder), nowhere = freehold_object(first, 99);
    CHECK_OK(freehold_object_create(transaction, holder, NULL, 1, &zero, &link, &second));
    freehold_value_t value;
    CHECK_OK(freehold_object_get(reader, holder, second, 1, NULL, &value));
    CHECK(value.type == FREEHOLD_TYPE_LINK && value.as.link.key == first && value.as.link.object_class == holder);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_object_set(transaction, holder, second, 1, &zero, &nowhere));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

static void extend_classes(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_property_info_t name = property("name", FREEHOLD_TYPE_STRING, 0), teeth = property("teeth", FREEHOLD_TYPE_INT, 0);
    const freehold_class_definition_t classes[] = {
        { .size = sizeof classes[0], .name = { "Animal", 6 }, .property_count = 1, .properties = &name },
        { .size = sizeof classes[0], .name = { "Dog", 3 }, .superclass = { "Animal", 6 }, .property_count = 1, .properties = &teeth },
    };
    CHECK_OK(freehold_classes_create(transaction, 2, classes));
    const freehold_class_t animal = found_class(reader, "Animal"), dog = found_class(reader, "Dog");
    freehold_class_info_t about = { .size = sizeof about };
    CHECK_OK(freehold_class_info(reader, dog, &about));
    CHECK(about.superclass == animal && about.property_count == 2);
    CHECK(found_property(reader, dog, "name") == 0 && found_property(reader, dog, "teeth") == 1);
    const freehold_value_t rex[] = { freehold_string("Rex", 3), freehold_int(42) };
    freehold_key_t key = 0;
    CHECK_OK(freehold_object_create(transaction, dog, NULL, 2, NULL, rex, &key));
    freehold_value_t values[2];
    CHECK_OK(freehold_object_get(reader, dog, key, 2, NULL, values));
    CHECK(values[1].as.integer == 42);
    CHECK_OK(freehold_object_get(reader, animal, key, 1, NULL, values));
    CHECK_TEXT("Rex", values[0].as.string);
    freehold_class_t own = FREEHOLD_NONE;
    CHECK_OK(freehold_object_class(reader, animal, key, &own));
    CHECK(own == dog);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_class(reader, animal, key + 1, &own));
    CHECK_OK(freehold_property_rename(transaction, dog, 0, "title", 5));
    CHECK(found_property(reader, animal, "title") == 0);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

static void count_on(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    int64_t number = 7;
    CHECK_CODE(FREEHOLD_ABSENT, freehold_sequence_last(reader, PERSON, "bill", 4, &number));
    CHECK_OK(freehold_sequence_next(transaction, PERSON, "bill", 4, &number));
    CHECK(number == 1);
    CHECK_OK(freehold_sequence_set(transaction, PERSON, "bill", 4, 99));
    CHECK_OK(freehold_sequence_next(transaction, PERSON, "bill", FREEHOLD_TERMINATED, &number));
    CHECK(number == 100);
    CHECK_OK(freehold_sequence_last(reader, PERSON, "bill", 4, &number));
    CHECK(number == 100);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sequence_set(transaction, PERSON, "bill", 4, 5));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sequence_next(transaction, PERSON, "", 0, &number));
    CHECK_OK(freehold_transaction_rollback(transaction));
}

static void go_back(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_savepoint_t outer = 0, inner = 0;
    uint64_t count = 0;
    CHECK_OK(freehold_savepoint_make(transaction, &outer));
    CHECK_OK(freehold_object_delete(transaction, PERSON, 1));
    CHECK_OK(freehold_savepoint_make(transaction, &inner));
    CHECK_OK(freehold_class_create(transaction, "Passing", 7, 0, NULL, NULL));
    CHECK_OK(freehold_object_delete(transaction, PERSON, 2));
    CHECK_OK(freehold_savepoint_rollback(transaction, inner));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_find(reader, "Passing", 7, NULL));
    CHECK_OK(freehold_object_count(reader, PERSON, &count));
    CHECK(count == 19);
    CHECK_OK(freehold_savepoint_rollback(transaction, outer));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_savepoint_rollback(transaction, inner));
    CHECK_OK(freehold_object_exists(reader, PERSON, 1));
    CHECK_OK(freehold_savepoint_release(transaction, outer));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_savepoint_release(transaction, outer));
    CHECK_OK(freehold_transaction_rollback(transaction));
}

static void hold_versions(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database), *another = NULL, *before = NULL;
    uint64_t count = 0;
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 1));
    CHECK_OK(freehold_transaction_snapshot_before(transaction, &before));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_snapshot_another(snapshot, &another));
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_OK(freehold_object_count(freehold_snapshot_reader(snapshot), PERSON, &count));
    CHECK(count == 19);
    CHECK_OK(freehold_object_count(freehold_snapshot_reader(another), PERSON, &count));
    CHECK(count == 20);
    CHECK_OK(freehold_object_count(freehold_snapshot_reader(before), PERSON, &count));
    CHECK(count == 20);
    CHECK_OK(freehold_snapshot_park(another));
    CHECK_OK(freehold_object_count(freehold_snapshot_reader(another), PERSON, &count));
    CHECK(count == 20);
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_OK(freehold_snapshot_end(another));
    CHECK_OK(freehold_snapshot_end(before));
}

static void tell_changes(freehold_database_t *database)
{
    freehold_snapshot_t *older = taken(database), *newer = taken(database);
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_t name = NAME;
    const freehold_value_t text = freehold_string("other", 5);
    const freehold_value_t id = freehold_int(500);
    CHECK_OK(freehold_object_set(transaction, PERSON, 5, 1, &name, &text));
    CHECK_OK(freehold_object_delete(transaction, PERSON, 20));
    CHECK_OK(freehold_object_create(transaction, PERSON, &id, 0, NULL, NULL, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_snapshot_refresh(newer, NULL));
    freehold_changes_t *changes = NULL;
    freehold_object_change_t change = { .size = sizeof change };
    CHECK_OK(freehold_changes_open(older, newer, "Person", FREEHOLD_TERMINATED, &changes));
    CHECK_OK(freehold_changes_next(changes, &change));
    CHECK(change.kind == FREEHOLD_CHANGE_CHANGED && change.key == 5 && change.property_count == 1 && change.properties[0] == NAME);
    CHECK_OK(freehold_changes_next(changes, &change));
    CHECK(change.kind == FREEHOLD_CHANGE_DELETED && change.key == 20 && change.property_count == 0);
    CHECK_OK(freehold_changes_next(changes, &change));
    CHECK(change.kind == FREEHOLD_CHANGE_INSERTED && change.key == 500);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_changes_next(changes, &change));
    CHECK_OK(freehold_snapshot_refresh(older, NULL));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_changes_next(changes, &change));
    CHECK_OK(freehold_changes_close(changes));
    CHECK_OK(freehold_changes_open(older, newer, "Person", FREEHOLD_TERMINATED, &changes));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_changes_next(changes, &change));
    CHECK_OK(freehold_changes_close(changes));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_changes_open(older, newer, "Nobody", FREEHOLD_TERMINATED, &changes));
    CHECK(changes == NULL);
    CHECK_OK(freehold_changes_close(NULL));
    CHECK_OK(freehold_snapshot_end(older));
    CHECK_OK(freehold_snapshot_end(newer));
}

void test_migrations(void)
{
    freehold_database_t *database = fresh_database("migrations");
    make_people(database, 20);
    count_on(database);
    go_back(database);
    hold_versions(database);
    tell_changes(database);
    extend_classes(database);
    change_classes(database);
    CHECK_OK(freehold_database_close(database));
    database = fresh_database("migrations");
    make_people(database, 20);
    freehold_transaction_t *transaction = begun(database);
    change_properties(transaction);
    change_keys(transaction);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    freehold_check_report_t report = { .size = sizeof report };
    CHECK_OK(freehold_database_check(database, &report, NULL, NULL));
    CHECK(report.problem_count == 0);
    CHECK_OK(freehold_database_close(database));
    read_while_converting();
}
