/* Classes and properties: made, listed, added, refused. */
#include "check.h"
#include <string.h>

static void make_classes(freehold_transaction_t *transaction)
{
    const freehold_property_info_t city[] = {
        property("code", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_PRIMARY_KEY),
        property("name", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_NULLABLE | FREEHOLD_PROPERTY_INDEXED),
    };
    const freehold_property_info_t road[] = { link_property("from", "City"), link_property("to", "City") };
    freehold_class_t made = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "City", 4, 2, city, &made));
    CHECK(made == 0);
    CHECK_OK(freehold_class_create(transaction, "Road, not more", 4, 2, road, &made));
    CHECK(made == 1);
    CHECK_OK(freehold_class_create(transaction, "Empty", FREEHOLD_TERMINATED, 0, NULL, NULL));
    /* The same again is fine, another of the same name is not. */
    CHECK_OK(freehold_class_create(transaction, "City", 4, 2, city, &made));
    CHECK(made == 0);
    CHECK_CODE(FREEHOLD_ERROR_SCHEMA_MISMATCH, freehold_class_create(transaction, "City", 4, 1, city, &made));
}

static void refuse_classes(freehold_transaction_t *transaction)
{
    freehold_property_info_t wrong = property("x", 77, 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, "Wrong", 5, 1, &wrong, NULL));
    wrong = property("x", FREEHOLD_TYPE_NULL, 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, "Wrong", 5, 1, &wrong, NULL));
    wrong = property("x", FREEHOLD_TYPE_INT, 64);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, "Wrong", 5, 1, &wrong, NULL));
    wrong = property("x", FREEHOLD_TYPE_LINK, 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, "Wrong", 5, 1, &wrong, NULL));
    wrong = link_property("x", "Nowhere");
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_class_create(transaction, "Wrong", 5, 1, &wrong, NULL));
    wrong = property("x", FREEHOLD_TYPE_BOOL, FREEHOLD_PROPERTY_PRIMARY_KEY);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, "Wrong", 5, 1, &wrong, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, "Wrong", 5, 2, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, NULL, 0, 0, NULL, NULL));
    wrong = property("x", FREEHOLD_TYPE_INT, 0);
    wrong.size = 3;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_create(transaction, "Wrong", 5, 1, &wrong, NULL));
}

static void list_classes(const freehold_reader_t *reader)
{
    uint32_t count = 0;
    CHECK_OK(freehold_class_count(reader, &count));
    CHECK(count == 3);
    freehold_class_t found = FREEHOLD_NONE;
    CHECK_OK(freehold_class_find(reader, "Road", 4, &found));
    CHECK(found == 1);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_find(reader, "Wrong", 5, &found));
    freehold_class_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_info(reader, 0, &info));
    CHECK_TEXT("City", info.name);
    CHECK(info.property_count == 2 && info.primary_key == 0);
    CHECK_OK(freehold_class_info(reader, 1, &info));
    CHECK(info.primary_key == FREEHOLD_NONE && info.size == sizeof info);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_class_info(reader, 3, &info));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_class_info(reader, FREEHOLD_NONE, &info));
}

static void list_properties(const freehold_reader_t *reader)
{
    freehold_property_t found = FREEHOLD_NONE;
    CHECK_OK(freehold_property_find(reader, 1, "to", FREEHOLD_TERMINATED, &found));
    CHECK(found == 1);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_property_find(reader, 1, "via", 3, &found));
    freehold_property_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_property_info(reader, 0, 0, &info));
    CHECK_TEXT("code", info.name);
    CHECK(info.type == FREEHOLD_TYPE_STRING && info.flags == FREEHOLD_PROPERTY_PRIMARY_KEY);
    CHECK_TEXT("", info.link_target);
    CHECK_OK(freehold_property_info(reader, 0, 1, &info));
    CHECK(info.flags == (FREEHOLD_PROPERTY_NULLABLE | FREEHOLD_PROPERTY_INDEXED));
    CHECK_OK(freehold_property_info(reader, 1, 0, &info));
    CHECK(info.type == FREEHOLD_TYPE_LINK && info.flags == FREEHOLD_PROPERTY_NULLABLE);
    CHECK_TEXT("City", info.link_target);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_property_info(reader, 1, 2, &info));
}

static void add_properties(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_property_info_t size = property("size", FREEHOLD_TYPE_DOUBLE, FREEHOLD_PROPERTY_NULLABLE);
    freehold_property_t added = FREEHOLD_NONE;
    CHECK_OK(freehold_property_add(transaction, 0, &size, &added));
    CHECK(added == 2);
    freehold_property_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_property_info(reader, 0, added, &info));
    CHECK_TEXT("size", info.name);
    CHECK_CODE(FREEHOLD_ERROR_SCHEMA_MISMATCH, freehold_property_add(transaction, 0, &size, NULL));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_property_add(transaction, 9, &size, NULL));
    const freehold_property_info_t key = property("key", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_property_add(transaction, 0, &key, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_property_add(transaction, 0, NULL, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
}

static void count_versions(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    uint64_t version = 7;
    CHECK_CODE(FREEHOLD_ABSENT, freehold_schema_version(freehold_snapshot_reader(snapshot), &version));
    CHECK(version == 7);
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_schema_set_version(transaction, UINT64_MAX - 1));
    CHECK_OK(freehold_schema_version(freehold_transaction_reader(transaction), &version));
    CHECK(version == UINT64_MAX - 1);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_schema_version(freehold_snapshot_reader(snapshot), NULL));
    bool moved = false;
    CHECK_OK(freehold_snapshot_refresh(snapshot, &moved));
    version = 0;
    CHECK_OK(freehold_schema_version(freehold_snapshot_reader(snapshot), &version));
    CHECK(moved && version == UINT64_MAX - 1);
    CHECK_OK(freehold_snapshot_end(snapshot));
}

/* Classes of one call find one another in any order, also if they link in a circle through one that extends another. */
static void order_classes(freehold_database_t *database)
{
    const freehold_property_info_t special = link_property("special", "Special"), part = link_property("part", "Part");
    const freehold_property_info_t owner = link_property("owner", "Owner"), name = property("name", FREEHOLD_TYPE_STRING, 0);
    const freehold_property_info_t owned[] = { special, name };
    freehold_class_definition_t classes[] = {
        { .size = sizeof classes[0], .name = { "Owner", 5 }, .property_count = 2, .properties = owned },
        { .size = sizeof classes[0], .name = { "Special", 7 }, .superclass = { "Wheel", 5 }, .property_count = 1, .properties = &part },
        { .size = sizeof classes[0], .name = { "Part", 4 }, .superclass = { "Wheel", 5 } },
        { .size = sizeof classes[0], .name = { "Wheel", 5 }, .property_count = 1, .properties = &name },
    };
    uint32_t before = 0, after = 0;
    for (int adopts = 0; adopts < 2; adopts++) {
        freehold_transaction_t *transaction = begun(database);
        const freehold_reader_t *reader = freehold_transaction_reader(transaction);
        CHECK_OK(freehold_class_count(reader, &before));
        /* Twice: the second time there is nothing to do. */
        for (int n = 0; n < 2; n++)
            CHECK_OK(adopts ? freehold_schema_adopt(transaction, 4, classes) : freehold_classes_create(transaction, 4, classes));
        CHECK_OK(freehold_class_count(reader, &after));
        CHECK(after == before + 4);
        freehold_class_t number = FREEHOLD_NONE;
        freehold_property_info_t info = { .size = sizeof info };
        CHECK_OK(freehold_class_find(reader, "Owner", 5, &number));
        CHECK_OK(freehold_property_info(reader, number, 0, &info));
        CHECK_TEXT("special", info.name);
        CHECK_TEXT("Special", info.link_target);
        CHECK_OK(freehold_transaction_rollback(transaction));
    }
    classes[3].properties = &owner;
    freehold_transaction_t *transaction = begun(database);
    for (int n = 0; n < 2; n++) CHECK_OK(freehold_classes_create(transaction, 4, classes));
    CHECK_OK(freehold_schema_adopt(transaction, 4, classes));
    CHECK_OK(freehold_class_count(freehold_transaction_reader(transaction), &after));
    CHECK(after == before + 4);
    CHECK_OK(freehold_transaction_rollback(transaction));
    /* Without the class that the circle goes through it cannot be closed. */
    transaction = begun(database);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_classes_create(transaction, 3, classes + 1));
    CHECK_OK(freehold_class_count(freehold_transaction_reader(transaction), &after));
    CHECK(after == before);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

void test_schema(void)
{
    freehold_database_t *database = fresh_database("schema");
    freehold_transaction_t *transaction = begun(database);
    make_classes(transaction);
    refuse_classes(transaction);
    list_classes(freehold_transaction_reader(transaction));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));

    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    list_classes(reader);
    list_properties(reader);
    add_properties(database);
    freehold_property_info_t info = { .size = sizeof info };
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_property_info(reader, 0, 2, &info));
    bool moved = false;
    CHECK_OK(freehold_snapshot_refresh(snapshot, &moved));
    CHECK(moved);
    CHECK_OK(freehold_property_info(reader, 0, 2, &info));
    CHECK_OK(freehold_snapshot_end(snapshot));
    count_versions(database);
    order_classes(database);
    CHECK_OK(freehold_database_close(database));
}
