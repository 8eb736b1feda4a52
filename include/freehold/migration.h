/* Changes to the schema of a file that others have open. Each version keeps its own schema, so readers continue
 * undisturbed. */
#ifndef FREEHOLD_MIGRATION_H
#define FREEHOLD_MIGRATION_H

#include "base.h"
#include "error.h"
#include "schema.h"
#include "value.h"

FREEHOLD_BEGIN

/* Adds the classes, properties, indexes and uniqueness that the file lacks. Whatever else the file has stays, as
 * other programs may have declared it: classes, properties, indexes, uniqueness, and the delete rules of existing
 * links. A required property that is added to a class with objects is set to the type's zero in them.
 *
 * Errors: FREEHOLD_ERROR_SCHEMA_MISMATCH, with one line for each property whose type, nullability, collections or
 * target differ, and for each class whose primary key, superclass or embedding differs; FREEHOLD_ERROR_DUPLICATE_KEY if
 * objects have equal values in a property that is to be unique. Nothing is changed then. */
FREEHOLD_API freehold_error_code_t freehold_schema_adopt(
    freehold_transaction_t *transaction, size_t count, const freehold_class_definition_t *definitions);

/* Migrates the classes and objects of an older file to the program's version of them, with the functions below
 * and any others that take the transaction. The callback may adopt the definitions itself, to fill the properties
 * that were added: those that are to be unique become so after the callback. It returns FREEHOLD_OK to go on; anything
 * else undoes everything. It must neither commit nor roll back. */
typedef freehold_error_code_t (*freehold_migration_callback_t)(
    void *context, freehold_transaction_t *transaction, uint64_t file_version, uint64_t version);

/* Updates a file to the program's version of its classes, in one transaction: calls back if the file has a lower
 * version (the callback may be NULL), adopts the definitions, sets the version, commits durably. If the file's
 * version is lower, the indexes, uniqueness and delete rules of the defined properties are also changed to those
 * given. A file without a version or classes is new and needs no migration. If nothing has to change, nothing is
 * written.
 *
 *     freehold_schema_update(database, 2, 3, classes, migrate, NULL);
 *
 * Errors: FREEHOLD_ERROR_SCHEMA_MISMATCH if the file's version is higher, and those of freehold_schema_adopt; the
 * error that the callback returned; those of freehold_transaction_begin and _commit. */
FREEHOLD_API freehold_error_code_t freehold_schema_update(
    const freehold_database_t *database, uint64_t version, size_t count, const freehold_class_definition_t *definitions,
    freehold_migration_callback_t callback, void *context);

/* Renames a class; links to it stay. FREEHOLD_ERROR_SCHEMA_MISMATCH if the name is taken. */
FREEHOLD_API freehold_error_code_t freehold_class_rename(
    freehold_transaction_t *transaction, freehold_class_t object_class, const char *name, size_t name_length);

/* Drops a class with its objects; the numbers of the classes after it change. FREEHOLD_ERROR_INVALID_ARGUMENT while
 * another class links to it or extends it. */
FREEHOLD_API freehold_error_code_t freehold_class_drop(freehold_transaction_t *transaction, freehold_class_t object_class);

/* Makes a property the primary key, or, with FREEHOLD_NONE, leaves the class without one. Object keys stay, and
 * therefore links. FREEHOLD_ERROR_DUPLICATE_KEY if objects have the same value. */
FREEHOLD_API freehold_error_code_t freehold_class_set_primary_key(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property);

/* Makes a class embedded, so that its objects live within others, or makes it independent.
 * FREEHOLD_ERROR_INVALID_ARGUMENT if its present objects do not allow it. */
FREEHOLD_API freehold_error_code_t freehold_class_set_embedded(
    freehold_transaction_t *transaction, freehold_class_t object_class, bool embedded);

/* Adds an index over several properties, or over one, which becomes indexed or unique. FREEHOLD_ERROR_DUPLICATE_KEY
 * if the index is unique and objects have equal values. */
FREEHOLD_API freehold_error_code_t freehold_class_add_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t count, const freehold_property_t *properties,
    bool unique);

/* Renames a property. */
FREEHOLD_API freehold_error_code_t freehold_property_rename(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, const char *name,
    size_t name_length);

/* Drops a property with its values; the numbers of the properties after it change. */
FREEHOLD_API freehold_error_code_t freehold_property_drop(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property);

/* Adds or removes the index over a property. */
FREEHOLD_API freehold_error_code_t freehold_property_set_indexed(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, bool indexed);

/* Removes the uniqueness of a property; freehold_class_add_index makes it unique. */
FREEHOLD_API freehold_error_code_t freehold_property_end_uniqueness(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property);

/* Makes a property nullable or required. When it becomes required, objects with null get `*replacement`; with NULL
 * there must be none, else FREEHOLD_ERROR_NOT_NULLABLE. */
FREEHOLD_API freehold_error_code_t freehold_property_set_nullable(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, bool nullable,
    const freehold_value_t *replacement);

/* Converts an old value, null included, to the new one; returns false if it can't. `*value` holds the old value, and
 * its bytes are valid until the callback returns. The bytes of the new value must stay valid until the next call of
 * the callback, or until the function returns. */
typedef bool (*freehold_convert_callback_t)(void *context, freehold_value_t *value);

/* Changes the type of a property. With `convert` NULL, numbers and bools convert to one another and to text if no
 * information is lost, text converts to the value it spells, text and data convert to each other, and integers and
 * dates convert to each other as seconds. FREEHOLD_ERROR_TYPE_MISMATCH, naming the first objects, if values cannot be
 * converted; then nothing is changed. */
FREEHOLD_API freehold_error_code_t freehold_property_set_type(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, freehold_type_t type,
    bool nullable, freehold_convert_callback_t convert, void *context);

/* Sets the delete rule of a property: what deleting an object does to the objects that the property links to. */
FREEHOLD_API freehold_error_code_t freehold_property_set_delete_rule(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property,
    freehold_delete_rule_t rule);

FREEHOLD_END
#endif
