/* Files that are brought to the version of the classes that a program wants. */
#include "check.h"
#include <string.h>

struct migration {
    int calls;
    uint64_t from, to;
    freehold_error_code_t code;
    size_t count;
    const freehold_class_definition_t *classes;
};

static freehold_class_definition_t dogs(size_t count, const freehold_property_info_t *properties)
{
    freehold_class_definition_t definition;
    memset(&definition, 0, sizeof definition);
    definition.size = sizeof definition;
    definition.name.bytes = "Dog";
    definition.name.length = 3;
    definition.property_count = count;
    definition.properties = properties;
    return definition;
}

/* From "name" and "age" to "title" and "born". */
static freehold_error_code_t migrate(void *context, freehold_transaction_t *transaction, uint64_t file_version, uint64_t version)
{
    struct migration *migration = context;
    migration->calls++;
    migration->from = file_version;
    migration->to = version;
    CHECK_OK(freehold_property_rename(transaction, 0, 0, "title", 5));
    CHECK_OK(freehold_schema_adopt(transaction, migration->count, migration->classes));
    freehold_property_t born = FREEHOLD_NONE;
    freehold_value_t age, year;
    const freehold_property_t age_property = 1;
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    CHECK_OK(freehold_property_find(reader, 0, "born", 4, &born));
    CHECK_OK(freehold_object_get(reader, 0, 0, 1, &age_property, &age));
    year = freehold_int(2026 - age.as.integer);
    CHECK_OK(freehold_object_set(transaction, 0, 0, 1, &born, &year));
    return migration->code;
}

static void first_version(freehold_database_t *database)
{
    const freehold_property_info_t properties[] = { property("name", FREEHOLD_TYPE_STRING, 0), property("age", FREEHOLD_TYPE_INT, 0) };
    const freehold_class_definition_t classes = dogs(2, properties);
    struct migration migration = { 0 };
    CHECK_OK(freehold_schema_update(database, 1, 1, &classes, migrate, &migration));
    CHECK(migration.calls == 0);
    freehold_transaction_t *transaction = begun(database);
    const freehold_value_t values[] = { freehold_string("Rex", 3), freehold_int(6) };
    freehold_key_t key = -1;
    CHECK_OK(freehold_object_create(transaction, 0, NULL, 2, NULL, values, &key));
    CHECK(key == 0);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));

    /* Once more: nothing is to be changed, and nothing is written. */
    freehold_version_t before = 0, after = 0;
    freehold_snapshot_t *snapshot = taken(database);
    CHECK_OK(freehold_reader_version(freehold_snapshot_reader(snapshot), &before));
    CHECK_OK(freehold_schema_update(database, 1, 1, &classes, migrate, &migration));
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_OK(freehold_reader_version(freehold_snapshot_reader(snapshot), &after));
    CHECK(before == after && migration.calls == 0);
    CHECK_OK(freehold_snapshot_end(snapshot));

    const freehold_property_info_t other[] = { property("name", FREEHOLD_TYPE_STRING, 0), property("age", FREEHOLD_TYPE_DOUBLE, 0) };
    const freehold_class_definition_t mistaken = dogs(2, other);
    CHECK_CODE(FREEHOLD_ERROR_SCHEMA_MISMATCH, freehold_schema_update(database, 1, 1, &mistaken, NULL, NULL));
    freehold_error_t error = { .size = sizeof error };
    freehold_last_error(&error);
    CHECK(strstr(error.message, "Property 'Dog.age' has been changed from 'int' to 'double'.") != NULL);
    CHECK_CODE(FREEHOLD_ERROR_SCHEMA_MISMATCH, freehold_schema_update(database, 0, 1, &classes, NULL, NULL));
    freehold_last_error(&error);
    CHECK(strstr(error.message, "Provided schema version 0 is less than last set version 1.") != NULL);
}

static void second_version(freehold_database_t *database)
{
    const freehold_property_info_t properties[] = {
        property("title", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED), property("age", FREEHOLD_TYPE_INT, 0),
        property("born", FREEHOLD_TYPE_INT, 0),
    };
    freehold_class_definition_t classes[] = { dogs(3, properties), dogs(1, properties) };
    classes[1].name.bytes = "Cat";
    struct migration migration = { .code = FREEHOLD_ERROR_TYPE_MISMATCH, .count = 2, .classes = classes };
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_schema_update(database, 2, 2, classes, migrate, &migration));
    /* A code of the callback's own is the last error too. */
    freehold_error_t error = { .size = sizeof error };
    migration.code = 4711;
    CHECK(freehold_schema_update(database, 2, 2, classes, migrate, &migration) == 4711);
    CHECK(freehold_last_error(&error) == 4711 && strstr(error.message, "4711") != NULL);
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    uint64_t version = 0;
    uint32_t count = 0;
    CHECK_OK(freehold_schema_version(reader, &version));
    CHECK_OK(freehold_class_count(reader, &count));
    CHECK(version == 1 && count == 1 && migration.calls == 2);
    migration.code = FREEHOLD_OK;
    CHECK_OK(freehold_schema_update(database, 2, 2, classes, migrate, &migration));
    CHECK(migration.calls == 3 && migration.from == 1 && migration.to == 2);
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_OK(freehold_schema_version(reader, &version));
    CHECK_OK(freehold_class_count(reader, &count));
    CHECK(version == 2 && count == 2);
    freehold_value_t values[3];
    freehold_property_info_t title = { .size = sizeof title };
    CHECK_OK(freehold_object_get(reader, 0, 0, 3, NULL, values));
    CHECK(values[2].as.integer == 2020);
    CHECK_OK(freehold_property_info(reader, 0, 0, &title));
    CHECK_TEXT("title", title.name);
    CHECK(title.flags & FREEHOLD_PROPERTY_INDEXED);
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static uint32_t title_flags(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_property_info_t title = { .size = sizeof title };
    CHECK_OK(freehold_property_info(freehold_snapshot_reader(snapshot), 0, 0, &title));
    CHECK_OK(freehold_snapshot_end(snapshot));
    return title.flags;
}

/* What another program has declared stays, until one says that its classes are newer. */
static void other_programs(freehold_database_t *database)
{
    const freehold_property_info_t plain = property("title", FREEHOLD_TYPE_STRING, 0);
    const freehold_property_info_t unique = property("title", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_UNIQUE);
    const freehold_class_definition_t plain_dogs = dogs(1, &plain), unique_dogs = dogs(1, &unique);
    const freehold_class_definition_t *each[] = { &plain_dogs, &unique_dogs, &plain_dogs };
    const uint32_t after[] = { FREEHOLD_PROPERTY_INDEXED, FREEHOLD_PROPERTY_UNIQUE, FREEHOLD_PROPERTY_UNIQUE };
    for (int n = 0; n < 3; n++) {
        freehold_transaction_t *transaction = begun(database);
        CHECK_OK(freehold_schema_adopt(transaction, 1, each[n]));
        CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
        CHECK(title_flags(database) & after[n]);
        CHECK_OK(freehold_schema_update(database, 2, 1, each[n], NULL, NULL));
        CHECK(title_flags(database) & after[n]);
    }
    CHECK_OK(freehold_schema_update(database, 3, 1, &plain_dogs, NULL, NULL));
    CHECK(!(title_flags(database) & (FREEHOLD_PROPERTY_INDEXED | FREEHOLD_PROPERTY_UNIQUE)));
}

struct filling {
    const freehold_class_definition_t *classes;
    int64_t difference;
};

/* Gives two dogs numbers that differ by `difference`, in a property that is to be unique once the migration is done. */
static freehold_error_code_t number(void *context, freehold_transaction_t *transaction, uint64_t file_version, uint64_t version)
{
    const struct filling *filling = context;
    CHECK(file_version == 3 && version == 4);
    CHECK_OK(freehold_schema_adopt(transaction, 1, filling->classes));
    freehold_property_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_property_find(freehold_transaction_reader(transaction), 0, "number", 6, &number));
    for (freehold_key_t key = 0; key < 2; key++) {
        const freehold_value_t value = freehold_int(5 + key * filling->difference);
        CHECK_OK(freehold_object_set(transaction, 0, key, 1, &number, &value));
    }
    return FREEHOLD_OK;
}

/* A new unique property of a class with objects: its migration gives it values. Without one, all of them would be 0. */
static void filled_unique(freehold_database_t *database)
{
    const freehold_property_info_t properties[] = {
        property("title", FREEHOLD_TYPE_STRING, 0), property("number", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_UNIQUE),
    };
    const freehold_class_definition_t classes = dogs(2, properties);
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_t title = 0;
    const freehold_value_t name = freehold_string("Tim", 3);
    CHECK_OK(freehold_object_create(transaction, 0, NULL, 1, &title, &name, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    struct filling filling = { &classes, 0 };
    CHECK_CODE(FREEHOLD_ERROR_DUPLICATE_KEY, freehold_schema_update(database, 4, 1, &classes, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_DUPLICATE_KEY, freehold_schema_update(database, 4, 1, &classes, number, &filling));
    filling.difference = 1;
    CHECK_OK(freehold_schema_update(database, 4, 1, &classes, number, &filling));
    transaction = begun(database);
    freehold_property_t numbered = FREEHOLD_NONE;
    CHECK_OK(freehold_property_find(freehold_transaction_reader(transaction), 0, "number", 6, &numbered));
    const freehold_value_t taken_already = freehold_int(6);
    CHECK_CODE(FREEHOLD_ERROR_DUPLICATE_KEY, freehold_object_set(transaction, 0, 0, 1, &numbered, &taken_already));
    CHECK_OK(freehold_transaction_rollback(transaction));
}

void test_updates(void)
{
    freehold_database_t *database = fresh_database("updates");
    first_version(database);
    second_version(database);
    other_programs(database);
    filled_unique(database);
    CHECK_OK(freehold_database_close(database));
}
