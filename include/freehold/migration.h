/* Changing the schema of a file that others hold. Each version keeps its own, so those who read go on reading. */
#ifndef FREEHOLD_MIGRATION_H
#define FREEHOLD_MIGRATION_H

#include "base.h"
#include "error.h"
#include "schema.h"
#include "value.h"

FREEHOLD_BEGIN

/* Makes of a file's classes at least those given: classes, properties, indexes and uniqueness that are missing are made. What the file has
 * besides stays, as other programs may have declared it: classes, properties, indexes, uniqueness, and the delete rules of links that are there. A
 * required property that is added to a class with objects has the type's zero in them.
 *
 * Errors: FREEHOLD_ERROR_SCHEMA_MISMATCH, naming the first property whose type, nullability, collections or target are others, or the class
 * whose primary key is; then nothing was changed. */
FREEHOLD_API freehold_error_code_t freehold_schema_adopt(
    freehold_transaction_t *transaction, size_t count, const freehold_class_definition_t *definitions);

/* Changes an older file's classes and objects to what the program's version of them wants, with the functions below and any others that take
 * the transaction; it may adopt the definitions itself, to fill what was added. FREEHOLD_OK to go on; anything else undoes everything. It
 * neither commits nor rolls back. */
typedef freehold_error_code_t (*freehold_migration_callback_t)(
    void *context, freehold_transaction_t *transaction, uint64_t file_version, uint64_t version);

/* Brings a file to the program's version of its classes, in one transaction: calls back if the file has a lower one (the callback may be NULL),
 * adopts the definitions, sets the version, commits durably. Of a file with a lower version indexes, uniqueness and delete rules of properties that
 * are defined become those given, too. A file without a version or classes is new, and has nothing to migrate. Where
 * nothing is to be changed nothing is written.
 *
 *     freehold_schema_update(database, 2, 3, classes, migrate, NULL);
 *
 * Errors: FREEHOLD_ERROR_SCHEMA_MISMATCH if the file's version is higher, and as above; what the callback returned; those of
 * freehold_transaction_begin and _commit. */
FREEHOLD_API freehold_error_code_t freehold_schema_update(
    const freehold_database_t *database, uint64_t version, size_t count, const freehold_class_definition_t *definitions,
    freehold_migration_callback_t callback, void *context);

/* Gives a class another name; links to it stay. FREEHOLD_ERROR_SCHEMA_MISMATCH if the name is taken. */
FREEHOLD_API freehold_error_code_t freehold_class_rename(
    freehold_transaction_t *transaction, freehold_class_t object_class, const char *name, size_t name_length);

/* Takes a class away, with its objects; the numbers of those behind it change. FREEHOLD_ERROR_INVALID_ARGUMENT while another
 * class links to it or extends it. */
FREEHOLD_API freehold_error_code_t freehold_class_drop(freehold_transaction_t *transaction, freehold_class_t object_class);

/* Makes a property the primary key, or, with FREEHOLD_NONE, leaves the class without one. Object keys, and so links, stay.
 * FREEHOLD_ERROR_DUPLICATE_KEY if objects have the same value. */
FREEHOLD_API freehold_error_code_t freehold_class_set_primary_key(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property);

/* Lets a class's objects live within others, or by themselves. FREEHOLD_ERROR_INVALID_ARGUMENT if the objects there are do not
 * allow it. */
FREEHOLD_API freehold_error_code_t freehold_class_set_embedded(
    freehold_transaction_t *transaction, freehold_class_t object_class, bool embedded);

/* Adds an index over several properties, or over one, which becomes an indexed or a unique one. FREEHOLD_ERROR_DUPLICATE_KEY if
 * it is to be unique and objects have equal values. */
FREEHOLD_API freehold_error_code_t freehold_class_add_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t count, const freehold_property_t *properties,
    bool unique);

/* Gives a property another name. */
FREEHOLD_API freehold_error_code_t freehold_property_rename(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, const char *name,
    size_t name_length);

/* Takes a property away, with its values; the numbers of those behind it change. */
FREEHOLD_API freehold_error_code_t freehold_property_drop(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property);

/* Begins or ends keeping an index over a property. */
FREEHOLD_API freehold_error_code_t freehold_property_set_indexed(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, bool indexed);

/* Lets objects have the same value in a unique property again; freehold_class_add_index makes it unique. */
FREEHOLD_API freehold_error_code_t freehold_property_end_uniqueness(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property);

/* Lets a property be null, or requires it to have a value: objects with null get `*replacement`. With NULL there may be none,
 * else FREEHOLD_ERROR_NOT_NULLABLE. */
FREEHOLD_API freehold_error_code_t freehold_property_set_nullable(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, bool nullable,
    const freehold_value_t *replacement);

/* Makes the new value of an old one, null included; false if it can't. `*value` holds the old one, and what it points to lives until
 * the callback returns; what the new one points to must live until the next call of it, or until the function returns. */
typedef bool (*freehold_convert_callback_t)(void *context, freehold_value_t *value);

/* Gives a property another type. With `convert` NULL numbers and bools become each other and text where that loses nothing, text
 * becomes what it says, text and data become each other, integers and dates each other as seconds.
 * FREEHOLD_ERROR_TYPE_MISMATCH, naming the first objects, if values cannot be converted; nothing is changed then. */
FREEHOLD_API freehold_error_code_t freehold_property_set_type(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, freehold_type_t type,
    bool nullable, freehold_convert_callback_t convert, void *context);

/* Sets what deleting an object does to those that a property of its links to. */
FREEHOLD_API freehold_error_code_t freehold_property_set_delete_rule(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property,
    freehold_delete_rule_t rule);

FREEHOLD_END
#endif
