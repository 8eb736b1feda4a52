/* The schema: classes and their properties, listed and made. */
#ifndef FREEHOLD_SCHEMA_H
#define FREEHOLD_SCHEMA_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* What is particular about a property; bits. */
enum {
    /* Null is one of its values, or an element of its collections. Plain links and mixed values always have this. */
    FREEHOLD_PROPERTY_NULLABLE = 1,
    /* An ordered index is kept over it. */
    FREEHOLD_PROPERTY_INDEXED = 2,
    /* It is the class's primary key: an int, string, uuid, object_id or date; or a part of it, where several have this. */
    FREEHOLD_PROPERTY_PRIMARY_KEY = 4,
    /* No two objects have the same value. */
    FREEHOLD_PROPERTY_UNIQUE = 8
};

/* What deleting an object does to those it links to. */
typedef uint32_t freehold_delete_rule_t;
enum {
    /* Nothing: they stay. */
    FREEHOLD_DELETE_NULLIFY = 0,
    /* They are deleted as well. */
    FREEHOLD_DELETE_CASCADE = 1,
    /* The object is not deleted while it links to any. */
    FREEHOLD_DELETE_DENY = 2
};

/* Collections within one another, at most. */
#define FREEHOLD_COLLECTION_DEPTH 8

/* A property. Passed to make one, too; a terminated name may have the length FREEHOLD_TERMINATED then. */
typedef struct {
    size_t size;
    freehold_text_t name;
    /* Of the value, or of the innermost elements of a collection. */
    freehold_type_t type;
    uint32_t flags;
    /* The name of the class a link leads to; empty (or all zero) for other types. */
    freehold_text_t link_target;
    freehold_delete_rule_t delete_rule;
    /* FREEHOLD_TYPE_LIST, _SET or _MAP, the outermost first, and 0 behind the last; all zero for a plain value. */
    uint8_t collections[FREEHOLD_COLLECTION_DEPTH];
} freehold_property_info_t;

/* A class. */
typedef struct {
    size_t size;
    freehold_text_t name;
    /* Those of the classes it extends come first. */
    uint32_t property_count;
    /* FREEHOLD_NONE if it has none, or one of several properties. */
    freehold_property_t primary_key;
    /* The class it extends, or FREEHOLD_NONE. */
    freehold_class_t superclass;
    /* Indexes over several properties, see freehold_class_index. */
    uint32_t index_count;
    /* Its objects live within others, and end with them. */
    bool embedded;
} freehold_class_info_t;

/* Properties in an index over several, at most. */
#define FREEHOLD_INDEX_LENGTH 16

/* An index over several properties. */
typedef struct {
    size_t size;
    uint32_t property_count;
    bool unique;
    freehold_property_t properties[FREEHOLD_INDEX_LENGTH];
} freehold_index_info_t;

/* A class to be made. */
typedef struct {
    size_t size;
    freehold_text_t name;
    /* The name of the class it extends, whose properties its objects have as well; or all zero. */
    freehold_text_t superclass;
    size_t property_count;
    /* One behind the other, each as long as the first says. */
    const freehold_property_info_t *properties;
    /* Its objects live within others, and end with them. */
    bool embedded;
} freehold_class_definition_t;

/* How many classes there are: they are numbered from 0. */
FREEHOLD_API freehold_error_code_t freehold_class_count(const freehold_reader_t *reader, uint32_t *count);

/* The class so named, or FREEHOLD_ABSENT. */
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

/* The property so named, or FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_property_find(
    const freehold_reader_t *reader, freehold_class_t object_class, const char *name, size_t name_length,
    freehold_property_t *property);

/* Describes a property; FREEHOLD_ERROR_UNKNOWN_PROPERTY if there is none of this number. */
FREEHOLD_API freehold_error_code_t freehold_property_info(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    freehold_property_info_t *info);

/* Makes a class, or does nothing if the very same class is there; otherwise FREEHOLD_ERROR_SCHEMA_MISMATCH. Its properties
 * are numbered in the order given. Links lead to classes made before, or to the class itself.
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

/* Makes several classes that may link to one another and extend one another in any order, or does nothing for those of which the very same
 * is there. Only a circle of links that goes through a class that extends another has to be closed afterwards, by freehold_property_add. After
 * an error none was made. */
FREEHOLD_API freehold_error_code_t freehold_classes_create(
    freehold_transaction_t *transaction, size_t count, const freehold_class_definition_t *definitions);

/* Describes an index over several properties, by number from 0; FREEHOLD_ERROR_INVALID_ARGUMENT if there is none of this
 * number. */
FREEHOLD_API freehold_error_code_t freehold_class_index(
    const freehold_reader_t *reader, freehold_class_t object_class, uint32_t number, freehold_index_info_t *info);

/* Adds a property to a class: its objects get null, or the type's zero if it is required. */
FREEHOLD_API freehold_error_code_t freehold_property_add(
    freehold_transaction_t *transaction, freehold_class_t object_class, const freehold_property_info_t *info,
    freehold_property_t *property);

/* The number by which programs count the versions of their classes, or FREEHOLD_ABSENT if nobody has set one. The library keeps it
 * and does no more with it: Swift's `Realm.Configuration.schemaVersion`. */
FREEHOLD_API freehold_error_code_t freehold_schema_version(const freehold_reader_t *reader, uint64_t *version);

/* Sets that number, with the transaction's commit. Programs whose number is lower refuse the file. */
FREEHOLD_API freehold_error_code_t freehold_schema_set_version(freehold_transaction_t *transaction, uint64_t version);

FREEHOLD_END
#endif
