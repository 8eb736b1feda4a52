/* The schema: listing and creating classes and properties. */
#ifndef FREEHOLD_SCHEMA_H
#define FREEHOLD_SCHEMA_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Flags of a property; bits. */
enum {
    /* Its values, or the elements of its collections, may be null. Plain links and mixed values always have this
     * flag. */
    FREEHOLD_PROPERTY_NULLABLE = 1,
    /* An ordered index is kept over it. */
    FREEHOLD_PROPERTY_INDEXED = 2,
    /* It is the class's primary key: an int, string, uuid, object_id or date; or a part of the primary key, if
     * several properties have this flag. */
    FREEHOLD_PROPERTY_PRIMARY_KEY = 4,
    /* No two objects have the same value. */
    FREEHOLD_PROPERTY_UNIQUE = 8,
    /* In a synced class, the increments of all devices are added up. An int that is never null. */
    FREEHOLD_PROPERTY_COUNTER = 16,
    /* In a synced class, the application merges two values that were written at the same time. A single value. */
    FREEHOLD_PROPERTY_MERGED = 32
};

/* Whether a class is synced, and the effect of a change to an object that another device deletes at the same time. */
typedef uint32_t freehold_sync_t;
enum {
    /* It is not synced. */
    FREEHOLD_SYNC_NONE = 0,
    /* The object stays deleted, and the change is reported as lost. */
    FREEHOLD_SYNC_DELETION_WINS = 1,
    /* The object is created again, with the change. */
    FREEHOLD_SYNC_UPDATE_WINS = 2
};

/* What deleting an object does to the objects it links to. */
typedef uint32_t freehold_delete_rule_t;
enum {
    /* Nothing: the linked objects stay. */
    FREEHOLD_DELETE_NULLIFY = 0,
    /* The linked objects are deleted as well. */
    FREEHOLD_DELETE_CASCADE = 1,
    /* The object is not deleted while it links to any. */
    FREEHOLD_DELETE_DENY = 2
};

/* The maximum depth of nested collections. */
#define FREEHOLD_COLLECTION_DEPTH 8

/* A property. Also passed to create one; a terminated name may then have the length FREEHOLD_TERMINATED. */
typedef struct {
    size_t size;
    freehold_text_t name;
    /* The type of the value, or of the innermost elements of a collection. */
    freehold_type_t type;
    uint32_t flags;
    /* The name of the class a link leads to; empty (or all zero) for other types. */
    freehold_text_t link_target;
    freehold_delete_rule_t delete_rule;
    /* FREEHOLD_TYPE_LIST, _SET or _MAP, the outermost first, and 0 after the last; all zero for a plain value. */
    uint8_t collections[FREEHOLD_COLLECTION_DEPTH];
} freehold_property_info_t;

/* A class. */
typedef struct {
    size_t size;
    freehold_text_t name;
    /* The number of properties; those of the classes it extends come first. */
    uint32_t property_count;
    /* The primary key; FREEHOLD_NONE if the class has none, or one of several properties. */
    freehold_property_t primary_key;
    /* The class it extends, or FREEHOLD_NONE. */
    freehold_class_t superclass;
    /* The number of indexes over several properties, see freehold_class_index. */
    uint32_t index_count;
    /* Its objects live within others, and are deleted with them. */
    bool embedded;
    /* Whether it is synced, and how: as the class that it extends. */
    freehold_sync_t sync;
} freehold_class_info_t;

/* The maximum number of properties in an index. */
#define FREEHOLD_INDEX_LENGTH 16

/* An index over several properties. */
typedef struct {
    size_t size;
    uint32_t property_count;
    bool unique;
    freehold_property_t properties[FREEHOLD_INDEX_LENGTH];
} freehold_index_info_t;

/* The definition of a class to create. */
typedef struct {
    size_t size;
    freehold_text_t name;
    /* The name of the class it extends, whose properties its objects also have; or all zero. */
    freehold_text_t superclass;
    size_t property_count;
    /* The properties in an array, whose elements have the size that the first one gives. */
    const freehold_property_info_t *properties;
    /* Its objects live within others, and are deleted with them. */
    bool embedded;
    /* Whether it is synced, with the classes that extend it, and how. Its commits then note what they change, for the
     * server. It needs a primary key that each device can give without asking others; what it links to is synced too.
     * A class of the file that is synced stays so, whatever definitions say: freehold_class_unmark_synced. */
    freehold_sync_t sync;
} freehold_class_definition_t;

/* The number of classes; they are numbered from 0. */
FREEHOLD_API freehold_error_code_t freehold_class_count(const freehold_reader_t *reader, uint32_t *count);

/* Finds a class by name; FREEHOLD_ABSENT if there is none. */
FREEHOLD_API freehold_error_code_t freehold_class_find(
    const freehold_reader_t *reader, const char *name, size_t name_length, freehold_class_t *object_class);

/* Describes a class; FREEHOLD_ERROR_UNKNOWN_CLASS if there is none of this number.
 *
 *     uint32_t count;
 *     freehold_class_count(reader, &count);
 *     for (freehold_class_t number = 0; number < count; number++) {
 *         freehold_class_info_t info = { .size = sizeof info };
 *         freehold_class_info(reader, number, &info);
 *         printf("%.*s\n", (int)info.name.length, info.name.bytes);
 *     }
 */
FREEHOLD_API freehold_error_code_t freehold_class_info(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_class_info_t *info);

/* Finds a property of a class by name; FREEHOLD_ABSENT if there is none. */
FREEHOLD_API freehold_error_code_t freehold_property_find(
    const freehold_reader_t *reader, freehold_class_t object_class, const char *name, size_t name_length,
    freehold_property_t *property);

/* Describes a property; FREEHOLD_ERROR_UNKNOWN_PROPERTY if there is none of this number. */
FREEHOLD_API freehold_error_code_t freehold_property_info(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    freehold_property_info_t *info);

/* Creates a class, or does nothing if an identical class exists; otherwise FREEHOLD_ERROR_SCHEMA_MISMATCH. Its
 * properties are numbered in the order given. Links lead to classes created before, or to the class itself.
 *
 *     const freehold_property_info_t properties[] = {
 *         { sizeof properties[0], { "id", 2 }, FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY, { NULL, 0 } },
 *         { sizeof properties[0], { "name", 4 }, FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED, { NULL, 0 } },
 *     };
 *     freehold_class_create(transaction, "Person", FREEHOLD_TERMINATED, 2, properties, &person);
 */
FREEHOLD_API freehold_error_code_t freehold_class_create(
    freehold_transaction_t *transaction, const char *name, size_t name_length, size_t property_count,
    const freehold_property_info_t *properties, freehold_class_t *object_class);

/* Creates several classes, which may link to one another and extend one another in any order; classes of which an
 * identical one exists are skipped. Where links lead in a circle through a class that extends another, some links come
 * last among the properties of their class. After an error no class was created. */
FREEHOLD_API freehold_error_code_t freehold_classes_create(
    freehold_transaction_t *transaction, size_t count, const freehold_class_definition_t *definitions);

/* Describes an index over several properties, by number from 0. FREEHOLD_ERROR_INVALID_ARGUMENT if there is none of
 * this number. */
FREEHOLD_API freehold_error_code_t freehold_class_index(
    const freehold_reader_t *reader, freehold_class_t object_class, uint32_t number, freehold_index_info_t *info);

/* Adds a property to a class: its objects get null, or the type's zero if the property is required.
 * FREEHOLD_ERROR_DUPLICATE_KEY if it is required and unique, and the class has several objects. */
FREEHOLD_API freehold_error_code_t freehold_property_add(
    freehold_transaction_t *transaction, freehold_class_t object_class, const freehold_property_info_t *info,
    freehold_property_t *property);

/* Makes a synced class an ordinary one, and drops what is not sent yet. FREEHOLD_ERROR_INVALID_ARGUMENT if it is not
 * marked as synced itself. */
FREEHOLD_API freehold_error_code_t freehold_class_unmark_synced(
    freehold_transaction_t *transaction, freehold_class_t object_class);

/* The schema version that a program has set, or FREEHOLD_ABSENT if none has. The library stores it and makes no other
 * use of it: Swift's `Realm.Configuration.schemaVersion`. */
FREEHOLD_API freehold_error_code_t freehold_schema_version(const freehold_reader_t *reader, uint64_t *version);

/* Sets the schema version, with the transaction's commit. Programs with a lower version refuse the file. */
FREEHOLD_API freehold_error_code_t freehold_schema_set_version(freehold_transaction_t *transaction, uint64_t version);

FREEHOLD_END
#endif
